// Elements out of 64-bit reads, for software adapters.
//
// Needs      shader-int64; wg_zero is not used: everything here moves bits and is exact
// Why        lavapipe reads storage lane by lane, at a cost per access, so half the accesses are half the time

fn wide_words(x: vec2<u64>) -> vec4<u32> {
    return vec4<u32>(u32(x.x & 0xfffffffflu), u32(x.x >> 32u), u32(x.y & 0xfffffffflu), u32(x.y >> 32u));
}

fn wide_pair(x: u64) -> vec2<f32> {
    return vec2<f32>(bitcast<f32>(u32(x & 0xfffffffflu)), bitcast<f32>(u32(x >> 32u)));
}
{$ if float16 $}

fn wide_halves(x: u64) -> vec4<f16> {
    let low = unpack2x16float(u32(x & 0xfffffffflu));
    let high = unpack2x16float(u32(x >> 32u));
    return vec4<f16>(vec4<f32>(low, high));
}
{$ endif $}
{$ if complex64 $}

fn wide_complex(first: vec2<u64>, second: vec2<u64>) -> c64x4 {
    let a = bitcast<vec4<f32>>(wide_words(first));
    let b = bitcast<vec4<f32>>(wide_words(second));
    return c64x4(vec4<f32>(a.xz, b.xz), vec4<f32>(a.yw, b.yw));
}
{$ endif $}
