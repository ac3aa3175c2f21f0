// asin, acos, asinh and acosh of complex64.
//
// Error   3 eps of |result| (eps = 2^-23), next to the branch points too.
// Special values as in C99, G.6.1.1 and G.6.2.1 to G.6.2.2. The branch cuts lie on the axes beyond +-1 and +-i, for
//         acosh on the real axis below 1; each side is continuous with the sign of its zero.
// Method  p = sqrt(1 - z), q = sqrt(1 + z): asin z = atan(re z / re(p q)) + i asinh(im(conj(p) q)), acos z = 2 atan(re
//         p / re q) + i asinh(im(conj(q) p)): no sum cancels. From 2^20 on log(2 |z|) and the angle. asinh z = -i
//         asin(iz).
// Source  Kahan, Branch cuts for complex elementary functions (1987).

struct WgRoots {
    p: c64x4,
    q: c64x4,
}

fn wg_croots(z: c64x4) -> WgRoots {
    return WgRoots(wg_csqrt(c64x4(1.0 - z.re, wg_neg(z.im))), wg_csqrt(c64x4(1.0 + z.re, z.im)));
}

// Where log(2 |z|) is exact enough: one part is 2^20 or more, infinite or NaN.
fn wg_cdistant(z: c64x4) -> vec4<bool> {
    return max(wg_magnitude(z.re), wg_magnitude(z.im)) >= vec4<u32>(0x49800000u);
}

// im asin z, and -im acos z.
fn wg_casin_imaginary(z: c64x4, roots: WgRoots) -> vec4<f32> {
    let product = wg_keep(roots.p.re * roots.q.im) + wg_keep(wg_neg(roots.p.im) * roots.q.re);
    let far = wg_copysign(wg_log_modulus(z) + 0.693147182, z.im);
    return select(wg_asinh(product), far, wg_cdistant(z));
}

fn wg_casin(z: c64x4) -> c64x4 {
    let roots = wg_croots(z);
    let near = wg_keep(roots.p.re * roots.q.re) + wg_keep(wg_neg(roots.p.im) * roots.q.im);
    let angle = wg_atan2(z.re, select(near, wg_abs(z.im), wg_cdistant(z)));
    return c64x4(select(angle, z.re, wg_iszero(z.re)), wg_casin_imaginary(z, roots));
}

fn wg_cacos(z: c64x4) -> c64x4 {
    let roots = wg_croots(z);
    let far = wg_cdistant(z);
    let near = wg_atan2(roots.p.re, roots.q.re);
    let angle = select(near + near, wg_atan2(wg_abs(z.im), z.re), far);
    let upright = far & wg_iszero(z.re);  // acos(0 + i NaN) has a real part
    return c64x4(select(angle, vec4<f32>(1.57079637), upright), wg_neg(wg_casin_imaginary(z, roots)));
}

fn wg_casinh(z: c64x4) -> c64x4 {
    return wg_cturn_back(wg_casin(wg_cturn(z)));
}

fn wg_cacosh(z: c64x4) -> c64x4 {
    let w = wg_cacos(z);
    return c64x4(wg_abs(w.im), wg_copysign(w.re, z.im));
}
