"""Scatter: updates meet an operand at starts that lie on the device; the same bits in every run.

With n updates and m elements, every mode takes O(n + m) work, however many updates meet in one element.

- set: the number of the last point per cell by ``atomicMax``, then one gather: 3 dispatches, 4 bytes per cell.
- max, min, integer add: integer atomics on keys: 3 dispatches, 4 bytes per element.
- float add: the largest rank per element, then fixed-point sums: 4 dispatches, 12 bytes per element.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wgtensor.contract.configs import ScatterConfig
from wgtensor.tensor import DType, Layout
from wgtensor.tensor.layout import row_major_strides
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.indexing.combine import COMBINES, Combine
from wgtensor.webgpu.kernels.indexing.corners import Corner, StartVectors, interleave, place_walk, steps_of, window_axes
from wgtensor.webgpu.kernels.indexing.kernels import combine_kernel, indexing_kernel
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.structural.copy import add_copy
from wgtensor.webgpu.kernels.structural.fill import add_zeros
from wgtensor.webgpu.kernels.structural.kernels import workgroups_for
from wgtensor.webgpu.kernels.tables import Strides, join_tables, plan_walk, plan_walks
from wgtensor.webgpu.kernels.units import widened

__all__ = ["plan_scatter"]

STARTS = Binding(OPERAND.role, 1)
UPDATES = Binding(OPERAND.role, 2)


def plan_scatter(
    dtype: DType,
    layout: Layout,
    index: DType,
    starts: Layout,
    updates: Layout,
    config: ScatterConfig,
    facts: AdapterFacts,
) -> LaunchPlan:
    """Plan ``scatter`` of operand 2 into a row-major copy of operand 0, at operand 1, into output 0.

    Parameters
    ----------
    dtype
        Operand's and updates': any of the 15 in mode set, else one with a row in ``COMBINES``.
    layout, updates
        Their layouts.
    index, starts
        The starts' dtype, any integer one, and layout.
    config
        Dimension numbers and mode, checked by the operation's shape rule.
    facts
        The adapter's.
    """
    draft = Draft("scatter", facts)
    if updates.size == 0:
        add_copy(draft, dtype, layout)
    elif config.mode == "set":
        _add_set(draft, dtype, _Scatter.of(layout, index, starts, updates, config))
    else:
        scatter, combine = _Scatter.of(layout, index, starts, updates, config), COMBINES[config.mode, dtype]
        _add_combination(draft, combine, scatter.parts() if dtype.is_complex else scatter)
    return draft.finish(layout.size + updates.size)


@dataclass(frozen=True, slots=True)
class _Scatter:
    """What is scattered where.

    Attributes
    ----------
    layout, updates
        The operand and the updates.
    window
        Per operand axis, the axis of the updates that walks it, or None.
    index, vectors
        Dtype and layout of the start vectors.
    starts
        Their strides, per axis of the updates.
    mapped
        The operand axes of the index components.
    """

    layout: Layout
    updates: Layout
    window: tuple[int | None, ...]
    index: DType
    vectors: StartVectors
    starts: Strides
    mapped: Sequence[int]

    @classmethod
    def of(cls, layout: Layout, index: DType, starts: Layout, updates: Layout, config: ScatterConfig) -> _Scatter:
        """Take a config apart."""
        axes = config.update_window_dims
        vectors = StartVectors.of(starts, config.index_vector_dim)
        window = window_axes(axes, layout.ndim, config.inserted_window_dims)
        still = interleave(axes, (0,) * len(axes), vectors.strides)
        return cls(layout, updates, window, index, vectors, still, config.scatter_dims_to_operand_dims)

    @property
    def rooms(self) -> tuple[int, ...]:
        """Each index component's largest start."""
        return tuple(self.layout.shape[axis] - self.size(axis) for axis in self.mapped)

    @property
    def binding(self) -> Binding:
        """The starts; without index components they are empty, which cannot be bound, and never read."""
        return STARTS if self.mapped else UPDATES

    def size(self, axis: int) -> int:
        """Return the window's length on an operand axis."""
        walker = self.window[axis]
        return 1 if walker is None else self.updates.shape[walker]

    def corner(self, strides: Strides) -> Corner:
        """Return the corner in something with ``strides`` per operand axis."""
        steps = steps_of(self.rooms, [strides[axis] for axis in self.mapped])
        return Corner(self.rooms, steps, self.vectors.step)

    def on_updates(self, strides: Strides) -> Strides:
        """Return strides per axis of the updates, from strides per operand axis."""
        along = dict(zip(self.window, strides, strict=True))
        return tuple(along.get(axis, 0) for axis in range(self.updates.ndim))

    def parts(self) -> _Scatter:
        """Return the scatter of complex numbers as one of their parts, which are one more axis."""
        return replace(
            self,
            layout=_parts(self.layout),
            updates=_parts(self.updates),
            window=(*self.window, self.updates.ndim),
            starts=(*self.starts, 0),
        )


def _parts(layout: Layout) -> Layout:
    return Layout((*layout.shape, 2), (*(2 * stride for stride in layout.strides), 1), 2 * layout.offset)


# Mode set


def _add_set(draft: Draft, dtype: DType, scatter: _Scatter) -> None:
    """Add the zeroing of the winners, the mark and the choice.

    Updates collide only on operand axes that the window does not cover: an element's position there is its *cell*. The
    updates' axes, but for those that walk the covered (free) axes, make a *point*.
    """
    layout, updates = scatter.layout, scatter.updates
    free = [scatter.size(axis) == length for axis, length in enumerate(layout.shape)]
    cell_shape = [1 if is_free else length for is_free, length in zip(free, layout.shape, strict=True)]
    cells = tuple(0 if is_free else stride for is_free, stride in zip(free, row_major_strides(cell_shape), strict=True))
    walkers = [walker for walker, is_free in zip(scatter.window, free, strict=True) if is_free]
    points = [axis for axis in range(updates.ndim) if axis not in walkers]
    winners = draft.workspace(4 * math.prod(cell_shape))
    add_zeros(draft, winners, 4 * math.prod(cell_shape))
    _add_mark(draft, scatter, winners, cells, points)
    free_strides = tuple(
        updates.strides[walker] if is_free and walker is not None else 0
        for is_free, walker in zip(free, scatter.window, strict=True)
    )
    _add_choice(draft, dtype, scatter, winners, (free_strides, cells), points)


def _add_mark(draft: Draft, scatter: _Scatter, winners: Binding, cells: Strides, points: Sequence[int]) -> None:
    lengths = [scatter.updates.shape[axis] for axis in points]
    along = scatter.on_updates(cells)
    strides = [tuple(each[axis] for axis in points) for each in (along, scatter.starts)]
    placed = place_walk(scatter.corner(cells), lengths, strides, (0, scatter.vectors.offset))
    count = math.prod(lengths)
    draft.dispatch(
        indexing_kernel("mark", placed.form, None, 1, scatter.index),
        (scatter.binding, *draft.tables(placed.tables), winners),
        (*placed.corner, count, *placed.walk),
        workgroups_for(count),
        len(scatter.rooms),
    )


def _add_choice(
    draft: Draft,
    dtype: DType,
    scatter: _Scatter,
    winners: Binding,
    strides: tuple[Strides, Strides],
    points: Sequence[int],
) -> None:
    layout, updates, (free, cells) = scatter.layout, scatter.updates, strides
    steps = tuple(updates.strides[axis] for axis in points)
    moved = widened(
        dtype.itemsize, layout.shape, (layout.strides, free), (layout.offset, updates.offset), [cells], steps
    )
    unit, count = moved.unit, Layout.contiguous(moved.lengths).size
    blocks = -(-count // unit.lanes)
    walks, tables = join_tables(
        plan_walks(
            (moved.lengths, (*moved.strides, *moved.counted), (*moved.offsets, 0)),
            ([updates.shape[axis] for axis in points], [moved.steps], (0,)),
        )
    )
    draft.dispatch(
        indexing_kernel("choose", walks[0].form, unit.nbytes, 3, unit=unit),
        (OPERAND, UPDATES, winners, *draft.tables(tables), OUTPUT),
        (blocks, count - 1, *walks[0].words, *walks[1].words),
        workgroups_for(blocks),
    )


# Modes that combine


def _add_combination(draft: Draft, combine: Combine, scatter: _Scatter) -> None:
    """Add the lift of the operand, the updates, and the result."""
    layout, count = scatter.layout, scatter.layout.size
    cells = [draft.workspace(4 * count) for _ in range(3 if combine.sums else 1)]
    # An element meets each start vector's window at most once.
    spare = 39 - (Layout.contiguous(scatter.vectors.shape).size + 1).bit_length()
    (walk,), tables = join_tables([plan_walk(layout.shape, [layout.strides], [layout.offset])])
    source = draft.tables(tables)
    draft.dispatch(
        combine_kernel("lift", walk.form, combine, 1, writes=len(cells)),
        (OPERAND, *source, *cells),
        (count, *walk.words),
        workgroups_for(count),
    )
    _add_updates(draft, "combine", combine, scatter, (cells[:1], ()))
    if combine.sums:
        _add_updates(draft, "accumulate", combine, scatter, (cells[1:], cells[:1]), spare)
    words = -(-count // combine.lanes)
    draft.dispatch(
        combine_kernel("finish", walk.form, combine, 1 + len(cells)),
        (OPERAND, *cells, *source, OUTPUT),
        (words, count - 1, *([spare] if combine.sums else []), *walk.words),
        workgroups_for(words),
    )


def _add_updates(
    draft: Draft,
    template: str,
    combine: Combine,
    scatter: _Scatter,
    buffers: tuple[Sequence[Binding], Sequence[Binding]],
    *params: int,
) -> None:
    """Add the dispatch in which every update meets its cell; ``buffers`` are what it writes, and what it reads."""
    updates, (written, read) = scatter.updates, buffers
    output = row_major_strides(scatter.layout.shape)
    strides = (updates.strides, scatter.on_updates(output), scatter.starts)
    offsets = (updates.offset, 0, scatter.vectors.offset)
    placed = place_walk(scatter.corner(output), updates.shape, strides, offsets)
    draft.dispatch(
        combine_kernel(template, placed.form, combine, 2 + len(read), scatter.index, len(written)),
        (UPDATES, scatter.binding, *read, *draft.tables(placed.tables), *written),
        (*placed.corner, updates.size, *params, *placed.walk),
        workgroups_for(updates.size),
        len(scatter.rooms),
    )
