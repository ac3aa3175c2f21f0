// floor, ceil, trunc and round of vec4<f32>; round of complex64 by parts.
//
// Exact; round takes halves to even. The result keeps the sign of x, so zeros do, and x in (-1, 0) gives -0 where it
// gives a zero. Infinities and NaN stay.

fn wg_floor(x: vec4<f32>) -> vec4<f32> {
    return select(wg_copysign(floor(x), x), x, !wg_isfinite(x));
}

fn wg_ceil(x: vec4<f32>) -> vec4<f32> {
    return select(wg_copysign(ceil(x), x), x, !wg_isfinite(x));
}

fn wg_trunc(x: vec4<f32>) -> vec4<f32> {
    return select(wg_copysign(trunc(x), x), x, !wg_isfinite(x));
}

fn wg_round(x: vec4<f32>) -> vec4<f32> {
    return select(wg_copysign(round(x), x), x, !wg_isfinite(x));
}
