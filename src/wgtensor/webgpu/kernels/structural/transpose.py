"""Transposes: copies whose source runs along another axis than their output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wgtensor.tensor.layout import Layout, row_major_strides
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import KernelSource
from wgtensor.webgpu.kernels.structural.kernels import TILE, move_kernel, workgroups_for
from wgtensor.webgpu.kernels.tables import Strides, Walk, join_tables, plan_walk
from wgtensor.webgpu.kernels.units import Moved

__all__ = ["add_transpose"]

TILED_BYTES: Final = (4, 8)
"""Unit sizes with a tiled kernel: larger units fill cache lines by themselves, smaller ones share words."""
SHORTEST: Final = 8
"""Axes shorter than this leave most of a tile empty; a gather does better."""
QUAD: Final = 4


@dataclass(frozen=True, slots=True)
class _Problem:
    """Axis a is contiguous in the source, axis b in the output; the rest are batches."""

    length_a: int
    length_b: int
    stride_a: int
    stride_b: int
    batches: tuple[int, ...]
    strides: tuple[Strides, Strides]
    offset: int

    @property
    def in_quads(self) -> bool:
        """Whether source and output are whole vec4 along a and b."""
        numbers = (self.length_a, self.length_b, self.stride_b, self.offset, *self.strides[0])
        return all(number % QUAD == 0 for number in numbers)


def add_transpose(draft: Draft, moved: Moved) -> bool:
    """Add the tiled transpose of operand 0 into output 0 where it pays, and say whether it was added."""
    problem = _problem(moved)
    if problem is None or moved.unit.nbytes not in TILED_BYTES:
        return False
    if not draft.facts.software:
        _add_tiles(draft, moved, problem)
        return True
    if moved.unit.nbytes == 4 and problem.in_quads:
        _add_registers(draft, moved, problem)
        return True
    return False


def _problem(moved: Moved) -> _Problem | None:
    """Find axes a and b, or None where the source has no contiguous axis but the output's."""
    (strides,), last = moved.strides, len(moved.lengths) - 1
    a = next((axis for axis in range(last) if strides[axis] == 1), None)
    if a is None or min(moved.lengths[a], moved.lengths[last]) < SHORTEST:
        return None
    output = row_major_strides(moved.lengths)
    rest = [axis for axis in range(last) if axis != a]
    return _Problem(
        moved.lengths[a],
        moved.lengths[last],
        output[a],
        strides[last],
        tuple(moved.lengths[axis] for axis in rest),
        (tuple(strides[axis] for axis in rest), tuple(output[axis] for axis in rest)),
        moved.offsets[0],
    )


def _add_tiles(draft: Draft, moved: Moved, problem: _Problem) -> None:
    tiles_a, tiles_b = -(-problem.length_a // TILE), -(-problem.length_b // TILE)
    tiles = tiles_a * tiles_b * Layout.contiguous(problem.batches).size
    walk = plan_walk(problem.batches, problem.strides, (problem.offset, 0))
    sides = (problem.length_a, problem.length_b, problem.stride_b, problem.stride_a)
    kernel = move_kernel("transpose_tile", moved.unit, walk.form)
    _dispatch(draft, kernel, walk, (tiles, tiles_a, tiles_b, *sides), tiles)


def _add_registers(draft: Draft, moved: Moved, problem: _Problem) -> None:
    tiles_a, tiles_b = problem.length_a // QUAD, problem.length_b // QUAD
    tiles = tiles_a * tiles_b * Layout.contiguous(problem.batches).size
    source, target = (tuple(stride // QUAD for stride in axes) for axes in problem.strides)
    walk = plan_walk(problem.batches, (source, target), (problem.offset // QUAD, 0))
    sides = (problem.stride_b // QUAD, problem.stride_a // QUAD)
    kernel = move_kernel("transpose_registers", moved.unit, walk.form)
    _dispatch(draft, kernel, walk, (tiles, tiles_a, tiles_b, *sides), workgroups_for(tiles))


def _dispatch(draft: Draft, kernel: KernelSource, walk: Walk, params: tuple[int, ...], workgroups: int) -> None:
    (walk,), tables = join_tables([walk])
    draft.dispatch(kernel, (OPERAND, *draft.tables(tables), OUTPUT), (*params, *walk.words), workgroups)
