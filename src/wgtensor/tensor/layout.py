"""View algebra: how a shape lies in a flat buffer.

A :class:`Layout` is (shape, strides, offset), all in *elements*. Every view operation (permute, slice, reverse,
broadcast, diagonal, reshape where strides allow) is arithmetic on it and touches no data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from wgtensor.errors import ValidationError

__all__ = ["MAX_EXTENT", "Contiguity", "Layout", "Shape", "checked_size", "merge_axes", "row_major_strides"]

Shape: TypeAlias = tuple[int, ...]

MAX_EXTENT: Final = 2**63 - 1
"""Largest element count and largest offset that a layout may express."""


class Contiguity(Enum):
    """How much a kernel may assume about a layout."""

    ROW_MAJOR = "row-major"
    """The elements follow each other without gaps, in row-major order (any offset)."""
    INNER = "inner"
    """The last axis longer than 1 has stride 1."""
    STRIDED = "strided"
    """Anything else."""


def checked_size(shape: Iterable[int]) -> int:
    """Return the element count of ``shape``.

    Raises
    ------
    ValidationError
        A length is negative, or the product exceeds ``MAX_EXTENT``.
    """
    shape = tuple(shape)
    if any(length < 0 for length in shape):
        raise ValidationError(f"a shape needs lengths of 0 or more, got {shape}")
    size = math.prod(shape)
    if size > MAX_EXTENT:
        raise ValidationError(f"a shape may hold at most 2**63 - 1 elements, got {shape}")
    return size


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of a gapless row-major array of ``shape``.

    Examples
    --------
    >>> row_major_strides((2, 3, 4))
    (12, 4, 1)
    """
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return tuple(strides)


def merge_axes(
    shape: Sequence[int], operands: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Drop axes of length 1 and merge neighbours that every operand walks as one.

    Parameters
    ----------
    shape
        The common iteration shape, rank R.
    operands
        One stride tuple of rank R per operand, in elements.

    Returns
    -------
    tuple
        The merged shape and each operand's merged strides; rank 0 where everything has length 1.

    Examples
    --------
    >>> merge_axes((2, 1, 3, 4), [(12, 99, 4, 1), (0, 0, 4, 1)])
    ((2, 12), ((12, 1), (0, 1)))
    """
    lengths: list[int] = []
    merged: list[list[int]] = []
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        here = [strides[axis] for strides in operands]
        if lengths and all(outer == inner * length for outer, inner in zip(merged[-1], here, strict=True)):
            lengths[-1] *= length
            merged[-1] = here
        else:
            lengths.append(length)
            merged.append(here)
    return tuple(lengths), tuple(tuple(axis[i] for axis in merged) for i in range(len(operands)))


class Layout:
    """An immutable (shape, strides, offset), in elements.

    Parameters
    ----------
    shape
        Length of each axis; 0 is allowed.
    strides
        Step of each axis, of any sign; 0 repeats.
    offset
        Index of the element at position (0, ..., 0).

    Raises
    ------
    ValidationError
        Ranks differ, a length is negative, an index would be negative or exceed ``MAX_EXTENT``.

    Examples
    --------
    >>> layout = Layout.contiguous((2, 3)).permute((1, 0)).reverse((0,))
    >>> layout.shape, layout.strides, layout.offset
    ((3, 2), (-1, 3), 2)
    """

    __slots__ = ("__weakref__", "_hash", "is_contiguous", "offset", "shape", "size", "strides")

    # mypy takes a Final for unassigned that __init__ sets through object.__setattr__, past the guard below.
    shape: Final[Shape]  # type: ignore[misc]  # as said above
    strides: Final[tuple[int, ...]]  # type: ignore[misc]  # as said above
    offset: Final[int]  # type: ignore[misc]  # as said above
    size: Final[int]  # type: ignore[misc]  # as said above
    is_contiguous: Final[bool]  # type: ignore[misc]  # as said above

    def __init__(self, shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> None:
        set_ = object.__setattr__
        set_(self, "shape", tuple(shape))
        set_(self, "strides", tuple(strides))
        set_(self, "offset", offset)
        if len(self.shape) != len(self.strides):
            raise ValidationError(f"a layout needs one stride per axis, got shape {shape} and strides {strides}")
        set_(self, "size", checked_size(self.shape))
        set_(self, "is_contiguous", offset == 0 and self._is_row_major())
        set_(self, "_hash", hash((self.shape, self.strides, offset)))
        low, high = self.bounds()
        if low < 0 or high > MAX_EXTENT:
            raise ValidationError(f"a layout must stay within 0 and 2**63 - 1, got indices {low} to {high}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Layout is immutable; {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Layout is immutable; {name} cannot be deleted")

    @staticmethod
    def contiguous(shape: Sequence[int]) -> Layout:
        """Return the gapless row-major layout of ``shape``, at offset 0; cached per shape."""
        return _contiguous(tuple(shape))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def contiguity(self) -> Contiguity:
        """The strongest class that holds."""
        if self._is_row_major():
            return Contiguity.ROW_MAJOR
        inner = [stride for length, stride in zip(self.shape, self.strides, strict=True) if length > 1][-1:]
        return Contiguity.INNER if inner == [1] else Contiguity.STRIDED

    def bounds(self) -> tuple[int, int]:
        """Return the lowest and the highest element index that is touched; if empty, the highest is the lower one.

        An empty layout at offset 0 gives (0, 0), since no index is negative.
        """
        if self.size == 0:
            return self.offset, self.offset - 1 if self.offset else self.offset
        reach = [(length - 1) * stride for length, stride in zip(self.shape, self.strides, strict=True)]
        return self.offset + sum(r for r in reach if r < 0), self.offset + sum(r for r in reach if r > 0)

    def overlaps_itself(self) -> bool:
        """Return whether two positions may share an element (never False when they do)."""
        axes = sorted((abs(s), n) for n, s in zip(self.shape, self.strides, strict=True) if n > 1)
        reach = 0
        for stride, length in axes:
            if stride <= reach:
                return True
            reach += stride * (length - 1)
        return False

    def permute(self, axes: Sequence[int]) -> Layout:
        """Return the view whose axis ``i`` is this layout's axis ``axes[i]``.

        Raises
        ------
        ValidationError
            ``axes`` is no permutation of the axes.
        """
        if sorted(axes) != list(range(self.ndim)):
            raise ValidationError(f"permute needs each of the axes 0 to {self.ndim - 1} once, got {tuple(axes)}")
        return Layout([self.shape[a] for a in axes], [self.strides[a] for a in axes], self.offset)

    def slice(self, starts: Sequence[int], lengths: Sequence[int], steps: Sequence[int]) -> Layout:
        """Return the view of ``lengths`` elements from ``starts``, ``steps`` apart; steps may be negative.

        Raises
        ------
        ValidationError
            There is not one of each per axis, or the view leaves an axis.
        """
        if not len(starts) == len(lengths) == len(steps) == self.ndim:
            raise ValidationError(f"slice needs one start, length and step per axis of {self.shape}")
        offset = self.offset
        for axis, (start, length, step) in enumerate(zip(starts, lengths, steps, strict=True)):
            last = start + (length - 1) * step
            if length > 0 and not (0 <= start < self.shape[axis] and 0 <= last < self.shape[axis]):
                raise ValidationError(
                    f"slice must stay within axis {axis} of length {self.shape[axis]}, got {start} to {last}"
                )
            offset += start * self.strides[axis] if length else 0
        if 0 in lengths:
            offset = self.offset
        return Layout(lengths, [s * step for s, step in zip(self.strides, steps, strict=True)], offset)

    def reverse(self, axes: Sequence[int]) -> Layout:
        """Return the view that walks ``axes`` backwards.

        Raises
        ------
        ValidationError
            An axis is out of range or given twice.
        """
        self._check_axes("reverse", axes)
        if self.size == 0:
            return self
        offset = self.offset + sum((self.shape[a] - 1) * self.strides[a] for a in axes)
        return Layout(self.shape, [-s if a in axes else s for a, s in enumerate(self.strides)], offset)

    def drop(self, axes: Sequence[int]) -> Layout:
        """Return the view without ``axes``, which have length 1."""
        kept = [axis for axis in range(self.ndim) if axis not in axes]
        return Layout([self.shape[axis] for axis in kept], [self.strides[axis] for axis in kept], self.offset)

    def broadcast_in_dim(self, shape: Sequence[int], dims: Sequence[int]) -> Layout:
        """Return the view of ``shape`` in which axis ``j`` lies on axis ``dims[j]``; other axes repeat."""
        strides = [0] * len(shape)
        for axis, dim in enumerate(dims):
            strides[dim] = self.strides[axis] if self.shape[axis] != 1 else 0
        return Layout(shape, strides, self.offset)

    def diagonal(self, first: int, second: int) -> Layout:
        """Return the view of the diagonal of two equally long axes, kept at the lower of the two positions.

        Raises
        ------
        ValidationError
            The axes are one, out of range, or of different lengths.
        """
        self._check_axes("diagonal", (first, second))
        if self.shape[first] != self.shape[second]:
            raise ValidationError(f"diagonal needs two axes of one length, got {first} and {second} of {self.shape}")
        low, high = sorted((first, second))
        shape, strides = list(self.shape), list(self.strides)
        strides[low] += strides[high]
        del shape[high], strides[high]
        return Layout(shape, strides, self.offset)

    def reshape(self, shape: Sequence[int]) -> Layout | None:
        """Return the view of ``shape`` in row-major order, or None where strides do not allow one.

        Raises
        ------
        ValidationError
            ``shape`` has another element count.
        """
        shape = tuple(shape)
        if checked_size(shape) != self.size:
            raise ValidationError(f"reshape must keep the element count, got {self.shape} to {shape}")
        if self.size == 0 or self.is_contiguous:
            return Layout(shape, row_major_strides(shape), self.offset)
        strides = _reshaped_strides(*merge_axes(self.shape, [self.strides]), shape)
        return None if strides is None else Layout(shape, strides, self.offset)

    def _is_row_major(self) -> bool:
        expected = 1
        for length, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if length != 1 and stride != expected:
                return self.size == 0
            expected *= length
        return True

    def _check_axes(self, operation: str, axes: Sequence[int]) -> None:
        if len(set(axes)) != len(axes) or any(not 0 <= axis < self.ndim for axis in axes):
            raise ValidationError(f"{operation} needs distinct axes of 0 to {self.ndim - 1}, got {tuple(axes)}")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Layout):
            return NotImplemented
        return (self.shape, self.strides, self.offset) == (other.shape, other.strides, other.offset)

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]  # set through object.__setattr__

    def __reduce__(self) -> tuple[type[Layout], tuple[Shape, tuple[int, ...], int]]:
        return Layout, (self.shape, self.strides, self.offset)

    def __repr__(self) -> str:
        return f"Layout(shape={self.shape}, strides={self.strides}, offset={self.offset})"


def _reshaped_strides(
    lengths: tuple[int, ...], operands: tuple[tuple[int, ...], ...], shape: Shape
) -> list[int] | None:
    """Split merged axes into ``shape``: each new axis must lie within one merged axis."""
    (merged,) = operands
    strides = [0] * len(shape)
    axis = len(lengths) - 1
    room, step = (lengths[axis], merged[axis]) if lengths else (1, 1)
    for new in range(len(shape) - 1, -1, -1):
        if shape[new] == 1:
            continue
        if room == 1:
            axis -= 1
            room, step = lengths[axis], merged[axis]
        if room % shape[new]:
            return None
        strides[new] = step
        step *= shape[new]
        room //= shape[new]
    return strides


@lru_cache(maxsize=4096)
def _contiguous(shape: Shape) -> Layout:
    return Layout(shape, row_major_strides(shape))
