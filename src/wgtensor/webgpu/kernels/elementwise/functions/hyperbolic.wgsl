// tanh, sinh and cosh of vec4<f32>.
//
// Error   tanh 1.5 ulp, sinh 3 ulp, cosh 2 ulp over the whole range; tanh and sinh keep -0 and denormals.
// Method  sinh and cosh from e^|x| - 1, as mantissa and exponent. tanh for |x| < 0.625: x + x^3 P(x^2) with a minimax
//         P of relative error 2^-28; above: 1 - 2 / (e^(2|x|) + 1).

fn wg_tanh(x: vec4<f32>) -> vec4<f32> {
    let a = wg_abs(x);
    let z = x * x;
    var p = z * -0.00569854351 + 0.0206328053;
    p = p * z - 0.0537375845;
    p = p * z + 0.133314133;
    p = p * z - 0.333332807;
    let small = x + x * z * p;
    let large = 1.0 - 2.0 / (wg_exp(min(a + a, vec4<f32>(40.0))) + 1.0);
    let y = select(wg_copysign(large, x), small, a < vec4<f32>(0.625));
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(y, x, tiny | wg_isnan(x));
}

// sinh x = sinh * 2^exponent, cosh x = cosh * 2^exponent.
struct WgHyperbolic {
    sinh: vec4<f32>,
    cosh: vec4<f32>,
    exponent: vec4<i32>,
}

fn wg_sinhcosh(x: vec4<f32>) -> WgHyperbolic {
    let parts = wg_exp_parts(wg_abs(x));
    let inverse = wg_pow2(max(-parts.exponent, vec4<i32>(-126)));
    let full = 1.0 + parts.tail;
    let less = parts.tail + (1.0 - inverse);  // (e^|x| - 1) / 2^n
    let sinh = wg_copysign(less + wg_div(less, full) * inverse, x);
    let cosh = full + wg_div(inverse, full) * inverse;
    let invalid = wg_isnan(x);
    return WgHyperbolic(select(sinh, x, invalid), select(cosh, x, invalid), parts.exponent - 1);
}

fn wg_sinh(x: vec4<f32>) -> vec4<f32> {
    let h = wg_sinhcosh(clamp(x, vec4<f32>(-110.0), vec4<f32>(110.0)));
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13
    return select(wg_scale(h.sinh, h.exponent), x, tiny | wg_isnan(x));
}

fn wg_cosh(x: vec4<f32>) -> vec4<f32> {
    let h = wg_sinhcosh(clamp(x, vec4<f32>(-110.0), vec4<f32>(110.0)));
    return select(wg_scale(h.cosh, h.exponent), x, wg_isnan(x));
}
