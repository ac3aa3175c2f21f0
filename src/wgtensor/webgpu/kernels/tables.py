"""Walks: how kernels turn a linear position into element offsets, with shapes and strides as data.

A kernel splits a position ``i`` into ``(q, r) = (i / inner, i % inner)`` and gets an operand's offset in one of two
forms. Neither is compiled per shape or rank:

- *affine*, at most two merged axes: ``base + q * outer_stride + r * inner_stride``;
- *table*, any rank: ``base + table[high + q] + table[low + r]``, two small tables whose lengths multiply to the size.

In both, three words describe an operand and one the split, so the form changes one expression of the WGSL and nothing
of the launch. Offsets are u32 and wrap, so strides may be negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor.layout import merge_axes

__all__ = ["AFFINE", "TABLE", "Walk", "join_tables", "plan_walk", "plan_walks", "split_length", "two_level_table"]

AFFINE: Final = "affine"
TABLE: Final = "table"
AFFINE_RANK: Final = 2

Strides: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """How one set of axes is walked by one or more operands.

    Attributes
    ----------
    form
        ``"affine"`` or ``"table"``.
    inner
        Positions per ``q``, at least 1.
    operands
        Per operand: base offset, then two strides (affine) or the starts of its high and low tables (table).
    table
        The tables of all operands, one after the other; empty where affine.
    """

    form: str
    inner: int
    operands: tuple[tuple[int, int, int], ...]
    table: NDArray[np.uint32]

    @property
    def words(self) -> tuple[int, ...]:
        """The parameter words: ``inner``, then three per operand."""
        return (self.inner, *(word for operand in self.operands for word in operand))


def split_length(lengths: Sequence[int]) -> int:
    """Return the low table's length that keeps high and low tables short, near the square root of the size.

    It must divide the axes from the right: inner axes whole, then a divisor of the next. The outermost axis may be cut
    anywhere.

    Examples
    --------
    >>> split_length((8, 8, 8)), split_length((100,)), split_length(())
    (16, 10, 1)
    """
    size = math.prod(lengths)
    best = inner = 1
    for axis in range(len(lengths) - 1, -1, -1):
        factors = _divisors(lengths[axis]) if axis else (max(1, math.isqrt(size) // inner), lengths[0])
        candidates = (best, *(inner * factor for factor in factors))
        best = min(candidates, key=lambda low: -(-size // low) + low)
        inner *= lengths[axis]
    return best


def two_level_table(
    lengths: Sequence[int], strides: Sequence[int], offset: int = 0
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], int]:
    """Return ``(high, low, L)`` with ``offset(i) = high[i // L] + low[i % L]`` modulo 2**32, in row-major order.

    Parameters
    ----------
    lengths, strides
        The axes, all lengths positive; strides in elements, of any sign.
    offset
        Added to every position, through ``high``.

    Examples
    --------
    >>> high, low, length = two_level_table((2, 3, 4), (1, 8, 2), 5)
    >>> [int(high[i // length] + low[i % length]) for i in (0, 1, 4, 12)]
    [5, 7, 13, 6]
    """
    size = math.prod(lengths)
    inner = split_length(lengths)
    low = _offsets(np.arange(inner, dtype=np.int64), lengths, strides)
    high = _offsets(np.arange(0, size, inner, dtype=np.int64), lengths, strides) + offset
    return high.astype(np.uint32), low.astype(np.uint32), inner


def plan_walk(
    lengths: Sequence[int], strides: Sequence[Strides], offsets: Sequence[int], *, form: str | None = None
) -> Walk:
    """Plan a walk over ``lengths`` for one or more operands, merging axes first.

    Parameters
    ----------
    lengths
        The axes walked, all positive; row-major order.
    strides, offsets
        One stride tuple and one base offset per operand, in elements.
    form
        ``"table"`` forces tables, so that several walks of a kernel may share a form.
    """
    merged, operands = merge_axes(lengths, strides)
    if form == TABLE or len(merged) > AFFINE_RANK:
        inner, starts, table = _tables(merged, operands)
        rows = tuple((base, *start) for base, start in zip(offsets, starts, strict=True))
        return Walk(TABLE, inner, rows, table)
    inner = merged[-1] if merged else 1
    padded = [(0,) * (AFFINE_RANK - len(axes)) + axes for axes in operands]
    rows = tuple((base, outer, step) for base, (outer, step) in zip(offsets, padded, strict=True))
    return Walk(AFFINE, inner, rows, np.zeros(0, np.uint32))


def plan_walks(*groups: tuple[Sequence[int], Sequence[Strides], Sequence[int]]) -> tuple[Walk, ...]:
    """Plan one walk per group of (lengths, strides, offsets), all in the same form: affine if each can be."""
    walks = tuple(plan_walk(*group) for group in groups)
    if all(walk.form == walks[0].form for walk in walks):
        return walks
    return tuple(plan_walk(*group, form=TABLE) for group in groups)


def join_tables(walks: Sequence[Walk]) -> tuple[tuple[Walk, ...], tuple[NDArray[np.uint32], ...]]:
    """Lay the tables of a kernel's walks in one buffer; no table at all where every walk is affine."""
    moved: list[Walk] = []
    start = 0
    for walk in walks:
        rows = tuple((base, high + start, low + start) for base, high, low in walk.operands)
        moved.append(replace(walk, operands=rows) if walk.form == TABLE else walk)
        start += walk.table.size
    tables = (np.concatenate([walk.table for walk in walks]),) if start else ()
    return tuple(moved), tables


def _divisors(number: int) -> tuple[int, ...]:
    small = [factor for factor in range(1, math.isqrt(number) + 1) if number % factor == 0]
    return (*small, *(number // factor for factor in small))


def _offsets(positions: NDArray[np.int64], lengths: Sequence[int], strides: Sequence[int]) -> NDArray[np.int64]:
    """Return the offset of each linear position."""
    offsets = np.zeros(positions.size, np.int64)
    for length, stride in zip(reversed(lengths), reversed(strides), strict=True):
        positions, index = np.divmod(positions, length)
        offsets += index * stride
    return offsets


@lru_cache(maxsize=256)
def _tables(
    lengths: tuple[int, ...], operands: tuple[Strides, ...]
) -> tuple[int, tuple[tuple[int, int], ...], NDArray[np.uint32]]:
    """Return the split, where each operand's high and low tables start, and all tables in one array."""
    parts: list[NDArray[np.uint32]] = []
    starts: list[tuple[int, int]] = []
    position, inner = 0, 1
    for strides in operands:
        high, low, inner = two_level_table(lengths, strides)
        starts.append((position, position + high.size))
        parts += [high, low]
        position += high.size + low.size
    table = np.concatenate(parts)
    table.setflags(write=False)
    return inner, tuple(starts), table
