"""Triangles: one side of a diagonal of the last two axes, zeros on the other."""

from __future__ import annotations

from wgtensor.tensor import DType, Layout
from wgtensor.tensor.layout import merge_axes
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import Draft
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.structural.copy import add_gather
from wgtensor.webgpu.kernels.units import UNITS, Moved

__all__ = ["plan_triangle"]


def plan_triangle(dtype: DType, layout: Layout, k: int, lower: bool, facts: AdapterFacts) -> LaunchPlan:
    """Plan ``tril`` (``lower``) or ``triu`` of operand 0, of rank 2 at least, into output 0.

    Kept are positions with ``column - row <= k`` (lower) or ``>= k`` (upper); the others become zero bits.
    """
    draft = Draft("tril" if lower else "triu", facts)
    if layout.size:
        rows, columns = layout.shape[-2:]
        k = min(max(k, -rows), columns)
        least, most = (-rows, k) if lower else (k, columns)
        lengths, strides = merge_axes(layout.shape, [layout.strides])
        moved = Moved(UNITS[dtype.itemsize], lengths, strides, (layout.offset,))
        add_gather(draft, moved, (rows, columns, least, most))
    return draft.finish(layout.size)
