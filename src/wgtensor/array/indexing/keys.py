"""Keys: what stands between the brackets of ``x[...]``, checked item by item."""

from __future__ import annotations

from types import EllipsisType
from typing import Any, Final

import numpy as np

from wgtensor.array.arguments import type_name
from wgtensor.array.devices import Device
from wgtensor.array.indexing.structure import IndexArray, Key, Span, structure_of
from wgtensor.array.operators import Operators, operand_of
from wgtensor.errors import IndexRuleError, ValidationError
from wgtensor.rules.axes import as_integer
from wgtensor.tensor import Shape, Tensor, bool_

__all__ = ["parse"]

_WAYS_OUT: Final[dict[type, str]] = {
    bool: "make a bool array with wt.asarray",
    np.bool: "make a bool array with wt.asarray",
    float: "convert it with int()",
    np.floating: "convert it with int()",
    object: "make one with wt.asarray",
}
"""What to do with an item of a type that keys do not take; the first that it is an instance of."""


def parse(device: Device, shape: Shape, key: Any) -> tuple[Key, tuple[Tensor, ...]]:
    """Check ``key`` against an array of ``shape`` on ``device``; return its structure and its index arrays.

    Raises
    ------
    IndexRuleError
        Too many indices, several ellipses, an int out of range, a mask of another shape, or a type that is no index.
    ValidationError
        A slice has step 0, or an index array is on another device.
    """
    checked = [_checked(device, item) for item in (key if isinstance(key, tuple) else (key,))]
    tensors = tuple([item for item in checked if isinstance(item, Tensor)])
    items = [IndexArray(item.shape, item.dtype is bool_) if isinstance(item, Tensor) else item for item in checked]
    return structure_of(shape, tuple(items)), tensors


def _checked(device: Device, item: Any) -> int | Span | EllipsisType | Tensor | None:
    """Return an item of a key with integers as int, slices as spans, and arrays as tensors."""
    if type(item) is int or item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return _span(item)
    if isinstance(item, Operators):
        return _index_array(operand_of("indexing", item, device))
    try:
        return as_integer(item)
    except TypeError:
        way_out = next(way for kind, way in _WAYS_OUT.items() if isinstance(item, kind))
        raise IndexRuleError(
            f"indexing takes ints, slices, ..., None, and bool or integer arrays, got {item!r} of type "
            f"{type_name(item)}; {way_out}"
        ) from None


def _span(item: slice) -> Span:
    try:
        span = Span(*[None if part is None else as_integer(part) for part in (item.start, item.stop, item.step)])
    except TypeError as cause:
        raise IndexRuleError(f"indexing takes slices of ints and None, got {item!r}; convert with int()") from cause
    if span.step == 0:
        raise ValidationError(f"indexing needs a slice step other than 0, got {item!r}")
    return span


def _index_array(tensor: Tensor) -> Tensor:
    if tensor.dtype is not bool_ and not tensor.dtype.is_integer:
        raise IndexRuleError(
            f"indexing takes bool and integer arrays, got one of {tensor.dtype}; convert it with x.astype(wt.int32)"
        )
    return tensor
