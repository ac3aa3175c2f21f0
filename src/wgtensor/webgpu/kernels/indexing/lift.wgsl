{# Scatter in the modes that combine, first step: the operand as what updates are combined into. #}
{$ import "common/walk.wgsl" as walk $}
// Lift: cells[i] holds the operand's element i, as the form in which the updates' order cannot show.
//
// Bindings   source (read), offsets (read, table form only), cells (read_write),
{$ if sums $}
//            low (read_write), high (read_write),
{$ endif $}
//            params (uniform)
// Shapes     any source layout
// Params     elements, the walk of the source
// Workgroup  {{ size }} x 1 x 1, one element per invocation; folded grid
// Limits     offsets below 2^32 elements; no loops
// Precision  exact; float numbers are handled as their bits
{$ include "common/index.wgsl" $}

struct Params {
    count: u32,
{{ walk.fields("move", ["source"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> cells: array<u32>;
{$ if sums $}
@group(0) @binding({{ reads + 1 }}) var<storage, read_write> low: array<u32>;
@group(0) @binding({{ reads + 2 }}) var<storage, read_write> high: array<u32>;
{$ endif $}
@group(0) @binding({{ reads + 3 if sums else reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source"], form) }}
{$ for name in functions $}
{$ include name $}
{$ endfor $}

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
    let offset = source_at(position / params.move_inner, position % params.move_inner);
    let x = {{ bits.format(load.format("offset")) }};
    cells[position] = {{ key }};
{$ if sums $}
    low[position] = 0u;
    high[position] = 0u;
{$ endif $}
}
