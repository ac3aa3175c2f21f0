// float32 to the bits of float16, to nearest even; pack2x16float leaves what lies beyond 65504 open.
fn half_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let infinite = ((bits >> 16u) & 0x8000u) | 0x7c00u;
    return select(pack2x16float(vec2<f32>(x, 0.0)) & 0xffffu, infinite, abs(x) >= 65520.0);
}
