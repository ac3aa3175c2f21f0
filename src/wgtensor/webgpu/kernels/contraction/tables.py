"""Offset tables: how a kernel turns an index of an axis group into an element offset, whatever the axes are.

Small groups have one level, ``offset(i) = low[i]``; large ones two, ``offset(i) = high[i / L] + low[i % L]``, so tables
stay near the square root of the extent. Offsets are 32-bit words that wrap, so negative strides are ordinary numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ONE_LEVEL", "Segment", "Tables", "is_affine", "offsets", "split_period"]

Words: TypeAlias = NDArray[np.uint32]
Offsets: TypeAlias = NDArray[np.int64]
Segment: TypeAlias = tuple[int, int, int, int]
"""Period, position of the high entries, position of the low entries, and 0: a ``vec4<u32>`` of the parameters."""

ONE_LEVEL: Final = 8192
"""Longest extent that gets a table of one level (32 KiB)."""


def offsets(lengths: Sequence[int], strides: Sequence[int]) -> Offsets:
    """Return the offset of each index combination, in row-major order.

    Examples
    --------
    >>> offsets((2, 3), (10, -1)).tolist()
    [0, -1, -2, 10, 9, 8]
    """
    result = np.zeros(1, np.int64)
    for length, stride in zip(lengths, strides, strict=True):
        result = (result[:, None] + np.arange(length) * stride).ravel()
    return result


def is_affine(lengths: Sequence[int]) -> bool:
    """Whether merged axes are walked by one stride."""
    return len(lengths) <= 1


def split_period(lengths: Sequence[int], target: int) -> int:
    """Return the period L nearest to ``target`` at which the axes may be split in two levels.

    L is the product of the inner axes and of a divisor of the next one, any number for the outermost; a multiple of 4
    where there is one, so that no vector straddles the split.

    Examples
    --------
    >>> split_period((1000,), 32), split_period((64, 3, 5), 20)
    (32, 60)
    """
    inner = 1
    candidates: list[int] = []
    for axis in range(len(lengths) - 1, -1, -1):
        parts = _divisors(lengths[axis]) if axis else _around(target, inner, lengths[axis])
        candidates += [inner * part for part in parts]
        inner *= lengths[axis]
        if inner > target and any(candidate % 4 == 0 for candidate in candidates):
            break
    whole = [candidate for candidate in candidates if candidate % 4 == 0] or candidates or [1]
    return min(whole, key=lambda candidate: abs(math.log(candidate / target)))


def _divisors(number: int) -> list[int]:
    small = [part for part in range(1, math.isqrt(number) + 1) if number % part == 0]
    return [*small, *(number // part for part in small)]


def _around(target: int, inner: int, length: int) -> list[int]:
    nearest = target // inner
    return [part for part in (1, length, nearest // 4 * 4, nearest // 4 * 4 + 4, nearest) if 0 < part <= length]


@dataclass
class Tables:
    """Collects the segments of one plan's table."""

    two_level: bool
    parts: list[Words] = field(default_factory=list)
    length: int = 0

    def add(self, values: NDArray[Any]) -> int:
        """Append offsets and return their position."""
        position = self.length
        self.parts.append(values.astype(np.uint32))
        self.length += len(values)
        return position

    def segment(self, lengths: Sequence[int], strides: Sequence[int]) -> Segment:
        """Append the table of a group in one tensor."""
        size = math.prod(lengths)
        if not self.two_level:
            return (size, 0, self.add(offsets(lengths, strides)), 0)
        period = split_period(lengths, math.isqrt(size)) if size > ONE_LEVEL else size
        high, low = _two_levels(lengths, strides, period)
        return (period, self.add(high), self.add(low), 0)

    def listed(self, values: Sequence[int]) -> Segment:
        """Append a table of given offsets."""
        high = self.add(np.zeros(1, np.int64)) if self.two_level else 0
        return (len(values), high, self.add(np.array(values, np.int64)), 0)

    def words(self) -> Words:
        """Return the table."""
        return np.concatenate(self.parts)


def _two_levels(lengths: Sequence[int], strides: Sequence[int], period: int) -> tuple[Offsets, Offsets]:
    """Return the offsets of every ``period``-th index, and of the first ``period`` ones."""
    inner = math.prod(lengths)
    for axis, length in enumerate(lengths):
        inner //= length
        if inner <= period:
            part = period // inner
            outer = offsets((*lengths[:axis], -(-length // part)), (*strides[:axis], part * strides[axis]))
            return outer, offsets((part, *lengths[axis + 1 :]), strides[axis:])
    return np.zeros(1, np.int64), np.zeros(1, np.int64)
