{# Frame of the kernels whose tiles live in registers; registers.py writes the unrolled parts. #}
// Contraction c[batch, row, col] = sum over depth of a[batch, row, depth] b[batch, depth, col], tiles in registers.
//
// Bindings   a, b, tables (read), c (read_write), params (uniform)
// Shapes     any; offsets by tables, so any strides; {{ tile.rows }} rows and {{ tile.cols }} columns an invocation
// Workgroup  {{ tile.lanes }} x 1 x 1{{ ", which must be the subgroup size" if tile.kind == "broadcast" }}
// Grid       {{ "tiles of columns, tiles of rows, layers" if tile.kind == "broadcast" else "column groups of all layers, tiles of rows" }}{{ ", folded" if variant.folded }}
// Limits     element offsets below 2^32; depth / 4 + 3 loop iterations
// Precision  one multiply-add after the other along the depth, in float32 for float16
// Source     register tiles as in GotoBLAS; table addressing as in GETT (arXiv:1607.00145)
{$ include "contraction/common.wgsl" $}

@compute @workgroup_size({{ tile.lanes }})
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{$ if variant.folded $}
    let linear = workgroup.x + workgroups.x * (workgroup.y + workgroups.y * workgroup.z);
    let row_and_layer = linear / params.col_tiles;
    let position = vec3<u32>(linear % params.col_tiles, row_and_layer % params.row_tiles, row_and_layer / params.row_tiles);
{$ else $}
    let position = workgroup;
{$ endif $}
{$ if tile.kind == "broadcast" $}
    let layer = position.z;
    let sharer = lane;
    let first_col = (position.x * {{ tile.cols // 4 * tile.lanes }}u + lane) * 4u;
    if (layer >= params.layers) {
        return;
    }
{$ else $}
    let item = position.x * {{ tile.lanes }}u + lane;
    let layer = item / params.col_groups;
    let sharer = 0u;
    let first_col = (item - layer * params.col_groups) * {{ tile.cols }}u;
    if (layer >= params.layers || position.z > 0u) {
        return;
    }
{$ endif $}
    let first_row = position.y * {{ tile.rows }}u;
{$ if variant.split $}
    let split = layer / params.batches;
    let batch = layer - split * params.batches;
    let start = params.split_table + 3u * split;
    let depth = tables[start + 2u];
    let from_a = params.base_a + offset(params.batch_a, batch) + tables[start];
    let from_b = params.base_b + offset(params.batch_b, batch) + tables[start + 1u];
    let from_c = offset(params.batch_c, batch) + split * params.split_stride;
{$ else $}
    let depth = params.depth;
    let from_a = params.base_a + offset(params.batch_a, layer);
    let from_b = params.base_b + offset(params.batch_b, layer);
    let from_c = params.base_c + offset(params.batch_c, layer);
{$ endif $}
{$ for line in row_setup $}
    {{ line }}
{$ endfor $}
{$ for line in col_setup $}
    {{ line }}
{$ endfor $}
{$ for name in sums $}
    var {{ name }} = Lanes();
{$ endfor $}
    var k = 0u;
    for (; k + 4u <= depth; k += 4u) {
{$ for line in quads $}
        {{ line }}
{$ endfor $}
    }
{$ if singles $}
    for (; k < depth; k++) {
{$ for line in singles $}
        {{ line }}
{$ endfor $}
    }
{$ endif $}
{$ for line in store $}
    {{ line }}
{$ endfor $}
}
