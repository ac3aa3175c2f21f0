// exp and expm1 of vec4<f32>.
//
// Error   exp and expm1 1.5 ulp over the whole range; denormal results are right (flushed where the adapter
//         flushes).
// Method  x = n ln 2 + r, |r| <= ln 2 / 2 (ln 2 in two parts, n times the first is exact); e^r - 1 = r + r^2 P(r)
//         with a minimax P of relative error 2^-31; then e^x = 2^n (1 + tail) and e^x - 1 = 2^n (tail + (1 -
//         2^-n)).

// e^x = 2^exponent (1 + tail).
struct WgExpParts {
    exponent: vec4<i32>,
    tail: vec4<f32>,
}

// Beyond |x| = 200, the parts of e^200 or e^-200: with any float factor, those overflow or vanish too.
fn wg_exp_parts(x: vec4<f32>) -> WgExpParts {
    let bounded = clamp(x, vec4<f32>(-200.0), vec4<f32>(200.0));
    let n = round(bounded * 1.44269502);
    let r = wg_keep(bounded - n * WG_LN2_HIGH) - n * WG_LN2_LOW;
    var p = r * 0.000199442686 + 0.00139331282;
    p = p * r + 0.00833320804;
    p = p * r + 0.0416664854;
    p = p * r + 0.166666672;
    p = p * r + 0.5;
    return WgExpParts(vec4<i32>(n), r + r * r * p);
}

fn wg_exp(x: vec4<f32>) -> vec4<f32> {
    let parts = wg_exp_parts(clamp(x, vec4<f32>(-110.0), vec4<f32>(110.0)));
    return select(wg_scale(1.0 + parts.tail, parts.exponent), x, wg_isnan(x));
}

fn wg_expm1(x: vec4<f32>) -> vec4<f32> {
    let parts = wg_exp_parts(clamp(x, vec4<f32>(-20.0), vec4<f32>(110.0)));
    let one = 1.0 - wg_pow2(max(-parts.exponent, vec4<i32>(-126)));
    let y = wg_scale(parts.tail + one, parts.exponent);
    let tiny = wg_magnitude(x) < vec4<u32>(0x33000000u);  // |x| < 2^-25: -0 and denormals move as they are
    return select(y, x, tiny | wg_isnan(x));
}
