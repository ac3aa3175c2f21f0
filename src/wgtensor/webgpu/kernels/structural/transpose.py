"""Transposes: copies whose source runs along other axes than their output."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from wgtensor.tensor.layout import row_major_strides
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.structural.kernels import TILE, move_kernel, workgroups_for
from wgtensor.webgpu.kernels.tables import Strides, join_tables, plan_walks
from wgtensor.webgpu.kernels.units import Moved

__all__ = ["add_transpose"]

TILED_BYTES: Final = (4, 8)
"""Unit sizes with a tiled kernel: larger units fill cache lines by themselves, smaller ones share words."""
SHORTEST: Final = 8
"""Sides shorter than this leave most of a tile empty; a gather does better."""
QUAD: Final = 4


@dataclass(frozen=True, slots=True)
class _Group:
    """Some axes of a copy, with their strides in source and output."""

    lengths: tuple[int, ...]
    source: Strides
    output: Strides

    @classmethod
    def of(cls, moved: Moved, axes: list[int]) -> _Group:
        """Pick ``axes``, outermost first."""
        output = row_major_strides(moved.lengths)
        columns = (moved.lengths, moved.strides[0], output)
        return cls(*(tuple(column[axis] for axis in axes) for column in columns))

    @property
    def count(self) -> int:
        """Positions."""
        return math.prod(self.lengths)

    def divided(self, by: int) -> tuple[Strides, Strides]:
        """Return the strides in source and output, counted in ``by`` units."""
        return tuple(s // by for s in self.source), tuple(s // by for s in self.output)


@dataclass(frozen=True, slots=True)
class _Problem:
    """Side a is contiguous in the source, side b in the output; the rest are batches."""

    a: _Group
    b: _Group
    batches: _Group
    offset: int

    @property
    def in_quads(self) -> bool:
        """Whether source and output are whole vec4 along a and b."""
        outside = (*self.b.source, *self.batches.source, *self.a.output, *self.batches.output)
        return all(number % QUAD == 0 for number in (self.a.count, self.b.count, self.offset, *outside))


def add_transpose(draft: Draft, moved: Moved) -> bool:
    """Add the tiled transpose of operand 0 into output 0 where it pays, and say whether it was added."""
    problem = _problem(moved) if moved.unit.nbytes in TILED_BYTES else None
    if problem is None:
        return False
    if not draft.facts.software:
        sides = (problem.a.count, problem.b.count)
        tiles = tuple(-(-side // TILE) for side in sides)
        _dispatch(draft, "transpose_tile", moved, problem, 1, (*tiles, *sides))
        return True
    if moved.unit.nbytes == 4 and problem.in_quads:
        tiles = (problem.a.count // QUAD, problem.b.count // QUAD)
        _dispatch(draft, "transpose_registers", moved, problem, QUAD, tiles)
        return True
    return False


def _problem(moved: Moved) -> _Problem | None:
    """Find the two sides, or None where one is too short: the source then runs along the output's axes or nowhere."""
    side_a, side_b = _sides(moved)
    rest = [axis for axis in range(len(moved.lengths)) if axis not in side_a + side_b]
    a, b, batches = (_Group.of(moved, axes) for axes in (side_a, side_b, rest))
    problem = _Problem(a, b, batches, moved.offsets[0])
    return problem if min(problem.a.count, problem.b.count) >= SHORTEST else None


def _sides(moved: Moved) -> tuple[list[int], list[int]]:
    """Grow both sides in turn until each fills a tile: a by the source's strides from 1 on, b from the last axis on.

    Several short axes make a side as well as one long axis does, so permutations of many axes of length 2 are tiled.
    """
    lengths, (strides,), last = moved.lengths, moved.strides, len(moved.lengths) - 1
    at_stride = {stride: axis for axis, stride in enumerate(strides)}
    side_a: list[int] = []
    side_b: list[int] = []
    for _ in lengths:
        for side, axis in ((side_b, last - len(side_b)), (side_a, at_stride.get(_count(lengths, side_a)))):
            if axis is not None and axis not in side_a + side_b and _count(lengths, side) < TILE:
                side.append(axis)
    return side_a[::-1], side_b[::-1]


def _count(lengths: tuple[int, ...], axes: list[int]) -> int:
    return math.prod(lengths[axis] for axis in axes)


def _dispatch(draft: Draft, template: str, moved: Moved, problem: _Problem, by: int, sides: tuple[int, ...]) -> None:
    """Add the dispatch, with strides and offset counted in ``by`` units."""
    a, b, batches = problem.a, problem.b, problem.batches
    walks, tables = join_tables(
        plan_walks(
            (a.lengths, [a.divided(by)[1]], [0]),
            (b.lengths, [b.divided(by)[0]], [0]),
            (batches.lengths, batches.divided(by), [problem.offset // by, 0]),
        )
    )
    tiles = sides[0] * sides[1] * batches.count
    words = (word for walk in walks for word in walk.words)
    draft.dispatch(
        move_kernel(template, moved.unit, walks[0].form),
        (OPERAND, *draft.tables(tables), OUTPUT),
        (tiles, *sides, *words),
        tiles if template == "transpose_tile" else workgroups_for(tiles),
    )
