// asinh, acosh and atanh of vec4<f32>.
//
// Error   3 ulp over the whole range; asinh and atanh keep -0 and denormals. acosh is NaN below 1, atanh beyond 1.
// Method  log1p of an argument that does not cancel: |x| + x^2 / (1 + sqrt(1 + x^2)); t + sqrt(t^2 + 2t), t = x - 1;
//         2|x| / (1 - |x|). From 2^28 on, asinh and acosh are log(2|x|).

fn wg_asinh(x: vec4<f32>) -> vec4<f32> {
    let a = wg_abs(x);
    let large = a > vec4<f32>(268435456.0);
    let square = a * a;
    let excess = a + wg_div(square, 1.0 + wg_sqrt(1.0 + square));
    let doubled = select(vec4<f32>(0.0), vec4<f32>(0.693147182), large);
    let y = wg_log1p(select(excess, a, large)) + doubled;
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(wg_copysign(y, x), x, tiny | wg_isnan(x));
}

fn wg_acosh(x: vec4<f32>) -> vec4<f32> {
    let large = x > vec4<f32>(268435456.0);
    let t = max(x, vec4<f32>(1.0)) - 1.0;
    let excess = t + wg_sqrt(t * t + 2.0 * t);
    let doubled = select(vec4<f32>(0.0), vec4<f32>(0.693147182), large);
    let y = wg_log1p(select(excess, x, large)) + doubled;
    return select(wg_nan(), y, x >= vec4<f32>(1.0));
}

fn wg_atanh(x: vec4<f32>) -> vec4<f32> {
    let a = wg_abs(x);
    let y = 0.5 * wg_log1p(wg_div(a + a, 1.0 - a));
    let one = vec4<u32>(0x3f800000u);
    let near = select(select(y, wg_inf(), wg_magnitude(x) == one), wg_nan(), wg_magnitude(x) > one);
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(wg_copysign(near, x), x, tiny | wg_isnan(x));
}
