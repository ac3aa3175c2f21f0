"""The structural family: copies, transposes, pad, concatenate, triangles, diagonals, fills and counting.

Everything here moves bits and never computes with them, so all dtypes are served by their size alone: NaN payloads,
denormals and signed zeros survive on every adapter.

Two primitives carry the family: a *gather* makes a row-major output from any source layout (with tiled forms for
transposes), a *scatter* writes any source layout into part of an output. Pad is a fill and a scatter, concatenate one
scatter per operand.
"""

from wgtensor.webgpu.kernels.structural.assemble import plan_concatenate, plan_embed_diagonal, plan_pad
from wgtensor.webgpu.kernels.structural.copy import is_plain_copy, plan_copy, plan_copy_into
from wgtensor.webgpu.kernels.structural.fill import element_bytes, plan_fill
from wgtensor.webgpu.kernels.structural.iota import plan_iota
from wgtensor.webgpu.kernels.structural.triangle import plan_triangle

__all__ = [
    "element_bytes",
    "is_plain_copy",
    "plan_concatenate",
    "plan_copy",
    "plan_copy_into",
    "plan_embed_diagonal",
    "plan_fill",
    "plan_iota",
    "plan_pad",
    "plan_triangle",
]
