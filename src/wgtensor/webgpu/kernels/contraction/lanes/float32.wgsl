// Four float32 values; float16 is widened to them when it is read.
alias Scalar = f32;
alias Lanes = vec4<f32>;

fn lanes(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Lanes {
    return Lanes(x, y, z, w);
}

// c + a b
fn mad(a: Scalar, b: Lanes, c: Lanes) -> Lanes {
    return fma(Lanes(a), b, c);
}

fn added(a: Lanes, b: Lanes) -> Lanes {
    return a + b;
}

// v, or zero
fn masked(v: Lanes, keep: bool) -> Lanes {
    return select(Lanes(), v, keep);
}

// alpha v + beta old; without beta the old value is dropped, NaN or not.
fn blend(v: Lanes, old: Lanes) -> Lanes {
    let factor = bitcast<vec4<f32>>(params.factors);
    return factor.x * v + select(Lanes(), factor.z * old, params.keeps_old != 0u);
}

fn blend_one(v: Scalar, old: Scalar) -> Scalar {
    return blend(Lanes(v), Lanes(old)).x;
}
