"""Contractions in plain NumPy: a plan turns each into one batched matrix product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract import DotGeneralAccumulation, DotGeneralConfig, GroupedGemmJob
from wgtensor.cpu.reduction import accumulator
from wgtensor.tensor import Shape

__all__ = [
    "MatmulPlan",
    "axpby",
    "dot_general",
    "dot_general_into_accum",
    "grouped_gemm",
    "matmul_plan",
    "norm_squared",
    "vdot",
]


@dataclass(frozen=True, slots=True)
class MatmulPlan:
    """How ``dot_general`` becomes ``matmul``: permutations, matrix shapes, and the result's shape."""

    lhs_permutation: tuple[int, ...]
    rhs_permutation: tuple[int, ...]
    lhs_matrix: tuple[int, int, int]
    rhs_matrix: tuple[int, int, int]
    shape: Shape


def matmul_plan(config: DotGeneralConfig, lhs: Shape, rhs: Shape) -> MatmulPlan:
    """Plan the checked contraction of operands of shapes ``lhs`` and ``rhs``."""
    lhs_free = _free(len(lhs), config.lhs_contracting_dims, config.lhs_batch_dims)
    rhs_free = _free(len(rhs), config.rhs_contracting_dims, config.rhs_batch_dims)
    batch = tuple(lhs[axis] for axis in config.lhs_batch_dims)
    rows = tuple(lhs[axis] for axis in lhs_free)
    cols = tuple(rhs[axis] for axis in rhs_free)
    count = math.prod(batch)
    contracted = math.prod(lhs[axis] for axis in config.lhs_contracting_dims)
    return MatmulPlan(
        (*config.lhs_batch_dims, *lhs_free, *config.lhs_contracting_dims),
        (*config.rhs_batch_dims, *config.rhs_contracting_dims, *rhs_free),
        (count, math.prod(rows), contracted),
        (count, contracted, math.prod(cols)),
        batch + rows + cols,
    )


def _free(rank: int, contracting: Sequence[int], batch: Sequence[int]) -> list[int]:
    return [axis for axis in range(rank) if axis not in contracting and axis not in batch]


def _product(lhs: NDArray[Any], rhs: NDArray[Any], plan: MatmulPlan, lhs_conj: bool, rhs_conj: bool) -> NDArray[Any]:
    """Return the contraction in the accumulator's dtype."""
    wide = accumulator(lhs.dtype)
    left = lhs.transpose(plan.lhs_permutation).reshape(plan.lhs_matrix).astype(wide, copy=False)
    right = rhs.transpose(plan.rhs_permutation).reshape(plan.rhs_matrix).astype(wide, copy=False)
    product: NDArray[Any] = np.matmul(left.conj() if lhs_conj else left, right.conj() if rhs_conj else right)
    return product.reshape(plan.shape)


def _accumulate(product: NDArray[Any], out: NDArray[Any], accumulation: DotGeneralAccumulation) -> NDArray[Any]:
    """Return ``alpha * product + beta * out``; ``out`` is not read where beta is 0."""
    alpha, beta = accumulation.alpha, accumulation.beta
    result = product if alpha == 1 else np.asarray(product.dtype.type(alpha) * product)
    if beta == 0:
        return result
    return np.asarray(result + product.dtype.type(beta) * out.astype(product.dtype, copy=False))


def dot_general(
    lhs: NDArray[Any], rhs: NDArray[Any], *, plan: MatmulPlan, lhs_conj: bool, rhs_conj: bool
) -> NDArray[Any]:
    """Return the contraction, axes ordered batch, lhs free, rhs free."""
    return _product(lhs, rhs, plan, lhs_conj, rhs_conj).astype(lhs.dtype, copy=False)


def dot_general_into_accum(
    lhs: NDArray[Any], rhs: NDArray[Any], out: NDArray[Any], *, plan: MatmulPlan, accumulation: DotGeneralAccumulation
) -> NDArray[Any]:
    """Set ``out`` to ``alpha * dot + beta * out``."""
    product = _product(lhs, rhs, plan, accumulation.lhs_conj, accumulation.rhs_conj)
    out[...] = _accumulate(product, out, accumulation)
    return out


def _block(flat: NDArray[Any], offset: int, shape: tuple[int, int], leading: int) -> NDArray[Any]:
    """Return the view of a row-major block inside a rank-1 tensor of any stride."""
    (step,) = flat.strides
    return np.lib.stride_tricks.as_strided(flat[offset:], shape, ((leading or shape[1]) * step, step))


def grouped_gemm(
    lhs: NDArray[Any],
    rhs: NDArray[Any],
    out: NDArray[Any],
    *,
    jobs: Sequence[GroupedGemmJob],
    accumulation: DotGeneralAccumulation,
) -> NDArray[Any]:
    """Run each job's product between blocks of ``lhs``, ``rhs`` and ``out``."""
    wide = accumulator(lhs.dtype)
    for job in jobs:
        m, k, n = job.rows, job.contracted, job.cols
        if m * n == 0:
            continue
        left = np.zeros((m, 0), wide) if k == 0 else _block(lhs, job.lhs_offset, (m, k), job.lhs_leading)
        right = np.zeros((0, n), wide) if k == 0 else _block(rhs, job.rhs_offset, (k, n), job.rhs_leading)
        left = left.conj() if accumulation.lhs_conj else left
        right = right.conj() if accumulation.rhs_conj else right
        target = _block(out, job.out_offset, (m, n), job.out_leading)
        target[...] = _accumulate(np.matmul(left.astype(wide), right.astype(wide)), target, accumulation)
    return out


def vdot(lhs: NDArray[Any], rhs: NDArray[Any]) -> NDArray[Any]:
    """Return ``sum(conj(lhs) * rhs)``."""
    wide = accumulator(lhs.dtype)
    return np.asarray(np.add.reduce((lhs.astype(wide).conj() * rhs.astype(wide)).reshape(-1)), lhs.dtype)


def norm_squared(x: NDArray[Any]) -> NDArray[Any]:
    """Return ``sum(abs(x)**2)``, real."""
    wide = x.astype(accumulator(x.dtype))
    squares = wide.real**2 + wide.imag**2 if wide.dtype.kind == "c" else wide**2
    return np.asarray(np.add.reduce(squares.reshape(-1)), x.real.dtype)


def axpby(x: NDArray[Any], y: NDArray[Any], *, alpha: complex, beta: complex) -> NDArray[Any]:
    """Return ``alpha * x + beta * y``; ``y`` is not read where beta is 0."""
    wide = x.astype(accumulator(x.dtype))
    accumulation = DotGeneralAccumulation(alpha=alpha, beta=beta)
    return np.asarray(_accumulate(wide, y, accumulation)).astype(x.dtype)
