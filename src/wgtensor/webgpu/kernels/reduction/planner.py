"""From a reduction, a dtype and a layout to a launch plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from wgtensor.errors import UnsupportedError, ValidationError
from wgtensor.tensor import DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan, Role
from wgtensor.webgpu.kernels.reduction.combine import COMBINES, Combine
from wgtensor.webgpu.kernels.reduction.kernels import first_kernel, second_kernel
from wgtensor.webgpu.kernels.reduction.problem import CHUNKS, Access, Problem
from wgtensor.webgpu.kernels.reduction.prologue import Prologue
from wgtensor.webgpu.kernels.reduction.strategy import WORKGROUP, Share, plan_join, plan_share
from wgtensor.webgpu.kernels.structural import plan_copy, plan_fill
from wgtensor.webgpu.kernels.tables import join_tables

__all__ = ["plan_reduce", "plan_reduce_window"]

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
    The result depends on layout and adapter class, never on the run. Sums are at most ``(log2 n + 320) eps sum|x|``
    off, products ``n eps`` relative. float16 accumulates in float32. max and min propagate NaN; argmax and argmin take
    the first NaN, else the first of equals.

    Examples
    --------
    >>> from wgtensor.tensor import float32
    >>> from wgtensor.webgpu.facts import AdapterClass
    >>> facts = AdapterFacts(AdapterClass.SOFTWARE)
    >>> len(plan_reduce("sum", float32, Layout.contiguous((64, 65_536)), (1,), facts).steps)
    2
    """
    combine = COMBINES.get((op, dtype))
    if combine is None:
        raise UnsupportedError(f"{op} has no WebGPU kernel for {dtype}; cast first")
    shape = tuple(length for axis, length in enumerate(layout.shape) if axis not in axes)
    results = Layout.contiguous(shape).size
    if results == 0:
        return LaunchPlan(op, ())
    if layout.size == 0:
        return replace(_plan_empty(op, dtype, shape, facts), name=op)
    if layout.size == results and op not in POSITIONS:
        return replace(plan_copy(dtype, layout, facts), name=op)
    return _Reduction.of(op, dtype, Problem.of(layout, axes), facts).plan(facts)


def plan_reduce_window(
    op: str, dtype: DType, layout: Layout, axes: Sequence[int], facts: AdapterFacts, prologue: Prologue
) -> LaunchPlan:
    """Plan a reduction whose operand is a result of a fusion window: the very bits of ``plan_reduce``.

    Parameters
    ----------
    op, dtype, axes, facts
        As in ``plan_reduce``, which knows the operation.
    layout
        The result as it is reduced: every element of the window once, in any order.
    prologue
        The window. Its leaves are the operands; the results that it writes are outputs 1, 2 ...

    Returns
    -------
    LaunchPlan
        No steps if one kernel cannot do both.
    """
    reduction = _Reduction.of(op, dtype, Problem.of(layout, axes), facts, prologue)
    return reduction.plan(facts) if prologue.fits(reduction.access) else LaunchPlan(op, ())


def _plan_empty(op: str, dtype: DType, shape: tuple[int, ...], facts: AdapterFacts) -> LaunchPlan:
    identity = COMBINES[op, dtype].empty
    if identity is None:
        raise ValidationError(f"{op} needs at least one element to reduce, got an axis of length 0")
    return plan_fill(dtype, shape, np.array(identity, dtype.numpy).tobytes(), facts)


@dataclass(frozen=True, slots=True)
class _Reduction:
    """A reduction with elements, how they are read and how the work is shared."""

    op: str
    dtype: DType
    problem: Problem
    access: Access
    share: Share
    prologue: Prologue | None = None

    @classmethod
    def of(
        cls, op: str, dtype: DType, problem: Problem, facts: AdapterFacts, prologue: Prologue | None = None
    ) -> _Reduction:
        """Choose access and shares; a prologue changes neither."""
        lanes = CHUNKS[dtype.itemsize].lanes
        access = problem.access(lanes)
        return cls(op, dtype, problem, access, plan_share(problem, access, lanes, facts), prologue)

    @property
    def combine(self) -> Combine:
        """What is computed."""
        return COMBINES[self.op, self.dtype]

    @property
    def results(self) -> int:
        """Elements of the output."""
        return self.problem.kept.count

    @property
    def part_strides(self) -> tuple[int, int]:
        """Distances of partial results, from one result and from one split to the next: as neighbours write them."""
        return (1, self.results) if self.share.units_first else (self.share.splits, 1)

    def plan(self, facts: AdapterFacts) -> LaunchPlan:
        """Return the first pass and, where results are shared out or smaller than a word, the second."""
        draft = Draft(self.op, facts)
        if self.share.splits == 1 and self.combine.packing == 1:
            self._add_first(draft, OUTPUT)
        else:
            parts = draft.workspace(4 * self.combine.words * self.results * self.share.splits)
            self._add_first(draft, parts)
            self._add_second(draft, parts)
        operations = len(self.prologue.kernel.ops) if self.prologue else 0
        return draft.finish(self.results * self.problem.reduced.count * (1 + operations))

    def _add_first(self, draft: Draft, output: Binding) -> None:
        software, share = draft.facts.software, self.share
        (kept, reduced), tables = join_tables(self.problem.walks(self.access, CHUNKS[self.dtype.itemsize].lanes))
        params = (
            *(share.units, share.steps, self.problem.reduced.count),
            *(share.splits, share.team, share.interleave, share.span, share.block),
            *(share.units_first, output is OUTPUT, *self.part_strides),
            *(*divmod(share.interleave, reduced.inner), *kept.words, *reduced.words),
        )
        window = self.prologue.evaluated(self.access) if self.prologue else None
        draft.dispatch(
            first_kernel(self.op, self.dtype, self.access, reduced.form, software, window),
            (*self._reads(draft), *draft.tables(tables), output, *self._written()),
            (*(self.prologue.words if self.prologue else ()), *params),
            share.workgroups(WORKGROUP[software]),
            share.loop_iterations,
        )

    def _reads(self, draft: Draft) -> tuple[Binding, ...]:
        """Return what is reduced: the operand, or the leaves of the window that computes it, and their table."""
        if self.prologue is None:
            return (OPERAND,)
        leaves = [Binding(Role.OPERAND, leaf) for leaf in range(len(self.prologue.kernel.leaves))]
        table = self.prologue.geometry.table
        return (*leaves, *draft.tables(() if table is None else (table,)))

    def _written(self) -> tuple[Binding, ...]:
        """Return the results of the window that are written beside the reduction's own."""
        count = len(self.prologue.kernel.outputs) if self.prologue else 1
        return tuple(Binding(Role.OUTPUT, number) for number in range(1, count))

    def _add_second(self, draft: Draft, parts: Binding) -> None:
        software, packing = draft.facts.software, self.combine.packing
        words = -(-self.results // packing)
        join = plan_join(words, self.share.splits, draft.facts)
        draft.dispatch(
            second_kernel(self.op, self.dtype, join.team, software),
            (parts, OUTPUT),
            (self.results, words, self.share.splits, *self.part_strides, join.block),
            join.workgroups,
            packing * join.loop_iterations,
        )
