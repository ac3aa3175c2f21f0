// sin and cos of vec4<f32>.
//
// Error   1 ulp over the whole float32 range; sin keeps -0 and denormals.
// Method  x = q pi/2 + r, |r| <= pi/4, r in two floats. Below 256 by Cody and Waite, pi/2 in three parts (q times
//         the first two is exact); above by Payne and Hanek, 96 bits of 2/pi times the mantissa in 32-bit integers,
//         entered only if some lane needs it. Then minimax polynomials of relative error 2^-32 (sin) and 2^-33
//         (cos).

struct WgAngle {
    quadrant: vec4<u32>,
    high: vec4<f32>,
    low: vec4<f32>,
}

struct WgSinCos {
    sine: vec4<f32>,
    cosine: vec4<f32>,
}

// 64-bit product.
struct WgWide {
    high: vec4<u32>,
    low: vec4<u32>,
}

fn wg_multiply_wide(a: vec4<u32>, b: vec4<u32>) -> WgWide {
    let half = vec4<u32>(16u);
    let mask = vec4<u32>(0xffffu);
    let low = (a & mask) * (b & mask);
    let cross = (a >> half) * (b & mask);
    let other = (a & mask) * (b >> half);
    let middle = (low >> half) + (cross & mask) + (other & mask);
    let high = (a >> half) * (b >> half) + (cross >> half) + (other >> half) + (middle >> half);
    return WgWide(high, (low & mask) | (middle << half));
}

// For |x| < 256.
fn wg_angle_small(x: vec4<f32>) -> WgAngle {
    let n = round(x * 0.636619747);
    let first = wg_keep(x - n * 1.57077026);
    let second = n * 2.60630623e-05;
    let sum = wg_keep(first - second);
    let rest = (wg_keep(first - sum) - second) - n * 6.07710063e-11;
    let high = wg_keep(sum + rest);
    return WgAngle(bitcast<vec4<u32>>(vec4<i32>(n)), high, wg_keep(sum - high) + rest);
}

// Word `index` + k of 2/pi behind 17 zero bits, where the arguments are words k to k + 3.
fn wg_two_over_pi(index: vec4<u32>, a: u32, b: u32, c: u32, d: u32) -> vec4<u32> {
    let low = select(vec4<u32>(a), vec4<u32>(b), index == vec4<u32>(1u));
    let high = select(vec4<u32>(c), vec4<u32>(d), index == vec4<u32>(3u));
    return select(low, high, index > vec4<u32>(1u));
}

// x >> (32 - n) for 0 <= n < 32.
fn wg_shift_in(x: vec4<u32>, n: vec4<u32>) -> vec4<u32> {
    return (x >> vec4<u32>(1u)) >> (31u - n);
}

// x / (pi/2) modulo 4, in units of 2^-62, for finite x >= 256.
fn wg_turns(magnitude: vec4<u32>) -> WgWide {
    let position = (magnitude >> vec4<u32>(23u)) - 135u;
    let index = min(position >> vec4<u32>(5u), vec4<u32>(3u));
    let shift = position & vec4<u32>(31u);
    let w0 = wg_two_over_pi(index, 0x0000517cu, 0xc1b72722u, 0x0a94fe13u, 0xabe8fa9au);
    let w1 = wg_two_over_pi(index, 0xc1b72722u, 0x0a94fe13u, 0xabe8fa9au, 0x6ee06db1u);
    let w2 = wg_two_over_pi(index, 0x0a94fe13u, 0xabe8fa9au, 0x6ee06db1u, 0x4acc9e21u);
    let w3 = wg_two_over_pi(index, 0xabe8fa9au, 0x6ee06db1u, 0x4acc9e21u, 0xc820ff28u);
    let mantissa = (magnitude & vec4<u32>(0x007fffffu)) | vec4<u32>(0x00800000u);
    let top = mantissa * ((w0 << shift) | wg_shift_in(w1, shift));
    let middle = wg_multiply_wide(mantissa, (w1 << shift) | wg_shift_in(w2, shift));
    let bottom = wg_multiply_wide(mantissa, (w2 << shift) | wg_shift_in(w3, shift));
    let low = middle.low + bottom.high;
    let carry = select(vec4<u32>(0u), vec4<u32>(1u), low < bottom.high);
    return WgWide(top + middle.high + carry, low);
}

// For finite |x| >= 256.
fn wg_angle_large(x: vec4<f32>) -> WgAngle {
    let turns = wg_turns(wg_magnitude(x));
    var high = (turns.high << vec4<u32>(2u)) | (turns.low >> vec4<u32>(30u));
    var low = turns.low << vec4<u32>(2u);
    let up = high >> vec4<u32>(31u);  // the nearer multiple of pi/2 is the next one
    let negative = up == vec4<u32>(1u);
    high = select(high, ~high + select(vec4<u32>(0u), vec4<u32>(1u), low == vec4<u32>(0u)), negative);
    low = select(low, ~low + 1u, negative);
    let zeros = countLeadingZeros(high) & vec4<u32>(31u);
    let fraction = (high << zeros) | wg_shift_in(low, zeros);
    let angle = wg_multiply_wide(fraction, vec4<u32>(0xc90fdaa2u)).high;  // pi/2 in units of 2^-31
    let unit = wg_float((127u - 31u - zeros) << vec4<u32>(23u));
    let sign = wg_signs(x) ^ (up << vec4<u32>(31u));
    let large = vec4<f32>(vec4<i32>(angle >> vec4<u32>(8u))) * (unit * 256.0);
    let small = vec4<f32>(vec4<i32>(angle & vec4<u32>(255u))) * unit;
    let quadrant = (turns.high >> vec4<u32>(30u)) + up;
    let turned = select(quadrant, ~quadrant + 1u, wg_signs(x) == vec4<u32>(WG_SIGN));
    return WgAngle(turned, wg_float(wg_bits(large) ^ sign), wg_float(wg_bits(small) ^ sign));
}

fn wg_angle(x: vec4<f32>) -> WgAngle {
    let near = wg_magnitude(x) < vec4<u32>(0x43800000u);
    let small = wg_angle_small(select(vec4<f32>(0.0), x, near));
    if (all(near)) {
        return small;
    }
    let large = wg_angle_large(x);
    return WgAngle(
        select(large.quadrant, small.quadrant, near),
        select(large.high, small.high, near),
        select(large.low, small.low, near),
    );
}

fn wg_sincos(x: vec4<f32>) -> WgSinCos {
    let angle = wg_angle(x);
    let r = angle.high;
    let z = r * r;
    var p = z * 2.8328659e-06 - 0.000198530819;
    p = p * z + 0.0083333794;
    p = p * z - 0.166666672;
    let s = r + (r * z * p + angle.low);
    var q = z * 2.4430663e-05 - 0.00138873013;
    q = q * z + 0.0416666456;
    let half = 0.5 * z;
    let near = wg_keep(1.0 - half);
    let c = near + ((wg_keep(1.0 - near) - half) + (z * z * q - r * angle.low));
    let odd = (angle.quadrant & vec4<u32>(1u)) == vec4<u32>(1u);
    let sine = wg_bits(select(s, c, odd)) ^ ((angle.quadrant & vec4<u32>(2u)) << vec4<u32>(30u));
    let cosine = wg_bits(select(c, s, odd)) ^ (((angle.quadrant + 1u) & vec4<u32>(2u)) << vec4<u32>(30u));
    let tiny = wg_magnitude(x) < vec4<u32>(0x39000000u);  // |x| < 2^-13: -0 and denormals move as they are
    let finite = wg_isfinite(x);
    return WgSinCos(
        select(wg_nan(), select(wg_float(sine), x, tiny), finite),
        select(wg_nan(), wg_float(cosine), finite),
    );
}

fn wg_sin(x: vec4<f32>) -> vec4<f32> {
    return wg_sincos(x).sine;
}

fn wg_cos(x: vec4<f32>) -> vec4<f32> {
    return wg_sincos(x).cosine;
}
