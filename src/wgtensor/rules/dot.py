"""Shape rules of contractions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from wgtensor.errors import ValidationError
from wgtensor.rules.axes import checked_shape, require_axes
from wgtensor.rules.operation import Operation
from wgtensor.tensor import Shape

if TYPE_CHECKING:
    from wgtensor.contract.configs import DotGeneralConfig, GroupedGemmJob

__all__ = ["dot_general", "dot_general_into", "grouped_gemm"]


def dot_general(operation: Operation, shapes: Sequence[Shape], *, config: DotGeneralConfig, **attributes: Any) -> Shape:
    """Batch axes, then free axes of lhs, then free axes of rhs."""
    return _product_shape(operation.name, shapes[0], shapes[1], config)


@lru_cache(maxsize=4096)
def _product_shape(name: str, lhs: Shape, rhs: Shape, config: DotGeneralConfig) -> Shape:
    """Check and infer once per config and shapes: networks repeat them, and the checks cost as much as a launch."""
    _require_roles(name, "lhs", config.lhs_contracting_dims, config.lhs_batch_dims, len(lhs))
    _require_roles(name, "rhs", config.rhs_contracting_dims, config.rhs_batch_dims, len(rhs))
    _require_pairs(name, "contracting", (lhs, config.lhs_contracting_dims), (rhs, config.rhs_contracting_dims))
    _require_pairs(name, "batch", (lhs, config.lhs_batch_dims), (rhs, config.rhs_batch_dims))
    batch = tuple(lhs[axis] for axis in config.lhs_batch_dims)
    lhs_free = _free(lhs, config.lhs_contracting_dims, config.lhs_batch_dims)
    rhs_free = _free(rhs, config.rhs_contracting_dims, config.rhs_batch_dims)
    return checked_shape(name, batch + lhs_free + rhs_free)


def dot_general_into(
    operation: Operation, shapes: Sequence[Shape], *, config: DotGeneralConfig, **attributes: Any
) -> Shape:
    """The destination has the product's shape."""
    product = dot_general(operation, shapes, config=config)
    if shapes[2] != product:
        raise ValidationError(f"{operation.name} needs out of the product's shape {product}, got {shapes[2]}")
    return product


def grouped_gemm(
    operation: Operation, shapes: Sequence[Shape], *, jobs: Sequence[GroupedGemmJob], **attributes: Any
) -> Shape:
    """Three rank-1 tensors; the blocks of every job with a result lie within them; outputs are disjoint."""
    for role, shape in zip(("lhs", "rhs", "out"), shapes, strict=True):
        if len(shape) != 1:
            raise ValidationError(f"grouped_gemm needs rank-1 tensors, got {role} of shape {shape}; reshape it first")
    _require_blocks(*(length for (length,) in shapes), tuple(jobs))
    return shapes[2]


@lru_cache(maxsize=256)
def _require_blocks(lhs: int, rhs: int, out: int, jobs: tuple[GroupedGemmJob, ...]) -> None:
    """Check once per list of jobs: block-sparse tensors repeat them."""
    spans = []
    for number, job in enumerate(jobs):
        m, k, n = job.rows, job.contracted, job.cols
        if min(m, k, n) < 0:
            raise ValidationError(f"grouped_gemm needs sizes of 0 or more, got job {number}: {job}")
        if m * n == 0:
            continue
        _block_span(f"lhs of job {number}", lhs, job.lhs_offset, (m, k), job.lhs_leading)
        _block_span(f"rhs of job {number}", rhs, job.rhs_offset, (k, n), job.rhs_leading)
        spans.append((*_block_span(f"out of job {number}", out, job.out_offset, (m, n), job.out_leading), number))
    _require_disjoint(spans)


def _require_roles(name: str, side: str, contracting: Sequence[int], batch: Sequence[int], rank: int) -> None:
    require_axes(name, f"contracting axes of {side}", contracting, rank)
    require_axes(name, f"batch axes of {side}", batch, rank)
    both = sorted(set(contracting) & set(batch))
    if both:
        raise ValidationError(f"{name} needs each axis of {side} in one role, got {both} as contracting and as batch")


def _require_pairs(name: str, role: str, lhs: tuple[Shape, Sequence[int]], rhs: tuple[Shape, Sequence[int]]) -> None:
    (lhs_shape, lhs_axes), (rhs_shape, rhs_axes) = lhs, rhs
    if len(lhs_axes) != len(rhs_axes):
        raise ValidationError(
            f"{name} needs as many {role} axes of lhs as of rhs, got {tuple(lhs_axes)} and {tuple(rhs_axes)}"
        )
    for left, right in zip(lhs_axes, rhs_axes, strict=True):
        if lhs_shape[left] != rhs_shape[right]:
            raise ValidationError(
                f"{name} needs equal lengths on paired {role} axes, got {lhs_shape[left]} on axis {left} of lhs "
                f"{lhs_shape} and {rhs_shape[right]} on axis {right} of rhs {rhs_shape}"
            )


def _free(shape: Shape, contracting: Sequence[int], batch: Sequence[int]) -> Shape:
    return tuple(length for axis, length in enumerate(shape) if axis not in contracting and axis not in batch)


def _block_span(role: str, length: int, offset: int, block: tuple[int, int], leading: int) -> tuple[int, int]:
    """Return the half-open range of elements from a block's first to its last; an empty block has none."""
    rows, cols = block
    step = leading or cols
    if step < cols:
        raise ValidationError(f"grouped_gemm needs a leading dimension of {cols} or more, got {leading} for {role}")
    if rows * cols == 0:
        return 0, 0
    end = offset + (rows - 1) * step + cols
    if offset < 0 or end > length:
        raise ValidationError(
            f"grouped_gemm needs blocks within 0 to {length}, got elements {offset} to {end} for {role}"
        )
    return offset, end


def _require_disjoint(spans: Sequence[tuple[int, int, int]]) -> None:
    for (_, end, number), (start, _, other) in pairwise(sorted(spans)):
        if start < end:
            raise ValidationError(
                f"grouped_gemm needs disjoint output ranges, got jobs {number} and {other} on element {start}"
            )
