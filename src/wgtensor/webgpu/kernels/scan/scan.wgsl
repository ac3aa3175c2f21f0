{# The scan of each share. sink: elements, partial results, or positions of True. carried: whether shares go on. #}
// Scan, {{ sink }}: walks each share of a line with the join of all that came before.
//
{$ if sink == "positions" $}
// positions  writes the step of the n-th True to output[n], for n below `most`
{$ else $}
// {{ "%-9s" % sink }}  writes one result per element, at the same place of a row-major output
{$ endif $}
//
// Bindings   source (read), offsets (read, table form only){{ ", carries (read)" if carried }}, output (read_write), params (uniform)
// Shapes     `lines` lines of `steps` elements, any layout{{ "; carries as totals.wgsl leaves totals" if carried }}
// Params     see the struct; a share is `span` turns of `team` invocations, each of {{ lanes }} elements
// Workgroup  {{ size }} x 1 x 1{{ ", as teams of `team` invocations that walk a share side by side" if team }}; folded grid
// Limits     offsets below 2^32 elements; loop iterations as the plan says
// Precision  sums: (log2 n + c) ulp of the running sum of magnitudes, c below 384; max and min exact
// Source     reduce-then-scan; within a team the doubling scan of Hillis and Steele
{$ include "scan/shares.wgsl" $}
{$ if sink == "positions" $}

fn emit(share: Share, line: u32, step: u32, before: u32, after: u32) {
    if (after != before && before < params.most) {
        output[before] = step;
    }
}
{$ else $}

fn emit(share: Share, line: u32, step: u32, before: {{ combine.accumulator }}, after: {{ combine.accumulator }}) {
    if (share.within && step < params.steps) {
        let result = select(after, before, params.exclusive != 0u);
        output[line + step * params.target_stride] = {{ "result_bits(result)" if sink == "elements" else "bitcast<%s>(result)" % combine.stored }};
    }
}
{$ endif $}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let share = share_of(linear_group(group, groups), local);
    let line = target_at(share.line / params.line_inner, share.line % params.line_inner);
{$ if carried $}
    var carry = bitcast<{{ combine.accumulator }}>(carries[share.line * params.line_stride + share.split * params.split_stride]);
{$ else $}
    var carry = {{ combine.identity }};
{$ endif $}
{$ if team $}
    let last = local - share.member + params.team - 1u;
    var place = 0u;
{$ endif $}
    for (var begin = 0u; begin < params.span; begin += params.block) {
        let end = min(begin + params.block, params.span);
        var block = {{ combine.identity }};
        for (var turn = begin; turn < end; turn += 1u) {
            let step = share.first + turn * params.team * {{ lanes }}u;
{$ for lane in range(lanes) $}
            let x{{ lane }} = {{ "load(share, step)" if lane == 0 else "join(x%d, load(share, step + %du))" % (lane - 1, lane) }};
{$ endfor $}
{$ if team $}
            place = meet(local, share.member, x{{ lanes - 1 }}, {{ size }}u - place);
            var head = block;
            if (share.member > 0u) {
                head = join(block, sums[place + local - 1u]);
            }
            block = join(block, sums[place + last]);
{$ else $}
            let head = block;
            block = join(block, x{{ lanes - 1 }});
{$ endif $}
            let y0 = join(carry, head);
{$ for lane in range(lanes) $}
            let y{{ lane + 1 }} = join(carry, join(head, x{{ lane }}));
            emit(share, line, step + {{ lane }}u, y{{ lane }}, y{{ lane + 1 }});
{$ endfor $}
        }
        carry = join(carry, block);
    }
}
