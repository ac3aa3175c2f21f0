// x / length, exact for all u32, from the bits of the float32 nearest to 1 / length. Both estimates stay below the
// quotient (by 2^-20 of it, more than all roundings together), the second one by less than 2.
fn divide(x: vec4<u32>, length: u32, reciprocal: u32) -> vec4<u32> {
    let below = bitcast<f32>(reciprocal) * 0.999999046325683594;
    let first = vec4<u32>(vec4<f32>(x) * below);
    let rest = x - first * length;
    let second = vec4<u32>(vec4<f32>(rest) * below);
    let left = rest - second * length;
    return first + second + select(vec4<u32>(), vec4<u32>(1u), left >= vec4<u32>(length));
}
