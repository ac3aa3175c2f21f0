// Integer division, remainders and powers of vec4<i32> and vec4<u32>.
//
// Exact and wrapping. Division truncates; x / 0 = x rem 0 = 0; MIN / -1 = MIN, MIN rem -1 = 0 (the divisor becomes
// 1 where the quotient is not defined, so that no driver's own choice shows). The remainder comes from the quotient:
// Vulkan leaves that of negative operands undefined. A negative exponent gives 0, but 1 and -1 stay units.

fn wg_divisor_i32(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    let wraps = (a == vec4<i32>(-0x7fffffff - 1)) & (b == vec4<i32>(-1));
    return select(b, vec4<i32>(1), (b == vec4<i32>(0)) | wraps);
}

fn wg_div_i32(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    return select(a / wg_divisor_i32(a, b), vec4<i32>(0), b == vec4<i32>(0));
}

fn wg_rem_i32(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    let divisor = wg_divisor_i32(a, b);
    return a - a / divisor * divisor;
}

// Where truncation lies one above the floor.
fn wg_below_i32(rest: vec4<i32>, b: vec4<i32>) -> vec4<bool> {
    return (rest != vec4<i32>(0)) & ((rest ^ b) < vec4<i32>(0));
}

fn wg_floor_div_i32(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    return wg_div_i32(a, b) - vec4<i32>(wg_below_i32(wg_rem_i32(a, b), b));
}

fn wg_mod_i32(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    let rest = wg_rem_i32(a, b);
    return rest + select(vec4<i32>(0), b, wg_below_i32(rest, b));
}

fn wg_div_u32(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return select(a / max(b, vec4<u32>(1u)), vec4<u32>(0u), b == vec4<u32>(0u));
}

fn wg_rem_u32(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return a % max(b, vec4<u32>(1u));
}

// Square and multiply: at most 32 steps.
fn wg_pow_u32(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    var power = vec4<u32>(1u);
    var square = a;
    var exponent = b;
    while (any(exponent != vec4<u32>(0u))) {
        power *= select(vec4<u32>(1u), square, (exponent & vec4<u32>(1u)) == vec4<u32>(1u));
        square *= square;
        exponent >>= vec4<u32>(1u);
    }
    return power;
}

fn wg_pow_i32(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    let unit = (a == vec4<i32>(1)) | (a == vec4<i32>(-1));
    let vanishes = (b < vec4<i32>(0)) & !unit;
    // A unit's power depends only on the parity of the exponent.
    let exponent = select(b, b & vec4<i32>(1), b < vec4<i32>(0));
    let power = bitcast<vec4<i32>>(wg_pow_u32(bitcast<vec4<u32>>(a), bitcast<vec4<u32>>(exponent)));
    return select(power, vec4<i32>(0), vanishes);
}
