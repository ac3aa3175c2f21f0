{# First pass of a sort. team: whether invocations go on to merge their runs in workgroup memory. #}
// Sort runs: turns the elements of each line into keys and positions, and sorts {{ run }} of them per invocation in registers.
{$ if team $}
// Teams of `team` invocations then merge their runs in workgroup memory, until each team has one.
{$ endif $}
//
// Bindings   source (read), offsets (read, table form only), keys, positions (read_write), params (uniform)
// Shapes     `lines` lines of `length` elements, any layout; keys and positions row-major, line after line
// Params     lines, length, sorted runs per line, invocations per run, distance of neighbours, the walk of lines
// Workgroup  {{ size }} x 1 x 1, {{ run }} elements per invocation; folded grid
// Limits     offsets below 2^32 elements; {{ "at most 96 loop iterations" if team else "no loops" }}
// Precision  compares bits: exact; stable
// Source     odd-even transposition, which exchanges neighbours only and so keeps the order of equals{{ "; merge path" if team }}
{$ import "common/walk.wgsl" as walk $}
{$ import "sort/path.wgsl" as path $}
{$ include "common/index.wgsl" $}

struct Params {
    lines: u32,
    length: u32,
    runs: u32,
    team: u32,
    stride: u32,
{{ walk.fields("line", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> keys: array<u32>;
@group(0) @binding({{ reads + 1 }}) var<storage, read_write> positions: array<u32>;
@group(0) @binding({{ reads + 2 }}) var<uniform> params: Params;
{$ if team $}

var<workgroup> tile_keys: array<u32, {{ size * run }}>;
var<workgroup> tile_positions: array<u32, {{ size * run }}>;
{$ endif $}

{{ walk.functions(["source", "target"], form) }}
{$ include "sort/order.wgsl" $}

// The pair at a position of the line that begins at offset `line`; beyond its end, one that stays last.
fn load(line: u32, position: u32) -> vec2<u32> {
    if (position >= params.length) {
        return vec2<u32>(0xffffffffu);
    }
    let i = line + position * params.stride;
    return lift({{ unit.load.format("i") }}, position);
}

fn store(begin: u32, position: u32, pair: vec2<u32>) {
    if (position < params.length) {
        keys[begin + position] = pair.x;
        positions[begin + position] = pair.y;
    }
}
{$ if team $}

{{ path.functions("tile_keys") }}
{{ path.taking("tile_keys", "tile_positions") }}
{$ endif $}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let place = linear_group(group, groups) * {{ size }}u + local;
    let item = place / params.team;
    let within = item < params.lines * params.runs;
    let number = select(0u, item / params.runs, within);
    let member = place % params.team;
    // Past the last line, from where nothing is read or written.
    let first = select(params.length, ((item % params.runs) * params.team + member) * {{ run }}u, within);
    let line = source_at(number / params.line_inner, number % params.line_inner);
    var swap = false;
    var lower = vec2<u32>();
{$ for i in range(run) $}
    var x{{ i }} = load(line, first + {{ i }}u);
{$ endfor $}
{$ for round in range(run) $}
{$ for i in range(round % 2, run - 1, 2) $}
    swap = x{{ i }}.x > x{{ i + 1 }}.x;
    lower = select(x{{ i }}, x{{ i + 1 }}, swap);
    x{{ i + 1 }} = select(x{{ i + 1 }}, x{{ i }}, swap);
    x{{ i }} = lower;
{$ endfor $}
{$ endfor $}
{$ if team $}
    let mine = local * {{ run }}u;
    let member_first = member * {{ run }}u;
    for (var width = {{ run }}u; width < params.team * {{ run }}u; width *= 2u) {
        workgroupBarrier();
{$ for i in range(run) $}
        tile_keys[mine + {{ i }}u] = x{{ i }}.x;
        tile_positions[mine + {{ i }}u] = x{{ i }}.y;
{$ endfor $}
        workgroupBarrier();
        let before = member_first % (2u * width);
        let begin = mine - before;
        let middle = begin + width;
        let end = middle + width;
        let low = split_tile_keys(begin, middle, end, before);
        var merge = Merge(begin + low, middle + before - low, vec2<u32>());
{$ for i in range(run) $}
        merge = take(merge, middle, end);
        x{{ i }} = merge.pair;
{$ endfor $}
    }
{$ endif $}
    let begin = number * params.length;
{$ for i in range(run) $}
    store(begin, first + {{ i }}u, x{{ i }});
{$ endfor $}
}
