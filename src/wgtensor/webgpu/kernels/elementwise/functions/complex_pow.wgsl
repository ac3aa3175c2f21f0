// pow of complex64.
//
// Error   3 eps (1 + |b log a|) of |result| (eps = 2^-23); integers |b| < 100 by multiplication, |b| eps: 1j^2 is -1.
// Special values as NumPy's: a^0 is 1, 0^b is 0 for re b > 0 and NaN otherwise.
// Method  exp(b log a), or square and multiply (at most 7 steps), and the reciprocal for negative b.

fn wg_cpow_integer(a: c64x4, b: vec4<f32>) -> c64x4 {
    var exponent = vec4<u32>(wg_abs(b));
    var power = c64x4(vec4<f32>(1.0), vec4<f32>(0.0));
    var square = a;
    while (any(exponent != vec4<u32>(0u))) {
        let odd = (exponent & vec4<u32>(1u)) == vec4<u32>(1u);
        power = wg_cselect(power, wg_cmul(power, square), odd);
        square = wg_cmul(square, square);
        exponent >>= vec4<u32>(1u);
    }
    power = wg_cselect(power, a, wg_abs(b) == vec4<f32>(1.0));  // 1 * a would lose the sign of a zero
    let inverse = wg_creciprocal(power);
    return wg_cselect(power, inverse, wg_signs(b) == vec4<u32>(WG_SIGN));
}

fn wg_cpow(a: c64x4, b: c64x4) -> c64x4 {
    let general = wg_cexp(wg_cmul(b, wg_clog(a)));
    let small = wg_iszero(b.im) & (wg_abs(b.re) < vec4<f32>(100.0));
    let integer = small & (trunc(b.re) == b.re);
    let power = wg_cpow_integer(a, select(vec4<f32>(0.0), b.re, integer));
    let zero = vec4<f32>(0.0);
    let undefined = wg_nan();
    let grows = (wg_signs(b.re) == vec4<u32>(0u)) & !wg_iszero(b.re) & !wg_isnan(b.re);
    let of_zero = wg_cselect(c64x4(undefined, undefined), c64x4(zero, zero), grows);
    let y = wg_cselect(wg_cselect(general, power, integer), of_zero, wg_ciszero(a));
    return wg_cselect(y, c64x4(vec4<f32>(1.0), zero), wg_ciszero(b));
}
