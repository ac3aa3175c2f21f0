// Shifts of vec4<i32> and vec4<u32>.
//
// Exact. An amount of 32 or more, or a negative one, leaves nothing but the sign: 0, or -1 for a right shift of a
// negative number. WGSL takes the amount modulo 32.

fn wg_shift_left_u32(x: vec4<u32>, amount: vec4<u32>) -> vec4<u32> {
    return select(x << (amount & vec4<u32>(31u)), vec4<u32>(0u), amount > vec4<u32>(31u));
}

fn wg_shift_right_u32(x: vec4<u32>, amount: vec4<u32>) -> vec4<u32> {
    return select(x >> (amount & vec4<u32>(31u)), vec4<u32>(0u), amount > vec4<u32>(31u));
}

fn wg_shift_left_i32(x: vec4<i32>, amount: vec4<i32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(wg_shift_left_u32(bitcast<vec4<u32>>(x), bitcast<vec4<u32>>(amount)));
}

fn wg_shift_right_i32(x: vec4<i32>, amount: vec4<i32>) -> vec4<i32> {
    return x >> min(bitcast<vec4<u32>>(amount), vec4<u32>(31u));
}
