"""Products beside dot_general in a session: their dispatches, and long sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from webgpu.harness import down, up

from wgtensor.contract import DotGeneralAccumulation, GroupedGemmJob
from wgtensor.errors import UnsupportedError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend

REAL, HALF, COMPLEX = (np.ones((6, 8), dtype) for dtype in (np.float32, np.float16, np.complex64))
LONG = np.ones(1 << 20, np.float32)
OUTER = (6, 8, 6, 8)

CASES: dict[str, tuple[NDArray[Any], Callable[[Any, Tensor], Tensor], int]] = {
    "axpby": (REAL, lambda s, x: s.axpby(2, x, 3, s.transpose(s.reshape(x, (8, 6)), (1, 0))), 1),
    "axpby of a pending operand": (REAL, lambda s, x: s.axpby(2, s.exp(x), 3, x), 1),
    "axpby of float16, wider in between": (HALF, lambda s, x: s.axpby(2, x, 3, x), 1),
    "axpby that copies, without a kernel": (REAL, lambda s, x: s.axpby(1, x, 0, x), 0),
    "broadcast multiply": (REAL, lambda s, x: s.execute_broadcast_multiply(x, OUTER, (0, 1), x, OUTER, (2, 3)), 1),
    "vdot": (REAL, lambda s, x: s.vdot(x, x), 1),
    "vdot of float16, and the rounding": (HALF, lambda s, x: s.vdot(x, x), 2),
    "vdot of complex64: products, then their sum": (COMPLEX, lambda s, x: s.vdot(x, x), 2),
    "vdot of a pending operand": (REAL, lambda s, x: s.vdot(s.exp(x), x), 1),
    "vdot of many": (LONG, lambda s, x: s.vdot(x, x), 2),
    "norm_squared": (REAL, lambda s, x: s.norm_squared(x), 1),
    "norm_squared of complex64": (COMPLEX, lambda s, x: s.norm_squared(x), 1),
    "norm_squared of many": (LONG, lambda s, x: s.norm_squared(x), 2),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_dispatches(native: WebGpuBackend, case: str) -> None:
    array, call, dispatches = CASES[case]
    x = up(native, array)
    if array.dtype == np.float16 and not native.runtime.facts.float16:
        with native.session() as s, pytest.raises(UnsupportedError, match="which lacks shader-f16"):
            call(s, x)
        return
    before = native.runtime.counters.dispatches
    with native.session() as s:
        result = call(s, x)
    assert native.runtime.counters.dispatches - before == dispatches
    assert down(native, result).shape == result.shape


def blocks(rng: np.random.Generator, sizes: list[tuple[int, int, int]]) -> list[GroupedGemmJob]:
    """Return jobs of ``sizes`` whose operands lie anywhere in 4096 elements, and whose results follow each other."""
    jobs, at = [], 0
    for m, k, n in sizes:
        jobs.append(GroupedGemmJob(at, int(rng.integers(4096 - m * k)), int(rng.integers(4096 - k * n)), m, k, n))
        at += m * n
    return jobs


def test_jobs_of_equal_sizes_are_one_dispatch_wherever_they_lie(
    native: WebGpuBackend, rng: np.random.Generator
) -> None:
    sizes = [(4, 5, 6), (3, 3, 3), (0, 2, 4), (8, 2, 1)]
    lhs, rhs = (up(native, rng.standard_normal(4096, np.float32)) for _ in range(2))
    compiled = []
    for _ in range(2):
        jobs = blocks(rng, [sizes[int(i)] for i in rng.integers(4, size=300)])
        out = up(native, np.full(300 * 24, np.nan, np.float32))
        counters = native.runtime.counters
        before, kernels = counters.dispatches, counters.pipelines_compiled
        with native.session() as s:
            s.grouped_gemm(lhs, rhs, jobs, DotGeneralAccumulation(), out)
        counters = native.runtime.counters
        assert counters.dispatches - before == 3
        compiled.append(counters.pipelines_compiled - kernels)
        last = jobs[-1]
        assert np.isfinite(down(native, out)[: last.out_offset + last.rows * last.cols]).all()
    assert compiled[1] == 0


def test_long_sums_of_products(native: WebGpuBackend, rng: np.random.Generator) -> None:
    """Sums are tree-shaped, so 2^22 products stay far within one rounding per product."""
    x, y = (rng.standard_normal(1 << 22, np.float32) for _ in range(2))
    left, right = up(native, x), up(native, y)
    with native.session() as s:
        product, norm = s.vdot(left, right), s.norm_squared(left)
    wide = x.astype(np.float64)
    assert abs(down(native, product) - np.dot(wide, y)) <= 400 * 2.0**-24 * np.dot(np.abs(wide), np.abs(y))
    assert abs(down(native, norm) - np.dot(wide, wide)) <= 400 * 2.0**-24 * np.dot(wide, wide)
