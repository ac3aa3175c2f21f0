"""Elementwise operations as the fusion window records them: one small row per operation, dtype and attribute."""

from __future__ import annotations

from typing import Any, Final

from wgtensor.contract import CompareDirection
from wgtensor.tensor import DType, as_dtype
from wgtensor.webgpu.kernels.elementwise.expressions import cast_operation
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS

__all__ = ["ROWS", "FusedRow", "fused_row"]


class FusedRow:
    """What the hot path needs to know of one operation on one dtype.

    Attributes
    ----------
    number
        Stands for the operation in window keys; index into ``ROWS``.
    lowering, dtype
        Key into ``LOWERINGS``.
    arity
        Number of operands; fixed per row, so a key of flat integers can be read back.
    weight
        Cost in a window.
    result
        Dtype of the result.
    """

    __slots__ = ("arity", "dtype", "itemsize", "lowering", "number", "result", "weight")

    def __init__(self, number: int, lowering: str, dtype: str) -> None:
        entry = LOWERINGS[lowering, dtype]
        self.number: Final = number
        self.lowering: Final = lowering
        self.dtype: Final = dtype
        self.arity: Final = next(i for i in (3, 2, 1) if f"{{{i - 1}}}" in entry.expression or i == 1)
        self.weight: Final = entry.weight
        self.result: Final = as_dtype(entry.result)
        self.itemsize: Final = self.result.itemsize


ROWS: Final = [FusedRow(number, *key) for number, key in enumerate(LOWERINGS)]
"""All rows, by number."""

_BY_LOWERING: Final = {(row.lowering, row.dtype): row for row in ROWS}


def fused_row(name: str, dtype: DType, attribute: Any = None) -> FusedRow | None:
    """Return the row of a session operation, or None if the dtype is not computed in elementwise.

    Parameters
    ----------
    name
        The session method's name.
    dtype
        Dtype of the operands (of the branches for select).
    attribute
        The direction of ``compare``; the target of ``cast`` and ``convert``.
    """
    if isinstance(attribute, CompareDirection):
        name = attribute.value
    elif isinstance(attribute, DType):
        name = cast_operation(attribute.name)
    return _BY_LOWERING.get((name, dtype.name))
