{# Windows of a source at starts that lie on the device. #}
{$ import "common/walk.wgsl" as walk $}
{$ import "indexing/corner.wgsl" as corners $}
// Gather: output position i, split into (q, r), is source[source_at(q, r) + corner(starts_at(q, r))].
//
// Bindings   source (read), starts (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     any layout of source and starts; the output is contiguous and padded to whole blocks
// Params     the corner's components, blocks, last position, the joint walk of source and starts
// Workgroup  {{ size }} x 1 x 1, one block of {{ unit.lanes }} units of {{ unit.nbytes }} bytes per invocation; folded grid
// Limits     offsets below 2^32 units; {{ unit.lanes }} iterations per index component
// Precision  moves bits: exact for every pattern
{$ include "common/index.wgsl" $}
{$ include "common/cursor.wgsl" $}

struct Params {
{{ corners.fields(form) }}
    blocks: u32,
    last: u32,
{{ walk.fields("move", ["source", "starts"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
{$ if form == "table" $}
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<{{ unit.block }}>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "starts"], form) }}
{{ corners.functions(form, index) }}
fn load(at: Cursor) -> {{ unit.element }} {
    let offset = source_at(at.q, at.r) + corner(starts_at(at.q, at.r));
    return {{ unit.load.format("offset") }};
}

{$ set inner = "move_inner" $}
{$ include "common/blocks.wgsl" $}
