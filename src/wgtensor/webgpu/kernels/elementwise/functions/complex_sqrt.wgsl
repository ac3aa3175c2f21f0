// sqrt and rsqrt of complex64.
//
// Error   sqrt 1.5 eps, rsqrt 2 eps of |result| (eps = 2^-23); no overflow or underflow on the way.
// Special values as in C99, G.6.4.2. The branch cut is the negative real axis, continuous with the sign of im.
// Method  t = sqrt((|re| + |z|) / 2) and im / (2 t), of z scaled by an even power of two.

fn wg_csqrt(z: c64x4) -> c64x4 {
    let exponent = wg_cexponent(z) & vec4<i32>(-2);
    let scaled = wg_cscale(z, -exponent);
    let root = sqrt(0.5 * (wg_abs(scaled.re) + wg_cnorm(scaled)));
    let other = 0.5 * wg_abs(scaled.im) / root;
    let left = wg_signs(z.re) == vec4<u32>(WG_SIGN);
    let half = exponent >> vec4<u32>(1u);
    let finite = c64x4(
        wg_scale(select(root, other, left), half),
        wg_copysign(wg_scale(select(other, root, left), half), z.im),
    );
    let zero = vec4<f32>(0.0);
    let unknown = select(zero, wg_nan(), wg_isnan(z.im));
    let axis = c64x4(select(wg_inf(), unknown, left), wg_copysign(select(unknown, wg_inf(), left), z.im));
    let real = wg_cselect(finite, axis, wg_isinf(z.re));
    let nonzero = wg_cselect(real, c64x4(wg_inf(), z.im), wg_isinf(z.im));
    return wg_cselect(nonzero, c64x4(zero, z.im), wg_ciszero(z));
}

fn wg_crsqrt(z: c64x4) -> c64x4 {
    return wg_creciprocal(wg_csqrt(z));
}
