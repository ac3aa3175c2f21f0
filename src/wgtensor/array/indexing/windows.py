"""From index arrays to the starts of windows, as the contract's gather and scatter take them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wgtensor.array.assembly import true_positions
from wgtensor.array.dispatch import broadcast_shapes, broadcast_to, converted
from wgtensor.array.indexing.structure import Key
from wgtensor.contract import CompareDirection
from wgtensor.contract.session import SessionBase
from wgtensor.errors import IndexRuleError, ValidationError
from wgtensor.tensor import Shape, Tensor, bool_, int32, int64

__all__ = ["Windows", "clamped", "locate", "wrapped"]

_MOST_POSITIONS: Final = 2**31 - 1
"""What int32 counts."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of one position on the indexed axes and of full length on the others.

    Attributes
    ----------
    source
        Shape in which the region is indexed: the axes under each bool array are one.
    axes
        The indexed axes of ``source``.
    starts
        Positions of the windows on these axes; several axes make a last axis of components.
    batch_rank
        Axes of ``starts`` without that one.
    shape
        Of all windows: the axes of ``starts`` in their place among those that are not indexed.
    offset_dims
        The axes of ``shape`` that are not indexed.
    """

    source: Shape
    axes: tuple[int, ...]
    starts: Tensor
    batch_rank: int
    shape: Shape
    offset_dims: tuple[int, ...]


def locate(session: SessionBase, region: Tensor, key: Key, indices: Sequence[Tensor]) -> Windows:
    """Return the windows that ``indices``, the index arrays of ``key``, select in its ``region``.

    Negative integers count from the end. Those out of range select the first or the last position, since a check would
    read the device. Bool arrays become the positions of True; how many is read.

    Raises
    ------
    IndexRuleError
        Shapes of the index arrays do not broadcast, or an indexed axis has length 0.
    """
    source, axes = key.merged()
    lengths = [source[axis] for axis in axes]
    positions = [_positions(session, index, length) for index, length in zip(indices, lengths, strict=True)]
    batch = _batch_shape(positions)
    if 0 in lengths and 0 not in batch:
        raise IndexRuleError(f"indexing takes no positions on an axis of length 0, got some of shape {batch}")
    kept = [length for axis, length in enumerate(source) if axis not in axes]
    shape = (*kept[: key.place], *batch, *kept[key.place :])
    offset_dims = tuple(axis for axis in range(len(shape)) if not 0 <= axis - key.place < len(batch))
    joined = _joined(region, source, axes)
    if joined is None:
        return Windows(source, axes, _stacked(session, positions, batch), len(batch), shape, offset_dims)
    starts = _row_major(session, positions, lengths, batch)
    return Windows(joined, axes[:1], starts, len(batch), shape, offset_dims)


def _joined(region: Tensor, source: Shape, axes: Sequence[int]) -> Shape | None:
    """Return ``source`` with the indexed axes as one; None if there is one, or if that would copy the region."""
    first, end = axes[0], axes[-1] + 1
    length = math.prod(source[first:end])
    if not 1 < len(axes) == end - first or length > _MOST_POSITIONS:
        return None
    joined = (*source[:first], length, *source[end:])
    return None if region.layout.reshape(joined) is None else joined


def _positions(session: SessionBase, index: Tensor, length: int) -> Tensor:
    return true_positions(session, index) if index.dtype is bool_ else wrapped(session, index, length)


def wrapped(session: SessionBase, index: Tensor, length: int) -> Tensor:
    """Return integers of 32 bits or more, with those below 0 counted from the end of an axis of ``length``."""
    if index.dtype.itemsize < int32.itemsize:
        index = session.cast(index, int32)
    if index.dtype.kind == "u":
        return index
    return session.select(session.compare(index, 0, CompareDirection.LT), session.add(index, length), index)


def clamped(session: SessionBase, index: Tensor, length: int) -> Tensor:
    """Return integers with those out of range of an axis of ``length`` moved to its first or last position."""
    return session.minimum(session.maximum(index, 0), max(length - 1, 0))


def _batch_shape(positions: list[Tensor]) -> Shape:
    try:
        return broadcast_shapes("indexing", positions)
    except ValidationError as error:
        raise IndexRuleError(str(error)) from None


def _row_major(session: SessionBase, positions: list[Tensor], lengths: Sequence[int], batch: Shape) -> Tensor:
    """Return positions on several axes as positions on one, row-major, each within its axis first."""
    flat, *others = [
        converted(session, clamped(session, broadcast_to(session, each, batch), length), int32)
        for each, length in zip(positions, lengths, strict=True)
    ]
    for each, length in zip(others, lengths[1:], strict=True):
        flat = session.add(session.mul(flat, length), each)
    return flat


def _stacked(session: SessionBase, positions: list[Tensor], batch: Shape) -> Tensor:
    """Return positions on several axes as the components of a last axis, on one axis as they are."""
    if len(positions) == 1:
        return positions[0]
    dtype = int64 if any(each.dtype.itemsize == int64.itemsize for each in positions) else int32
    spread = [broadcast_to(session, converted(session, each, dtype), batch) for each in positions]
    return session.concatenate([session.reshape(each, (*batch, 1)) for each in spread], len(batch))
