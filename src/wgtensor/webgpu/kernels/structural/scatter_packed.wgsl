{# Strided source into a strided target, units smaller than a word. #}
{$ import "common/walk.wgsl" as walk $}
// Packed scatter: the target is rows of `run` neighbouring units; one invocation makes one 32-bit word of one row.
// Whole words are stored, the words at a row's ends are merged with atomics, since two rows may share them.
//
// Bindings   source (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     any source layout, any target layout that does not overlap itself (run = 1 without unit stride)
// Params     rows, words per row, run, source step within a run, the joint walk of the rows
// Workgroup  {{ size }} x 1 x 1; folded grid
// Limits     offsets below 2^32 units; no loops
// Precision  moves bits: exact for every pattern; each bit has one writer, so the order of atomics cannot show
{$ include "common/index.wgsl" $}

struct Params {
    count: u32,
    words: u32,
    run: u32,
    step: u32,
{{ walk.fields("row", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<atomic<u32>>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "target"], form) }}
fn load(offset: u32) -> u32 {
    return {{ unit.load.format("offset") }};
}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = linear_group(group, groups) * {{ size }}u + local;
    if (index >= params.count) {
        return;
    }
    let row = index / params.words;
    let q = row / params.row_inner;
    let r = row % params.row_inner;
    let target_start = target_at(q, r);
    let source_start = source_at(q, r);
    let word = target_start / {{ unit.lanes }}u + index % params.words;
    var bits = 0u;
    var mask = 0u;
{$ for lane in range(unit.lanes) $}
    // Units before the row wrap to large numbers and fail the test too.
    let at{{ lane }} = word * {{ unit.lanes }}u + {{ lane }}u - target_start;
    if (at{{ lane }} < params.run) {
        bits |= load(source_start + at{{ lane }} * params.step) << {{ 8 * unit.nbytes * lane }}u;
        mask |= {{ 2 ** (8 * unit.nbytes) - 1 }}u << {{ 8 * unit.nbytes * lane }}u;
    }
{$ endfor $}
    if (mask == 0xffffffffu) {
        atomicStore(&output[word], bits);
    } else if (mask != 0u) {
        atomicAnd(&output[word], ~mask);
        atomicOr(&output[word], bits);
    }
}
