// Division and square root of vec4<f32>, rounded correctly on every driver.
//
// Error   1/2 ulp where the result is normal; a denormal result is the driver's own (often flushed to 0).
// Range   whole; special values as in IEEE 754.
// Method  the driver's estimate of the mantissa, put right by its remainder: that is an integer of less than 32 bits, so
//         it is exact modulo 2^32 although the products it comes from are longer.
// Source  WGSL allows division 2.5 ulp, divisors above 2^126 a wrong 0, and square roots more; NVIDIA's use both.

// 2^23 <= mantissa < 2^24, for normal x.
fn wg_mantissa(x: vec4<f32>) -> vec4<u32> {
    return (wg_bits(x) & vec4<u32>(0x007fffffu)) | vec4<u32>(0x00800000u);
}

fn wg_biased_exponent(x: vec4<f32>) -> vec4<i32> {
    return vec4<i32>(wg_magnitude(x) >> vec4<u32>(23u));
}

fn wg_isnormal(x: vec4<f32>) -> vec4<bool> {
    return wg_isfinite(x) & (wg_magnitude(x) >= vec4<u32>(0x00800000u));
}

fn wg_div(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let divisor = wg_mantissa(b);
    let shift = select(vec4<u32>(0u), vec4<u32>(1u), wg_mantissa(a) < divisor);
    let dividend = wg_mantissa(a) << shift;
    let inverse = 1.0 / vec4<f32>(divisor);
    let guess = vec4<u32>(vec4<f32>(dividend) * inverse * 8388608.0);
    let rest = vec4<i32>((dividend << vec4<u32>(23u)) - guess * divisor);
    let step = vec4<i32>(vec4<f32>(rest) * inverse);
    let left = 2 * (rest - step * vec4<i32>(divisor));
    let up = select(vec4<i32>(0), vec4<i32>(1), left > vec4<i32>(divisor));
    let down = select(vec4<i32>(0), vec4<i32>(1), left < -vec4<i32>(divisor));
    let mantissa = vec4<i32>(guess) + step + up - down;
    // One less than the biased exponent: the leading bit of the mantissa adds the rest.
    let exponent = wg_biased_exponent(a) - wg_biased_exponent(b) + 126 - vec4<i32>(shift);
    let bits = vec4<u32>((exponent << vec4<u32>(23u)) + mantissa) | (wg_signs(a) ^ wg_signs(b));
    let usual = wg_isnormal(a) & wg_isnormal(b) & (exponent >= vec4<i32>(0)) & (exponent < vec4<i32>(254));
    let k = select(vec4<f32>(1.0), vec4<f32>(0.25), wg_isfinite(b) & (wg_abs(b) > vec4<f32>(8.5070592e37)));
    return select(a * k / (b * k), wg_float(bits), usual);
}

fn wg_sqrt(x: vec4<f32>) -> vec4<f32> {
    let exponent = wg_biased_exponent(x);
    let radicand = wg_mantissa(x) << (vec4<u32>(exponent + 1) & vec4<u32>(1u));
    let guess = vec4<i32>(sqrt(vec4<f32>(radicand) * 1.1920929e-07) * 8388608.0);
    let rest = vec4<i32>(radicand << vec4<u32>(23u)) - guess * guess;
    let step = vec4<i32>(vec4<f32>(rest) * (0.5 / vec4<f32>(guess)));
    let root = guess + step;
    let left = rest - step * (guess + root);
    let up = select(vec4<i32>(0), vec4<i32>(1), left > root);
    let down = select(vec4<i32>(0), vec4<i32>(1), left <= -root);
    let bits = vec4<u32>((((exponent + 125) >> vec4<u32>(1u)) << vec4<u32>(23u)) + root + up - down);
    return select(sqrt(x), wg_float(bits), wg_isnormal(x) & (wg_signs(x) == vec4<u32>(0u)));
}
