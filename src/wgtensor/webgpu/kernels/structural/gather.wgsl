{# Row-major output from a strided source; optionally only one triangle of the last two axes. #}
{$ import "common/walk.wgsl" as walk $}
// Gather: writes a row-major output whose position i comes from source[source_at(i / inner, i % inner)].
//
// Bindings   source (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     any source layout; the output is contiguous and padded to whole blocks
// Params     blocks, last position, the walk{{ "; rows, columns and the diagonal band that is kept" if triangle }}
// Workgroup  {{ size }} x 1 x 1, one block of {{ unit.lanes }} units of {{ unit.nbytes }} bytes per invocation; folded grid
// Limits     offsets below 2^32 units; no loops
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}
{$ include "common/cursor.wgsl" $}

struct Params {
    blocks: u32,
    last: u32,
{{ walk.fields("source", ["source"]) }}
{$ if triangle $}
    rows: u32,
    columns: u32,
    least: i32,
    most: i32,
{$ endif $}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<{{ unit.block }}>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source"], form) }}
fn load(at: Cursor) -> {{ unit.element }} {
    let offset = source_at(at.q, at.r);
{$ if triangle $}
    let distance = i32(at.position % params.columns) - i32((at.position / params.columns) % params.rows);
    let kept = distance >= params.least && distance <= params.most;
    return select({{ unit.element }}(), {{ unit.load.format("offset") }}, kept);
{$ else $}
    return {{ unit.load.format("offset") }};
{$ endif $}
}

{$ set inner = "source_inner" $}
{$ include "common/blocks.wgsl" $}
