"""From a sort or a search, a dtype and a layout to a launch plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from wgtensor.errors import UnsupportedError
from wgtensor.tensor import DType, Layout, bool_, float16, float32, int32, uint32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.scan.lines import Lines
from wgtensor.webgpu.kernels.sort.kernels import (
    MERGED,
    RUN,
    TILE,
    WORKGROUP,
    merge_kernel,
    runs_kernel,
    search_kernel,
    store_kernel,
)
from wgtensor.webgpu.kernels.structural.fill import add_fill
from wgtensor.webgpu.kernels.tables import Walk, join_tables, plan_walk

__all__ = ["ORDERED", "plan_search", "plan_sort"]

ORDERED: Final = (float32, float16, int32, uint32, bool_)
"""Dtypes whose elements have keys."""
_Pairs: TypeAlias = tuple[Binding, Binding]
"""Keys and positions."""
# Upper bounds of loop iterations: of a search among u32 positions, of the team's merges, of one merge.
_SEARCH_ITERATIONS: Final = 32
_TEAM_ITERATIONS: Final = 96
_MERGE_ITERATIONS: Final = _SEARCH_ITERATIONS + MERGED
_VISITS: Final = 16
"""Plain visits that merging one element is worth."""
_ZERO: Final = bytes(int32.itemsize)


def plan_sort(
    dtype: DType, layout: Layout, axis: int, facts: AdapterFacts, *, descending: bool, positions: bool
) -> LaunchPlan:
    """Plan the stable sort of operand 0 along ``axis`` into the row-major output 0.

    It takes one dispatch that sorts runs (of 8 on software adapters, of 2048 at most on others), one for each doubling
    of runs until they are as long as the axis, and one that writes the results.

    Parameters
    ----------
    dtype
        float32, int32 or uint32; for positions float16 and bool too.
    layout
        The operand's layout: any offset and strides.
    axis
        From 0.
    facts
        The adapter's.
    descending
        Whether the greatest comes first. NaN is last either way, and equals keep their order.
    positions
        Whether to write int32 positions on the axis instead of elements.

    Raises
    ------
    UnsupportedError
        There is no kernel for this dtype.

    Examples
    --------
    >>> from wgtensor.tensor import float32
    >>> from wgtensor.webgpu.facts import AdapterClass
    >>> software = AdapterFacts(AdapterClass.SOFTWARE)
    >>> plan = plan_sort(float32, Layout.contiguous((1000, 3)), 0, software, descending=False, positions=True)
    >>> len(plan.steps)
    9
    """
    name = "argsort" if positions else "sort"
    _require_order(name, dtype, packed=positions)
    draft = Draft(name, facts)
    if layout.size:
        sort = _Sort.of(draft, Lines.of(layout, axis))
        sort.add_store(sort.add_merges(*sort.add_runs(dtype, descending)), positions)
    return draft.finish(layout.size * _VISITS * max(layout.shape[axis], 1).bit_length())


def plan_search(dtype: DType, ordered: Layout, values: Layout, facts: AdapterFacts, *, right: bool) -> LaunchPlan:
    """Plan, for each element of operand 1, the number of elements of operand 0 before it, into the int32 output 0.

    Parameters
    ----------
    dtype
        Of both: float32, float16, int32, uint32 or bool.
    ordered
        Of rank 1, ascending, NaN last.
    values
        Any layout; the output is row-major, in one dispatch.
    facts
        The adapter's.
    right
        Whether equals count as before.

    Raises
    ------
    UnsupportedError
        There is no kernel for this dtype.
    """
    _require_order("searchsorted", dtype, packed=True)
    draft = Draft("searchsorted", facts)
    if ordered.size == 0:
        add_fill(draft, int32, values.size, _ZERO)
    elif values.size:
        (walk,), tables = join_tables([plan_walk(values.shape, [values.strides], [values.offset])])
        kernel = search_kernel(dtype, walk.form)
        bindings = (OPERAND, Binding(OPERAND.role, 1), *draft.tables(tables), OUTPUT)
        params = (values.size, ordered.size, ordered.offset, *ordered.strides, right, *walk.words)
        draft.dispatch(kernel, bindings, params, _workgroups(values.size), _SEARCH_ITERATIONS)
    return draft.finish(values.size * ordered.size.bit_length())


def _require_order(name: str, dtype: DType, *, packed: bool) -> None:
    if dtype not in ORDERED or (dtype.itemsize < 4 and not packed):
        raise UnsupportedError(f"{name} has no WebGPU kernel for {dtype}; cast first")


def _workgroups(invocations: int) -> int:
    return -(-invocations // WORKGROUP)


@dataclass(frozen=True, slots=True)
class _Sort:
    """Lines to sort, and the plan that the passes go to."""

    draft: Draft
    lines: Lines
    walk: Walk
    offsets: tuple[Binding, ...]

    @classmethod
    def of(cls, draft: Draft, lines: Lines) -> _Sort:
        """Add the tables of the lines."""
        (walk,), tables = join_tables([lines.walk])
        return cls(draft, lines, walk, draft.tables(tables))

    @property
    def size(self) -> int:
        """Elements."""
        return self.lines.count * self.lines.length

    def add_runs(self, dtype: DType, descending: bool) -> tuple[_Pairs, int]:
        """Add the pass that makes keys and positions, and return its sorted runs and their length."""
        software, lines = self.draft.facts.software, self.lines
        members = -(-lines.length // RUN)
        team = 1 if software else min(1 << (members - 1).bit_length(), WORKGROUP)
        runs, pairs = -(-members // team), self._pairs()
        params = (lines.count, lines.length, runs, team, lines.source_stride, *self.walk.words)
        kernel = runs_kernel(dtype, descending, self.walk.form, not software)
        workgroups = _workgroups(lines.count * runs * team)
        self.draft.dispatch(kernel, (OPERAND, *self.offsets, *pairs), params, workgroups, _TEAM_ITERATIONS)
        return pairs, RUN * team

    def add_merges(self, pairs: _Pairs, width: int) -> _Pairs:
        """Add a pass for each doubling of runs of ``width``, and return whole lines."""
        software, lines = self.draft.facts.software, self.lines
        most, invocations = (MERGED, 1) if software else (TILE, WORKGROUP)
        spare = self._pairs() if width < lines.length else pairs
        while width < lines.length:
            taken = min(2 * width, most)
            groups = -(-lines.length // taken)
            params = (lines.count, lines.length, groups, width, taken)
            workgroups = _workgroups(lines.count * groups * invocations)
            self.draft.dispatch(merge_kernel(software), (*pairs, *spare), params, workgroups, _MERGE_ITERATIONS)
            pairs, spare, width = spare, pairs, 2 * width
        return pairs

    def add_store(self, pairs: _Pairs, positions: bool) -> None:
        """Add the pass that writes elements, or positions."""
        lines, source = self.lines, () if positions else (OPERAND,)
        params = (self.size, lines.length, lines.source_stride, lines.target_stride, *self.walk.words)
        kernel = store_kernel(not positions, self.walk.form)
        self.draft.dispatch(kernel, (*source, *self.offsets, pairs[1], OUTPUT), params, _workgroups(self.size))

    def _pairs(self) -> _Pairs:
        """Return scratch buffers for keys and positions."""
        return self.draft.workspace(4 * self.size), self.draft.workspace(4 * self.size)
