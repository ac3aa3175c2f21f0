{# One window of a source written into an output. #}
{$ import "common/walk.wgsl" as walk $}
{$ import "indexing/corner.wgsl" as corners $}
// Place: output[target_at(i) + corner] = source[source_at(i)] for every position i of the window; the corner is that of
// the only start vector. The rest of the output stays as it is.
//
// Bindings   source (read), starts (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     any layout of source and starts; the output is contiguous
// Params     the corner's components, positions, the first component's element, the joint walk of source and target
// Workgroup  {{ size }} x 1 x 1, one unit of {{ unit.nbytes }} bytes per invocation; folded grid
// Limits     offsets below 2^32 units; one iteration per index component
// Precision  moves bits: exact for every pattern; each bit has one writer, so the order of atomics cannot show
{$ include "common/index.wgsl" $}

struct Params {
{{ corners.fields(form) }}
    count: u32,
    first: u32,
{{ walk.fields("move", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
{$ if form == "table" $}
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
{$ endif $}
{$ if unit.packed $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<atomic<u32>>;
{$ else $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<{{ unit.word }}>;
{$ endif $}
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["source", "target"], form) }}
{{ corners.functions(form, index) }}
@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let position = linear_group(group, groups) * {{ size }}u + local;
    if (position >= params.count) {
        return;
    }
    let q = position / params.move_inner;
    let r = position % params.move_inner;
    let offset = source_at(q, r);
    let target_offset = target_at(q, r) + corner(params.first);
{$ if unit.packed $}
    let word = target_offset / {{ unit.lanes }}u;
    let shift = {{ 8 * unit.nbytes }}u * (target_offset % {{ unit.lanes }}u);
    atomicAnd(&output[word], ~({{ 2 ** (8 * unit.nbytes) - 1 }}u << shift));
    atomicOr(&output[word], {{ unit.load.format("offset") }} << shift);
{$ else $}
    output[target_offset] = {{ unit.load.format("offset") }};
{$ endif $}
}
