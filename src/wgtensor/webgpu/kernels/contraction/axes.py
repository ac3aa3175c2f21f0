"""In which order to walk the axes, and how each operand is then loaded.

A contraction may walk the axes of each group in any order and may swap its sides. The orders decide the *loader class*
of each tensor: whether four neighbours along one index are one vector in memory.

- a: ``k`` along depth, ``m`` along rows, ``x`` one by one
- b: ``n`` along columns, ``k`` along depth, ``x`` one by one
- c: ``n`` along columns, ``x`` one by one

The search over orders is what makes transposed copies needless: an arbitrary contraction mostly finds vector loaders
(the idea of GETT, Springer and Bientinesi, arXiv:1607.00145).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from wgtensor.webgpu.kernels.contraction.problem import AxisGroup, Batch, ContractionProblem, Groups, group_axes

__all__ = ["LANES", "Arrangement", "arrange", "into_partial_sums", "packed", "padded"]

LANES: Final = 4
"""Elements that a vector loader takes at once."""

_PENALTY: Final = {"k": 0.2, "m": 0.0, "n": 0.0, "x": 3.0}
"""Cost of a loader class beside the multiply-adds, which count 4; measured on a software and a discrete adapter."""
_STORE_PENALTY: Final = {"n": 0.0, "x": 1.0}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Axis orders, sides and loader classes of a contraction ``c = a b``.

    Attributes
    ----------
    swapped
        Whether a is rhs and b is lhs.
    batch
        Axes with strides in (a, b, c).
    rows, cols, depth
        Axes with strides in (a, c), (b, c) and (a, b).
    bases
        Element offsets of (a, b, c).
    a, b, c
        Loader and store classes.
    """

    swapped: bool
    batch: Batch
    rows: AxisGroup
    cols: AxisGroup
    depth: AxisGroup
    bases: Bases
    a: str
    b: str
    c: str

    @property
    def cost(self) -> float:
        """Relative time by loader classes and by the lanes that idle at the edges."""
        used = self.rows.size * self.cols.size
        tiled = padded(self.rows.size, 2) * padded(self.cols.size, 8 * LANES)
        store = _STORE_PENALTY[self.c if self.b == "n" and self.a != "x" else "x"]
        return tiled / used * (LANES + _PENALTY[self.a] + _PENALTY[self.b] + store)


Axes: TypeAlias = tuple[tuple[int, int], ...]
Bases: TypeAlias = tuple[int, int, int]


def _own(group: AxisGroup, tensor: int) -> Axes:
    """The (length, stride) of each axis of a group in one of its tensors."""
    return tuple(zip(group.lengths, group.strides[tensor], strict=True))


def _vector(axes: Axes, others: Axes, rest: Iterable[int]) -> bool:
    """Whether each aligned run of four along ``axes`` is one aligned vector, wherever the other indices stand."""
    extent, inner = 1, len(axes)
    while inner and extent % LANES and axes[inner - 1][1] == extent:
        inner -= 1
        extent *= axes[inner][0]
    strides = [stride for _, stride in (*axes[:inner], *others)]
    return extent % LANES == 0 and not any(number % LANES for number in (*strides, *rest))


def padded(extent: int, multiple: int) -> int:
    """Return ``extent`` rounded up to a multiple."""
    return -(-extent // multiple) * multiple


def arrange(problem: ContractionProblem) -> Arrangement:
    """Return the cheapest arrangement of a contraction whose extents are all above zero."""
    groups = group_axes(problem)
    out = problem.out.offset if problem.out else 0
    bases = (problem.lhs.offset, problem.rhs.offset, out)
    return min(_candidates(groups, bases), key=lambda candidate: candidate.cost)


def _candidates(groups: Groups, bases: Bases) -> Iterator[Arrangement]:
    batch = groups.batch.merged()
    orders = itertools.product(_orders(groups.rows), _orders(groups.cols), _orders(groups.depth))
    for rows, cols, depth in orders:
        yield _classified(Groups(batch, rows, cols, depth), bases, swapped=False)
        swapped = Groups(batch.swapped(), cols, rows, depth.swapped())
        yield _classified(swapped, (bases[1], bases[0], bases[2]), swapped=True)


def _classified(groups: Groups, bases: Bases, *, swapped: bool) -> Arrangement:
    """Return the arrangement of ``groups`` with its loader classes."""
    batch, rows, cols, depth = groups.batch, groups.rows, groups.cols, groups.depth
    rest = [(*batch.steps(tensor), bases[tensor]) for tensor in range(3)]
    a_depth, a_rows, b_depth, b_cols = _own(depth, 0), _own(rows, 0), _own(depth, 1), _own(cols, 0)
    a = "k" if _vector(a_depth, a_rows, rest[0]) else "m" if _vector(a_rows, a_depth, rest[0]) else "x"
    b = "n" if _vector(b_cols, b_depth, rest[1]) else "k" if _vector(b_depth, b_cols, rest[1]) else "x"
    c = "n" if _vector(_own(cols, 1), _own(rows, 1), rest[2]) else "x"
    return Arrangement(swapped, batch, rows, cols, depth, bases, a, b, c)


def _orders(group: AxisGroup) -> tuple[AxisGroup, ...]:
    """The distinct orders of a group: by the strides of each of its two tensors."""
    return tuple(dict.fromkeys((group.ordered(1), group.ordered(0))))


def packed(plan: Arrangement, side: str) -> Arrangement:
    """Return the arrangement in which ``side`` was copied to [batch, depth, free], free padded to vectors."""
    tensor = "ab".index(side)
    free = plan.rows if side == "a" else plan.cols
    line = padded(free.size, LANES)
    common = replace(
        plan,
        batch=plan.batch.restrided(tensor, line * plan.depth.size),
        depth=plan.depth.restrided(tensor, line).merged(),
        bases=_without(plan.bases, tensor),
    )
    free = free.restrided(0, 1)
    return replace(common, rows=free, a="m") if side == "a" else replace(common, cols=free, b="n")


def into_partial_sums(plan: Arrangement) -> Arrangement:
    """Return the arrangement that writes c as [batch, rows, columns], the columns padded to vectors."""
    line = padded(plan.cols.size, LANES)
    return replace(
        plan,
        batch=plan.batch.restrided(2, line * plan.rows.size),
        rows=plan.rows.restrided(1, line),
        cols=plan.cols.restrided(1, 1),
        bases=_without(plan.bases, 2),
        c="n" if plan.b == "n" and plan.a != "x" else "x",
    )


def _without(bases: Bases, tensor: int) -> Bases:
    a, b, c = (0 if i == tensor else base for i, base in enumerate(bases))
    return a, b, c
