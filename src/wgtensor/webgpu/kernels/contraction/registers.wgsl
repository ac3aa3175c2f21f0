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
{$ include "contraction/position.wgsl" $}
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
{$ include "contraction/origin.wgsl" $}
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
