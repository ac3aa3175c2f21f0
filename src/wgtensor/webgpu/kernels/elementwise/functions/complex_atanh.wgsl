// atanh and atan of complex64.
//
// Error   3 eps of |result| (eps = 2^-23), next to the branch points too.
// Special values as in C99, G.6.2.3. The branch cuts lie on the real axis beyond +-1 (for atan on the imaginary one),
//         each side continuous with the sign of its zero.
// Method  of |re z| = x and |im z| = y: log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan(2y / ((1 - x)(1 + x) - y^2)) / 2;
//         beside 1 log(2 / y) / 2; from 2^25 on re(1 / z) + i pi/2. atan z = -i atanh(iz).

fn wg_catanh(z: c64x4) -> c64x4 {
    let x = wg_abs(z.re);
    let y = wg_abs(z.im);
    let gap = 1.0 - x;
    let square = wg_keep(y * y);
    let spread = 0.25 * wg_log1p(wg_div(4.0 * x, gap * gap + square));
    let pole = (x == vec4<f32>(1.0)) & (y < vec4<f32>(9.5367432e-07));
    let near = select(spread, 0.5 * (0.693147182 - wg_log(y)), pole);
    let angle = 0.5 * wg_atan2(y + y, wg_keep(gap * (1.0 + x)) - square);
    let far = max(wg_magnitude(z.re), wg_magnitude(z.im)) >= vec4<u32>(0x4c000000u);
    let inverse = select(wg_abs(wg_creciprocal(z).re), vec4<f32>(0.0), wg_cisinf(z));
    let re = select(select(near, inverse, far), z.re, wg_iszero(z.re));
    let im = select(select(angle, vec4<f32>(1.57079637), far), wg_nan(), wg_isnan(z.im));
    let lost = wg_isnan(z.re) & !wg_isinf(z.im);
    return c64x4(wg_copysign(re, z.re), wg_copysign(select(im, wg_nan(), lost), z.im));
}

fn wg_catan(z: c64x4) -> c64x4 {
    return wg_cturn_back(wg_catanh(wg_cturn(z)));
}
