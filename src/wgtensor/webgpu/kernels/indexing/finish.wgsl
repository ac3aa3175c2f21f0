{# Scatter in the modes that combine, last step: cells as elements. #}
{$ import "common/walk.wgsl" as walk $}
// Finish: output position i is what its cell holds; elements that no update reached keep every bit.
//
// Bindings   source (the operand, read), cells (read),
{$ if sums $}
//            low (read), high (read),
{$ endif $}
//            offsets (read, table form only), output (read_write), params (uniform)
// Shapes     any source layout; the output is contiguous and padded to whole words
// Params     words, last position{{ ", spare bits" if sums }}, the walk of the source
// Workgroup  {{ size }} x 1 x 1, one 32-bit word of {{ lanes }} elements per invocation; folded grid
// Limits     offsets below 2^32 elements; no loops
// Precision  {{ "one rounding to nearest even; see sum.wgsl" if sums else "exact" }}
{$ include "common/index.wgsl" $}
{$ include "common/cursor.wgsl" $}

struct Params {
    words: u32,
    last: u32,
{$ if sums $}
    spare: u32,
{$ endif $}
{{ walk.fields("move", ["source"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read> cells: array<u32>;
{$ if sums $}
@group(0) @binding(2) var<storage, read> low: array<u32>;
@group(0) @binding(3) var<storage, read> high: array<u32>;
{$ endif $}
{$ if form == "table" $}
@group(0) @binding({{ reads - 1 }}) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<u32>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source"], form) }}
{$ for name in functions $}
{$ include name $}
{$ endfor $}

fn result(at: Cursor) -> u32 {
    let offset = source_at(at.q, at.r);
    let element = {{ load.format("offset") }};
    let x = {{ bits.format("element") }};
    let a = cells[at.position];
{$ if sums $}
    if ((x & 0x7fffffffu) > 0x7f800000u) {
        return element;
    }
    let sum = vec2<u32>(low[at.position], high[at.position]);
    var y = 0u;
    if (a == NOT_FINITE) {
        y = not_finite(sum.x | flags_of(x));
    } else {
        y = float_of(added(sum, fixed(x, a, params.spare)), a, params.spare);
    }
{$ endif $}
    return {{ value }};
}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = linear_group(group, groups) * {{ size }}u + local;
    if (word >= params.words) {
        return;
    }
    let position = word * {{ lanes }}u;
    let at0 = Cursor(position, position / params.move_inner, position % params.move_inner);
    let e0 = result(at0);
{$ for lane in range(1, lanes) $}
    let at{{ lane }} = next(at{{ lane - 1 }}, params.last, params.move_inner);
    let e{{ lane }} = result(at{{ lane }});
{$ endfor $}
    output[word] = {{ pack }};
}
