{# Second pass of a split contraction. #}
// Sum of partial results: c[batch, row, col] = sum over splits of a[split, batch, row, col], then alpha and beta.
//
// Bindings   a: partial sums [split, batch, row, col padded to 4] (read), tables (read), c (read_write), params (uniform)
// Shapes     any; one invocation sums four columns; splits == 0 gives zeros
// Workgroup  {{ tile.lanes }} x 1 x 1; grid folded, guarded by the number of groups
// Limits     element offsets below 2^32; one loop iteration per split
// Precision  one addition after the other, in float32 for float16
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
    let batch = line / params.rows;
    if (batch >= params.batches) {
        return;
    }
    let col = (item - line * params.col_groups) * 4u;
    let row = line - batch * params.rows;
    var sum = Lanes();
    for (var split = 0u; split < params.splits; split++) {
        sum = added(sum, load_a(split * params.split_stride + item * 4u));
    }
    let to_c = params.base_c + offset(params.batch_c, batch) + offset(params.row_c, row);
{$ if variant.c == "n" $}
    store_c(to_c + offset(params.col_c, col), sum);
{$ else $}
{$ for letter in "xyzw" $}
    if (col + {{ loop.index0 }}u < params.cols) {
        put_c(to_c + offset(params.col_c, col + {{ loop.index0 }}u), {{ variant.numbers.component.format(v="sum", c=letter) }});
    }
{$ endfor $}
{$ endif $}
}
