{# What totals.wgsl and scan.wgsl share: parameters, the operand, who walks what, and how a team meets. #}
{$ import "common/walk.wgsl" as walk $}
{$ include "common/index.wgsl" $}

struct Params {
    lines: u32,
    steps: u32,
    splits: u32,
    team: u32,
    span: u32,
    block: u32,
    across: u32,
    exclusive: u32,
    most: u32,
    source_stride: u32,
    target_stride: u32,
    line_stride: u32,
    split_stride: u32,
{{ walk.fields("line", ["source", "target"]) }}
}

@group(0) @binding(0) var<storage, read> source: array<{{ unit.word }}>;
{$ if form == "table" $}
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
{$ endif $}
{$ if carried $}
@group(0) @binding({{ reads - 1 }}) var<storage, read> carries: array<{{ combine.stored }}>;
{$ endif $}
@group(0) @binding({{ reads }}) var<storage, read_write> output: array<{{ combine.stored }}>;
@group(0) @binding({{ reads + 1 }}) var<uniform> params: Params;
{$ if team $}

var<workgroup> sums: array<{{ combine.accumulator }}, {{ 2 * size }}>;
{$ endif $}

{{ walk.functions(["source", "target"], form) }}
{$ include "reduction/combine.wgsl" $}

struct Share {
    within: bool,
    line: u32,
    split: u32,
    member: u32,
    first: u32, // its first step
    source: u32, // where its line begins
}

fn share_of(group: u32, local: u32) -> Share {
    let place = {{ "(group * %du + local) / params.team" % size if team else "group * %du + local" % size }};
    let within = place < params.lines * params.splits;
    let item = select(0u, place, within);
    let across = params.across != 0u;
    let line = select(item / params.splits, item % params.lines, across);
    let split = select(item % params.splits, item / params.lines, across);
    let member = {{ "local % params.team" if team else "0u" }};
    let first = (split * params.span * params.team + member) * {{ lanes }}u;
    return Share(within, line, split, member, first, source_at(line / params.line_inner, line % params.line_inner));
}

// One element as a partial result; none beyond the end of a line.
fn load(share: Share, step: u32) -> {{ combine.accumulator }} {
    if (!share.within || step >= params.steps) {
        return {{ combine.identity }};
    }
    let i = share.source + step * params.source_stride;
    let x = {{ unit.load.format("i") }};
    return {{ lift }};
}
{$ if team $}

// Partial results of all members up to and with each, left at sums[place + local]; one barrier for every doubling.
// Returns place. A second call may follow at once: it begins in the other half, or behind a barrier.
fn meet(local: u32, member: u32, mine: {{ combine.accumulator }}, begin: u32) -> u32 {
    var place = begin;
    var total = mine;
    sums[place + local] = total;
    for (var reach = 1u; reach < params.team; reach *= 2u) {
        workgroupBarrier();
        if (member >= reach) {
            total = join(sums[place + local - reach], total);
        }
        place = {{ size }}u - place;
        sums[place + local] = total;
    }
    workgroupBarrier();
    return place;
}
{$ endif $}
