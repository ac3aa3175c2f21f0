"""Grouped products, scalar products and linear combinations against the same in wider or exact arithmetic."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from contract.harness import HALF_ULPS, LAYOUTS, Bench, compare, dtypes_of_kind, f32, values, wide
from numpy.typing import NDArray

from wgtensor.contract import DotGeneralAccumulation, GroupedGemmJob, SliceConfig
from wgtensor.tensor import Tensor


def block(offset: int, rows: int, cols: int, leading: int) -> NDArray[Any]:
    """Return the positions of a block's elements."""
    return np.asarray(offset + (leading or cols) * np.arange(rows)[:, None] + np.arange(cols))


def grouped(
    lhs: NDArray[Any], rhs: NDArray[Any], out: NDArray[Any], jobs: list[GroupedGemmJob], how: DotGeneralAccumulation
) -> NDArray[Any]:
    """Job by job, in the operands' own arithmetic: tests keep to small integers, which are exact in every dtype."""
    result = out.copy()
    for job in jobs:
        m, k, n = job.rows, job.contracted, job.cols
        if m * n == 0:
            continue
        left = lhs[block(job.lhs_offset, m, k, job.lhs_leading)] if k else np.zeros((m, k), lhs.dtype)
        right = rhs[block(job.rhs_offset, k, n, job.rhs_leading)] if k else np.zeros((k, n), rhs.dtype)
        product = (left.conj() if how.lhs_conj else left) @ (right.conj() if how.rhs_conj else right)
        place = block(job.out_offset, m, n, job.out_leading)
        result[place] = how.alpha * product + (how.beta * out[place] if how.beta else 0)
    return result


def small(dtype: str, length: int, seed: int) -> NDArray[Any]:
    """Return integers from -4 to 4 (0 to 4), with such an imaginary part where there is one."""
    rng = np.random.default_rng(seed)
    low = 0 if dtype.startswith("u") else -4
    values = rng.integers(low, 5, length).astype(dtype)
    return values + (1j * rng.integers(low, 5, length)).astype(dtype) if np.dtype(dtype).kind == "c" else values


JOBS = [
    GroupedGemmJob(0, 0, 0, 2, 3, 4),
    GroupedGemmJob(8, 1, 5, 1, 2, 3),
    GroupedGemmJob(11, 0, 0, 2, 0, 2),
    GroupedGemmJob(99, 99, 99, 0, 5, 5),
    GroupedGemmJob(20, 2, 3, 3, 2, 2, out_leading=4, lhs_leading=5, rhs_leading=6),
    GroupedGemmJob(15, 10, 7, 1, 3, 2),
    GroupedGemmJob(30, 8, 2, 2, 3, 4),
    GroupedGemmJob(40, 10**30, -7, 1, 0, 2),
]


@pytest.mark.parametrize("layout", ["plain", "reversed", "strided"])
@pytest.mark.parametrize(
    "how",
    [
        DotGeneralAccumulation(),
        DotGeneralAccumulation(beta=2),
        DotGeneralAccumulation(3, 1, True, False),
        DotGeneralAccumulation(2, 0, True, True),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "float16", "int32", "uint32"])
def test_grouped_gemm(bench: Bench, dtype: str, how: DotGeneralAccumulation, layout: str) -> None:
    lhs, rhs, out = small(dtype, 20, 1), small(dtype, 20, 2), small(dtype, 45, 3)
    target = bench.up(out, layout)

    def run() -> Tensor:
        return bench.session.grouped_gemm(bench.up(lhs, layout), bench.up(rhs, layout), JOBS, how, target)

    if bench.refuses("grouped_gemm", dtype, run):
        return
    assert run() is target
    np.testing.assert_array_equal(bench.down(target), grouped(lhs, rhs, out, JOBS, how))


GROUPS = {
    # (rows, contracted, cols), jobs, alignment of the offsets, what the sizes are for
    "small, anywhere": ((3, 2, 5), 50, 1),
    "vectors": ((4, 8, 12), 20, 4),
    "vectors at odd places": ((4, 8, 12), 20, 1),
    "copied first": ((129, 6, 131), 2, 1),
    "deep, in parts": ((2, 5001, 3), 3, 1),
    "more than a table of one level": ((1, 2, 1), 9001, 1),
}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_grouped_gemm_of_many_equal_jobs(bench: Bench, dtype: str, group: str) -> None:
    (m, k, n), count, unit = GROUPS[group]
    rng = np.random.default_rng(5)
    spaced = rng.permutation(count) * -(-(m * n + 1) // unit) * unit
    starts = (rng.integers(0, 40 // unit, (2, count)) * unit).tolist()
    jobs = [GroupedGemmJob(c, a, b, m, k, n) for c, a, b in zip(spaced.tolist(), *starts, strict=True)]
    lhs, rhs, out = small(dtype, m * k + 40, 1), small(dtype, k * n + 40, 2), small(dtype, int(max(spaced)) + m * n, 3)
    how, target = DotGeneralAccumulation(beta=3), bench.up(out)
    bench.session.grouped_gemm(bench.up(lhs), bench.up(rhs), jobs, how, target)
    np.testing.assert_array_equal(bench.down(target), grouped(lhs, rhs, out, jobs, how))


def test_grouped_gemm_of_random_jobs_in_one_storage(bench: Bench) -> None:
    """Operands and destination are ranges of one buffer, so a device that may not do that has to copy."""
    rng = np.random.default_rng(6)
    whole = small("float32", 600, 7)
    jobs, at = [], 0
    while at < 150:
        m, k, n = (int(length) for length in rng.integers(0, 5, 3))
        lhs_at, rhs_at = (int(start) for start in rng.integers(0, 180, 2))
        jobs.append(GroupedGemmJob(at, lhs_at, rhs_at, m, k, n, out_leading=n + 1, lhs_leading=k + 2))
        at += m * (n + 1)
    storage = bench.up(whole)
    lhs, rhs, out = (bench.session.slice(storage, SliceConfig([i], [i + 200])) for i in (0, 400, 200))
    bench.session.grouped_gemm(lhs, rhs, jobs, DotGeneralAccumulation(beta=-1), out)
    expected = whole.copy()
    expected[200:400] = grouped(whole[:200], whole[400:], whole[200:400], jobs, DotGeneralAccumulation(beta=-1))
    np.testing.assert_array_equal(bench.down(storage), expected)


def test_grouped_gemm_without_products(bench: Bench) -> None:
    nothing, old = bench.up(np.zeros(0, np.float32)), f32([1, np.nan, 3, 4])
    out = bench.up(old)
    bench.session.grouped_gemm(nothing, nothing, [], DotGeneralAccumulation(), out)
    np.testing.assert_array_equal(bench.down(out), old)
    jobs = [GroupedGemmJob(0, 0, 0, 1, 0, 2), GroupedGemmJob(2, 0, 0, 0, 3, 4)]
    bench.session.grouped_gemm(nothing, nothing, jobs, DotGeneralAccumulation(beta=2), out)
    np.testing.assert_array_equal(bench.down(out), [2, np.nan, 3, 4])
    bench.session.grouped_gemm(nothing, nothing, jobs, DotGeneralAccumulation(), out)
    np.testing.assert_array_equal(bench.down(out), [0, 0, 3, 4])


def test_grouped_gemm_sees_what_was_computed_before_and_changes_nothing_that_was(bench: Bench) -> None:
    s, x = bench.session, bench.up(f32([1, 2, 3, 4]))
    out = bench.up(f32([10, 20, 30, 40]))
    before = s.mul(out, 2)
    s.grouped_gemm(s.add(x, x), x, [GroupedGemmJob(1, 0, 2, 1, 2, 1)], DotGeneralAccumulation(beta=1), out)
    np.testing.assert_array_equal(bench.down(s.add(out, 1)), [11, 2 * (1 * 3 + 2 * 4) + 21, 31, 41])
    np.testing.assert_array_equal(bench.down(before), [20, 40, 60, 80])


REDUCED = [(6, 7), (), (1,), (1, 1, 1), (0,), (3, 0, 2), (5000,), (2, 3, 1, 4, 5)]


@pytest.mark.parametrize("shape", REDUCED, ids=str)
@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
def test_vdot_and_norm_squared(bench: Bench, dtype: str, shape: tuple[int, ...]) -> None:
    x, y = values(dtype, shape, 1, special=False), values(dtype, shape, 2, special=False)
    roundings = (x.size + 2) * HALF_ULPS[dtype]
    products, squares = wide(x).conj() * wide(y), np.abs(wide(x)) ** 2
    for layout in LAYOUTS:
        atol = roundings * float(np.sum(np.abs(products)))
        bench.check("vdot", x, y, expected=np.sum(products), atol=atol, layout=layout)
        norm = bench.run("norm_squared", x, layout=layout)
        if norm is not None:
            assert norm.dtype == x.real.dtype
            compare(norm, np.sum(squares), atol=roundings * float(np.sum(squares)))


def test_sums_of_products_of_float16_are_rounded_once(bench: Bench) -> None:
    big, tiny = np.array([300, 300], np.float16), np.full(2000, 1e-3, np.float16)
    bench.check("vdot", big, big * np.array([1, -1], np.float16), expected=np.float64(0), atol=0)
    bench.check("norm_squared", tiny, expected=np.sum(wide(tiny) ** 2), ulps=1)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_products_of_operands_that_are_not_stored_yet(bench: Bench, dtype: str) -> None:
    s, x, y = bench.session, small(dtype, 24, 1).reshape(4, 6), small(dtype, 24, 2).reshape(4, 6)
    first, second = s.add(bench.up(x), 1), s.transpose(s.mul(bench.up(y), 2), (1, 0))
    np.testing.assert_array_equal(bench.down(s.vdot(s.transpose(first, (1, 0)), second)), np.vdot(x + 1, 2 * y))
    np.testing.assert_array_equal(bench.down(s.norm_squared(second)), 4 * np.vdot(y, y).real)
    np.testing.assert_array_equal(bench.down(s.axpby(2, first, 3, first)), 5 * (x + 1))


def test_norm_squared_of_infinities_and_nan(bench: Bench) -> None:
    for parts, expected in (([1, complex(0, np.inf)], np.inf), ([1, complex(np.nan, np.inf)], np.nan)):
        bench.check("norm_squared", np.array(parts, np.complex64), expected=np.float32(expected))
    bench.check("norm_squared", f32([1e30, 1]), expected=np.float32(np.inf))
    bench.check("vdot", f32([np.inf, 1]), f32([0, 1]), expected=np.float32(np.nan))


FACTORS: dict[str, list[tuple[complex, complex]]] = {
    "f": [(2, -3), (1, 1), (0, 1), (1, 0), (0, 0), (0.1, -1e-3), (True, 2.5)],
    "c": [(2, -3), (1, 1), (0, 1), (1, 0), (0, 0), (1j, 0.25 - 2j)],
}


@pytest.mark.parametrize("shape", [(6, 7), (), (3, 0)], ids=str)
@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
def test_axpby(bench: Bench, dtype: str, shape: tuple[int, ...]) -> None:
    x, y = values(dtype, shape, 1, special=False), values(dtype, shape, 2, special=False)
    for (alpha, beta), layout in zip(FACTORS[np.dtype(dtype).kind], itertools.cycle(LAYOUTS)):
        atol = 8 * HALF_ULPS[dtype] * (abs(alpha) * np.abs(wide(x)) + abs(beta) * np.abs(wide(y)))
        expected = alpha * wide(x) + beta * wide(y)
        actual = bench.run(
            "axpby", x, y, layout=layout, call=lambda x, y, a=alpha, b=beta: bench.session.axpby(a, x, b, y)
        )
        if actual is not None:
            assert actual.dtype == x.dtype
            compare(actual, expected, atol=atol)


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_axpby_of_integers_wraps(bench: Bench, dtype: str) -> None:
    x, y = values(dtype, (50,), 1), values(dtype, (50,), 2)
    exact = 7 * x.astype(object) + 1000 * y.astype(object)
    result = bench.session.axpby(7, bench.up(x), 1000, bench.up(y, "reversed"))
    np.testing.assert_array_equal(bench.down(result).view(np.uint32), (exact % (1 << 32)).astype(np.uint32))


def test_axpby_reads_y_only_for_a_beta(bench: Bench) -> None:
    s, x, old = bench.session, bench.up(f32([1, np.inf, np.nan])), bench.up(f32([np.nan, np.inf, 0]))
    cases: list[tuple[float, float, list[float]]] = [
        (2, 0, [2, np.inf, np.nan]),
        (1, -0.0, [1, np.inf, np.nan]),
        (0, 0, [0, np.nan, np.nan]),
        (1, 1, [np.nan, np.inf, np.nan]),
        (1, -1, [np.nan, np.nan, np.nan]),
        (np.nan, 0, [np.nan, np.nan, np.nan]),
        (1, np.inf, [np.nan, np.inf, np.nan]),
    ]
    for alpha, beta, expected in cases:
        np.testing.assert_array_equal(bench.down(s.axpby(alpha, x, beta, old)), expected)


def test_axpby_of_float16_is_rounded_once(bench: Bench) -> None:
    x, y = np.array([1e-3, 2], np.float16), np.array([1, -60000], np.float16)
    result = bench.run("axpby", x, y, call=lambda x, y: bench.session.axpby(1e5, x, 3, y))
    if result is not None:
        compare(result, 1e5 * wide(x) + 3 * wide(y), ulps=1)


def test_axpby_returns_a_tensor_of_its_own(bench: Bench) -> None:
    x = bench.up(f32([1, 2, 3]))
    result = bench.session.axpby(1, x, 0, x)
    bench.session.copy_into(bench.up(f32([7, 8, 9])), x)
    np.testing.assert_array_equal(bench.down(result), [1, 2, 3])
