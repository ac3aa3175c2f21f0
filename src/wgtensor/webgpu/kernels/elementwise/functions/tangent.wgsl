// tan of vec4<f32>.
//
// Error   3 ulp over the whole float32 range; -0 and denormals keep their bits.
// Method  sin / cos.

fn wg_tan(x: vec4<f32>) -> vec4<f32> {
    let turn = wg_sincos(x);
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(wg_div(turn.sine, turn.cosine), x, tiny);
}
