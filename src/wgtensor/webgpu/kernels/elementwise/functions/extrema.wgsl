// maximum and minimum of vec4<f32>, as IEEE 754-2019 defines them: NaN wins, and -0 lies below +0.
//
// Exact. Compared as integers in the order of the float values, so no driver's min drops a NaN and no denormal is
// flushed.

fn wg_order(x: vec4<f32>) -> vec4<i32> {
    let bits = bitcast<vec4<i32>>(x);
    return bits ^ ((bits >> vec4<u32>(31u)) & vec4<i32>(0x7fffffff));
}

fn wg_maximum(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, wg_isnan(a) | (!wg_isnan(b) & (wg_order(a) > wg_order(b))));
}

fn wg_minimum(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, wg_isnan(a) | (!wg_isnan(b) & (wg_order(a) < wg_order(b))));
}

fn wg_clamp(x: vec4<f32>, low: vec4<f32>, high: vec4<f32>) -> vec4<f32> {
    return wg_minimum(wg_maximum(x, low), high);
}
