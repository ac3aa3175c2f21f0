{# Where windows begin: the WGSL side of corners.py.

   fields(form)            parameter words, which come first: the components, how many, and their distance in starts
   functions(form, index)  corner(at) -> u32, the offset that the start vector at element `at` of `starts` adds;
                           every start is clamped, so that its window lies within the operand
#}
{$ macro fields(form) $}
{$ if form == "table" $}
    component_rows: u32,
{$ else $}
    component_pairs: array<vec4<u32>, 2>,
{$ endif $}
    components: u32,
    component_step: u32,
{$ endmacro $}
{$ macro functions(form, index) $}
// A component's largest start, and what one more adds.
fn component(k: u32) -> vec2<u32> {
{$ if form == "table" $}
    let row = params.component_rows + 2u * k;
    return vec2<u32>(offsets[row], offsets[row + 1u]);
{$ else $}
    let pair = params.component_pairs[k >> 1u];
    return select(pair.xy, pair.zw, (k & 1u) == 1u);
{$ endif $}
}

// The start at an element of `starts`, negative ones as 0 and those beyond u32 as its largest.
fn start_at(at: u32) -> u32 {
    return {{ index }};
}

fn corner(at: u32) -> u32 {
    var offset = 0u;
    for (var k = 0u; k < params.components; k += 1u) {
        let part = component(k);
        offset += min(start_at(at + k * params.component_step), part.x) * part.y;
    }
    return offset;
}
{$ endmacro $}
