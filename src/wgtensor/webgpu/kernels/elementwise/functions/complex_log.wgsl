// log, log2, log10 and log1p of complex64.
//
// Error   log2 and log10 4 eps, the others 3 eps of |result| (eps = 2^-23), near |z| = 1 and for log1p near z = 0 too,
//         where log |z| cancels.
// Special values as in C99, G.6.3.2. The branch cut is the negative real axis, continuous with the sign of im.
// Method  m and n the larger and smaller of |re| and |im|, scaled so that m is near 1:
//         log |z| = k ln 2 + log1p((m - 1) (m + 1) + n^2) / 2.

fn wg_log_modulus(z: c64x4) -> vec4<f32> {
    let magnitude_re = wg_magnitude(z.re);
    let magnitude_im = wg_magnitude(z.im);
    let exponent = wg_cexponent(z);
    let k = select(exponent, vec4<i32>(0), exponent == vec4<i32>(-1));
    let m = wg_scale(wg_float(max(magnitude_re, magnitude_im)), -k);
    let n = wg_scale(wg_float(min(magnitude_re, magnitude_im)), -k);
    let excess = wg_keep(m - 1.0) * (m + 1.0) + n * n;
    let e = vec4<f32>(k);
    let modulus = e * WG_LN2_HIGH + (e * WG_LN2_LOW + 0.5 * wg_log1p(excess));
    return select(modulus, wg_inf(), wg_cisinf(z));
}

fn wg_clog(z: c64x4) -> c64x4 {
    return c64x4(wg_log_modulus(z), wg_atan2(z.im, z.re));
}

fn wg_clog1p(z: c64x4) -> c64x4 {
    let sum = c64x4(1.0 + z.re, z.im);
    let near = (wg_abs(z.re) < vec4<f32>(0.5)) & (wg_abs(z.im) < vec4<f32>(0.5));
    let small = 0.5 * wg_log1p(z.re * (2.0 + z.re) + z.im * z.im);
    return c64x4(select(wg_log_modulus(sum), small, near), wg_atan2(sum.im, sum.re));
}

fn wg_clog2(z: c64x4) -> c64x4 {
    let w = wg_clog(z);
    return c64x4(w.re * 1.44269502, w.im * 1.44269502);
}

fn wg_clog10(z: c64x4) -> c64x4 {
    let w = wg_clog(z);
    return c64x4(w.re * 0.434294492, w.im * 0.434294492);
}
