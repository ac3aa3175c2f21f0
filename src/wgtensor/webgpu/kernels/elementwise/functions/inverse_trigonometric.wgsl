// asin and acos of vec4<f32>.
//
// Error   asin 2.5 ulp, acos 1.5 ulp over the whole range; NaN beyond 1; asin keeps -0 and denormals.
// Method  |x| <= 1/2: x + x^3 P(x^2) with a minimax P of relative error 2^-27; above by the half angle, asin |x| =
//         pi/2 - 2 asin(sqrt((1 - |x|) / 2)). pi/2 and pi in two parts.

// asin x for |x| <= 1/2.
fn wg_asin_small(x: vec4<f32>) -> vec4<f32> {
    let z = x * x;
    var p = z * 0.0421583056 + 0.0241847783;
    p = p * z + 0.0454691499;
    p = p * z + 0.0749530941;
    p = p * z + 0.166667521;
    return x + x * z * p;
}

// asin(sqrt((1 - |x|) / 2)) for 1/2 < |x| <= 1, else asin |x|.
fn wg_asin_reduced(x: vec4<f32>, steep: vec4<bool>) -> vec4<f32> {
    let a = wg_abs(x);
    return wg_asin_small(select(a, wg_sqrt(0.5 * max(1.0 - a, vec4<f32>(0.0))), steep));
}

fn wg_asin(x: vec4<f32>) -> vec4<f32> {
    let steep = wg_abs(x) > vec4<f32>(0.5);
    let angle = wg_asin_reduced(x, steep);
    let y = select(angle, 1.57079637 - wg_keep(2.0 * angle + 4.37113883e-08), steep);
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(select(wg_copysign(y, x), x, tiny), wg_nan(), wg_magnitude(x) > vec4<u32>(0x3f800000u));
}

fn wg_acos(x: vec4<f32>) -> vec4<f32> {
    let steep = wg_abs(x) > vec4<f32>(0.5);
    let angle = wg_asin_reduced(x, steep);
    let left = wg_signs(x) == vec4<u32>(WG_SIGN);
    let flat = 1.57079637 - wg_keep(wg_copysign(angle, x) + 4.37113883e-08);
    let near = select(2.0 * angle, 3.14159274 - wg_keep(2.0 * angle + 8.74227766e-08), left);
    return select(select(flat, near, steep), wg_nan(), wg_magnitude(x) > vec4<u32>(0x3f800000u));
}
