{# Scatter in mode set, first half: which point wins each cell. #}
{$ import "common/walk.wgsl" as walk $}
{$ import "indexing/corner.wgsl" as corners $}
// Mark: every point p (a position on the updates' axes that decide where an update goes) leaves p + 1 in its cell (a
// position on the operand's axes that it decides on), and the largest stays: the last point wins, in whatever order the
// invocations run.
//
// Bindings   starts (read), offsets (read, table form only), winners (read_write, zeroed), params (uniform)
// Shapes     any layout of starts
// Params     the corner's components, points, the joint walk of cells and starts
// Workgroup  {{ size }} x 1 x 1, one point per invocation; folded grid
// Limits     fewer than 2^32 - 1 points; one iteration per index component
// Precision  integers
{$ include "common/index.wgsl" $}

struct Params {
{{ corners.fields(form) }}
    count: u32,
{{ walk.fields("point", ["cell", "starts"]) }}
}

@group(0) @binding(0) var<storage, read> starts: array<u32>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> winners: array<atomic<u32>>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["cell", "starts"], form) }}
{{ corners.functions(form, index) }}
@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let point = linear_group(group, groups) * {{ size }}u + local;
    if (point >= params.count) {
        return;
    }
    let q = point / params.point_inner;
    let r = point % params.point_inner;
    atomicMax(&winners[cell_at(q, r) + corner(starts_at(q, r))], point + 1u);
}
