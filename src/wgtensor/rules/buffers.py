"""Rules of operations that make tensors out of nothing, or write into one."""

from __future__ import annotations

from collections.abc import Sequence

from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules.axes import checked_shape
from wgtensor.rules.numbers import fitting_number
from wgtensor.rules.operation import Operation
from wgtensor.tensor import DType, Shape

__all__ = ["copy_into", "full", "full_dtype", "iota", "iota_dtype"]


def copy_into(operation: Operation, shapes: Sequence[Shape]) -> Shape:
    """Equal shapes."""
    x, out = shapes
    if x != out:
        raise ValidationError(f"copy_into needs x of out's shape {out}, got {x}; broadcast first with broadcast_in_dim")
    return out


def full(operation: Operation, shapes: Sequence[Shape], *, shape: Shape, value: complex, dtype: DType) -> Shape:
    """Any shape."""
    return checked_shape("full", shape)


def full_dtype(operation: Operation, dtypes: Sequence[DType], *, shape: Shape, value: complex, dtype: DType) -> DType:
    """Any dtype that can hold the value."""
    fitting_number("full", value, dtype)
    return dtype


def iota(operation: Operation, shapes: Sequence[Shape], *, length: int, dtype: DType) -> Shape:
    """One axis."""
    return checked_shape("iota", (length,))


def iota_dtype(operation: Operation, dtypes: Sequence[DType], *, length: int, dtype: DType) -> DType:
    """An integer or float dtype."""
    if dtype.kind not in operation.dtypes:
        raise DTypeError(f"iota makes integers and floats, got {dtype}; make int32 and cast it")
    return dtype
