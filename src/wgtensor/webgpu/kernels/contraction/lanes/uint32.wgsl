// Four 32-bit integers, signed or not: sums and products wrap alike.
alias Scalar = u32;
alias Lanes = vec4<u32>;

fn lanes(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Lanes {
    return Lanes(x, y, z, w);
}

// c + a b
fn mad(a: Scalar, b: Lanes, c: Lanes) -> Lanes {
    return a * b + c;
}

fn added(a: Lanes, b: Lanes) -> Lanes {
    return a + b;
}

// v, or zero
fn masked(v: Lanes, keep: bool) -> Lanes {
    return select(Lanes(), v, keep);
}

// alpha v + beta old
fn blend(v: Lanes, old: Lanes) -> Lanes {
    return params.factors.x * v + params.factors.z * old;
}

fn blend_one(v: Scalar, old: Scalar) -> Scalar {
    return params.factors.x * v + params.factors.z * old;
}
