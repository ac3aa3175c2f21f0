{# One dtype's order: u32 keys that grow with its elements; NaN has the greatest, zeros have one. #}
{$ for name in order.functions $}
{$ include "reduction/functions/" ~ name ~ ".wgsl" $}
{$ endfor $}

// An element with bits x at position i as (key, i).
fn lift(x: {{ unit.element }}, i: u32) -> vec2<u32> {
    return {{ order.lift }};
}
