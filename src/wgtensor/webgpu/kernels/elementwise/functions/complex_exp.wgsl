// exp and expm1 of complex64.
//
// Error   2 eps of |result| (eps = 2^-23). exp does not overflow while cos or sin brings the result back into range.
// Special values as in C99, G.6.3.1; expm1 likewise, minus 1.
// Method  e^(x + iy) = 2^n (1 + tail) (cos y + i sin y), with n applied last; expm1 for |x| < 1 by
//         expm1(x) cos y - 2 sin^2(y / 2), which keeps the small results.

// x * 2^k for -504 <= k <= 508 and |x| <= 4.
fn wg_scale_far(x: vec4<f32>, k: vec4<i32>) -> vec4<f32> {
    let half = k >> vec4<u32>(1u);
    return wg_scale(wg_keep(wg_scale(x, half)), k - half);
}

// u * v, where a zero makes the product zero whatever the other is (0 * inf, 0 * NaN).
fn wg_vanishing_product(u: vec4<f32>, v: vec4<f32>) -> vec4<f32> {
    let zero = wg_float(wg_signs(u) ^ wg_signs(v));
    return select(u * v, zero, wg_iszero(u) | wg_iszero(v));
}

fn wg_cexp(z: c64x4) -> c64x4 {
    let parts = wg_exp_parts(z.re);
    let turn = wg_sincos(z.im);
    let mantissa = select(1.0 + parts.tail, z.re, wg_isnan(z.re));
    let re = wg_scale_far(mantissa * turn.cosine, parts.exponent);
    let im = wg_scale_far(wg_vanishing_product(mantissa, turn.sine), parts.exponent);
    // An infinite modulus without a direction: |z| is all that is known.
    let lost = wg_isinf(z.re) & !wg_isfinite(z.im);
    let vanishes = wg_signs(z.re) == vec4<u32>(WG_SIGN);
    let zero = vec4<f32>(0.0);
    return c64x4(
        select(re, select(wg_inf(), zero, vanishes), lost),
        select(im, zero, lost & vanishes),
    );
}

fn wg_cexpm1(z: c64x4) -> c64x4 {
    let full = wg_cexp(z);
    let half = wg_sin(0.5 * z.im);
    let small = wg_expm1(z.re) * wg_cos(z.im) - 2.0 * half * half;
    let near = (wg_abs(z.re) < vec4<f32>(1.0)) & wg_isfinite(z.im);
    let re = select(full.re - 1.0, small, near);
    return c64x4(select(re, vec4<f32>(0.0), wg_iszero(re)), full.im);
}
