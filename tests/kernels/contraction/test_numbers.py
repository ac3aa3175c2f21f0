"""Dtypes, conjugation, and the meeting of a product with its destination."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.contraction.executor import (
    DISCRETE,
    MATMUL,
    PLAIN,
    check,
    contract,
    contract_into,
    random_array,
    subgroup_facts,
)
from numpy.typing import NDArray

from wgtensor.contract.configs import DotGeneralConfig

SIZES = [(5, 7, 9), (36, 40, 44), (4, 64, 128), (70, 33, 65)]
EPS = float(np.finfo(np.float32).eps)


@pytest.mark.parametrize("dtype", ["float16", "complex64", "int32", "uint32"])
@pytest.mark.parametrize("size", SIZES)
def test_dtypes(rng: np.random.Generator, size: tuple[int, int, int], dtype: str) -> None:
    rows, depth, cols = size
    check(random_array(rng, (rows, depth), dtype), random_array(rng, (depth, cols), dtype), facts=subgroup_facts())
    check(random_array(rng, (depth, rows), dtype).T, random_array(rng, (cols, depth), dtype).T, facts=PLAIN)


def test_float16_accumulates_in_float32() -> None:
    ones = np.ones((1, 4096), np.float16)
    assert contract(ones, ones.T.copy(), MATMUL, PLAIN).item() == 4096
    tiny = np.full((1, 4000), 2.0**-7, np.float16)
    assert contract(tiny, np.ones((4000, 1), np.float16), MATMUL, PLAIN).item() == 31.25


@pytest.mark.parametrize("conj", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("size", [(5, 7, 9), (36, 40, 44)])
def test_conjugation(rng: np.random.Generator, size: tuple[int, int, int], conj: tuple[bool, bool]) -> None:
    rows, depth, cols = size
    lhs, rhs = random_array(rng, (rows, depth), "complex64"), random_array(rng, (depth, cols), "complex64")
    check(lhs, rhs, facts=subgroup_facts(), lhs_conj=conj[0], rhs_conj=conj[1])
    check(lhs, random_array(rng, (1, depth), "complex64").T, facts=PLAIN, lhs_conj=conj[0], rhs_conj=conj[1])


def test_conjugation_of_reals_changes_nothing(rng: np.random.Generator) -> None:
    lhs, rhs = random_array(rng, (5, 6), "float32"), random_array(rng, (6, 7), "float32")
    plain = contract(lhs, rhs, MATMUL, PLAIN)
    assert np.array_equal(contract(lhs, rhs, MATMUL, PLAIN, lhs_conj=True), plain)


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64", "int32"])
@pytest.mark.parametrize("size", [(5, 7, 9), (36, 40, 44), (2, 5000, 3)])
def test_accumulation(rng: np.random.Generator, size: tuple[int, int, int], dtype: str) -> None:
    rows, depth, cols = size
    lhs, rhs = random_array(rng, (rows, depth), dtype), random_array(rng, (depth, cols), dtype)
    out = random_array(rng, (rows, cols), dtype)
    alpha, beta = {"complex64": (0.5 + 2j, 1j - 0.25)}.get(dtype, (3, -2))
    got = contract_into(out, lhs, rhs, MATMUL, PLAIN, alpha=alpha, beta=beta).view
    if dtype == "int32":
        want = 3 * (lhs.astype(np.int64) @ rhs.astype(np.int64)) - 2 * out.astype(np.int64)
        assert np.array_equal(got, want.astype(np.int32))
        return
    wide = np.complex128 if dtype == "complex64" else np.float64
    want = alpha * (lhs.astype(wide) @ rhs.astype(wide)) + beta * out.astype(wide)
    scale = abs(alpha) * (np.abs(lhs).astype(float) @ np.abs(rhs).astype(float)) + abs(beta) * np.abs(out).astype(float)
    bound = 2 * (depth + 8) * EPS * scale + (np.abs(want) * 2.0**-11 + 2.0**-25 if dtype == "float16" else 0)
    assert np.all(np.abs(got - want) <= bound)


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64"])
def test_beta_of_zero_drops_an_old_nan(rng: np.random.Generator, dtype: str) -> None:
    lhs, rhs = random_array(rng, (9, 8), dtype), random_array(rng, (8, 12), dtype)
    out = np.full((9, 12), np.nan, dtype)
    got = contract_into(out, lhs, rhs, MATMUL, PLAIN, alpha=2, beta=0).view
    wide = np.complex128 if dtype == "complex64" else np.float64
    assert np.allclose(got, 2 * (lhs.astype(wide) @ rhs.astype(wide)), rtol=2e-3, atol=1e-2)


def _between(buffer: NDArray[Any]) -> NDArray[Any]:
    """Return a (6, 7) view of a flat buffer: rows backwards, every second column, an odd offset."""
    return buffer[3:171].reshape(6, 28)[::-1, 1:15:2]


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64"])
def test_strided_destination_keeps_what_lies_between(rng: np.random.Generator, dtype: str) -> None:
    lhs, rhs = random_array(rng, (6, 5), dtype), random_array(rng, (5, 7), dtype)
    buffer = np.arange(200).astype(dtype)
    got = contract_into(_between(buffer), lhs, rhs, MATMUL, PLAIN, alpha=1, beta=1).data
    wide = np.complex128 if dtype == "complex64" else np.float64
    want = buffer.astype(wide)
    _between(want)[...] += lhs.astype(wide) @ rhs.astype(wide)
    # One rounding to the dtype, plus float32 products of magnitude below 100.
    assert np.allclose(got, want, rtol=2.0**-11 if dtype == "float16" else 2.0**-23, atol=1e-4)
    untouched = np.ones(buffer.size, bool)
    _between(untouched)[...] = False
    assert np.array_equal(got[untouched], buffer[untouched])


def test_empty_contractions(rng: np.random.Generator) -> None:
    for facts in (PLAIN, DISCRETE, subgroup_facts()):
        got = contract(np.zeros((5, 0), np.float32), np.zeros((0, 6), np.float32), MATMUL, facts)
        assert np.array_equal(got, np.zeros((5, 6)))
    out = random_array(rng, (5, 7), "float16")
    empty = np.zeros((5, 0), np.float16), np.zeros((0, 7), np.float16)
    assert np.array_equal(contract_into(out, *empty, MATMUL, PLAIN, alpha=3, beta=2).view, 2 * out)
    nothing = contract(np.zeros((0, 5), np.float32), np.zeros((5, 6), np.float32), MATMUL, PLAIN)
    assert nothing.shape == (0, 6)
    batch = DotGeneralConfig((2,), (1,), (0,), (0,))
    assert contract(np.zeros((0, 2, 3), np.int32), np.zeros((0, 3, 4), np.int32), batch, PLAIN).size == 0


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("size", [(1, 1_000_000, 1), (16, 65_536, 16), (3, 70_000, 2), (1, 300_001, 5)])
def test_long_depths(rng: np.random.Generator, size: tuple[int, int, int], dtype: str) -> None:
    rows, depth, cols = size
    check(random_array(rng, (rows, depth), dtype), random_array(rng, (depth, cols), dtype), facts=PLAIN)


def test_long_depth_that_is_not_one_stride(rng: np.random.Generator) -> None:
    lhs = random_array(rng, (3, 257, 401), "float32").transpose(0, 2, 1)
    check(lhs, random_array(rng, (401, 257, 6), "float32"), DotGeneralConfig((1, 2), (0, 1)), subgroup_facts())


def test_long_depth_of_float16_is_reduced(rng: np.random.Generator) -> None:
    lhs, rhs = random_array(rng, (3, 20_000), "float16"), random_array(rng, (20_000, 5), "float16")
    check(lhs, rhs, facts=PLAIN)
