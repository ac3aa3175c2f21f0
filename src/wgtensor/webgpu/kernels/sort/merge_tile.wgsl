{# One pass of a sort on GPUs: runs of `width` become runs of twice that. #}
// Merge, tiles: joins neighbouring sorted runs of each line, left before right where keys are equal. A workgroup finds
// the parts of both runs that make its {{ tile }} results, and merges them in workgroup memory, so that all traffic is of
// neighbours.
//
// Bindings   keys, positions (read), merged_keys, merged_positions (read_write), params (uniform)
// Shapes     all row-major, `lines` lines of `length` elements; the last run of a line may be short, or alone
// Params     lines, length, tiles per line, width of a run, results per tile
// Workgroup  {{ size }} x 1 x 1, one tile per workgroup; folded grid; {{ 8 * tile }} bytes of workgroup memory
// Limits     width a multiple of {{ tile }}; at most 64 loop iterations
// Precision  moves bits: exact; stable
// Source     merge path, first between tiles and then between invocations
{$ import "sort/path.wgsl" as path $}
{$ include "common/index.wgsl" $}

struct Params {
    lines: u32,
    length: u32,
    tiles: u32,
    width: u32,
    taken: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read_write> merged_keys: array<u32>;
@group(0) @binding(3) var<storage, read_write> merged_positions: array<u32>;
@group(0) @binding(4) var<uniform> params: Params;

var<workgroup> tile_keys: array<u32, {{ tile }}>;
var<workgroup> tile_positions: array<u32, {{ tile }}>;

{{ path.functions("keys") }}
{{ path.functions("tile_keys") }}
{{ path.taking("tile_keys", "tile_positions") }}
@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let item = linear_group(group, groups);
    if (item >= params.lines * params.tiles) {
        return;
    }
    let line = (item / params.tiles) * params.length;
    let first = (item % params.tiles) * params.taken;
    let before = first % (2u * params.width);
    let begin = line + first - before;
    let line_end = line + params.length;
    let middle = min(begin + params.width, line_end);
    let end = min(middle + params.width, line_end);
    let count = min(params.taken, end - begin - before);

    if (local < 2u) {
        tile_keys[local] = split_keys(begin, middle, end, before + local * count);
    }
    workgroupBarrier();
    let left = begin + tile_keys[0];
    let right = middle + before - tile_keys[0];
    let lefts = tile_keys[1] - tile_keys[0];
    workgroupBarrier();
    for (var i = local; i < count; i += {{ size }}u) {
        let at = select(right + i - lefts, left + i, i < lefts);
        tile_keys[i] = keys[at];
        tile_positions[i] = positions[at];
    }
    workgroupBarrier();
    let mine = local * {{ run }}u;
    let results = min(mine, count);
    let low = split_tile_keys(0u, lefts, count, results);
    let merge0 = take(Merge(low, lefts + results - low, vec2<u32>()), lefts, count);
{$ for i in range(1, run) $}
    let merge{{ i }} = take(merge{{ i - 1 }}, lefts, count);
{$ endfor $}
    workgroupBarrier();
{$ for i in range(run) $}
    tile_keys[mine + {{ i }}u] = merge{{ i }}.pair.x;
    tile_positions[mine + {{ i }}u] = merge{{ i }}.pair.y;
{$ endfor $}
    workgroupBarrier();
    for (var i = local; i < count; i += {{ size }}u) {
        merged_keys[line + first + i] = tile_keys[i];
        merged_positions[line + first + i] = tile_positions[i];
    }
}
