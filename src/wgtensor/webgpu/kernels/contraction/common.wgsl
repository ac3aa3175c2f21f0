{# Parameters, offset tables, numbers and memory access, shared by the kernels of this family. #}
{$ macro access(name, numbers, class, conj) $}
{$ if class != "x" $}
fn load_{{ name }}(e: u32) -> Lanes {
{$ if conj $}
    let v = {{ numbers.load.format(p=name, e="e") }};
    return Lanes(v.re, -v.im);
{$ else $}
    return {{ numbers.load.format(p=name, e="e") }};
{$ endif $}
}
{$ else $}
fn pick_{{ name }}(e: u32) -> Scalar {
{$ if conj $}
    let v = {{ numbers.pick.format(p=name, e="e") }};
    return vec2<f32>(v.x, -v.y);
{$ else $}
    return {{ numbers.pick.format(p=name, e="e") }};
{$ endif $}
}
{$ endif $}
{$ endmacro $}
struct Params {
    rows: u32,          // extents
    cols: u32,
    depth: u32,
    batches: u32,
    base_a: u32,        // element offsets of the operands
    base_b: u32,
    base_c: u32,
    splits: u32,
    depth_a: u32,       // stride along depth, or position of its table
    depth_b: u32,
    split_table: u32,   // position of (offset in a, offset in b, depth) of each split
    split_stride: u32,  // elements of one split's partial result
    last_row: u32,      // largest index at which a loader may start
    last_col: u32,
    col_groups: u32,    // invocations along the columns
    layers: u32,        // batches times splits
    row_tiles: u32,
    col_tiles: u32,
    keeps_old: u32,     // whether beta is not zero
    unused: u32,
    factors: vec4<u32>, // alpha and beta, real and imaginary: bits of the dtype
    row_a: vec4<u32>,   // tables: period, position of the high part, position of the low part
    row_c: vec4<u32>,
    col_b: vec4<u32>,
    col_c: vec4<u32>,
    batch_a: vec4<u32>,
    batch_b: vec4<u32>,
    batch_c: vec4<u32>,
}

{$ for name, type in reads $}
@group(0) @binding({{ loop.index0 }}) var<storage, read> {{ name }}: array<{{ type }}>;
{$ endfor $}
@group(0) @binding({{ reads | length }}) var<storage, read_write> c: array<{{ c_type }}>;
@group(0) @binding({{ reads | length + 1 }}) var<uniform> params: Params;

{$ include "contraction/lanes/" ~ lanes ~ ".wgsl" $}
{$ if wide $}

{$ include "common/wide.wgsl" $}
{$ endif $}

fn offset(table: vec4<u32>, index: u32) -> u32 {
{$ if two_level $}
    let high = index / table.x;
    return tables[table.y + high] + tables[table.z + index - high * table.x];
{$ else $}
    return tables[table.z + index];
{$ endif $}
}

fn depth_a(k: u32) -> u32 {
    return {{ "params.depth_a * k" if affine else "tables[params.depth_a + k]" }};
}

fn depth_b(k: u32) -> u32 {
    return {{ "params.depth_b * k" if affine else "tables[params.depth_b + k]" }};
}

{$ for name, numbers, class, conj in loaders $}
{{ access(name, numbers, class, conj) }}
{$ endfor $}
{$ if out_class == "n" $}
fn store_c(e: u32, v: Lanes) {
{$ if accumulate $}
    let blended = blend(v, {{ out.load.format(p="c", e="e") }});
    {{ out.store.format(p="c", e="e", v="blended") }}
{$ else $}
    {{ out.store.format(p="c", e="e", v="v") }}
{$ endif $}
}
{$ elif out.put $}
fn put_c(e: u32, v: Scalar) {
{$ if accumulate $}
    let blended = blend_one(v, {{ out.pick.format(p="c", e="e") }});
    {{ out.put.format(p="c", e="e", v="blended") }}
{$ else $}
    {{ out.put.format(p="c", e="e", v="v") }}
{$ endif $}
}
{$ else $}
// Two elements share a word, so each is cleared and set by itself; their order does not matter.
fn put_c(e: u32, v: Scalar) {
    let shift = 16u * (e & 1u);
{$ if accumulate $}
    let blended = blend_one(v, unpack2x16float(atomicLoad(&c[e >> 1u]) >> shift).x);
{$ else $}
    let blended = v;
{$ endif $}
    atomicAnd(&c[e >> 1u], ~(0xffffu << shift));
    atomicOr(&c[e >> 1u], (pack2x16float(vec2<f32>(blended, 0.0)) & 0xffffu) << shift);
}
{$ endif $}
