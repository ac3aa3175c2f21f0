// Bits and barriers of vec4<f32>, on which every other function file builds.
//
// Needs   fn wg_zero() -> u32, a run-time 0 (from the module's parameters), which no compiler can fold.
// Exact   everything here moves or tests bits; nothing is rounded and no denormal is flushed.
// Source  SPIR-V leaves float algebra and NaN to the driver (no NoContraction, no SignedZeroInfNanPreserve), so
//         NaN and infinity are made and tested as integers, and `wg_keep` hides a value from algebraic folding.

const WG_SIGN = 0x80000000u;
const WG_INFINITY = 0x7f800000u;

// ln 2 in two parts; an integer below 512 times the first is exact.
const WG_LN2_HIGH = 0.693145752;
const WG_LN2_LOW = 1.42860677e-06;

fn wg_bits(x: vec4<f32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(x);
}

fn wg_float(bits: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bits);
}

// The same value, opaque to the compiler.
fn wg_keep(x: vec4<f32>) -> vec4<f32> {
    return wg_float(wg_bits(x) ^ vec4<u32>(wg_zero()));
}

fn wg_magnitude(x: vec4<f32>) -> vec4<u32> {
    return wg_bits(x) & vec4<u32>(~WG_SIGN);
}

fn wg_signs(x: vec4<f32>) -> vec4<u32> {
    return wg_bits(x) & vec4<u32>(WG_SIGN);
}

fn wg_nan() -> vec4<f32> {
    return wg_float(vec4<u32>(wg_zero() ^ 0x7fc00000u));
}

fn wg_inf() -> vec4<f32> {
    return wg_float(vec4<u32>(wg_zero() ^ WG_INFINITY));
}

fn wg_isnan(x: vec4<f32>) -> vec4<bool> {
    return wg_magnitude(x) > vec4<u32>(WG_INFINITY);
}

fn wg_isinf(x: vec4<f32>) -> vec4<bool> {
    return wg_magnitude(x) == vec4<u32>(WG_INFINITY);
}

fn wg_isfinite(x: vec4<f32>) -> vec4<bool> {
    return wg_magnitude(x) < vec4<u32>(WG_INFINITY);
}

fn wg_iszero(x: vec4<f32>) -> vec4<bool> {
    return wg_magnitude(x) == vec4<u32>(0u);
}

fn wg_abs(x: vec4<f32>) -> vec4<f32> {
    return wg_float(wg_magnitude(x));
}

fn wg_neg(x: vec4<f32>) -> vec4<f32> {
    return wg_float(wg_bits(x) ^ vec4<u32>(WG_SIGN));
}

// a - b. Mesa folds x - x to 0, which is NaN for NaN and infinities; this negation is opaque to it.
fn wg_sub(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return a + wg_float(wg_bits(b) ^ vec4<u32>(WG_SIGN ^ wg_zero()));
}

fn wg_copysign(magnitude: vec4<f32>, sign: vec4<f32>) -> vec4<f32> {
    return wg_float(wg_magnitude(magnitude) | wg_signs(sign));
}

// -1, 0 or 1; zeros keep their sign, NaN stays NaN.
fn wg_sign(x: vec4<f32>) -> vec4<f32> {
    return select(wg_copysign(vec4<f32>(1.0), x), x, wg_iszero(x) | wg_isnan(x));
}
