{# First pass of a split scan. #}
// Scan totals: joins the elements of each share of a line into one partial result.
//
// Bindings   source (read), offsets (read, table form only), output (read_write), params (uniform)
// Shapes     `lines` lines of `steps` elements, any layout; output[line * line_stride + split * split_stride]
// Params     see the struct; a share is `span` turns of `team` invocations, each of {{ lanes }} elements
// Workgroup  {{ size }} x 1 x 1{{ ", as teams of `team` invocations that walk a share side by side" if team }}; folded grid
// Limits     offsets below 2^32 elements; loop iterations as the plan says
// Precision  see scan.wgsl
{$ include "scan/shares.wgsl" $}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let share = share_of(linear_group(group, groups), local);
    var total = {{ combine.identity }};
    for (var begin = 0u; begin < params.span; begin += params.block) {
        let end = min(begin + params.block, params.span);
        var block = {{ combine.identity }};
        for (var turn = begin; turn < end; turn += 1u) {
            let step = share.first + turn * params.team * {{ lanes }}u;
            let x0 = join(load(share, step), load(share, step + 1u));
            let x1 = join(load(share, step + 2u), load(share, step + 3u));
            block = join(block, join(x0, x1));
        }
        total = join(total, block);
    }
{$ if team $}
    let last = local - share.member + params.team - 1u;
    total = sums[meet(local, share.member, total, 0u) + last];
{$ endif $}
    if (share.within && share.member == 0u) {
        output[share.line * params.line_stride + share.split * params.split_stride] = bitcast<{{ combine.stored }}>(total);
    }
}
