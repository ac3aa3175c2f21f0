"""From index arrays to the starts of windows, as the contract's gather and scatter take them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wgtensor.array.devices import Device
from wgtensor.array.dispatch import broadcast_shapes, broadcast_to, converted
from wgtensor.array.indexing.keys import IndexArray, Key
from wgtensor.contract import CompareDirection
from wgtensor.contract.session import SessionBase
from wgtensor.errors import IndexRuleError, ValidationError
from wgtensor.tensor import Shape, Tensor, int32, int64

__all__ = ["Windows", "clamped", "locate", "wrapped"]


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


def locate(device: Device, key: Key) -> Windows:
    """Return the windows that the index arrays of ``key`` select in its region.

    Negative integers count from the end. Those out of range select the first or the last position, since a check would
    read the device. Bool arrays become the positions of True; how many is read.

    Raises
    ------
    IndexRuleError
        Shapes of the index arrays do not broadcast, or an indexed axis has length 0.
    """
    source, axes = _merged(key)
    lengths = [source[axis] for axis in axes]
    indices = [_positions(device, each, length) for each, length in zip(key.arrays, lengths, strict=True)]
    batch = _batch_shape(indices)
    if 0 in lengths and 0 not in batch:
        raise IndexRuleError(f"indexing takes no positions on an axis of length 0, got some of shape {batch}")
    kept = [length for axis, length in enumerate(source) if axis not in axes]
    shape = (*kept[: key.place], *batch, *kept[key.place :])
    offset_dims = tuple(axis for axis in range(len(shape)) if not 0 <= axis - key.place < len(batch))
    return Windows(source, axes, _stacked(device.session, indices, batch), len(batch), shape, offset_dims)


def _merged(key: Key) -> tuple[Shape, tuple[int, ...]]:
    """Return the region's shape with one axis under each index array, and these axes."""
    shape: list[int] = []
    axes: list[int] = []
    at = 0
    for each in key.arrays:
        end = each.axis + each.covered
        shape += key.region[at : each.axis]
        axes.append(len(shape))
        shape.append(math.prod(key.region[each.axis : end]))
        at = end
    return (*shape, *key.region[at:]), tuple(axes)


def _positions(device: Device, index: IndexArray, length: int) -> Tensor:
    session, tensor = device.session, index.tensor
    if not index.is_mask:
        return wrapped(session, tensor, length)
    return session.flat_nonzero(tensor, _count(device, tensor))


def _count(device: Device, mask: Tensor) -> int:
    """Return how many are True; reads them from the device."""
    session = device.session
    total = session.reduce_sum(session.cast(mask, int32), tuple(range(mask.ndim)))
    return int(device.backend.download_to_host(total).to_numpy())


def wrapped(session: SessionBase, index: Tensor, length: int) -> Tensor:
    """Return integers of 32 bits or more, with those below 0 counted from the end of an axis of ``length``."""
    if index.dtype.kind == "u":
        return index
    if index.dtype.itemsize < int32.itemsize:
        index = session.cast(index, int32)
    return session.select(session.compare(index, 0, CompareDirection.LT), session.add(index, length), index)


def clamped(session: SessionBase, index: Tensor, length: int) -> Tensor:
    """Return integers with those out of range of an axis of ``length`` moved to its first or last position."""
    return session.minimum(session.maximum(index, 0), max(length - 1, 0))


def _batch_shape(indices: list[Tensor]) -> Shape:
    try:
        return broadcast_shapes("indexing", indices)
    except ValidationError as error:
        raise IndexRuleError(str(error)) from None


def _stacked(session: SessionBase, indices: list[Tensor], batch: Shape) -> Tensor:
    """Return index arrays of one shape ``batch`` as the components of a last axis, or the only one as it is."""
    if len(indices) == 1:
        return indices[0]
    dtype = int64 if any(each.dtype.itemsize == int64.itemsize for each in indices) else int32
    return session.concatenate(
        [
            session.reshape(broadcast_to(session, converted(session, each, dtype), batch), (*batch, 1))
            for each in indices
        ],
        len(batch),
    )
