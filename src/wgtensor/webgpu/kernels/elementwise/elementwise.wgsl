{# One fused elementwise kernel: the frame around generated statements. #}
// Elementwise plan: reads each leaf once, applies the operations in order, writes each live result once.
//
// Bindings   leaves (read), the offset table where the form is "table" (read), results (read_write), params (uniform)
// Shapes     any; one invocation makes 4 consecutive row-major elements of every result, g counts groups of four
// Params     words[0] = (run-time zero, groups of four, last element, unused), then scalars, divisors, leaves
// Workgroup  {{ workgroup }} x 1 x 1; the grid is folded over x, y and z and guarded by the group count
// Limits     element offsets below 2^32; result buffers padded to whole groups of four
// Precision  that of each operation; results are rounded to their dtype after each, and an XOR with zero keeps drivers
//            from folding algebra across operations
{$ if float16 $}
enable f16;
{$ endif $}

struct Params {
    words: array<vec4<u32>, {{ words }}>,
}

{$ for line in bindings $}
{{ line }}
{$ endfor $}

{{ support }}
@compute @workgroup_size({{ workgroup }})
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let g = id.x + (id.y + id.z * groups.y) * groups.x * {{ workgroup }}u;
    if (g >= params.words[0].y) {
        return;
    }
{$ for line in statements $}
    {{ line }}
{$ endfor $}
}
