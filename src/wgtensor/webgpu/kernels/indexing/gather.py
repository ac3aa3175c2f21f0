"""Gather: windows of an operand at starts that lie on the device, in one dispatch."""

from __future__ import annotations

from wgtensor.contract.configs import GatherConfig
from wgtensor.tensor import DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.indexing.corners import Corner, StartVectors, interleave, place_walk, steps_of
from wgtensor.webgpu.kernels.indexing.kernels import indexing_kernel
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.structural.copy import add_copy
from wgtensor.webgpu.kernels.structural.kernels import workgroups_for
from wgtensor.webgpu.kernels.units import Moved, widened

__all__ = ["plan_gather"]

STARTS = Binding(OPERAND.role, 1)


def plan_gather(
    dtype: DType, layout: Layout, index: DType, starts: Layout, config: GatherConfig, facts: AdapterFacts
) -> LaunchPlan:
    """Plan ``gather`` of operand 0 at operand 1 into the row-major output 0.

    Parameters
    ----------
    dtype, layout
        The operand's: any of the 15 dtypes, any offset and strides.
    index, starts
        The starts' dtype, any integer one, and layout.
    config
        Dimension numbers, checked by the operation's shape rule.
    facts
        The adapter's.
    """
    vectors = StartVectors.of(starts, config.index_vector_dim)
    kept = [axis for axis in range(layout.ndim) if axis not in config.collapsed_slice_dims]
    still = (0,) * len(kept)
    lengths = interleave(config.offset_dims, [config.slice_sizes[axis] for axis in kept], vectors.shape)
    along = interleave(config.offset_dims, [layout.strides[axis] for axis in kept], (0,) * len(vectors.shape))
    rooms = [layout.shape[axis] - config.slice_sizes[axis] for axis in config.start_index_map]
    steps = steps_of(rooms, [layout.strides[axis] for axis in config.start_index_map])
    draft = Draft("gather", facts)
    windows = Layout(lengths, along, layout.offset)
    if not any(rooms):
        add_copy(draft, dtype, windows)
    elif windows.size:
        counted = interleave(config.offset_dims, still, vectors.strides)
        moved = widened(dtype.itemsize, lengths, [along], [layout.offset], [counted], steps)
        _add_gather(draft, moved, Corner(tuple(rooms), moved.steps, vectors.step), index, vectors.offset)
    return draft.finish(windows.size)


def _add_gather(draft: Draft, moved: Moved, corner: Corner, index: DType, first: int) -> None:
    placed = place_walk(corner, moved.lengths, (*moved.strides, *moved.counted), (*moved.offsets, first))
    unit, count = moved.unit, Layout.contiguous(moved.lengths).size
    blocks = -(-count // unit.lanes)
    draft.dispatch(
        indexing_kernel("gather", placed.form, unit.nbytes, 2, index, unit=unit),
        (OPERAND, STARTS, *draft.tables(placed.tables), OUTPUT),
        (*placed.corner, blocks, count - 1, *placed.walk),
        workgroups_for(blocks),
        unit.lanes * len(corner.rooms),
    )
