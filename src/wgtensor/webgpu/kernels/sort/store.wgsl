{# Last pass of a sort. #}
// Sort results: writes {{ "the element at each sorted position, bit by bit" if gathered else "the sorted positions" }} to a row-major output.
//
// Bindings   {{ "source (read), " if gathered }}offsets (read, table form only), positions (read), output (read_write), params (uniform)
// Shapes     positions row-major, line after line; source any layout, output row-major
// Params     results, length of a line, distances of neighbours on a line, the walk of lines
// Workgroup  {{ size }} x 1 x 1, one result per invocation; folded grid
// Limits     offsets below 2^32 elements; no loops
// Precision  moves bits: exact
{$ import "common/walk.wgsl" as walk $}
{$ include "common/index.wgsl" $}

struct Params {
    results: u32,
    length: u32,
    source_stride: u32,
    target_stride: u32,
{{ walk.fields("line", ["source", "target"]) }}
}

{$ if gathered $}
@group(0) @binding(0) var<storage, read> source: array<u32>;
{$ endif $}
{$ if form == "table" $}
@group(0) @binding({{ reads - 2 }}) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads - 1 }}) var<storage, read> positions: array<u32>;
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<u32>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "target"] if gathered else ["target"], form) }}
@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let item = linear_group(group, groups) * {{ size }}u + local;
    if (item >= params.results) {
        return;
    }
    let line = item / params.length;
    let q = line / params.line_inner;
    let r = line % params.line_inner;
    let target_place = target_at(q, r) + (item % params.length) * params.target_stride;
{$ if gathered $}
    output[target_place] = source[source_at(q, r) + positions[item] * params.source_stride];
{$ else $}
    output[target_place] = positions[item];
{$ endif $}
}
