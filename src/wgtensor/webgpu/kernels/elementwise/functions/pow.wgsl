// pow of vec4<f32>.
//
// Error   4 ulp over the whole range (1.1 where the result lies within 2^-20 .. 2^20); a power that is a float (3^5,
//         1.5^3, 2^-149) is exact. Denormal results are flushed where the adapter flushes denormals.
// Special values as in C99, F.10.4.4.
// Method  log2 |x| to 30 bits as a sum of two floats, whose first has 12 bits, so that its product with the first
//         12 bits of y is exact; then 2^(n + r) = 2^n (1 + r ln 2 + r^2 Q(r)), the leading terms in two floats as
//         well.

struct WgTwoFloats {
    high: vec4<f32>,
    low: vec4<f32>,
}

// The leading 12 bits of the mantissa.
fn wg_leading(x: vec4<f32>) -> vec4<f32> {
    return wg_float(wg_bits(x) & vec4<u32>(0xfffff000u));
}

// log2 x for positive finite x; `high` has 12 bits.
// With s = (m - 1) / (m + 1), log2 m = 2 / ln 2 * atanh s; s in two parts of which the first has 11 bits.
fn wg_log2(x: vec4<f32>) -> WgTwoFloats {
    let parts = wg_log_parts(x);
    let m = parts.fraction;
    let m_high = wg_leading(m);
    let f = wg_keep(m - 1.0);
    let sum = m + 1.0;
    let s_high = wg_float(wg_bits(f / sum) & vec4<u32>(0xffffe000u));
    let s_low = (wg_keep(f - s_high * wg_keep(m_high + 1.0)) - s_high * wg_keep(m - m_high)) / sum;
    let s = s_high + s_low;
    let z = s * s;
    var p = z * 0.336614877 + 0.41192171;
    p = p * z + 0.577078879;
    p = p * z + 0.961796701;
    let leading = s_high * 2.88525391;  // 2 / ln 2 to 13 bits: exact
    let rest = s * z * p + (s_low * 2.88539004 + s_high * 0.000136175528);
    let e = vec4<f32>(parts.exponent);
    let total = wg_keep(e + leading);
    let low = (wg_keep(e - total) + leading) + rest;
    let high = wg_leading(total + low);
    return WgTwoFloats(high, wg_keep(total - high) + low);
}

// 2^(high + low) for |high| <= 250, |low| <= 1.
fn wg_exp2(high: vec4<f32>, low: vec4<f32>) -> vec4<f32> {
    let n = round(high + low);
    let whole = wg_keep(high - n);
    let r = wg_keep(whole + low);
    let r_high = wg_leading(r);
    let r_low = wg_keep(r - r_high) + (wg_keep(whole - r) + low);
    var q = r * 0.000154600857 + 0.00133905932;
    q = q * r + 0.00961806905;
    q = q * r + 0.0555036142;
    q = q * r + 0.240226507;
    let leading = r_high * 0.693115234;  // ln 2 to 12 bits: exact
    let rest = r * r * q + (r_low * 0.693147182 + r_high * 3.19461833e-05);
    let total = wg_keep(1.0 + leading);
    return wg_scale(total + ((wg_keep(1.0 - total) + leading) + rest), vec4<i32>(n));
}

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
    let log2 = wg_log2(x);
    let limit = vec4<f32>(4294967296.0);  // beyond it the power is 0, 1 or infinite
    let bounded = clamp(y, -limit, limit);
    let y_high = wg_leading(bounded);
    let y_low = wg_keep(bounded - y_high);
    let high = clamp(wg_keep(y_high * log2.high), vec4<f32>(-250.0), vec4<f32>(250.0));
    let low = y_high * log2.low + (y_low * log2.high + y_low * log2.low);
    let power = wg_exp2(high, clamp(low, vec4<f32>(-1.0), vec4<f32>(1.0)));
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
