// Self-check: out[i] = x[i] * y[i] + f32(i ^ params.x); the last element carries the subgroup size instead.
//
// Bindings   x, y: array<f32> (read), out: array<f32> (read_write), params: vec4<u32> (uniform)
// Shapes     {{ count }} elements
// Workgroup  64 x 1 x 1, one element per invocation
// Limits     no loops
// Precision  exact: all numbers are integers below 2^24
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> params: vec4<u32>;

@compute @workgroup_size(64)
{$ if subgroups $}
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_size) subgroup: u32) {
    let last = f32(subgroup);
{$ else $}
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let last = 0.0;
{$ endif $}
    let i = id.x;
    out[i] = select(x[i] * y[i] + f32(i ^ params.x), last, i == {{ count - 1 }}u);
}
