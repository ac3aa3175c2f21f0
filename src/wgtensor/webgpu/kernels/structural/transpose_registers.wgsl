{# Transpose in registers: software adapters, where barriers cost more than they save. #}
{$ import "common/walk.wgsl" as walk $}
// Register transpose: one invocation reads four vec4 along side a of the source and writes four along side b of the
// output. A side is one axis or several short ones.
//
// Bindings   source (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     32-bit units; lengths of a and b, and every offset and stride but the unit ones, multiples of 4
// Params     4 x 4 blocks in all, along a and b; the walks of a (output), b (source) and batches (both), in vec4
// Workgroup  {{ size }} x 1 x 1; folded grid
// Limits     offsets below 2^32 units; no loops
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}

struct Params {
    tiles: u32,
    tiles_a: u32,
    tiles_b: u32,
{{ walk.fields("a", ["output_a"]) }}
{{ walk.fields("b", ["source_b"]) }}
{{ walk.fields("batch", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["output_a", "source_b", "source", "target"], form) }}
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
    let source_start = source_at(q, r) + a;
    let target_start = target_at(q, r) + b;
{$ for line in range(4) $}
    let b{{ line }} = 4u * b + {{ line }}u;
    let v{{ line }} = source[source_start + source_b_at(b{{ line }} / params.b_inner, b{{ line }} % params.b_inner)];
{$ endfor $}
{$ for line in range(4) $}
    let a{{ line }} = 4u * a + {{ line }}u;
    output[target_start + output_a_at(a{{ line }} / params.a_inner, a{{ line }} % params.a_inner)] =
        vec4<u32>(v0[{{ line }}], v1[{{ line }}], v2[{{ line }}], v3[{{ line }}]);
{$ endfor $}
}
