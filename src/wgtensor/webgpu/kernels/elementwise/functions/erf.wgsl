// The error function of vec4<f32>.
//
// Error   2 ulp over the whole range; -0 keeps its sign.
// Method  |x| < 0.93: x + x P(x^2) with a minimax P of relative error 2^-30; above: 1 - e^-Q(|x|), Q a minimax
//         polynomial of -log(erfc) whose error in the result is 2^-29. From 4 on the result is 1.

fn wg_erf(x: vec4<f32>) -> vec4<f32> {
    let z = x * x;
    var p = z * 7.99664995e-05 - 0.000804976968;
    p = p * z + 0.00519240508;
    p = p * z - 0.0268557314;
    p = p * z + 0.112836257;
    p = p * z - 0.376126289;
    p = p * z + 0.128379166;
    let a = min(wg_abs(x), vec4<f32>(4.0));
    var q = a * -0.000194770211 + 0.00303176208;
    q = q * a - 0.0221812129;
    q = q * a + 0.103836656;
    q = q * a + 0.637290597;
    q = q * a + 1.12761116;
    q = q * a + 0.000211312625;
    let large = wg_copysign(1.0 - wg_exp(-q), x);
    let y = select(large, x + x * p, wg_abs(x) < vec4<f32>(0.93));
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13: no product below x, which might be flushed
    return select(select(y, x * 1.12837917, tiny), x, wg_isnan(x) | wg_iszero(x));
}
