// log(e^a + e^b) of vec4<f32>.
//
// Error   2 ulp of max(1, |result|): near a result of 0 the terms cancel. No overflow on the way.
// Method  max + log1p(e^(min - max)).

fn wg_logaddexp(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let high = wg_maximum(a, b);
    let low = wg_minimum(a, b);
    let gap = select(wg_sub(low, high), vec4<f32>(0.0), low == high);  // inf - inf among them
    return high + wg_log1p(wg_exp(gap));
}
