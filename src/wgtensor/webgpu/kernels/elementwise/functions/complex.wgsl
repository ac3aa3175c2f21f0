// complex64: the value of four elements, its arithmetic, magnitude and sign.
//
// Error   add and sub round each part correctly; mul and sign 1.5 eps, div 2 eps of |result| (eps = 2^-23); abs 1.5
//         ulp.
// Range   div, abs and sign scale by powers of two: no overflow or underflow on the way to a representable result.
//         mul is the plain formula, as NumPy's: inf and NaN spread through it.
// Source  quotient by Smith's method (1962).

struct c64x4 {
    re: vec4<f32>,
    im: vec4<f32>,
}

fn wg_cneg(z: c64x4) -> c64x4 {
    return c64x4(wg_neg(z.re), wg_neg(z.im));
}

fn wg_cconj(z: c64x4) -> c64x4 {
    return c64x4(z.re, wg_neg(z.im));
}

// i z and -i z.
fn wg_cturn(z: c64x4) -> c64x4 {
    return c64x4(wg_neg(z.im), z.re);
}

fn wg_cturn_back(z: c64x4) -> c64x4 {
    return c64x4(z.im, wg_neg(z.re));
}

fn wg_cselect(otherwise: c64x4, chosen: c64x4, choice: vec4<bool>) -> c64x4 {
    return c64x4(select(otherwise.re, chosen.re, choice), select(otherwise.im, chosen.im, choice));
}

fn wg_ceq(a: c64x4, b: c64x4) -> vec4<bool> {
    return (a.re == b.re) & (a.im == b.im);
}

fn wg_cisnan(z: c64x4) -> vec4<bool> {
    return wg_isnan(z.re) | wg_isnan(z.im);
}

fn wg_cisinf(z: c64x4) -> vec4<bool> {
    return wg_isinf(z.re) | wg_isinf(z.im);
}

fn wg_cisfinite(z: c64x4) -> vec4<bool> {
    return wg_isfinite(z.re) & wg_isfinite(z.im);
}

fn wg_ciszero(z: c64x4) -> vec4<bool> {
    return wg_iszero(z.re) & wg_iszero(z.im);
}

fn wg_cadd(a: c64x4, b: c64x4) -> c64x4 {
    return c64x4(a.re + b.re, a.im + b.im);
}

fn wg_csub(a: c64x4, b: c64x4) -> c64x4 {
    return c64x4(wg_sub(a.re, b.re), wg_sub(a.im, b.im));
}

// The products are kept apart, so that no driver fuses one of them and 1j * 1j stays exact.
fn wg_cmul(a: c64x4, b: c64x4) -> c64x4 {
    return c64x4(
        wg_keep(a.re * b.re) - wg_keep(a.im * b.im),
        wg_keep(a.re * b.im) + wg_keep(a.im * b.re),
    );
}

// k such that 2^k <= max(|re|, |im|) < 2^(k + 1), -149 <= k <= 127; 0 for zero, infinity and NaN.
fn wg_cexponent(z: c64x4) -> vec4<i32> {
    let largest = max(wg_magnitude(z.re), wg_magnitude(z.im));
    let normal = vec4<i32>(largest >> vec4<u32>(23u)) - 127;
    let denormal = vec4<i32>(firstLeadingBit(largest)) - 149;
    let exponent = select(normal, denormal, largest < vec4<u32>(0x00800000u));
    let usual = (largest < vec4<u32>(WG_INFINITY)) & (largest > vec4<u32>(0u));
    return select(vec4<i32>(0), exponent, usual);
}

fn wg_cscale(z: c64x4, k: vec4<i32>) -> c64x4 {
    return c64x4(wg_scale(z.re, k), wg_scale(z.im, k));
}

fn wg_cdiv(dividend: c64x4, divisor: c64x4) -> c64x4 {
    let a_exponent = wg_cexponent(dividend);
    let b_exponent = wg_cexponent(divisor);
    let a = wg_cscale(dividend, -a_exponent);
    let b = wg_cscale(divisor, -b_exponent);
    let swapped = !(wg_abs(b.re) >= wg_abs(b.im));
    let large = select(b.re, b.im, swapped);
    let small = select(b.im, b.re, swapped);
    let ratio = wg_keep(small / large);
    let scale = wg_keep(large + small * ratio);
    let p = select(a.re, a.im, swapped);
    let q = select(a.im, a.re, swapped);
    let re = p + wg_keep(q * ratio);
    let im = select(q - wg_keep(p * ratio), wg_keep(p * ratio) - q, swapped);
    let exponent = clamp(a_exponent - b_exponent, vec4<i32>(-252), vec4<i32>(254));
    let quotient = wg_cscale(c64x4(wg_div(re, scale), wg_div(im, scale)), exponent);
    let zero = wg_abs(divisor.re);
    return wg_cselect(quotient, c64x4(dividend.re / zero, dividend.im / zero), wg_ciszero(divisor));
}

// 1 / z; the constants are kept from the compiler, which would fold 0 / 0.
fn wg_creciprocal(z: c64x4) -> c64x4 {
    return wg_cdiv(c64x4(wg_keep(vec4<f32>(1.0)), wg_keep(vec4<f32>(0.0))), z);
}

// |z| of a z scaled by 2^-wg_cexponent(z).
fn wg_cnorm(z: c64x4) -> vec4<f32> {
    let norm = wg_sqrt(z.re * z.re + z.im * z.im);
    return select(norm, wg_inf(), wg_cisinf(z));
}

fn wg_cabs(z: c64x4) -> vec4<f32> {
    let exponent = wg_cexponent(z);
    return wg_scale(wg_cnorm(wg_cscale(z, -exponent)), exponent);
}

// z / |z|; 0 at 0. One infinite part gives its axis' direction, two give none (NaN), as in NumPy.
fn wg_csign(z: c64x4) -> c64x4 {
    let scaled = wg_cscale(z, -wg_cexponent(z));
    let norm = wg_cnorm(scaled);
    let unit = c64x4(wg_div(scaled.re, norm), wg_div(scaled.im, norm));
    let zero = vec4<f32>(0.0);
    let axis = c64x4(
        select(zero, wg_sign(z.re), wg_isinf(z.re)),
        select(zero, wg_sign(z.im), wg_isinf(z.im)),
    );
    let unknown = wg_isinf(z.re) == wg_isinf(z.im);
    let infinite = wg_cselect(axis, c64x4(wg_nan(), wg_nan()), unknown);
    let finite = wg_cselect(unit, c64x4(zero, zero), wg_ciszero(z));
    return wg_cselect(finite, infinite, wg_cisinf(z) | wg_cisnan(z));
}
