{# Transpose in registers: software adapters, where barriers cost more than they save. #}
{$ import "common/walk.wgsl" as walk $}
// Register transpose: one invocation reads four vec4 along axis a of the source and writes four along axis b.
//
// Bindings   source (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     32-bit units; lengths of a and b, and every offset and stride but the unit ones, multiples of 4
// Params     count of 4 x 4 blocks, blocks along a and b, strides of b (source) and a (output) and the walk, in vec4
// Workgroup  {{ size }} x 1 x 1; folded grid
// Limits     offsets below 2^32 units; no loops
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}

struct Params {
    tiles: u32,
    tiles_a: u32,
    tiles_b: u32,
    stride_b: u32,
    stride_a: u32,
{{ walk.fields("batch", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "target"], form) }}
@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = linear_group(group, groups) * {{ size }}u + local;
    if (index >= params.tiles) {
        return;
    }
    let batch = index / (params.tiles_a * params.tiles_b);
    let a = (index / params.tiles_b) % params.tiles_a;
    let b = index % params.tiles_b;
    let q = batch / params.batch_inner;
    let r = batch % params.batch_inner;
    let from_start = source_at(q, r) + a + 4u * b * params.stride_b;
    let to_start = target_at(q, r) + b + 4u * a * params.stride_a;
{$ for line in range(4) $}
    let v{{ line }} = source[from_start + {{ line }}u * params.stride_b];
{$ endfor $}
{$ for line in range(4) $}
    output[to_start + {{ line }}u * params.stride_a] = vec4<u32>(v0[{{ line }}], v1[{{ line }}], v2[{{ line }}], v3[{{ line }}]);
{$ endfor $}
}
