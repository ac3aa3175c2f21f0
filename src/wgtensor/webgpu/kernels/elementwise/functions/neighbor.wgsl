// nextafter of vec4<f32>, and of float16 values held in it.
//
// Exact: a step in the bits, so denormals survive on every adapter. x where it equals y (then y), NaN where either is;
// from 0 to the smallest denormal with the sign of y; beyond the largest number lies infinity.

// The neighbor of bits x on the way to bits y, of a format whose sign bit is `sign`; neither is NaN.
fn wg_next_bits(x: vec4<u32>, y: vec4<u32>, sign: u32) -> vec4<u32> {
    let mask = vec4<u32>(sign - 1u);
    let farther = ((x ^ y) & vec4<u32>(sign)) == vec4<u32>(0u);
    let grows = farther & ((y & mask) > (x & mask));
    let stepped = select(x - 1u, x + 1u, grows);
    let moved = select(stepped, (y & vec4<u32>(sign)) | vec4<u32>(1u), (x & mask) == vec4<u32>(0u));
    let same = (x == y) | (((x | y) & mask) == vec4<u32>(0u));
    return select(moved, y, same);
}

fn wg_nextafter(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let next = wg_float(wg_next_bits(wg_bits(x), wg_bits(y), WG_SIGN));
    return select(next, wg_nan(), wg_isnan(x) | wg_isnan(y));
}

// Bits of float16 values; exact for them.
fn wg_half_bits(x: vec4<f32>) -> vec4<u32> {
    let pairs = vec2<u32>(pack2x16float(x.xy), pack2x16float(x.zw));
    return (pairs.xxyy >> vec4<u32>(0u, 16u, 0u, 16u)) & vec4<u32>(0xffffu);
}

fn wg_nextafter_half(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let bits = wg_next_bits(wg_half_bits(x), wg_half_bits(y), 0x8000u);
    let next = vec4<f32>(unpack2x16float(bits.x | (bits.y << 16u)), unpack2x16float(bits.z | (bits.w << 16u)));
    return select(next, wg_nan(), wg_isnan(x) | wg_isnan(y));
}
