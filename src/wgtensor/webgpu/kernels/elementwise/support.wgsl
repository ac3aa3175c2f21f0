{# What the statements of a fused elementwise plan call; the module declares `params.words`, as vec4<u32>. #}
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
