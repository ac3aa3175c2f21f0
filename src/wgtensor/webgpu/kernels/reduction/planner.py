"""From a reduction, a dtype and a layout to a launch plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from wgtensor.errors import UnsupportedError, ValidationError
from wgtensor.tensor import DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import Binding, KernelSource, LaunchPlan
from wgtensor.webgpu.kernels.reduction.combine import COMBINES, Combine
from wgtensor.webgpu.kernels.reduction.problem import CHUNKS, Access, Problem
from wgtensor.webgpu.kernels.reduction.strategy import SIZES, Share, finish_team, plan_share, root_block
from wgtensor.webgpu.kernels.structural import plan_copy, plan_fill
from wgtensor.webgpu.kernels.tables import TABLE, join_tables
from wgtensor.webgpu.kernels.templating import render
from wgtensor.webgpu.kernels.units import UNITS

__all__ = ["plan_reduce"]

POSITIONS: Final = ("argmax", "argmin")


def plan_reduce(op: str, dtype: DType, layout: Layout, axes: Sequence[int], facts: AdapterFacts) -> LaunchPlan:
    """Plan the reduction of operand 0 over ``axes`` into the row-major output 0.

    Parameters
    ----------
    op
        ``"sum"``, ``"prod"``, ``"max"``, ``"min"``, ``"any"``, ``"all"``, ``"argmax"`` or ``"argmin"``. Positions
        count the reduced axes in row-major order and are int32.
    dtype
        The operand's: float32, float16, int32 and uint32; complex64 for sum and prod; bool for any, all and positions.
    layout
        The operand's layout: any offset and strides.
    axes
        Distinct axes from 0, in any order.
    facts
        The adapter's.

    Raises
    ------
    UnsupportedError
        There is no kernel for this operation and dtype.
    ValidationError
        There are no elements to take a maximum, minimum or position of.

    Notes
    -----
    The result depends on layout and adapter class, never on the run. Sums: at most ``(log2 n + 256) eps sum|x|`` off,
    products ``n eps`` relative. float16 accumulates in float32. max and min propagate NaN; argmax and argmin take the
    first NaN, else the first of equals.
    """
    combine = COMBINES.get((op, dtype))
    if combine is None:
        raise UnsupportedError(f"{op} has no WebGPU kernel for {dtype}; cast first")
    shape = tuple(length for axis, length in enumerate(layout.shape) if axis not in axes)
    results, reduced = Layout.contiguous(shape).size, [layout.shape[axis] for axis in axes]
    if results == 0:
        return LaunchPlan(op, ())
    if 0 in reduced:
        return _plan_empty(op, dtype, combine, shape, facts)
    if layout.size == results and op not in POSITIONS:
        return plan_copy(dtype, layout, facts)
    draft = Draft(op, facts)
    _add_passes(draft, (op, dtype), combine, Problem.of(layout, axes))
    return draft.finish(layout.size)


def _plan_empty(op: str, dtype: DType, combine: Combine, shape: tuple[int, ...], facts: AdapterFacts) -> LaunchPlan:
    if combine.empty is None:
        raise ValidationError(f"{op} needs at least one element to reduce, got an axis of length 0")
    return plan_fill(dtype, shape, np.array(combine.empty, dtype.numpy).tobytes(), facts)


def _add_passes(draft: Draft, row: tuple[str, DType], combine: Combine, problem: Problem) -> None:
    """Add the first pass and, where results are shared out or packed, the second."""
    lanes = CHUNKS[row[1].itemsize].lanes
    access = problem.access(lanes)
    share = plan_share(problem, access, lanes, draft.facts)
    results = problem.kept.count
    whole = share.splits == 1 and combine.packing == 1
    strides = (1, results) if share.units_first else (share.splits, 1)
    output = OUTPUT if whole else draft.workspace(4 * combine.words * results * share.splits)
    walks, tables = join_tables(problem.walks(access, lanes))
    reduced = walks[1]
    params = (share.units, share.steps, problem.reduced.count, share.splits, share.team, share.interleave, share.span,
              share.block, share.units_first, whole, *strides, *divmod(share.interleave, reduced.inner),
              *walks[0].words, *reduced.words)  # fmt: skip
    draft.dispatch(
        _first_kernel(row, access, reduced.form, draft.facts),
        (OPERAND, *draft.tables(tables), output),
        params,
        share.workgroups(SIZES[draft.facts.software]),
        share.loop_iterations,
    )
    if not whole:
        _add_finish(draft, row, combine, output, (results, share, strides))


def _add_finish(
    draft: Draft, row: tuple[str, DType], combine: Combine, parts: Binding, shared: tuple[int, Share, tuple[int, int]]
) -> None:
    results, share, strides = shared
    groups = -(-results // combine.packing)
    team = finish_team(results, share.splits, draft.facts)
    size = SIZES[draft.facts.software]
    turns = -(-share.splits // size) if team else share.splits
    block = root_block(turns)
    draft.dispatch(
        _second_kernel(row, team, size),
        (parts, OUTPUT),
        (results, groups, share.splits, *strides, block),
        groups if team else -(-groups // size),
        combine.packing * (turns + 2 * -(-turns // block) + size.bit_length()),
    )


def _first_kernel(row: tuple[str, DType], access: Access, form: str, facts: AdapterFacts) -> KernelSource:
    unit, chunk, software = UNITS[row[1].itemsize], CHUNKS[row[1].itemsize], facts.software
    reads = 2 if form == TABLE else 1
    return KernelSource(
        ("reduction", "reduce", row[0], row[1].name, access.value, form, software),
        lambda: render(
            "reduction/reduce.wgsl",
            combine=COMBINES[row],
            access=access.value,
            form=form,
            reads=reads,
            unit=unit,
            chunk=chunk,
            lanes=chunk.lanes,
            team=not software and access is not Access.COLUMNS,
            size=SIZES[software],
        ),
        reads,
    )


def _second_kernel(row: tuple[str, DType], team: bool, size: int) -> KernelSource:
    return KernelSource(
        ("reduction", "finish", row[0], row[1].name, team, size),
        lambda: render("reduction/finish.wgsl", combine=COMBINES[row], team=team, size=size),
    )
