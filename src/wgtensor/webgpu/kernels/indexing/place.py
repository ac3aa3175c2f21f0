"""Dynamic update slice: a copy, then one window written where a start vector says."""

from __future__ import annotations

from wgtensor.tensor import DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.indexing.corners import Corner, place_walk, steps_of
from wgtensor.webgpu.kernels.indexing.kernels import indexing_kernel
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.structural.copy import add_copy, add_copy_into
from wgtensor.webgpu.kernels.structural.kernels import workgroups_for
from wgtensor.webgpu.kernels.units import widened

__all__ = ["plan_dynamic_update_slice"]

UPDATE = Binding(OPERAND.role, 1)
STARTS = Binding(OPERAND.role, 2)


def plan_dynamic_update_slice(
    dtype: DType, layout: Layout, update: Layout, index: DType, starts: Layout, facts: AdapterFacts
) -> LaunchPlan:
    """Plan output 0 as a row-major copy of operand 0 with operand 1 written at operand 2.

    Parameters
    ----------
    dtype
        Operand's and update's: any of the 15.
    layout, update
        Their layouts.
    index, starts
        Dtype and layout of the start vector, one start per axis.
    facts
        The adapter's.
    """
    output = Layout.contiguous(layout.shape)
    rooms = tuple(length - size for length, size in zip(layout.shape, update.shape, strict=True))
    draft = Draft("dynamic_update_slice", facts)
    add_copy(draft, dtype, layout)
    if any(rooms):
        _add_place(draft, dtype, update, (rooms, output.strides), index, starts)
    else:
        add_copy_into(draft, dtype, update, output, UPDATE)
    return draft.finish(layout.size + update.size)


def _add_place(
    draft: Draft,
    dtype: DType,
    update: Layout,
    target: tuple[tuple[int, ...], tuple[int, ...]],
    index: DType,
    starts: Layout,
) -> None:
    """Add the write of the window; nothing for an empty one. ``target`` holds the rooms and strides of the output."""
    if update.size == 0:
        return
    rooms, strides = target
    steps = steps_of(rooms, strides)
    moved = widened(dtype.itemsize, update.shape, [update.strides, strides], [update.offset, 0], steps=steps)
    corner = Corner(rooms, moved.steps, starts.strides[0])
    placed = place_walk(corner, moved.lengths, moved.strides, moved.offsets)
    count = Layout.contiguous(moved.lengths).size
    draft.dispatch(
        indexing_kernel("place", placed.form, moved.unit.nbytes, 2, index, unit=moved.unit),
        (UPDATE, STARTS, *draft.tables(placed.tables), OUTPUT),
        (*placed.corner, count, starts.offset, *placed.walk),
        workgroups_for(count),
        len(rooms),
    )
