"""Keys: what stands between the brackets of ``x[...]``, checked and put in terms of the shape of ``x``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from wgtensor.array.devices import Device
from wgtensor.array.operators import Operators, operand_of
from wgtensor.errors import IndexRuleError, ValidationError
from wgtensor.rules.axes import as_integer
from wgtensor.tensor import Shape, Tensor, bool_

__all__ = ["IndexArray", "Key", "Range", "parse"]

Item: TypeAlias = int | slice | EllipsisType | Tensor | None

_WAYS_OUT: Final[dict[type, str]] = {
    bool: "make a bool array with wt.asarray",
    np.bool: "make a bool array with wt.asarray",
    float: "convert it with int()",
    np.floating: "convert it with int()",
}
"""What to do with an item of a type that keys do not take."""


class Range(NamedTuple):
    """Positions ``start, start + stride, ...`` below ``limit`` on one axis, walked from the last one if backwards."""

    start: int
    limit: int
    stride: int = 1
    backwards: bool = False

    @property
    def length(self) -> int:
        """Number of positions."""
        return -(-(self.limit - self.start) // self.stride)


class IndexArray(NamedTuple):
    """A bool or integer array of a key, and the first axis of the region that it covers."""

    axis: int
    tensor: Tensor

    @property
    def is_mask(self) -> bool:
        """Whether it is of bool."""
        return self.tensor.dtype is bool_

    @property
    def covered(self) -> int:
        """Number of axes that it covers: a bool array's own, else one."""
        return self.tensor.ndim if self.is_mask else 1


@dataclass(frozen=True, slots=True)
class Key:
    """A key in terms of one shape.

    Attributes
    ----------
    ranges
        The selected positions on each axis of the array; one position where the key has an int.
    region
        Shape of the view that the key's ints, slices, ``...`` and None select; axes that index arrays cover are whole.
    is_whole
        Whether the region is the array as it is.
    arrays
        The index arrays, in order.
    place
        Where the index arrays' common axes go among the region's axes that none of them covers.
    """

    ranges: tuple[Range, ...]
    region: Shape
    is_whole: bool
    arrays: tuple[IndexArray, ...]
    place: int

    @property
    def kept(self) -> list[int]:
        """The region's axes that no index array covers."""
        covered = {axis for each in self.arrays for axis in range(each.axis, each.axis + each.covered)}
        return [axis for axis in range(len(self.region)) if axis not in covered]


def parse(device: Device, shape: Shape, key: Any) -> Key:
    """Check ``key`` against an array of ``shape`` on ``device`` and return it in terms of that shape.

    Raises
    ------
    IndexRuleError
        Too many indices, several ellipses, an int out of range, a mask of another shape, or a type that is no index.
    ValidationError
        A slice has step 0, or an index array is on another device.
    """
    ranges: list[Range] = []
    region: list[int] = []
    arrays: list[IndexArray] = []
    advanced: list[tuple[int, int]] = []
    items = [_checked(device, item) for item in (key if isinstance(key, tuple) else (key,))]
    for number, item in enumerate(_expanded(shape, items)):
        axis = len(ranges)
        if isinstance(item, int | Tensor):
            advanced.append((number, len(region)))
        if item is Ellipsis:
            continue  # It only keeps index arrays apart, as in NumPy even where it stands for no axis.
        if item is None:
            region.append(1)
        elif isinstance(item, slice):
            ranges.append(_range_of(item, shape[axis]))
            region.append(ranges[-1].length)
        elif isinstance(item, Tensor):
            arrays.append(IndexArray(len(region), item))
            covered = _covered(shape, axis, arrays[-1])
            ranges += [Range(0, length) for length in covered]
            region += covered
        else:
            ranges.append(_range_at(item, shape, axis))
    is_whole = tuple(region) == shape and all(each == (0, n, 1, False) for each, n in zip(ranges, shape, strict=True))
    return Key(tuple(ranges), tuple(region), is_whole, tuple(arrays), _place(advanced))


def _checked(device: Device, item: Any) -> Item:
    """Return an item of a key with integers as int and arrays as tensors."""
    if type(item) is int or item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return _checked_slice(item)
    if isinstance(item, Operators):
        return _checked_array(operand_of("indexing", item, device))
    try:
        return as_integer(item)
    except TypeError:
        way_out = next((way for kind, way in _WAYS_OUT.items() if isinstance(item, kind)), "make one with wt.asarray")
        raise IndexRuleError(
            f"indexing takes ints, slices, ..., None, and bool or integer arrays, got {item!r} of type "
            f"{type(item).__name__}; {way_out}"
        ) from None


def _checked_slice(item: slice) -> slice:
    try:
        parts = [None if part is None else as_integer(part) for part in (item.start, item.stop, item.step)]
    except TypeError as cause:
        raise IndexRuleError(f"indexing takes slices of ints and None, got {item!r}; convert with int()") from cause
    if parts[2] == 0:
        raise ValidationError(f"indexing needs a slice step other than 0, got {item!r}")
    return slice(*parts)


def _checked_array(tensor: Tensor) -> Tensor:
    if tensor.dtype is not bool_ and not tensor.dtype.is_integer:
        raise IndexRuleError(
            f"indexing takes bool and integer arrays, got one of {tensor.dtype}; convert it with x.astype(wt.int32)"
        )
    return tensor


def _expanded(shape: Shape, items: list[Item]) -> list[Item]:
    """Put the slices that an ellipsis stands for behind it, or behind all, so that each axis has its item."""
    ellipses = [number for number, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise IndexRuleError(f"indexing takes one ellipsis (...), got {len(ellipses)}; write slices (:) for the others")
    taken = sum(_axes_taken(item) for item in items)
    if taken > len(shape):
        raise IndexRuleError(
            f"indexing needs indices for at most the {len(shape)} axes of shape {shape}, got some for {taken}; "
            "an int, a slice and an integer array take one, a bool array as many as it has"
        )
    at = ellipses[0] + 1 if ellipses else len(items)
    return [*items[:at], *[slice(None)] * (len(shape) - taken), *items[at:]]


def _axes_taken(item: Item) -> int:
    if isinstance(item, Tensor):
        return IndexArray(0, item).covered
    return int(isinstance(item, int | slice))


def _range_of(item: slice, length: int) -> Range:
    positions = range(length)[item]
    if not positions:
        return Range(0, 0)
    if positions.step > 0:
        return Range(positions[0], positions[-1] + 1, positions.step)
    return Range(positions[-1], positions[0] + 1, -positions.step, True)


def _range_at(position: int, shape: Shape, axis: int) -> Range:
    length = shape[axis]
    if not -length <= position < length:
        allowed = f"within {-length} to {length - 1}" if length else "no int"
        raise IndexRuleError(f"indexing takes {allowed} on axis {axis} of shape {shape}, got {position}")
    return Range(position % length, position % length + 1)


def _covered(shape: Shape, axis: int, array: IndexArray) -> Shape:
    """Return the lengths of the axes that an index array covers, from ``axis`` on."""
    covered = shape[axis : axis + array.covered]
    if array.is_mask and array.tensor.shape != covered:
        raise IndexRuleError(
            f"indexing needs a bool array of the shape of the axes that it covers, {covered} of {shape}, "
            f"got {array.tensor.shape}"
        )
    return covered


def _place(advanced: Sequence[tuple[int, int]]) -> int:
    """Return where the axes of index arrays go: where they stand if all stand side by side, else first.

    ``advanced`` holds the number of each int and index array among the items, and the region's axes before it: ints
    count as index arrays do, as in NumPy.
    """
    if not advanced:
        return 0
    (first, before), (last, _) = advanced[0], advanced[-1]
    return before if last - first + 1 == len(advanced) else 0
