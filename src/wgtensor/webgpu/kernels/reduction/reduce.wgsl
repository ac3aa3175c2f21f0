{# First pass of a reduction. form: rows, columns or general; team: whether invocations meet in workgroup memory. #}
{$ import "common/walk.wgsl" as walk $}
{$ set rows = access == "rows" $}
{$ set columns = access == "columns" $}
{$ set general = access == "general" $}
{$ set stride = lanes if columns else 1 $}
// Reduce, first pass, {{ access }}: each kept position's elements are split over invocations, each of which folds its
// share into {{ lanes }} accumulators, in blocks, so that the chain of roundings grows with the root of the share.
//
{$ if rows $}
// rows       the reduced axes end in contiguous elements: one chunk of {{ lanes }} per step, accumulators joined at the end
{$ elif columns $}
// columns    the kept axes end in contiguous elements: one chunk of {{ lanes }} kept positions per unit
{$ else $}
// general    any layout: {{ lanes }} single elements per iteration, accumulators joined at the end
{$ endif $}
//
{$ if window $}
// Instead of a stored operand it reads the leaves of a fusion window, evaluates the window four elements at a time, and
// writes the window's live results beside its own: each element is visited once. The shares are those of a stored operand.
//
{$ endif $}
// Bindings   {{ "leaves (read), their offset table" if window else "source" }} (read), offsets (read, table form only), output{{ ", live results" if window }} (read_write), params (uniform)
// Shapes     any; unit u and step s are walked as source[kept_at(u) + reduced_at(s)]
// Params     see the struct; `whole` says that there is one share, so the result itself is written
// Workgroup  {{ size }} x 1 x 1{{ ", as teams of `team` invocations that share a unit" if team }}; folded grid
// Limits     offsets below 2^32 elements; loop iterations as the plan says
// Precision  sums: (log2 n + c) ulp of the sum of magnitudes, c below 320; max, min and positions exact
// Source     grid-stride shares, vector loads, tree in workgroup memory: the usual two-pass reduction
{$ if window and window.float16 $}
enable f16;
{$ endif $}
{$ include "common/index.wgsl" $}

struct Params {
{$ if window $}
    words: array<vec4<u32>, {{ window.words }}>,
{$ endif $}
    units: u32,
    steps: u32,
    length: u32,
    splits: u32,
    team: u32,
    interleave: u32,
    span: u32,
    block: u32,
    units_first: u32,
    whole: u32,
    unit_stride: u32,
    split_stride: u32,
    advance_q: u32,
    advance_r: u32,
{{ walk.fields("kept", ["kept"]) }}
{{ walk.fields("reduced", ["reduced"]) }}
}

{$ for line in bindings $}
{{ line }}
{$ endfor $}
{$ if team $}

var<workgroup> shared_parts: array<{{ combine.accumulator }}, {{ size }}>;
{$ endif $}

{{ walk.functions(["kept", "reduced"], form) }}
{$ include "reduction/combine.wgsl" $}

fn lift(x: {{ unit.element }}, i: u32) -> {{ combine.accumulator }} {
    return {{ combine.lift }};
}
{$ if window $}

{{ window.support }}
fn load({{ "linear: vec4<u32>" if general else "g: u32" }}) -> {{ chunk.word }} {
{$ for line in window.statements $}
    {{ line }}
{$ endfor $}
}
{$ elif general $}

fn load(offset: u32) -> {{ unit.element }} {
    return {{ unit.load.format("offset") }};
}
{$ else $}

fn load(g: u32) -> {{ chunk.word }} {
    return source[g];
}
{$ endif $}

fn store(position: u32, split: u32, a: {{ combine.accumulator }}) {
    let at = position * params.unit_stride + split * params.split_stride;
{$ if combine.packing == 1 $}
    if (params.whole != 0u) {
        let bits = result_bits(a);
{$ if combine.result_bytes == 8 $}
        output[2u * position] = bits.x;
        output[2u * position + 1u] = bits.y;
{$ else $}
        output[position] = bits;
{$ endif $}
        return;
    }
{$ endif $}
    let part = bitcast<{{ combine.stored }}>(a);
{$ if combine.words == 2 $}
    output[2u * at] = part.x;
    output[2u * at + 1u] = part.y;
{$ else $}
    output[at] = part;
{$ endif $}
}

// Where a share stands: its step, and that step split for the walk.
struct Cursor {
    step: u32,
    q: u32,
    r: u32,
}

fn next(at: Cursor) -> Cursor {
    let r = at.r + params.advance_r;
    let wraps = r >= params.reduced_inner;
    return Cursor(
        at.step + params.interleave,
        at.q + params.advance_q + select(0u, 1u, wraps),
        select(r, r - params.reduced_inner, wraps),
    );
}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
{$ if team $}
    // Neighbouring invocations take neighbouring units, or neighbouring steps of one unit, whichever lie closer.
    let teams = {{ size }}u / params.team;
    let by_unit = params.units_first != 0u;
    let member_stride = select(1u, teams, by_unit);
    let member = select(local % params.team, local / teams, by_unit);
    let item = linear_group(group, groups) * teams + select(local / params.team, local % teams, by_unit);
{$ else $}
    let item = linear_group(group, groups) * {{ size }}u + local;
{$ endif $}
    let within = item < params.units * params.splits;
    let unit = select(item / params.splits, item % params.units, params.units_first != 0u);
    let split = select(item % params.splits, item / params.units, params.units_first != 0u);
{$ for lane in range(lanes) $}
    var a{{ lane }} = {{ combine.identity }};
{$ endfor $}
    if (within) {
        let start = kept_at(unit / params.kept_inner, unit % params.kept_inner);
        let share = {{ "split * params.team + member" if team else "split" }};
        let per_round = params.interleave * params.span{{ " * %du" % lanes if general }};
        let first = (share / params.interleave) * per_round + share % params.interleave;
        var at = Cursor(first, first / params.reduced_inner, first % params.reduced_inner);
        for (var begin = 0u; begin < params.span; begin += params.block) {
            let end = min(begin + params.block, params.span);
{$ for lane in range(lanes) $}
            var b{{ lane }} = {{ combine.identity }};
{$ endfor $}
            for (var turn = begin; turn < end; turn += 1u) {
                if (at.step >= params.steps) {
                    break;
                }
{$ if general and window $}
                // A lane past the end repeats the first: it reads and writes the same once more, and joins nothing.
                var linear = vec4<u32>(start + reduced_at(at.q, at.r));
                var step = vec4<u32>(at.step);
{$ for lane in range(1, lanes) $}
                at = next(at);
                step[{{ lane }}] = at.step;
                if (at.step < params.steps) {
                    linear[{{ lane }}] = start + reduced_at(at.q, at.r);
                }
{$ endfor $}
                at = next(at);
                let chunk = load(linear);
{$ for lane in range(lanes) $}
                if (step[{{ lane }}] < params.steps) {
                    b{{ lane }} = join(b{{ lane }}, lift({{ chunk.elements[lane] }}, step[{{ lane }}]));
                }
{$ endfor $}
{$ elif general $}
{$ for lane in range(lanes) $}
                if (at.step < params.steps) {
                    b{{ lane }} = join(b{{ lane }}, lift(load(start + reduced_at(at.q, at.r)), at.step));
                }
                at = next(at);
{$ endfor $}
{$ else $}
                let chunk = load(start + reduced_at(at.q, at.r));
{$ for lane in range(lanes) $}
{$ if rows $}
                let i{{ lane }} = at.step * {{ lanes }}u + {{ lane }}u;
                if (i{{ lane }} < params.length) {
                    b{{ lane }} = join(b{{ lane }}, lift({{ chunk.elements[lane] }}, i{{ lane }}));
                }
{$ else $}
                b{{ lane }} = join(b{{ lane }}, lift({{ chunk.elements[lane] }}, at.step));
{$ endif $}
{$ endfor $}
                at = next(at);
{$ endif $}
            }
{$ for lane in range(lanes) $}
            a{{ lane }} = join(a{{ lane }}, b{{ lane }});
{$ endfor $}
        }
    }
{$ if columns $}
    if (within) {
{$ for lane in range(lanes) $}
        store(unit * {{ lanes }}u + {{ lane }}u, split, a{{ lane }});
{$ endfor $}
    }
{$ else $}
{$ for lane in range(1, lanes) $}
    a0 = join(a0, a{{ lane }});
{$ endfor $}
{$ if team $}
    shared_parts[local] = a0;
    for (var reach = params.team / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if (member < reach) {
            shared_parts[local] = join(shared_parts[local], shared_parts[local + reach * member_stride]);
        }
    }
    if (within && member == 0u) {
        store(unit, split, shared_parts[local]);
    }
{$ else $}
    if (within) {
        store(unit, split, a0);
    }
{$ endif $}
{$ endif $}
}
