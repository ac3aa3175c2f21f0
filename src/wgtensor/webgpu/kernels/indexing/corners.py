"""Windows at starts that lie on the device: which axes they have, and how kernels find their corners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor import DType, Layout, Shape, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from wgtensor.webgpu.kernels.tables import TABLE, Strides, plan_walk

__all__ = ["INDEX", "Corner", "Placed", "StartVectors", "interleave", "place_walk", "steps_of", "window_axes"]

INDEX: Final[Mapping[DType, str]] = {
    int8: "u32(max(extractBits(bitcast<i32>(starts[at >> 2u]), 8u * (at & 3u), 8u), 0))",
    int16: "u32(max(extractBits(bitcast<i32>(starts[at >> 1u]), 16u * (at & 1u), 16u), 0))",
    int32: "u32(max(bitcast<i32>(starts[at]), 0))",
    int64: "select(select(starts[2u * at], 0xffffffffu, bitcast<i32>(starts[2u * at + 1u]) > 0), 0u, "
           "bitcast<i32>(starts[2u * at + 1u]) < 0)",
    uint8: "extractBits(starts[at >> 2u], 8u * (at & 3u), 8u)",
    uint16: "extractBits(starts[at >> 1u], 16u * (at & 1u), 16u)",
    uint32: "starts[at]",
    uint64: "select(starts[2u * at], 0xffffffffu, starts[2u * at + 1u] != 0u)",
}  # fmt: skip
"""The start at element ``at`` by its dtype, as u32: negative ones are 0, those beyond are the largest."""

UNIFORM_COMPONENTS: Final = 4
"""Index components that travel in the uniform; more lie in the table."""


def window_axes(axes: Sequence[int], rank: int, dropped: Sequence[int]) -> tuple[int | None, ...]:
    """Return, per operand axis, the axis of the windowed tensor that walks it; None for dropped ones.

    Examples
    --------
    >>> window_axes((1, 3), 3, dropped=(1,))
    (1, None, 3)
    """
    remaining = iter(axes)
    return tuple(None if axis in dropped else next(remaining) for axis in range(rank))


def interleave(axes: Sequence[int], window: Iterable[int], batch: Sequence[int]) -> tuple[int, ...]:
    """Return ``window`` at positions ``axes``, and ``batch`` in order at the others.

    Examples
    --------
    >>> interleave((1, 3), (20, 40), (1, 3))
    (1, 20, 3, 40)
    """
    at, rest = dict(zip(axes, window, strict=True)), iter(batch)
    return tuple(at[axis] if axis in at else next(rest) for axis in range(len(axes) + len(batch)))


@dataclass(frozen=True, slots=True)
class StartVectors:
    """A tensor of starts, taken apart into batch axes and the axis of its index components.

    Attributes
    ----------
    shape, strides, offset
        The batch axes.
    step
        Distance of components, in elements; 0 where each start is a scalar.
    """

    shape: Shape
    strides: Strides
    offset: int
    step: int

    @classmethod
    def of(cls, starts: Layout, vector_axis: int) -> StartVectors:
        """Take ``starts`` apart; ``vector_axis`` one past its last axis means scalar starts."""
        if vector_axis == starts.ndim:
            return cls(starts.shape, starts.strides, starts.offset, 0)
        step = starts.strides[vector_axis]
        batch = starts.drop((vector_axis,))
        return cls(batch.shape, batch.strides, starts.offset, step)


@dataclass(frozen=True, slots=True)
class Corner:
    """How a start vector becomes an offset: the sum of ``min(start, room) * stride`` over its components."""

    rooms: tuple[int, ...]
    strides: tuple[int, ...]
    step: int

    @property
    def pairs(self) -> tuple[int, ...]:
        """Room and stride of each component."""
        return tuple(number for pair in zip(self.rooms, self.strides, strict=True) for number in pair)


def steps_of(rooms: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return what each start adds per unit; 0 for one that is clamped to 0 whatever it says."""
    return tuple(stride if room else 0 for room, stride in zip(rooms, strides, strict=True))


@dataclass(frozen=True, slots=True)
class Placed:
    """A walk and a corner as one kernel takes them: the form, the tables, and the parameter words of both."""

    form: str
    tables: tuple[NDArray[np.uint32], ...]
    corner: tuple[int, ...]
    walk: tuple[int, ...]


def place_walk(corner: Corner, lengths: Sequence[int], strides: Sequence[Strides], offsets: Sequence[int]) -> Placed:
    """Plan a walk beside a corner; the corner's components lie in the uniform, or in the table if there is one."""
    pairs, count = corner.pairs, len(corner.rooms)
    walk = plan_walk(lengths, strides, offsets, form=TABLE if count > UNIFORM_COMPONENTS else None)
    if walk.form != TABLE:
        padded = (*pairs, *(0,) * (2 * UNIFORM_COMPONENTS - len(pairs)))
        return Placed(walk.form, (), (*padded, count, corner.step), walk.words)
    components = np.array(pairs, np.int64).astype(np.uint32)
    table = np.concatenate([walk.table, components])
    return Placed(TABLE, (table,), (walk.table.size, count, corner.step), walk.words)
