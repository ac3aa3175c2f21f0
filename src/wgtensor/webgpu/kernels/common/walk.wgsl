{# How a position becomes an offset: the WGSL side of kernels/tables.py.

   fields(walk, operands)           parameter words of a walk
   functions(walk, operands, form)  <operand>_at(q, r) -> u32, the element offset of each operand
#}
{$ macro fields(walk, operands) $}
    {{ walk }}_inner: u32,
{$ for operand in operands $}
    {{ operand }}_base: u32,
    {{ operand }}_outer: u32,
    {{ operand }}_step: u32,
{$ endfor $}
{$ endmacro $}
{$ macro functions(operands, form) $}
{$ for operand in operands $}
fn {{ operand }}_at(q: u32, r: u32) -> u32 {
{$ if form == "table" $}
    return params.{{ operand }}_base + offsets[params.{{ operand }}_outer + q] + offsets[params.{{ operand }}_step + r];
{$ else $}
    return params.{{ operand }}_base + q * params.{{ operand }}_outer + r * params.{{ operand }}_step;
{$ endif $}
}
{$ endfor $}
{$ endmacro $}
