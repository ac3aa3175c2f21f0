{# Copy of an operand whose elements no loader reads as vectors. #}
// Packing: c[batch, depth, free] = a[batch, free, depth] for any strides, free padded to 4.
//
// Bindings   a: the operand (read), tables (read), c: the copy (read_write), params (uniform)
// Shapes     any; one invocation copies four elements along the free index; the padding repeats the last element
// Workgroup  {{ tile.lanes }} x 1 x 1; grid folded, guarded by the number of groups
// Limits     element offsets below 2^32; no loop
// Precision  exact
{$ include "contraction/common.wgsl" $}

@compute @workgroup_size({{ tile.lanes }})
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let linear = workgroup.x + workgroups.x * (workgroup.y + workgroups.y * workgroup.z);
    let item = linear * {{ tile.lanes }}u + lane;
    let line = item / params.col_groups;
    let batch = line / params.depth;
    if (batch >= params.batches) {
        return;
    }
    let row = (item - line * params.col_groups) * 4u;
    let source = params.base_a + offset(params.batch_a, batch) + depth_a(line - batch * params.depth);
    let x = pick_a(source + offset(params.row_a, row));
    let y = pick_a(source + offset(params.row_a, min(row + 1u, params.rows - 1u)));
    let z = pick_a(source + offset(params.row_a, min(row + 2u, params.rows - 1u)));
    let w = pick_a(source + offset(params.row_a, min(row + 3u, params.rows - 1u)));
    store_c(item * 4u, lanes(x, y, z, w));
}
