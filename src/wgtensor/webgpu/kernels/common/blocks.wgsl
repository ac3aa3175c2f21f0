// Entry point of kernels that make the result in row-major blocks, one per invocation.
//
// Bindings   those of the including kernel; writes `output`, one block at a time
// Shapes     any; `inner` names the parameter that splits positions, params.blocks and params.last bound them
// Workgroup  size x 1 x 1; the grid is folded over x, y and z and guarded by the count of blocks
// Limits     positions below 2^32
// Precision  exact: elements are moved by the kernel's own load(at: Cursor)
// Source     own

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = linear_group(group, groups) * {{ size }}u + local;
    if (block >= params.blocks) {
        return;
    }
    let position = block * {{ unit.lanes }}u;
    let at0 = Cursor(position, position / params.{{ inner }}, position % params.{{ inner }});
    let e0 = load(at0);
{$ for lane in range(1, unit.lanes) $}
    let at{{ lane }} = next(at{{ lane - 1 }}, params.last, params.{{ inner }});
    let e{{ lane }} = load(at{{ lane }});
{$ endfor $}
    output[block] = {{ unit.pack }};
}
