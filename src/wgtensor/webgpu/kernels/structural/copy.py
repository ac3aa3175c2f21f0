"""Copies between layouts: any view into a row-major buffer, or into part of an existing one."""

from __future__ import annotations

from wgtensor.errors import ValidationError
from wgtensor.tensor import Contiguity, DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.structural.kernels import move_kernel, workgroups_for
from wgtensor.webgpu.kernels.structural.transpose import add_transpose
from wgtensor.webgpu.kernels.tables import join_tables, plan_walk
from wgtensor.webgpu.kernels.units import UNITS, Moved, widened

__all__ = ["add_copy", "add_copy_into", "add_gather", "is_plain_copy", "plan_copy", "plan_copy_into"]


def is_plain_copy(dtype: DType, layout: Layout) -> bool:
    """Return whether the elements of ``layout`` lie row-major, without gaps, from a 4-byte boundary on.

    The engine's buffer copy then does what ``plan_copy`` would, without a kernel; its size is rounded up to 4 bytes.
    """
    return layout.contiguity is Contiguity.ROW_MAJOR and layout.offset * dtype.itemsize % 4 == 0


def plan_copy(dtype: DType, source: Layout, facts: AdapterFacts) -> LaunchPlan:
    """Plan the copy of operand 0 into the row-major output 0.

    Parameters
    ----------
    dtype
        Any of the 15; only its size matters, and all bits survive.
    source
        The operand's layout: any offset and strides.
    facts
        The adapter's.
    """
    draft = Draft("copy", facts)
    add_copy(draft, dtype, source)
    return draft.finish(source.size)


def plan_copy_into(dtype: DType, source: Layout, target: Layout, facts: AdapterFacts, operand: int = 0) -> LaunchPlan:
    """Plan the copy of an operand into part of output 0, whose other elements stay as they are.

    Parameters
    ----------
    dtype
        Any of the 15.
    source
        The operand's layout.
    target
        Where it goes in the output: the same shape, any offset and strides, no element twice.
    facts
        The adapter's.
    operand
        The operand's number.

    Raises
    ------
    ValidationError
        Shapes differ, or the target overlaps itself.
    """
    if source.shape != target.shape:
        raise ValidationError(f"copy_into needs equal shapes, got {source.shape} into {target.shape}")
    if target.overlaps_itself():
        raise ValidationError(
            f"copy_into needs a target that holds each element once, got {target}; copy into a contiguous tensor"
        )
    draft = Draft("copy_into", facts)
    add_copy_into(draft, dtype, source, target, Binding(OPERAND.role, operand))
    return draft.finish(source.size)


def add_copy(draft: Draft, dtype: DType, source: Layout) -> None:
    """Add the copy of operand 0 into the row-major output 0; nothing for an empty one."""
    if source.size == 0:
        return
    moved = widened(dtype.itemsize, source.shape, [source.strides], [source.offset])
    if not add_transpose(draft, moved):
        add_gather(draft, moved)


def add_gather(draft: Draft, moved: Moved, band: tuple[int, ...] = ()) -> None:
    """Add the gather of operand 0 into output 0; with ``band``, zeros outside (rows, columns, least, most)."""
    (walk,), tables = join_tables([plan_walk(moved.lengths, moved.strides, moved.offsets)])
    count = Layout.contiguous(moved.lengths).size
    blocks = -(-count // moved.unit.lanes)
    draft.dispatch(
        move_kernel("gather", moved.unit, walk.form, triangle=bool(band)),
        (OPERAND, *draft.tables(tables), OUTPUT),
        (blocks, count - 1, *walk.words, *band),
        workgroups_for(blocks),
    )


def add_copy_into(draft: Draft, dtype: DType, source: Layout, target: Layout, operand: Binding) -> None:
    """Add the copy of ``operand`` into the part ``target`` of output 0; nothing for an empty one."""
    if source.size == 0:
        return
    offsets = (source.offset, target.offset)
    moved = widened(dtype.itemsize, source.shape, (source.strides, target.strides), offsets)
    if moved.unit.packed:
        _add_packed_scatter(draft, moved, operand)
        return
    (walk,), tables = join_tables([plan_walk(moved.lengths, moved.strides, moved.offsets)])
    kernel = move_kernel("scatter", moved.unit, walk.form)
    bindings = (operand, *draft.tables(tables), OUTPUT)
    count = Layout.contiguous(moved.lengths).size
    draft.dispatch(kernel, bindings, (count, *walk.words), workgroups_for(count))


def _add_packed_scatter(draft: Draft, moved: Moved, operand: Binding) -> None:
    """Add the scatter of units that share words: rows of units that are neighbours in the target."""
    lengths, strides, run, step = moved.lengths, moved.strides, 1, 0
    if lengths and strides[1][-1] == 1:
        run, step = lengths[-1], strides[0][-1]
        lengths, strides = lengths[:-1], tuple(axes[:-1] for axes in strides)
    (walk,), tables = join_tables([plan_walk(lengths, strides, moved.offsets)])
    words = 1 if run == 1 else (run - 1) // UNITS[moved.unit.nbytes].lanes + 2
    count = Layout.contiguous(lengths).size * words
    draft.dispatch(
        move_kernel("scatter_packed", moved.unit, walk.form),
        (operand, *draft.tables(tables), OUTPUT),
        (count, words, run, step, *walk.words),
        workgroups_for(count),
    )
