// Fill: every 16 bytes of the output become params.pattern.
//
// Bindings   output (read_write), params (uniform)
// Shapes     an output padded to whole vec4
// Params     pattern (4 words), count of vec4
// Workgroup  {{ size }} x 1 x 1, one vec4 per invocation; folded grid
// Limits     no loops
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}

struct Params {
    pattern: vec4<u32>,
    count: u32,
}

@group(0) @binding(0) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(1) var<uniform> params: Params;

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = linear_group(group, groups) * {{ size }}u + local;
    if (index < params.count) {
        output[index] = params.pattern;
    }
}
