{# Scatter in mode set, second half: each element comes from the operand or from the update that won its cell. #}
{$ import "common/walk.wgsl" as walk $}
// Choose: output position i has cell cell_at(i). If a point won it, i comes from updates[update_at(point) + free_at(i)],
// else from source[source_at(i)].
//
// Bindings   source (read), updates (read), winners (read), offsets (read, table form only), output (read_write),
//            params (uniform)
// Shapes     any layout of source and updates; the output is contiguous and padded to whole blocks
// Params     blocks, last position, the joint walk of source, cells and free axes of the updates; the walk of points
// Workgroup  {{ size }} x 1 x 1, one block of {{ unit.lanes }} units of {{ unit.nbytes }} bytes per invocation; folded grid
// Limits     offsets below 2^32 units; no loops
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}
{$ include "common/cursor.wgsl" $}

struct Params {
    blocks: u32,
    last: u32,
{{ walk.fields("move", ["source", "free", "cell"]) }}
{{ walk.fields("point", ["update"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
@group(0) @binding(1) var<storage, read> updates: array<{{ unit.word }}>;
@group(0) @binding(2) var<storage, read> winners: array<u32>;
{$ if form == "table" $}
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<{{ unit.block }}>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "free", "cell", "update"], form) }}
fn load(at: Cursor) -> {{ unit.element }} {
    let winner = winners[cell_at(at.q, at.r)];
    if (winner == 0u) {
        let offset = source_at(at.q, at.r);
        return {{ unit.load.format("offset") }};
    }
    let point = winner - 1u;
    let offset = update_at(point / params.point_inner, point % params.point_inner) + free_at(at.q, at.r);
    return {{ unit.load.replace("source", "updates").format("offset") }};
}

{$ set inner = "move_inner" $}
{$ include "common/blocks.wgsl" $}
