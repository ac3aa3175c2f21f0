{# Where values belong in a sorted line. #}
// Search: the number of sorted elements before each value, by a binary search of each invocation.
//
// Bindings   ordered, values (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     ordered of rank 1, any stride; values any layout, output row-major
// Params     results; length, offset and stride of ordered; whether equals count as before; the walk of values
// Workgroup  {{ size }} x 1 x 1, one value per invocation; folded grid
// Limits     offsets below 2^32 elements; at most 32 loop iterations
// Precision  compares bits: exact
{$ import "common/walk.wgsl" as walk $}
{$ include "common/index.wgsl" $}

struct Params {
    results: u32,
    length: u32,
    offset: u32,
    stride: u32,
    right: u32,
{{ walk.fields("value", ["value"]) }}
}

@group(0) @binding(0) var<storage, read> ordered: array<{{ unit.word }}>;
@group(0) @binding(1) var<storage, read> source: array<{{ unit.word }}>;
{$ if form == "table" $}
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<u32>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;

{{ walk.functions(["value"], form) }}
{$ include "sort/order.wgsl" $}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let item = linear_group(group, groups) * {{ size }}u + local;
    if (item >= params.results) {
        return;
    }
    let at = value_at(item / params.value_inner, item % params.value_inner);
    let key = lift({{ unit.load.format("at") }}, 0u).x;
    var low = 0u;
    var high = params.length;
    while (low < high) {
        let probe = (low + high) / 2u;
        let i = params.offset + probe * params.stride;
        let other = lift({{ unit.load.format("i") | replace("source", "ordered") }}, 0u).x;
        if (other < key || (other == key && params.right != 0u)) {
            low = probe + 1u;
        } else {
            high = probe;
        }
    }
    output[item] = low;
}
