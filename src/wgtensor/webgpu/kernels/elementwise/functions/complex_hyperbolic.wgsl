// sin, cos, tan, sinh, cosh and tanh of complex64.
//
// Error   tan and tanh 3 eps, the others 2 eps of |result| (eps = 2^-23). Those do not overflow while a factor brings
//         the result back into range.
// Special values as in C99, G.6.2.4 to G.6.2.6 (tanh(0 + i inf) is 0 + i NaN, as in later corrections of it).
// Method  sin(x + iy) = sin x cosh y + i cos x sinh y, likewise cos, both as mantissa and exponent; sinh z = -i
//         sin(iz), cosh z = cos(iz), tan z = -i tanh(iz). tanh(x + iy) = (sinh x cosh x + i sin y cos y) / (sinh^2 x +
//         cos^2 y); for |x| > 12 its limit.

// (u * cosine, v * sine) * 2^exponent, the shape that sin, cos, sinh and cosh share.
fn wg_turned(u: vec4<f32>, cosine: vec4<f32>, v: vec4<f32>, sine: vec4<f32>, exponent: vec4<i32>) -> c64x4 {
    return c64x4(
        wg_scale_far(wg_vanishing_product(u, cosine), exponent),
        wg_scale_far(wg_vanishing_product(v, sine), exponent),
    );
}

fn wg_csin(z: c64x4) -> c64x4 {
    let h = wg_sinhcosh(z.im);
    let turn = wg_sincos(z.re);
    let y = wg_turned(h.cosh, turn.sine, h.sinh, turn.cosine, h.exponent);
    return c64x4(y.re, select(y.im, z.im, wg_isinf(z.im) & !wg_isfinite(z.re)));
}

fn wg_ccos(z: c64x4) -> c64x4 {
    let h = wg_sinhcosh(z.im);
    let turn = wg_sincos(z.re);
    let y = wg_turned(h.cosh, turn.cosine, wg_neg(h.sinh), turn.sine, h.exponent);
    return c64x4(select(y.re, wg_inf(), wg_isinf(z.im) & !wg_isfinite(z.re)), y.im);
}

fn wg_ctanh(z: c64x4) -> c64x4 {
    let bounded = clamp(z.re, vec4<f32>(-12.0), vec4<f32>(12.0));
    let h = wg_sinhcosh(bounded);
    let power = wg_pow2(h.exponent);
    let sinh = h.sinh * power;
    let turn = wg_sincos(z.im);
    let product = wg_vanishing_product(turn.sine, turn.cosine);
    let scale = sinh * sinh + turn.cosine * turn.cosine;
    let near = c64x4(sinh * (h.cosh * power) / scale, product / scale);
    let decay = wg_exp(-wg_abs(z.re));
    let directed = select(vec4<f32>(0.0), product, wg_isfinite(z.im) | wg_isfinite(z.re));
    // At infinity the Array API has an imaginary zero of the operand's sign, C that of sin(2 z.im).
    let limit = wg_isinf(z.re) & wg_isfinite(z.im);
    let vanishing = select(4.0 * directed * decay * decay, wg_copysign(vec4<f32>(0.0), z.im), limit);
    let far = c64x4(wg_copysign(vec4<f32>(1.0), z.re), vanishing);
    let y = wg_cselect(near, far, wg_abs(z.re) > vec4<f32>(12.0));
    let real = wg_iszero(z.im);  // tanh of a real NaN is real
    let imaginary = wg_iszero(z.re);
    let lost = wg_isnan(z.re) | (wg_isfinite(z.re) & !wg_isfinite(z.im));
    return c64x4(
        select(select(y.re, wg_nan(), lost), z.re, imaginary),
        select(select(y.im, wg_nan(), wg_isnan(z.re)), z.im, real),
    );
}

fn wg_ctan(z: c64x4) -> c64x4 {
    return wg_cturn_back(wg_ctanh(wg_cturn(z)));
}

fn wg_csinh(z: c64x4) -> c64x4 {
    return wg_cturn_back(wg_csin(wg_cturn(z)));
}

fn wg_ccosh(z: c64x4) -> c64x4 {
    return wg_ccos(wg_cturn(z));
}
