"""Shape and dtype rules of scans, sorts and searches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules.axes import is_integer, require_axes
from wgtensor.rules.dtypes import index
from wgtensor.rules.operation import Operation
from wgtensor.tensor import DType, Shape

__all__ = ["along_axis", "flat_nonzero", "positions", "searched", "searchsorted"]

_MOST_POSITIONS: Final = 2**31 - 1


def along_axis(operation: Operation, shapes: Sequence[Shape], *, axis: int, **attributes: Any) -> Shape:
    """The operand's shape; it has the axis."""
    (shape,) = shapes
    require_axes(operation.name, "an axis", (axis,), len(shape))
    return shape


def positions(operation: Operation, shapes: Sequence[Shape], *, axis: int, **attributes: Any) -> Shape:
    """The operand's shape; positions on the axis fit int32."""
    shape = along_axis(operation, shapes, axis=axis)
    _require_countable(operation, "an axis", shape[axis])
    return shape


def flat_nonzero(operation: Operation, shapes: Sequence[Shape], *, count: int) -> Shape:
    """One axis of ``count`` positions, at most as many as there are elements."""
    size = math.prod(shapes[0])
    _require_countable(operation, "a mask", size)
    if not is_integer(count) or not 0 <= count <= size:
        raise ValidationError(
            f"flat_nonzero needs as count an integer within 0 to the mask's {size} elements, got {count!r}; "
            "count with reduce_sum of the mask cast to int32"
        )
    return (count,)


def searchsorted(operation: Operation, shapes: Sequence[Shape], *, side: str) -> Shape:
    """The shape of the values; what is searched has rank 1."""
    ordered, values = shapes
    if len(ordered) != 1:
        raise ValidationError(f"searchsorted needs sorted elements of rank 1, got shape {ordered}; reshape them first")
    _require_countable(operation, "an axis", ordered[0])
    if side not in ("left", "right"):
        raise ValidationError(f"searchsorted needs side 'left' or 'right', got {side!r}")
    return values


def searched(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """Int32 positions; both operands have one dtype."""
    ordered, values = dtypes
    if ordered is not values:
        raise DTypeError(
            f"searchsorted needs operands of one dtype, got {ordered} and {values}; convert or cast one of them first"
        )
    return index(operation, dtypes)


def _require_countable(operation: Operation, what: str, length: int) -> None:
    if length > _MOST_POSITIONS:
        raise ValidationError(
            f"{operation.name} needs {what} of at most 2**31 - 1 elements, since positions are int32, got {length}; "
            "work on slices of it"
        )
