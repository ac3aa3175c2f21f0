// tanh of vec4<f32>.
//
// Error   1.5 ulp over the whole range; -0 and denormals keep their bits.
// Method  |x| < 0.625: x + x^3 P(x^2) with a minimax P of relative error 2^-28; above: 1 - 2 / (e^(2|x|) + 1).

fn wg_tanh(x: vec4<f32>) -> vec4<f32> {
    let a = wg_abs(x);
    let z = x * x;
    var p = z * -0.00569854351 + 0.0206328053;
    p = p * z - 0.0537375845;
    p = p * z + 0.133314133;
    p = p * z - 0.333332807;
    let small = x + x * z * p;
    let large = 1.0 - 2.0 / (wg_exp(min(a + a, vec4<f32>(40.0))) + 1.0);
    let y = select(wg_copysign(large, x), small, a < vec4<f32>(0.625));
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(y, x, tiny | wg_isnan(x));
}
