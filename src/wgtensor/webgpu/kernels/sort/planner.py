"""From a sort or a search, a dtype and a layout to a launch plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wgtensor.errors import UnsupportedError
from wgtensor.tensor import DType, Layout, bool_, float16, float32, int32, uint32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.scan.lines import Lines
from wgtensor.webgpu.kernels.sort.kernels import (
    RUN,
    WORKGROUP,
    merge_kernel,
    runs_kernel,
    search_kernel,
    store_kernel,
)
from wgtensor.webgpu.kernels.structural.fill import add_fill
from wgtensor.webgpu.kernels.tables import join_tables, plan_walk

__all__ = ["ORDERED", "plan_search", "plan_sort"]

ORDERED: Final = (float32, float16, int32, uint32, bool_)
"""Dtypes whose elements have keys."""
_SEARCH_ITERATIONS: Final = 32
_VISITS: Final = 16
"""Plain visits that merging one element is worth."""
_ZERO: Final = bytes(int32.itemsize)


def plan_sort(
    dtype: DType, layout: Layout, axis: int, facts: AdapterFacts, *, descending: bool, positions: bool
) -> LaunchPlan:
    """Plan the stable sort of operand 0 along ``axis`` into the row-major output 0.

    It takes one dispatch that sorts runs of 8, one for each doubling of runs until they are as long as the axis, and
    one that writes the results.

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
        _add_sort(draft, dtype, Lines.of(layout, axis), descending, positions)
    return draft.finish(layout.size * _VISITS * (2 + len(_widths(layout.shape[axis]))))


def _add_sort(draft: Draft, dtype: DType, lines: Lines, descending: bool, positions: bool) -> None:
    size = lines.count * lines.length
    groups = -(-lines.length // RUN)
    (walk,), tables = join_tables([lines.walk])
    offsets = draft.tables(tables)
    pairs = _pairs(draft, size)
    kernel = runs_kernel(dtype, descending, walk.form)
    params: tuple[int, ...] = (lines.count, lines.length, groups, lines.source_stride, *walk.words)
    draft.dispatch(kernel, (OPERAND, *offsets, *pairs), params, _workgroups(lines.count * groups))
    widths = _widths(lines.length)
    spare = _pairs(draft, size) if widths else pairs
    for width in widths:
        params = (lines.count, lines.length, groups, width)
        workgroups = _workgroups(lines.count * groups)
        draft.dispatch(merge_kernel(), (*pairs, *spare), params, workgroups, _SEARCH_ITERATIONS + RUN)
        pairs, spare = spare, pairs
    source = () if positions else (OPERAND,)
    params = (size, lines.length, lines.source_stride, lines.target_stride, *walk.words)
    kernel = store_kernel(not positions, walk.form)
    draft.dispatch(kernel, (*source, *offsets, pairs[1], OUTPUT), params, _workgroups(size))


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


def _widths(length: int) -> Sequence[int]:
    """Return the lengths of the runs that are merged in turn."""
    doublings = (-(-length // RUN) - 1).bit_length()
    return [RUN << doubling for doubling in range(doublings)]


def _pairs(draft: Draft, size: int) -> tuple[Binding, Binding]:
    """Return scratch buffers for keys and positions."""
    return draft.workspace(4 * size), draft.workspace(4 * size)


def _workgroups(invocations: int) -> int:
    return -(-invocations // WORKGROUP)
