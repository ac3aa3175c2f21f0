// Floats as fixed-point numbers, on the bits of float32.
//
// A cell's rank is the largest of its summands' ranks: 1 for -0, 2 for +0, the biased exponent + 2 for others. With
// `spare` bits below the 24 of a summand of the largest exponent, 64 bits hold the sum of 2^(39 - spare) summands.
// Every summand is cut at its last bit, the sum is rounded once, to nearest even. Denormals count in full.
// Source     integer accumulators for reproducible sums; the scale per cell keeps them to 64 bits.

const NOT_FINITE = 257u;

fn exponent_of(x: u32) -> u32 {
    return max((x >> 23u) & 0xffu, 1u);
}

fn rank_of(x: u32) -> u32 {
    return select(exponent_of(x) + 2u, 2u - (x >> 31u), (x & 0x7fffffffu) == 0u);
}

// 1 for NaN, 2 for inf, 4 for -inf, 0 for finite numbers.
fn flags_of(x: u32) -> u32 {
    let magnitude = x & 0x7fffffffu;
    let flag = select(select(2u, 4u, x >> 31u != 0u), 1u, magnitude > 0x7f800000u);
    return select(flag, 0u, magnitude < 0x7f800000u);
}

// Sum of the infinities and NaN that `flags` tell of.
fn not_finite(flags: u32) -> u32 {
    return select(0x7fc00000u, select(0x7f800000u, 0xff800000u, flags == 4u), flags == 2u || flags == 4u);
}

fn shifted_left(x: vec2<u32>, by: u32) -> vec2<u32> {
    let far = vec2<u32>(0u, x.x << (by & 31u));
    let near = vec2<u32>(x.x << (by & 31u), (x.y << (by & 31u)) | select(x.x >> (32u - (by & 31u)), 0u, by == 0u));
    return select(near, far, by >= 32u);
}

fn shifted_right(x: vec2<u32>, by: u32) -> vec2<u32> {
    let far = vec2<u32>(x.y >> (by & 31u), 0u);
    let near = vec2<u32>((x.x >> (by & 31u)) | select(x.y << (32u - (by & 31u)), 0u, by == 0u), x.y >> (by & 31u));
    return select(near, far, by >= 32u);
}

fn negated(x: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(0u - x.x, ~x.y + u32(x.x == 0u));
}

fn added(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    let low = x.x + y.x;
    return vec2<u32>(low, x.y + y.y + u32(low < x.x));
}

// A finite summand as (low, high) words, for a cell of this rank.
fn fixed(x: u32, rank: u32, spare: u32) -> vec2<u32> {
    let hidden = select(0x800000u, 0u, (x & 0x7f800000u) == 0u);
    let below = rank - 2u - exponent_of(x);
    let mantissa = vec2<u32>((x & 0x7fffffu) | hidden, 0u);
    let up = shifted_left(mantissa, spare - below);
    let cut = select(shifted_right(mantissa, min(below - spare, 63u)), up, below <= spare);
    return select(cut, negated(cut), x >> 31u != 0u);
}

// x / 2^drop, to nearest even.
fn rounded(x: vec2<u32>, drop: i32) -> u32 {
    if (drop <= 0) {
        return shifted_left(x, u32(-drop)).x;
    }
    let finer = shifted_right(x, u32(drop - 1));
    let exact = all(shifted_left(finer, u32(drop - 1)) == x);
    let kept = finer.x >> 1u;
    let up = (finer.x & 1u) == 1u && (!exact || (kept & 1u) == 1u);
    return kept + u32(up);
}

// The float32 bits of a fixed-point sum; zero sums are -0 only where every summand is.
fn float_of(sum: vec2<u32>, rank: u32, spare: u32) -> u32 {
    let sign = sum.y & 0x80000000u;
    let magnitude = select(sum, negated(sum), sign != 0u);
    if (all(magnitude == vec2<u32>(0u))) {
        return select(0u, 0x80000000u, rank == 1u);
    }
    let exponent = i32(rank) - 2;
    let leading = countLeadingZeros(magnitude);
    let top = 63 - i32(select(leading.y, 32u + leading.x, magnitude.y == 0u));
    let drop = max(top - 23, i32(spare) + 1 - exponent);
    let kept = rounded(magnitude, drop);
    let bits = kept + (u32(drop + exponent - i32(spare) - 1) << 23u);
    return sign | min(bits, 0x7f800000u);
}
