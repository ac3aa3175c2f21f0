{# Scatter in mode add for floats: every update is added to its cell in fixed point. #}
{$ import "common/walk.wgsl" as walk $}
{$ import "indexing/corner.wgsl" as corners $}
// Accumulate: update i is added to the 64-bit number in low and high of its cell, scaled by the cell's largest rank.
// Integers are added, so the sum is the same in every order. Where a cell meets infinity or NaN, low holds flags.
//
// Bindings   source (the updates, read), starts (read), cells (ranks, read), offsets (read, table form only),
//            low (read_write), high (read_write), params (uniform)
// Shapes     any layout of updates and starts
// Params     the corner's components, updates, spare bits, the joint walk of updates, cells and starts
// Workgroup  {{ size }} x 1 x 1, one update per invocation; folded grid
// Limits     offsets below 2^32 elements; one iteration per index component
// Precision  each update loses what lies more than 24 + spare bits below the top of the largest one; see sum.wgsl
{$ include "common/index.wgsl" $}

struct Params {
{{ corners.fields(form) }}
    count: u32,
    spare: u32,
{{ walk.fields("move", ["source", "target", "starts"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> cells: array<u32>;
{$ if form == "table" $}
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> low: array<atomic<u32>>;
@group(0) @binding({{ reads + 1 }}) var<storage, read_write> high: array<atomic<u32>>;
@group(0) @binding({{ reads + 2 }}) var<uniform> params: Params;

{{ walk.functions(["source", "target", "starts"], form) }}
{{ corners.functions(form, index) }}
{$ include "indexing/sum.wgsl" $}

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
    let target_offset = target_at(q, r) + corner(starts_at(q, r));
    let rank = cells[target_offset];
    if (rank == NOT_FINITE) {
        atomicOr(&low[target_offset], flags_of(x));
        return;
    }
    let summand = fixed(x, rank, params.spare);
    let before = atomicAdd(&low[target_offset], summand.x);
    atomicAdd(&high[target_offset], summand.y + u32(before + summand.x < before));
}
