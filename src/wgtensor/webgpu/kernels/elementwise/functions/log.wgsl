// log and log1p of vec4<f32>.
//
// Error   log 1 ulp, log1p 1.5 ulp over the whole range, denormal arguments included.
// Method  x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); log x = e ln 2 + f - f^2 / 2 + f^3 P(f) with a minimax P
//         of relative error 2^-27. log1p takes f = x itself where e = 0, and elsewhere adds to f what 1 + x rounded
//         away.

// x = 2^exponent * fraction, sqrt(1/2) <= fraction < sqrt(2).
struct WgLogParts {
    exponent: vec4<i32>,
    fraction: vec4<f32>,
}

// For positive finite x.
fn wg_log_parts(x: vec4<f32>) -> WgLogParts {
    let bits = bitcast<vec4<i32>>(x);
    // A denormal is its bits times 2^-149: converted, so no denormal meets an arithmetic unit that flushes it.
    let denormal = bits < vec4<i32>(0x00800000);
    let normal = select(bits, bitcast<vec4<i32>>(vec4<f32>(bits)), denormal);
    let above = normal - 0x3f3504f3;  // sqrt(1/2)
    let exponent = (above >> vec4<u32>(23u)) - select(vec4<i32>(0), vec4<i32>(149), denormal);
    return WgLogParts(exponent, bitcast<vec4<f32>>((above & vec4<i32>(0x007fffff)) + 0x3f3504f3));
}

// exponent * ln 2 + log(1 + f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1.
fn wg_log_sum(exponent: vec4<i32>, f: vec4<f32>) -> vec4<f32> {
    var p = f * -0.0763851851 + 0.127648741;
    p = p * f - 0.131601498;
    p = p * f + 0.142012641;
    p = p * f - 0.166233167;
    p = p * f + 0.200012505;
    p = p * f - 0.250008225;
    p = p * f + 0.333333313;
    let e = vec4<f32>(exponent);
    let square = f * f;
    let small = wg_keep(f * square * p + e * WG_LN2_LOW) - 0.5 * square;
    return wg_keep(f + small) + e * WG_LN2_HIGH;
}

// `y`, which is right for positive finite x, with the values at the other x.
fn wg_log_specials(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let invalid = select(y, wg_nan(), wg_bits(x) > vec4<u32>(WG_INFINITY));
    let zero = select(invalid, wg_neg(wg_inf()), wg_iszero(x));
    return select(zero, x, wg_isnan(x) | (wg_bits(x) == vec4<u32>(WG_INFINITY)));
}

fn wg_log(x: vec4<f32>) -> vec4<f32> {
    let parts = wg_log_parts(x);
    return wg_log_specials(x, wg_log_sum(parts.exponent, parts.fraction - 1.0));
}

fn wg_log1p(x: vec4<f32>) -> vec4<f32> {
    let sum = wg_keep(1.0 + x);
    let parts = wg_log_parts(sum);
    let large = abs(x) > vec4<f32>(1.0);
    let lost = select(x - wg_keep(sum - 1.0), 1.0 - wg_keep(sum - x), large);
    let scaled = lost * wg_pow2(clamp(-parts.exponent, vec4<i32>(-126), vec4<i32>(126)));
    let f = select(wg_keep(parts.fraction - 1.0) + scaled, x, parts.exponent == vec4<i32>(0));
    let y = wg_log_specials(sum, wg_log_sum(parts.exponent, f));
    let tiny = wg_magnitude(x) < vec4<u32>(0x33000000u);  // |x| < 2^-25: -0 and denormals move as they are
    return select(y, x, tiny);
}
