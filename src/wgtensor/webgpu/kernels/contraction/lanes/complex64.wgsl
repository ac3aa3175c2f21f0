// Four complex64 values, real and imaginary parts apart; in memory they are interleaved.
alias Scalar = vec2<f32>;

struct Lanes {
    re: vec4<f32>,
    im: vec4<f32>,
}

fn lanes(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Lanes {
    return Lanes(vec4<f32>(x.x, y.x, z.x, w.x), vec4<f32>(x.y, y.y, z.y, w.y));
}

fn from_pairs(first: vec4<f32>, second: vec4<f32>) -> Lanes {
    return Lanes(vec4<f32>(first.xz, second.xz), vec4<f32>(first.yw, second.yw));
}

fn first_pair(v: Lanes) -> vec4<f32> {
    return vec4<f32>(v.re.x, v.im.x, v.re.y, v.im.y);
}

fn second_pair(v: Lanes) -> vec4<f32> {
    return vec4<f32>(v.re.z, v.im.z, v.re.w, v.im.w);
}

// c + a b
fn mad(a: Scalar, b: Lanes, c: Lanes) -> Lanes {
    let re = fma(vec4<f32>(-a.y), b.im, fma(vec4<f32>(a.x), b.re, c.re));
    let im = fma(vec4<f32>(a.y), b.re, fma(vec4<f32>(a.x), b.im, c.im));
    return Lanes(re, im);
}

fn added(a: Lanes, b: Lanes) -> Lanes {
    return Lanes(a.re + b.re, a.im + b.im);
}

// v, or zero
fn masked(v: Lanes, keep: bool) -> Lanes {
    return Lanes(select(vec4<f32>(), v.re, keep), select(vec4<f32>(), v.im, keep));
}

// alpha v + beta old; without beta the old value is dropped, NaN or not.
fn blend(v: Lanes, old: Lanes) -> Lanes {
    let factor = bitcast<vec4<f32>>(params.factors);
    let scaled = mad(factor.xy, v, Lanes());
    let kept = mad(factor.zw, old, scaled);
    let keeps = params.keeps_old != 0u;
    return Lanes(select(scaled.re, kept.re, keeps), select(scaled.im, kept.im, keeps));
}

fn blend_one(v: Scalar, old: Scalar) -> Scalar {
    let blended = blend(lanes(v, v, v, v), lanes(old, old, old, old));
    return vec2<f32>(blended.re.x, blended.im.x);
}
