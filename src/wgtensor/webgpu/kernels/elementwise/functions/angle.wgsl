// atan2 and atan of vec4<f32>.
//
// Error   2 ulp over the whole range; special values as in C99, F.10.1.3 and F.10.1.4. atan keeps -0 and denormals.
// Method  atan of the smaller over the larger magnitude: t + t^3 P(t^2) on [0, 1] with a minimax P of relative
//         error 2^-31; then pi/2 and pi in two parts for the octants.

fn wg_atan2(y: vec4<f32>, x: vec4<f32>) -> vec4<f32> {
    // Two denormals have the ratio of their bits, which no adapter flushes.
    let denormal = max(wg_magnitude(x), wg_magnitude(y)) < vec4<u32>(0x00800000u);
    let ax = select(wg_abs(x), vec4<f32>(wg_magnitude(x)), denormal);
    let ay = select(wg_abs(y), vec4<f32>(wg_magnitude(y)), denormal);
    let steep = wg_magnitude(y) > wg_magnitude(x);
    let ratio = wg_div(select(ay, ax, steep), select(ax, ay, steep));
    let equal = wg_magnitude(x) == wg_magnitude(y);  // 0 / 0 and inf / inf among them
    let t = select(ratio, select(vec4<f32>(1.0), vec4<f32>(0.0), wg_iszero(x)), equal);
    let z = t * t;
    var p = z * 0.00113452214 - 0.00742536318;
    p = p * z + 0.022777617;
    p = p * z - 0.0449832566;
    p = p * z + 0.0676364899;
    p = p * z - 0.0882146209;
    p = p * z + 0.110612333;
    p = p * z - 0.142803431;
    p = p * z + 0.199997157;
    p = p * z - 0.333333284;
    let octant = t + t * z * p;
    let quadrant = select(octant, 1.57079637 - wg_keep(octant + 4.37113883e-08), steep);
    let half = select(quadrant, 3.14159274 - wg_keep(quadrant + 8.74227766e-08), wg_signs(x) == vec4<u32>(WG_SIGN));
    return select(wg_copysign(half, y), wg_nan(), wg_isnan(x) | wg_isnan(y));
}

fn wg_atan(x: vec4<f32>) -> vec4<f32> {
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(wg_atan2(x, vec4<f32>(1.0)), x, tiny);
}
