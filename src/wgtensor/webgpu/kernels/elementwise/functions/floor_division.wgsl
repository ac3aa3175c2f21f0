// Floor division of vec4<f32> and its remainder: the quotient of floor_divide, and Python's %, the sign of the divisor.
//
// Error   mod rounds once; floor_div is the floor of a quotient that is rounded twice, as NumPy's: the very same
//         finite values.
// Special values x mod 0 and inf mod y are NaN; x // 0 is x / 0; a remainder 0 has the sign of y, a quotient 0 that of
//         x / y. With an infinite y, x mod y is x or y. With one infinite operand x // y is x / y, as the Array API has
//         it; Python's is NaN or -1.

// Where the exact remainder `rest` of truncating division must move by y.
fn wg_below(rest: vec4<f32>, y: vec4<f32>) -> vec4<bool> {
    return !wg_iszero(rest) & (wg_signs(rest) != wg_signs(y));
}

fn wg_mod(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let rest = wg_rem(x, y);
    return select(select(rest, rest + y, wg_below(rest, y)), wg_copysign(rest, y), wg_iszero(rest));
}

fn wg_floor_div(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let rest = wg_rem(x, y);
    let truncated = wg_div(wg_sub(x, rest), y);
    let quotient = select(truncated, wg_keep(truncated - 1.0), wg_below(rest, y));
    let whole = floor(quotient);
    let near = select(whole, whole + 1.0, wg_sub(quotient, whole) > vec4<f32>(0.5));
    let sign = wg_float(wg_bits(x) ^ wg_bits(y));
    let finite = select(near, wg_copysign(near, sign), wg_iszero(near));
    let unlimited = select(wg_copysign(wg_inf(), sign), wg_nan(), wg_iszero(x) | wg_isnan(x));
    let valid = select(finite, wg_nan(), wg_isnan(rest));
    let bounded = select(valid, wg_copysign(vec4<f32>(0.0), sign), wg_isfinite(x) & wg_isinf(y));
    return select(bounded, unlimited, wg_iszero(y) | (wg_isinf(x) & wg_isfinite(y)));
}
