// Powers of two: 2^k, and x * 2^k without overflow on the way.
//
// Exact, but for one rounding where the result is denormal (flushed where the adapter flushes denormals).

// 2^k for -126 <= k <= 127.
fn wg_pow2(k: vec4<i32>) -> vec4<f32> {
    return bitcast<vec4<f32>>((k + 127) << vec4<u32>(23u));
}

// x * 2^k for -252 <= k <= 254.
fn wg_scale(x: vec4<f32>, k: vec4<i32>) -> vec4<f32> {
    let half = k >> vec4<u32>(1u);
    return wg_keep(x * wg_pow2(half)) * wg_pow2(k - half);
}
