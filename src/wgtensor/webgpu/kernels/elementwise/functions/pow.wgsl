// pow of vec4<f32>.
//
// Error   4 ulp over the whole range (1.1 where the result lies within 2^-20 .. 2^20); a power that is a float (3^5,
//         1.5^3, 2^-149) is exact. Denormal results are flushed where the adapter flushes denormals.
// Special values as in C99, F.10.4.4.
// Method  2^(y log2 |x|), log2 |x| as a sum of two floats, whose first has 12 bits, so that its product with the
//         first 12 bits of y is exact.

struct WgParity {
    whole: vec4<bool>,
    odd: vec4<bool>,
}

// Whether y, not 0 and not NaN, is an integer, and an odd one; infinity is even.
fn wg_parity(y: vec4<f32>) -> WgParity {
    let magnitude = wg_magnitude(y);
    let places = 150 - vec4<i32>(magnitude >> vec4<u32>(23u));  // of the mantissa, behind the point
    let shift = vec4<u32>(clamp(places, vec4<i32>(0), vec4<i32>(31)));
    let mantissa = (magnitude & vec4<u32>(0x007fffffu)) | vec4<u32>(0x00800000u);
    let whole = ((mantissa >> shift) << shift) == mantissa;
    let unit = ((mantissa >> shift) & vec4<u32>(1u)) == vec4<u32>(1u);
    return WgParity(whole, whole & unit & (places >= vec4<i32>(0)));
}

// |x|^y for every x and y but NaN.
fn wg_pow_magnitude(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let log2 = wg_log2_parts(x);
    let limit = vec4<f32>(4294967296.0);  // beyond it the power is 0, 1 or infinite
    let bounded = clamp(y, -limit, limit);
    let y_high = wg_leading(bounded);
    let y_low = wg_keep(bounded - y_high);
    let high = clamp(wg_keep(y_high * log2.high), vec4<f32>(-250.0), vec4<f32>(250.0));
    let low = y_high * log2.low + (y_low * log2.high + y_low * log2.low);
    let power = wg_exp2_sum(high, clamp(low, vec4<f32>(-1.0), vec4<f32>(1.0)));
    let grows = wg_isinf(x) == (wg_signs(y) == vec4<u32>(0u));
    return select(power, select(vec4<f32>(0.0), wg_inf(), grows), wg_isinf(x) | wg_iszero(x));
}

fn wg_pow(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let parity = wg_parity(y);
    let negative = wg_signs(x) == vec4<u32>(WG_SIGN);
    let sign = select(vec4<u32>(0u), vec4<u32>(WG_SIGN), negative & parity.odd);
    let power = wg_float(wg_bits(wg_pow_magnitude(wg_abs(x), y)) ^ sign);
    let invalid = negative & !parity.whole & wg_isfinite(x) & !wg_iszero(x);
    let one = wg_iszero(y) | (wg_bits(x) == vec4<u32>(0x3f800000u));
    return select(select(power, wg_nan(), invalid | wg_isnan(x) | wg_isnan(y)), vec4<f32>(1.0), one);
}
