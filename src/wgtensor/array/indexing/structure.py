"""The structure of a key: what it does to a shape, without looking at any element. Pure, and cached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import EllipsisType
from typing import NamedTuple, TypeAlias

from wgtensor.contract import SliceConfig
from wgtensor.errors import IndexRuleError
from wgtensor.tensor import Shape

__all__ = ["IndexArray", "Item", "Key", "Placed", "Span", "structure_of"]


class Span(NamedTuple):
    """A slice, hashable (Python's own slices are from 3.12 on)."""

    start: int | None = None
    stop: int | None = None
    step: int | None = None


class IndexArray(NamedTuple):
    """An index array in a key, as far as shapes know it."""

    shape: Shape
    is_mask: bool

    @property
    def covered(self) -> int:
        """Number of axes that it covers: a bool array's own, else one."""
        return len(self.shape) if self.is_mask else 1


Item: TypeAlias = int | Span | IndexArray | EllipsisType | None
"""What a key consists of."""


class Placed(NamedTuple):
    """An index array and the axes of the region that it covers, from ``axis`` to before ``end``."""

    axis: int
    end: int
    is_mask: bool


class _Range(NamedTuple):
    """Positions ``start, start + stride, ...`` below ``limit`` on one axis, walked from the last one if backwards."""

    start: int
    limit: int
    stride: int = 1
    backwards: bool = False

    @property
    def length(self) -> int:
        return -(-(self.limit - self.start) // self.stride)


@dataclass(frozen=True, slots=True)
class Key:
    """A key in terms of one shape.

    Attributes
    ----------
    slicing
        The selected positions on each axis of the array, one where the key has an int; None if all are.
    backwards
        Axes that are then walked backwards.
    region
        Shape of the view that the key's ints, slices, ``...`` and None select; axes that index arrays cover are whole.
    is_whole
        Whether the region is the array as it is.
    arrays
        The index arrays, in order.
    place
        Where the index arrays' common axes go among the region's axes that none of them covers.
    """

    slicing: SliceConfig | None
    backwards: tuple[int, ...]
    region: Shape
    is_whole: bool
    arrays: tuple[Placed, ...]
    place: int

    @property
    def kept(self) -> list[int]:
        """The region's axes that no index array covers."""
        covered = {axis for each in self.arrays for axis in range(each.axis, each.end)}
        return [axis for axis in range(len(self.region)) if axis not in covered]

    def merged(self) -> tuple[Shape, tuple[int, ...]]:
        """Return the region's shape with one axis under each index array, and these axes."""
        shape: list[int] = []
        axes: list[int] = []
        at = 0
        for each in self.arrays:
            shape += self.region[at : each.axis]
            axes.append(len(shape))
            shape.append(math.prod(self.region[each.axis : each.end]))
            at = each.end
        return (*shape, *self.region[at:]), tuple(axes)


@lru_cache(maxsize=4096)
def structure_of(shape: Shape, items: tuple[Item, ...]) -> Key:
    """Return what a key of ``items`` does to an array of ``shape``.

    Raises
    ------
    IndexRuleError
        Too many indices, several ellipses, an int out of range, or a mask of another shape.
    """
    ranges: list[_Range] = []
    region: list[int] = []
    arrays: list[Placed] = []
    advanced: list[tuple[int, int]] = []
    for number, item in enumerate(_expanded(shape, items)):
        axis = len(ranges)
        if isinstance(item, IndexArray) or type(item) is int:
            advanced.append((number, len(region)))
        if item is None:
            region.append(1)
        elif isinstance(item, Span):
            ranges.append(_range_of(item, shape[axis]))
            region.append(ranges[-1].length)
        elif isinstance(item, IndexArray):
            covered = _covered(shape, axis, item)
            arrays.append(Placed(len(region), len(region) + len(covered), item.is_mask))
            ranges += [_Range(0, length) for length in covered]
            region += covered
        elif item is not Ellipsis:  # An ellipsis only keeps index arrays apart, as in NumPy even if it means no axis.
            ranges.append(_range_at(item, shape, axis))
    slicing, backwards = _slicing(shape, ranges)
    is_whole = slicing is None and not backwards and tuple(region) == shape
    return Key(slicing, backwards, tuple(region), is_whole, tuple(arrays), _place(advanced))


def _expanded(shape: Shape, items: tuple[Item, ...]) -> list[Item]:
    """Put the slices that an ellipsis stands for behind it, or behind all, so that each axis has its item."""
    ellipses = [number for number, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise IndexRuleError(f"indexing takes one ellipsis (...), got {len(ellipses)}; write slices (:) for the others")
    taken = sum(item.covered if isinstance(item, IndexArray) else isinstance(item, int | Span) for item in items)
    if taken > len(shape):
        raise IndexRuleError(
            f"indexing needs indices for at most the {len(shape)} axes of shape {shape}, got some for {taken}; "
            "an int, a slice and an integer array take one, a bool array as many as it has"
        )
    at = ellipses[0] + 1 if ellipses else len(items)
    return [*items[:at], *[Span()] * (len(shape) - taken), *items[at:]]


def _range_of(item: Span, length: int) -> _Range:
    positions = range(length)[slice(*item)]
    if not positions:
        return _Range(0, 0)
    if positions.step > 0:
        return _Range(positions[0], positions[-1] + 1, positions.step)
    return _Range(positions[-1], positions[0] + 1, -positions.step, True)


def _range_at(position: int, shape: Shape, axis: int) -> _Range:
    length = shape[axis]
    if not -length <= position < length:
        allowed = f"ints within {-length} to {length - 1}" if length else "no int"
        raise IndexRuleError(f"indexing takes {allowed} on axis {axis} of shape {shape}, got {position}")
    return _Range(position % length, position % length + 1)


def _covered(shape: Shape, axis: int, array: IndexArray) -> Shape:
    """Return the lengths of the axes that an index array covers, from ``axis`` on; a mask may have length 0 instead."""
    covered = shape[axis : axis + array.covered]
    if array.is_mask and any(n not in (m, 0) for n, m in zip(array.shape, covered, strict=True)):
        raise IndexRuleError(
            f"indexing needs a bool array of the shape of the axes that it covers, {covered} of {shape}, "
            f"got {array.shape}"
        )
    return covered


def _slicing(shape: Shape, ranges: Sequence[_Range]) -> tuple[SliceConfig | None, tuple[int, ...]]:
    """Return the positions on all axes as the contract's slice takes them, None if all, and the axes to reverse."""
    backwards = tuple(axis for axis, each in enumerate(ranges) if each.backwards)
    if all(each.length == length for each, length in zip(ranges, shape, strict=True)):
        return None, backwards
    starts, limits, strides, _ = zip(*ranges, strict=True)
    return SliceConfig(starts, limits, strides), backwards


def _place(advanced: Sequence[tuple[int, int]]) -> int:
    """Return where the axes of index arrays go: where they stand if all stand side by side, else first.

    ``advanced`` holds the number of each int and index array among the items, and the region's axes before it: ints
    count as index arrays do, as in NumPy.
    """
    if not advanced:
        return 0
    (first, before), (last, _) = advanced[0], advanced[-1]
    return before if last - first + 1 == len(advanced) else 0
