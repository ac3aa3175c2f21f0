// Conversions between floats and integers.
//
// Float to integer truncates, saturates at the integer's limits, and makes NaN 0; integer to float rounds once, to
// nearest even. Drivers differ in all of this (saturation short of the limit, NaN to the minimum, f32(u32) off by
// one ulp), hence these.

fn wg_to_i32(x: vec4<f32>) -> vec4<i32> {
    let inside = abs(x) < vec4<f32>(2147483648.0);
    let limit = select(vec4<i32>(0x7fffffff), vec4<i32>(-0x7fffffff - 1), wg_signs(x) == vec4<u32>(WG_SIGN));
    let value = vec4<i32>(select(vec4<f32>(0.0), x, inside));
    return select(select(limit, value, inside), vec4<i32>(0), wg_isnan(x));
}

fn wg_to_u32(x: vec4<f32>) -> vec4<u32> {
    let positive = bitcast<vec4<i32>>(x) > vec4<i32>(0);
    let inside = positive & (x < vec4<f32>(4294967296.0));
    let value = vec4<u32>(select(vec4<f32>(0.0), x, inside));
    let limit = select(vec4<u32>(0u), vec4<u32>(0xffffffffu), positive);
    return select(select(limit, value, inside), vec4<u32>(0u), wg_isnan(x));
}

// Both halves and the product convert exactly: the sum rounds once.
fn wg_from_i32(x: vec4<i32>) -> vec4<f32> {
    return vec4<f32>(x >> vec4<u32>(16u)) * 65536.0 + vec4<f32>(x & vec4<i32>(0xffff));
}

fn wg_from_u32(x: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(vec4<i32>(x >> vec4<u32>(16u))) * 65536.0 + vec4<f32>(vec4<i32>(x & vec4<u32>(0xffffu)));
}

fn wg_nonzero(x: vec4<f32>) -> vec4<bool> {
    return wg_magnitude(x) != vec4<u32>(0u);
}
