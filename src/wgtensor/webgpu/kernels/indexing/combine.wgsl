{# Scatter in the modes that combine: every update meets its cell. #}
{$ import "common/walk.wgsl" as walk $}
{$ import "indexing/corner.wgsl" as corners $}
// Combine: update i, lifted as the operand was, meets cell target_at(i) + corner(starts_at(i)) in one integer atomic.
//
// Bindings   source (the updates, read), starts (read), offsets (read, table form only), cells (read_write),
//            params (uniform)
// Shapes     any layout of updates and starts
// Params     the corner's components, updates, the joint walk of updates, cells and starts
// Workgroup  {{ size }} x 1 x 1, one update per invocation; folded grid
// Limits     offsets below 2^32 elements; one iteration per index component
// Precision  exact; integer sums and extremes are the same in every order
{$ include "common/index.wgsl" $}

struct Params {
{{ corners.fields(form) }}
    count: u32,
{{ walk.fields("move", ["source", "target", "starts"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
{$ if form == "table" $}
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> cells: array<atomic<u32>>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "target", "starts"], form) }}
{{ corners.functions(form, index) }}
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
    let q = position / params.move_inner;
    let r = position % params.move_inner;
    let offset = source_at(q, r);
    let x = {{ bits.format(load.format("offset")) }};
    {{ atomic }}(&cells[target_at(q, r) + corner(starts_at(q, r))], {{ key }});
}
