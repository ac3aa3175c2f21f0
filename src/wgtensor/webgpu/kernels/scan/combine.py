"""What each scan joins: the reductions' rows, with the value that an exclusive scan begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from wgtensor.tensor import DType, complex64, float32, int32, uint32
from wgtensor.webgpu.kernels.reduction.combine import COMBINES, Combine

__all__ = ["COUNT", "SCANS"]

_NUMBERS: Final = (float32, int32, uint32, complex64)
_LEAST: Final = {float32: "0x007fffffu", int32: "0u", uint32: "0u"}
"""Keys below which no element lies: of -inf for a maximum, and turned round of inf for a minimum; else of all words."""

SCANS: Final[Mapping[tuple[str, DType], Combine]] = {
    **{(op, dtype): COMBINES[op, dtype] for op in ("sum", "prod") for dtype in _NUMBERS},
    **{
        (op, dtype): replace(COMBINES[op, dtype], identity=key)
        for op in ("max", "min")
        for dtype, key in _LEAST.items()
    },
}
"""Every scan that has kernels, by operation and dtype; float16 is scanned in float32."""

COUNT: Final = replace(COMBINES["sum", uint32], lift="select(0u, 1u, x != 0u)")
"""Counts the elements that are True."""
