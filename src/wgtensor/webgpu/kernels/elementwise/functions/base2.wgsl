// log2, log10 and 2^x of vec4<f32>, and their forms in two floats, on which pow builds.
//
// Error   1 ulp over the whole range, denormal arguments included; exact where the result is an integer, or for 2^x the
//         argument. Denormal results are flushed where the adapter flushes denormals.
// Method  log2 x to 30 bits as a sum of two floats, whose first has 12 bits: its product with 12 bits is exact.
//         2^(n + r) = 2^n (1 + r ln 2 + r^2 Q(r)), the leading terms in two floats as well.

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
fn wg_log2_parts(x: vec4<f32>) -> WgTwoFloats {
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
fn wg_exp2_sum(high: vec4<f32>, low: vec4<f32>) -> vec4<f32> {
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

fn wg_log2(x: vec4<f32>) -> vec4<f32> {
    let parts = wg_log2_parts(x);
    return wg_log_specials(x, parts.high + parts.low);
}

// log10 2 in two parts; the first has 12 bits.
fn wg_log10(x: vec4<f32>) -> vec4<f32> {
    let parts = wg_log2_parts(x);
    let rest = parts.high * 4.60503907e-06 + parts.low * 0.301029996;
    return wg_log_specials(x, parts.high * 0.301025391 + rest);
}

fn wg_exp2(x: vec4<f32>) -> vec4<f32> {
    let power = wg_exp2_sum(clamp(x, vec4<f32>(-160.0), vec4<f32>(160.0)), vec4<f32>(0.0));
    return select(power, x, wg_isnan(x));
}
