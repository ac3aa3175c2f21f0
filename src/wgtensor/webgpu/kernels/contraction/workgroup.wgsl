{# Frame of the kernels that stage tiles in workgroup memory; workgroup.py writes the unrolled parts. #}
// Contraction c[batch, row, col] = sum over depth of a[batch, row, depth] b[batch, depth, col], tiles staged.
//
// Bindings   a, b, tables (read), c (read_write), params (uniform)
// Shapes     any; offsets by tables, so any strides; {{ tile.block_rows }} x {{ tile.block_cols }} a workgroup, {{ tile.rows }} x {{ tile.cols }} an invocation
// Workgroup  {{ tile.lanes }} x 1 x 1; two halves of {{ sides[0].words + sides[1].words }} vectors in workgroup memory
// Grid       tiles of columns, tiles of rows, layers{{ ", folded" if variant.folded }}; walked in groups of 16 rows of tiles
// Limits     element offsets below 2^32; depth / {{ tile.depth }} loop iterations
// Precision  one multiply-add after the other along the depth, in float32 for float16
// Source     double-buffered tiles as in CUTLASS and CLBlast; table addressing as in GETT (arXiv:1607.00145)
{$ include "contraction/common.wgsl" $}

{$ for side in sides $}
var<workgroup> staged_{{ side.name }}: array<Lanes, {{ 2 * side.words }}>;
{$ endfor $}

@compute @workgroup_size({{ tile.lanes }})
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{$ include "contraction/position.wgsl" $}
    let layer = position.z;
    if (layer >= params.layers) {
        return;
    }
    let in_order = position.y * params.col_tiles + position.x;
    let band = in_order / (16u * params.col_tiles);
    let in_band = in_order - band * 16u * params.col_tiles;
    let band_rows = min(16u, params.row_tiles - band * 16u);
    let first_row = (band * 16u + in_band % band_rows) * {{ tile.block_rows }}u;
    let first_col = in_band / band_rows * {{ tile.block_cols }}u;
    let subgroup = lane / {{ group_rows * group_cols }}u;
    let thread = lane % {{ group_rows * group_cols }}u;
    let thread_row = subgroup / {{ thread_cols // group_cols }}u * {{ group_rows }}u + thread / {{ group_cols }}u;
    let thread_col = subgroup % {{ thread_cols // group_cols }}u * {{ group_cols }}u + thread % {{ group_cols }}u;
{$ include "contraction/origin.wgsl" $}
{$ for line in setup $}
    {{ line }}
{$ endfor $}
{$ for name in sums $}
    var {{ name }} = Lanes();
{$ endfor $}
{$ for side in sides $}
{$ for q in side.entries $}
    var {{ side.name }}_held{{ q }} = Lanes();
    var {{ side.name }}_along{{ q }} = 0u;
{$ endfor $}
    var half_{{ side.name }} = 0u;
{$ endfor $}
    var k = 0u;
    var ahead = 0u;
{$ for line in offsets + loads $}
    {{ line }}
{$ endfor $}
    ahead = {{ tile.depth }}u;
{$ for line in offsets + stage $}
    {{ line }}
{$ endfor $}
    workgroupBarrier();
    for (k = {{ tile.depth }}u; k < depth; k += {{ tile.depth }}u) {
        ahead = k + {{ tile.depth }}u;
{$ for line in loads + offsets + products $}
        {{ line }}
{$ endfor $}
{$ for side in sides $}
        half_{{ side.name }} = {{ side.words }}u - half_{{ side.name }};
{$ endfor $}
{$ for line in stage $}
        {{ line }}
{$ endfor $}
        workgroupBarrier();
    }
{$ for line in products $}
    {{ line }}
{$ endfor $}
{$ for line in store $}
    {{ line }}
{$ endfor $}
}
