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

fn wg_zero() -> u32 {
    return params.words[0].x;
}

{{ functions }}
{$ if wide $}
{$ include "common/wide.wgsl" $}
{$ if float16 $}

fn wide_halves(x: u64) -> vec4<f16> {
    return vec4<f16>(wide_unpacked(x));
}
{$ endif $}
{$ if complex64 $}

fn wide_complex(first: vec2<u64>, second: vec2<u64>) -> c64x4 {
    let a = bitcast<vec4<f32>>(wide_words(first));
    let b = bitcast<vec4<f32>>(wide_words(second));
    return c64x4(vec4<f32>(a.xz, b.xz), vec4<f32>(a.yw, b.yw));
}
{$ endif $}
{$ endif $}

{$ if form == "flat" $}
{$ for type in leaf_types $}

{$ if type == "c64x4" $}
fn repeat_c64x4(v: c64x4, lane: u32, repeats: bool) -> c64x4 {
    return c64x4(select(v.re, vec4<f32>(v.re[lane]), repeats), select(v.im, vec4<f32>(v.im[lane]), repeats));
}
{$ else $}
fn repeat_{{ type[5:-1] }}(v: {{ type }}, lane: u32, repeats: bool) -> {{ type }} {
    return select(v, {{ type }}(v[lane]), repeats);
}
{$ endif $}
{$ endfor $}
{$ else $}

{$ include "common/divide.wgsl" $}
{$ endif $}
{$ if float16 $}

// Through the packed form: naga has no bitcast of f16 vectors. Both directions are exact.
fn wg_keep_f16(x: vec4<f16>) -> vec4<f16> {
    let low = pack2x16float(vec2<f32>(x.xy)) ^ wg_zero();
    let high = pack2x16float(vec2<f32>(x.zw)) ^ wg_zero();
    return vec4<f16>(vec4<f32>(unpack2x16float(low), unpack2x16float(high)));
}
{$ endif $}
{$ if complex64 $}
fn wg_keep_c64(x: c64x4) -> c64x4 {
    return c64x4(wg_keep(x.re), wg_keep(x.im));
}
{$ endif $}

@compute @workgroup_size({{ workgroup }})
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let g = id.x + (id.y + id.z * groups.y) * groups.x * {{ workgroup }}u;
    if (g >= params.words[0].y) {
        return;
    }
{$ for line in offsets $}
    {{ line }}
{$ endfor $}
{$ for line in reads $}
    {{ line }}
{$ endfor $}
{$ for line in statements $}
    {{ line }}
{$ endfor $}
{$ for line in writes $}
    {{ line }}
{$ endfor $}
}
