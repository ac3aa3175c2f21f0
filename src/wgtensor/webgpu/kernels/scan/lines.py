"""A tensor as lines along one axis: where each line lies in an operand, and where its results go."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wgtensor.tensor import Layout
from wgtensor.webgpu.kernels.tables import Walk, plan_walk

__all__ = ["Lines"]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of an operand, and of a row-major result of the same shape.

    Attributes
    ----------
    count, length
        Lines, and elements of each.
    source_stride, target_stride
        Distance of neighbours on a line, in elements, in the operand and in the result.
    walk
        Where each line begins: two operands, source and target.
    across
        Whether neighbouring lines lie closer together than neighbours on a line.
    """

    count: int
    length: int
    source_stride: int
    target_stride: int
    walk: Walk
    across: bool = False

    @classmethod
    def of(cls, layout: Layout, axis: int, reverse: bool = False) -> Lines:
        """Return the lines of a non-empty ``layout`` along ``axis``, from their far ends if ``reverse``."""
        backwards = (axis,) if reverse else ()
        source, target = layout.reverse(backwards), Layout.contiguous(layout.shape).reverse(backwards)
        kept = [each for each in range(layout.ndim) if each != axis]
        shape = [layout.shape[each] for each in kept]
        strides = [tuple(view.strides[each] for each in kept) for view in (source, target)]
        walk = plan_walk(shape, strides, (source.offset, target.offset))
        steps = [abs(stride) for length, stride in zip(shape, strides[0], strict=True) if length > 1]
        across = bool(steps) and steps[-1] < abs(source.strides[axis])
        return cls(math.prod(shape), layout.shape[axis], source.strides[axis], target.strides[axis], walk, across)

    @classmethod
    def plain(cls, count: int, length: int, across: bool = False) -> Lines:
        """Return lines that lie without gaps, one after the other, or element by element if ``across``."""
        line, stride = (1, count) if across else (length, 1)
        walk = plan_walk((count,), ((line,), (line,)), (0, 0))
        return cls(count, length, stride, stride, walk, across)
