"""What is to be contracted: operand layouts sorted into batch, row, column and depth axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.tensor import DType, Layout, Shape, merge_axes, row_major_strides

__all__ = ["AxisGroup", "Batch", "ContractionProblem", "Groups", "ListedBatch", "Start", "flops", "group_axes"]

Start: TypeAlias = tuple[int, int, int]
"""Where one of many equal products begins in lhs, rhs and out: elements beyond the layouts' offsets."""


@dataclass(frozen=True, slots=True)
class ContractionProblem:
    """``out = alpha * dot_general(lhs, rhs) + beta * out``: all that a plan depends on.

    Attributes
    ----------
    dtype
        float16, float32, int32, uint32 or complex64, of operands and result alike.
    lhs, rhs
        Operand layouts, in elements.
    config
        Which axes are contracted and which are batched.
    out
        Layout of the result, shaped [batch, lhs free, rhs free]; None means a fresh contiguous one.
    lhs_conj, rhs_conj
        Conjugate an operand first; without effect on real dtypes.
    alpha, beta
        With ``beta == 0`` the old result is never used, so an old NaN does not survive.
    starts
        Not empty: one product at each start, instead of one along each batch index; ``config`` then has no batch axes.
    """

    dtype: DType
    lhs: Layout
    rhs: Layout
    config: DotGeneralConfig
    out: Layout | None = None
    lhs_conj: bool = False
    rhs_conj: bool = False
    alpha: complex = 1
    beta: complex = 0
    starts: tuple[Start, ...] = ()

    @property
    def accumulates(self) -> bool:
        """Whether the result is scaled or added to the old one."""
        return self.alpha != 1 or self.beta != 0


@dataclass(frozen=True, slots=True)
class AxisGroup:
    """Axes that play one role, outermost first, with their strides in each tensor that holds them."""

    lengths: Shape
    strides: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Number of index combinations."""
        return math.prod(self.lengths)

    def merged(self) -> AxisGroup:
        """Return the group with axes of length 1 dropped and neighbours merged."""
        return AxisGroup(*merge_axes(self.lengths, self.strides))

    def steps(self, tensor: int) -> tuple[int, ...]:
        """Return the numbers whose multiples, added up, are all offsets of the group in ``tensor``."""
        return self.strides[tensor]

    def swapped(self) -> AxisGroup:
        """Return the group with its first two tensors exchanged."""
        first, second, *others = self.strides
        return AxisGroup(self.lengths, (second, first, *others))

    def restrided(self, tensor: int, step: int) -> AxisGroup:
        """Return the group with row-major strides, ``step`` apart, in ``tensor``."""
        own = tuple(stride * step for stride in row_major_strides(self.lengths))
        return AxisGroup(self.lengths, tuple(own if i == tensor else other for i, other in enumerate(self.strides)))

    def ordered(self, tensor: int) -> AxisGroup:
        """Return the merged group with the strides of ``tensor`` descending."""
        keys = [abs(stride) for stride in self.strides[tensor]]
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
        lengths = tuple(self.lengths[axis] for axis in order)
        strides = tuple(tuple(own[axis] for axis in order) for own in self.strides)
        return AxisGroup(lengths, strides).merged()


@dataclass(frozen=True, slots=True)
class ListedBatch:
    """Batches that lie anywhere: the offsets of each in every tensor."""

    offsets: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Number of batches."""
        return len(self.offsets[0])

    def merged(self) -> ListedBatch:
        """Return the batches: there is nothing to merge."""
        return self

    def steps(self, tensor: int) -> tuple[int, ...]:
        """Return the numbers whose multiples, added up, are all offsets of the batches in ``tensor``."""
        return (math.gcd(*self.offsets[tensor]),)

    def swapped(self) -> ListedBatch:
        """Return the batches with their first two tensors exchanged."""
        first, second, *others = self.offsets
        return ListedBatch((second, first, *others))

    def restrided(self, tensor: int, step: int) -> ListedBatch:
        """Return the batches lying ``step`` apart in ``tensor``."""
        own = tuple(range(0, self.size * step, step))
        return ListedBatch(tuple(own if i == tensor else other for i, other in enumerate(self.offsets)))


Batch: TypeAlias = AxisGroup | ListedBatch
"""What the batch of a contraction may be."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The four roles.

    Strides are those in (lhs, rhs, out) for batch, (lhs, out) for rows, (rhs, out) for columns, (lhs, rhs) for depth.
    """

    batch: Batch
    rows: AxisGroup
    cols: AxisGroup
    depth: AxisGroup


def group_axes(problem: ContractionProblem) -> Groups:
    """Sort the axes of ``problem`` by role."""
    lhs, rhs, config = problem.lhs, problem.rhs, problem.config
    lhs_batch, rhs_batch = tuple(config.lhs_batch_dims), tuple(config.rhs_batch_dims)
    lhs_depth, rhs_depth = tuple(config.lhs_contracting_dims), tuple(config.rhs_contracting_dims)
    lhs_free = tuple(axis for axis in range(lhs.ndim) if axis not in lhs_batch + lhs_depth)
    rhs_free = tuple(axis for axis in range(rhs.ndim) if axis not in rhs_batch + rhs_depth)
    lengths = (*_pick(lhs.shape, lhs_batch + lhs_free), *_pick(rhs.shape, rhs_free))
    strides = (problem.out or Layout.contiguous(lengths)).strides
    first, second = len(lhs_batch), len(lhs_batch) + len(lhs_free)
    batch = AxisGroup(
        _pick(lhs.shape, lhs_batch),
        (_pick(lhs.strides, lhs_batch), _pick(rhs.strides, rhs_batch), strides[:first]),
    )
    return Groups(
        ListedBatch(tuple(zip(*problem.starts, strict=True))) if problem.starts else batch,
        AxisGroup(_pick(lhs.shape, lhs_free), (_pick(lhs.strides, lhs_free), strides[first:second])),
        AxisGroup(_pick(rhs.shape, rhs_free), (_pick(rhs.strides, rhs_free), strides[second:])),
        AxisGroup(_pick(lhs.shape, lhs_depth), (_pick(lhs.strides, lhs_depth), _pick(rhs.strides, rhs_depth))),
    )


def _pick(values: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(values[axis] for axis in axes)


def flops(problem: ContractionProblem) -> int:
    """Return the floating-point operations of ``problem``: 2 per real multiply-add, 8 per complex one.

    Examples
    --------
    >>> from wgtensor.tensor import float32
    >>> square = Layout.contiguous((4, 4))
    >>> flops(ContractionProblem(float32, square, square, DotGeneralConfig((1,), (0,))))
    128
    """
    groups = group_axes(problem)
    products = groups.batch.size * groups.rows.size * groups.cols.size * groups.depth.size
    return products * (8 if problem.dtype.is_complex else 2)
