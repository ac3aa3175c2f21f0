{# One reduction of one dtype: what reduce.wgsl and finish.wgsl share. #}
{$ for name in combine.functions $}
{$ include "reduction/functions/" ~ name ~ ".wgsl" $}
{$ endfor $}
fn join(a: {{ combine.accumulator }}, b: {{ combine.accumulator }}) -> {{ combine.accumulator }} {
    return {{ combine.join }};
}

fn result_bits(a: {{ combine.accumulator }}) -> {{ "vec2<u32>" if combine.result_bytes == 8 else "u32" }} {
    return {{ combine.result }};
}
