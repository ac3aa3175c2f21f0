{# Second pass of a reduction: joins the shares of each result. #}
// Reduce, second pass: joins `splits` partial results into each result and writes whole 32-bit words of results.
//
// Bindings   parts (read), output (read_write), params (uniform)
// Shapes     parts as reduce.wgsl left them; {{ combine.packing }} results of {{ combine.result_bytes }} bytes per {{ "workgroup" if team else "invocation" }}
// Params     results, words of results, splits, parts from a result and from a split to the next, block of splits
// Workgroup  {{ size }} x 1 x 1; folded grid
// Limits     loop iterations as the plan says
// Precision  see reduce.wgsl
{$ include "common/index.wgsl" $}

struct Params {
    results: u32,
    groups: u32,
    splits: u32,
    unit_stride: u32,
    split_stride: u32,
    block: u32,
}

@group(0) @binding(0) var<storage, read> parts: array<{{ combine.stored }}>;
@group(0) @binding(1) var<storage, read_write> output: array<{{ "vec2<u32>" if combine.result_bytes == 8 else "u32" }}>;
@group(0) @binding(2) var<uniform> params: Params;
{$ if team $}

var<workgroup> shared_parts: array<{{ combine.accumulator }}, {{ size }}>;
{$ endif $}

{$ include "reduction/combine.wgsl" $}

// The join of every `every`-th split from `first` on.
fn joined(result: u32, first: u32, every: u32) -> {{ combine.accumulator }} {
    var a = {{ combine.identity }};
    for (var begin = first; begin < params.splits; begin += params.block * every) {
        var b = {{ combine.identity }};
        let end = min(begin + params.block * every, params.splits);
        for (var split = begin; split < end; split += every) {
            let part = parts[result * params.unit_stride + split * params.split_stride];
            b = join(b, bitcast<{{ combine.accumulator }}>(part));
        }
        a = join(a, b);
    }
    return a;
}
{$ if team $}

fn tree(local: u32, mine: {{ combine.accumulator }}) -> {{ combine.accumulator }} {
    workgroupBarrier();
    shared_parts[local] = mine;
    for (var reach = {{ size // 2 }}u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if (local < reach) {
            shared_parts[local] = join(shared_parts[local], shared_parts[local + reach]);
        }
    }
    return shared_parts[0];
}
{$ endif $}

@compute @workgroup_size({{ size }})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
{$ if team $}
    let word = linear_group(group, groups);
{$ else $}
    let word = linear_group(group, groups) * {{ size }}u + local;
{$ endif $}
    if (word >= params.groups) {
        return;
    }
    var bits = {{ "vec2<u32>" if combine.result_bytes == 8 else "u32" }}();
{$ for lane in range(combine.packing) $}
    let result{{ lane }} = word * {{ combine.packing }}u + {{ lane }}u;
    if (result{{ lane }} < params.results) {
{$ if team $}
        let a = tree(local, joined(result{{ lane }}, local, {{ size }}u));
{$ else $}
        let a = joined(result{{ lane }}, 0u, 1u);
{$ endif $}
        bits |= result_bits(a){{ " << %du" % (8 * combine.result_bytes * lane) if lane }};
    }
{$ endfor $}
{$ if team $}
    if (local == 0u) {
        output[word] = bits;
    }
{$ else $}
    output[word] = bits;
{$ endif $}
}
