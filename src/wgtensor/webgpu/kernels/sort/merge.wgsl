{# One pass of a sort on software adapters: runs of `width` become runs of twice that. #}
// Merge: joins neighbouring sorted runs of each line, left before right where keys are equal.
//
// Bindings   keys, positions (read), merged_keys, merged_positions (read_write), params (uniform)
// Shapes     all row-major, `lines` lines of `length` elements; the last run of a line may be short, or alone
// Params     lines, length, groups of results per line, width of a run, results per group
// Workgroup  {{ size }} x 1 x 1, one group of neighbouring results per invocation; folded grid
// Limits     a group divides two runs; at most 32 loop iterations and one per result
// Precision  moves bits: exact; stable
// Source     merge path: a binary search tells how many of the results before lie in the left run
{$ import "sort/path.wgsl" as path $}
{$ include "common/index.wgsl" $}

struct Params {
    lines: u32,
    length: u32,
    groups: u32,
    width: u32,
    taken: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read_write> merged_keys: array<u32>;
@group(0) @binding(3) var<storage, read_write> merged_positions: array<u32>;
@group(0) @binding(4) var<uniform> params: Params;

{{ path.functions("keys") }}
@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let item = linear_group(group, groups) * {{ size }}u + local;
    if (item >= params.lines * params.groups) {
        return;
    }
    let line = (item / params.groups) * params.length;
    let first = (item % params.groups) * params.taken;
    let before = first % (2u * params.width);
    let begin = line + first - before;
    let line_end = line + params.length;
    let middle = min(begin + params.width, line_end);
    let end = min(middle + params.width, line_end);

    let low = split_keys(begin, middle, end, before);
    var left = begin + low;
    var right = middle + before - low;
    var left_key = head_keys(left, middle);
    var right_key = head_keys(right, end);
    let last = min(line + first + params.taken, end);
    for (var at = line + first; at < last; at += 1u) {
        if (left < middle && left_key <= right_key) {
            merged_keys[at] = left_key;
            merged_positions[at] = positions[left];
            left += 1u;
            left_key = head_keys(left, middle);
        } else {
            merged_keys[at] = right_key;
            merged_positions[at] = positions[right];
            right += 1u;
            right_key = head_keys(right, end);
        }
    }
}
