// Elements out of 64-bit reads, for software adapters; everything here moves bits and is exact. Needs shader-int64.
//
// lavapipe reads storage lane by lane, at a cost per access and not per byte, so half the accesses are half the time.

fn wide_words(x: vec2<u64>) -> vec4<u32> {
    return vec4<u32>(u32(x.x & 0xfffffffflu), u32(x.x >> 32u), u32(x.y & 0xfffffffflu), u32(x.y >> 32u));
}

fn wide_pair(x: u64) -> vec2<f32> {
    return vec2<f32>(bitcast<f32>(u32(x & 0xfffffffflu)), bitcast<f32>(u32(x >> 32u)));
}

// Four float16 as float32.
fn wide_unpacked(x: u64) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(u32(x & 0xfffffffflu)), unpack2x16float(u32(x >> 32u)));
}
