// Iota: output[i] = i.
//
// Bindings   output (read_write), params (uniform)
// Shapes     an output padded to whole blocks
// Params     blocks
// Workgroup  {{ size }} x 1 x 1, one block of {{ unit.lanes }} elements of {{ unit.nbytes }} bytes per invocation; folded grid
// Limits     fewer than 2^32 elements; no loops
// Precision  integers wrap; floats are rounded to nearest even, on integers, since WGSL leaves a conversion's rounding open
{$ include "common/index.wgsl" $}

struct Params {
    blocks: u32,
}

@group(0) @binding(0) var<storage, read_write> output: array<{{ unit.block }}>;
@group(0) @binding(1) var<uniform> params: Params;

// The bits of a float with so many bits of mantissa and this bias.
fn float_of(i: u32, mantissa: u32, bias: u32) -> u32 {
    let top = firstLeadingBit(i);
    if (i == 0u || top <= mantissa) {
        return select(((top + bias - 1u) << mantissa) + (i << (mantissa - top)), 0u, i == 0u);
    }
    let drop = top - mantissa;
    let kept = i >> drop;
    let rest = i - (kept << drop);
    let half = 1u << (drop - 1u);
    let up = rest > half || (rest == half && (kept & 1u) == 1u);
    return ((top + bias - 1u) << mantissa) + kept + u32(up);
}

// The words of a double, which holds every u32.
fn double_of(i: u32) -> vec2<u32> {
    let top = firstLeadingBit(i);
    let rest = i ^ (1u << (top & 31u));
    let fraction = select(vec2<u32>(0u, rest << (20u - top)), vec2<u32>(rest << (52u - top), rest >> (top - 20u)), top > 20u);
    return select(fraction + vec2<u32>(0u, (top + 1023u) << 20u), vec2<u32>(), i == 0u);
}

fn element(i: u32) -> {{ unit.element }} {
    return {{ element }};
}

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
{$ for lane in range(unit.lanes) $}
    let e{{ lane }} = element({{ unit.lanes }}u * block + {{ lane }}u);
{$ endfor $}
    output[block] = {{ unit.pack }};
}
