// rem of vec4<f32>: C's fmod, the sign of the dividend.
//
// Exact over the whole range, denormals included: long division of the mantissas in integers, 8 bits a step (at
// most 35 steps; none where |x| < |y|). x rem 0, inf rem y and NaN are NaN; x rem inf is x; zeros keep their sign.

// value = mantissa * 2^(exponent - 150), 2^23 <= mantissa < 2^24; a zero has mantissa 0.
struct WgUnpacked {
    mantissa: vec4<u32>,
    exponent: vec4<i32>,
}

fn wg_unpack(magnitude: vec4<u32>) -> WgUnpacked {
    let exponent = magnitude >> vec4<u32>(23u);
    let fraction = magnitude & vec4<u32>(0x007fffffu);
    let denormal = exponent == vec4<u32>(0u);
    let shift = select(vec4<u32>(0u), countLeadingZeros(fraction) - 8u, denormal);
    let mantissa = select(fraction | vec4<u32>(0x00800000u), fraction << (shift & vec4<u32>(31u)), denormal);
    return WgUnpacked(mantissa, select(vec4<i32>(exponent), 1 - vec4<i32>(shift), denormal));
}

// mantissa * 2^(exponent - 150) for mantissa < 2^24; exact if the value is a float.
fn wg_pack(mantissa: vec4<u32>, exponent: vec4<i32>) -> vec4<u32> {
    let shift = (countLeadingZeros(mantissa) - 8u) & vec4<u32>(31u);
    let biased = exponent - vec4<i32>(shift);
    let fraction = mantissa << shift;
    let normal = (vec4<u32>(biased) << vec4<u32>(23u)) | (fraction & vec4<u32>(0x007fffffu));
    let denormal = fraction >> vec4<u32>(clamp(1 - biased, vec4<i32>(0), vec4<i32>(31)));
    return select(denormal, normal, (biased > vec4<i32>(0)) & (mantissa > vec4<u32>(0u)));
}

fn wg_rem(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    let dividend = wg_unpack(wg_magnitude(x));
    let divisor = wg_unpack(wg_magnitude(y));
    let modulus = max(divisor.mantissa, vec4<u32>(1u));
    let smaller = dividend.exponent < divisor.exponent;
    var steps = max(dividend.exponent - divisor.exponent, vec4<i32>(0));
    var rest = dividend.mantissa % modulus;
    while (any(steps > vec4<i32>(0))) {
        let bits = min(steps, vec4<i32>(8));
        rest = (rest << vec4<u32>(bits)) % modulus;
        steps -= bits;
    }
    let packed = wg_float(wg_pack(rest, divisor.exponent) | wg_signs(x));
    let valid = wg_isfinite(x) & !wg_isnan(y) & !wg_iszero(y);
    return select(wg_nan(), select(packed, x, smaller | wg_isinf(y)), valid);
}
