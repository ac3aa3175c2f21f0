{# Strided source into a strided target, whole words. #}
{$ import "common/walk.wgsl" as walk $}
// Scatter: output[target_at(i)] = source[source_at(i)] for every position i; the rest of the output stays as it is.
//
// Bindings   source (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     any source layout, any target layout that does not overlap itself
// Params     count of positions, the joint walk of source and target
// Workgroup  {{ size }} x 1 x 1, one unit of {{ unit.nbytes }} bytes per invocation; folded grid
// Limits     offsets below 2^32 units; no loops
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}

struct Params {
    count: u32,
{{ walk.fields("move", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<{{ unit.word }}>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "target"], form) }}
@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let position = linear_group(group, groups) * {{ size }}u + local;
    if (position >= params.count) {
        return;
    }
    let q = position / params.move_inner;
    let r = position % params.move_inner;
    output[target_at(q, r)] = source[source_at(q, r)];
}
