"""Iota: 0, 1, 2, ... in any integer or float dtype."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wgtensor.tensor import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import KernelSource, LaunchPlan
from wgtensor.webgpu.kernels.structural.kernels import WORKGROUP, workgroups_for
from wgtensor.webgpu.kernels.templating import render
from wgtensor.webgpu.kernels.units import UNITS

__all__ = ["plan_iota"]

ELEMENTS: Final[Mapping[DType, str]] = {
    int8: "i & 0xffu",
    uint8: "i & 0xffu",
    int16: "i & 0xffffu",
    uint16: "i & 0xffffu",
    int32: "i",
    uint32: "i",
    int64: "vec2<u32>(i, 0u)",
    uint64: "vec2<u32>(i, 0u)",
    float16: "min(float_of(i, 10u, 15u), 0x7c00u)",
    bfloat16: "float_of(i, 7u, 127u)",
    float32: "float_of(i, 23u, 127u)",
    float64: "double_of(i)",
}
"""The bits of number ``i``; integers wrap, floats are rounded to nearest even."""


def plan_iota(dtype: DType, length: int, facts: AdapterFacts) -> LaunchPlan:
    """Plan 0, 1, 2, ... into output 0.

    Parameters
    ----------
    dtype
        Any integer or float dtype.
    length
        Elements, fewer than 2**32.
    facts
        The adapter's.
    """
    draft, unit = Draft("iota", facts), UNITS[dtype.itemsize]
    blocks = -(-length // unit.lanes)
    kernel = KernelSource(
        ("structural", "iota", dtype),
        lambda: render("structural/iota.wgsl", unit=unit, element=ELEMENTS[dtype], size=WORKGROUP),
        0,
    )
    if length:
        draft.dispatch(kernel, (OUTPUT,), (blocks,), workgroups_for(blocks))
    return draft.finish(length)
