{# Transpose through workgroup memory: GPUs. #}
{$ import "common/walk.wgsl" as walk $}
// Tiled transpose: side a is contiguous in the source, side b in the output; other axes are batches. A side is one axis
// or several short ones.
// A 32 x 32 tile is read along a and written along b, so both sides touch whole cache lines; rows of 33 units keep the
// column reads of the tile free of bank conflicts.
//
// Bindings   source (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     any lengths
// Params     tiles in all, along a and b, lengths of a and b; the walks of a (output), b (source) and batches (both)
// Workgroup  32 x 8, one tile per workgroup; folded grid
// Limits     {{ 32 * 33 * unit.nbytes }} bytes of workgroup memory; offsets below 2^32 units; no loops
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}

struct Params {
    tiles: u32,
    tiles_a: u32,
    tiles_b: u32,
    length_a: u32,
    length_b: u32,
{{ walk.fields("a", ["output_a"]) }}
{{ walk.fields("b", ["source_b"]) }}
{{ walk.fields("batch", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<{{ unit.word }}>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

var<workgroup> tile: array<{{ unit.element }}, 1056>;

{{ walk.functions(["output_a", "source_b", "source", "target"], form) }}
@compute @workgroup_size(32, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = linear_group(group, groups);
    if (index >= params.tiles) {
        return;
    }
    let batch = index / (params.tiles_a * params.tiles_b);
    let first_a = ((index / params.tiles_b) % params.tiles_a) * 32u;
    let first_b = (index % params.tiles_b) * 32u;
    let q = batch / params.batch_inner;
    let r = batch % params.batch_inner;
    let source_start = source_at(q, r);
    let target_start = target_at(q, r);
    let read_a = first_a + local.x;
    let write_b = first_b + local.x;
{$ for line in range(0, 32, 8) $}
    let read_b{{ line }} = first_b + local.y + {{ line }}u;
    if (read_a < params.length_a && read_b{{ line }} < params.length_b) {
        let row = source_b_at(read_b{{ line }} / params.b_inner, read_b{{ line }} % params.b_inner);
        tile[(local.y + {{ line }}u) * 33u + local.x] = source[source_start + row + read_a];
    }
{$ endfor $}
    workgroupBarrier();
{$ for line in range(0, 32, 8) $}
    let write_a{{ line }} = first_a + local.y + {{ line }}u;
    if (write_a{{ line }} < params.length_a && write_b < params.length_b) {
        let column = output_a_at(write_a{{ line }} / params.a_inner, write_a{{ line }} % params.a_inner);
        output[target_start + column + write_b] = tile[local.x * 33u + local.y + {{ line }}u];
    }
{$ endfor $}
}
