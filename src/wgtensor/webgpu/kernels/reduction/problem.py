"""A reduction as two groups of merged axes: those that stay and those that go."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from wgtensor.tensor import Layout, merge_axes
from wgtensor.webgpu.kernels.tables import Walk, plan_walks

__all__ = ["CHUNKS", "Access", "Axes", "Chunk", "Problem"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring elements that are read at once: the array's WGSL type, and each element of a value ``chunk``."""

    word: str
    elements: tuple[str, ...]

    @property
    def lanes(self) -> int:
        """Elements of a chunk."""
        return len(self.elements)


CHUNKS: Final[Mapping[int, Chunk]] = {
    1: Chunk("u32", tuple(f"extractBits(chunk, {8 * lane}u, 8u)" for lane in range(4))),
    2: Chunk("vec2<u32>", tuple(f"extractBits(chunk[{lane // 2}], {16 * (lane % 2)}u, 16u)" for lane in range(4))),
    4: Chunk("vec4<u32>", tuple(f"chunk[{lane}]" for lane in range(4))),
    8: Chunk("vec4<u32>", ("chunk.xy", "chunk.zw")),
}
"""Chunks by the bytes of an element; 4 to 16 bytes long, so never beyond a buffer's padding."""


class Access(Enum):
    """How a first pass reads: the geometry that decides which kernel runs."""

    ROWS = "rows"
    """Chunks along the reduced axes."""
    COLUMNS = "columns"
    """Chunks along the kept axes."""
    GENERAL = "general"
    """Single elements."""


@dataclass(frozen=True, slots=True)
class Axes:
    """One group of merged axes."""

    lengths: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def count(self) -> int:
        """Positions, 1 without axes."""
        return math.prod(self.lengths)

    @property
    def step(self) -> int:
        """Distance of neighbouring positions, in elements; 0 without axes."""
        return abs(self.strides[-1]) if self.strides else 0

    def chunked(self, lanes: int) -> Axes:
        """Return these axes counted in chunks along the last one; a rest makes a last chunk."""
        lengths = (*self.lengths[:-1], -(-self.lengths[-1] // lanes))
        return Axes(lengths, (*(stride // lanes for stride in self.strides[:-1]), 1))

    def divided(self, lanes: int) -> Axes:
        """Return these axes with their strides counted in chunks."""
        return Axes(self.lengths, tuple(stride // lanes for stride in self.strides))


@dataclass(frozen=True, slots=True)
class Problem:
    """What is reduced: the kept and the reduced axes, and the offset, in elements."""

    kept: Axes
    reduced: Axes
    offset: int

    @classmethod
    def of(cls, layout: Layout, axes: Sequence[int]) -> Problem:
        """Split and merge the axes of ``layout``; ``axes``, from 0, are reduced in row-major order."""
        groups = []
        for wanted in (False, True):
            chosen = [axis for axis in range(layout.ndim) if (axis in axes) is wanted]
            strides = [layout.strides[axis] for axis in chosen]
            lengths, (merged,) = merge_axes([layout.shape[axis] for axis in chosen], [strides])
            groups.append(Axes(lengths, merged))
        return cls(groups[0], groups[1], layout.offset)

    def access(self, lanes: int) -> Access:
        """Return how the elements can be read: by chunks where they are neighbours and every chunk is whole."""
        kept, reduced = self.kept, self.reduced
        # A lone reduced axis may end in a broken chunk, which the kernel masks; several axes would be cut within.
        if self._aligned(reduced, kept, lanes) and (len(reduced.lengths) == 1 or reduced.lengths[-1] % lanes == 0):
            return Access.ROWS
        if self._aligned(kept, reduced, lanes) and kept.lengths[-1] % lanes == 0:
            return Access.COLUMNS
        return Access.GENERAL

    def walks(self, access: Access, lanes: int) -> tuple[Walk, Walk]:
        """Return the walks of kept and reduced axes, in the units of ``access``, both in the same form."""
        kept, reduced, offset = self.kept, self.reduced, self.offset
        if access is not Access.GENERAL:
            rows = access is Access.ROWS
            kept = kept.divided(lanes) if rows else kept.chunked(lanes)
            reduced = reduced.chunked(lanes) if rows else reduced.divided(lanes)
            offset //= lanes
        kept_walk, reduced_walk = plan_walks(
            (kept.lengths, [kept.strides], [offset]), (reduced.lengths, [reduced.strides], [0])
        )
        return kept_walk, reduced_walk

    def _aligned(self, along: Axes, other: Axes, lanes: int) -> bool:
        """Return whether elements along ``along`` are neighbours and everything else moves by whole chunks."""
        moves = (*along.strides[:-1], *other.strides, self.offset)
        return along.strides[-1:] == (1,) and all(number % lanes == 0 for number in moves)
