"""Contractions against einsum in a wider precision; accumulation and overlaps."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from contract.harness import HALF_ULPS, LAYOUTS, Bench, dtypes_of_kind, f32, values, wide
from numpy.typing import NDArray

from wgtensor.contract import DotGeneralAccumulation, DotGeneralConfig, SliceConfig
from wgtensor.errors import ValidationError
from wgtensor.tensor import Tensor

CASES = [
    # lhs shape, rhs shape, config
    ((2, 3), (3, 4), DotGeneralConfig([1], [0])),
    ((3, 2), (4, 3), DotGeneralConfig([0], [1])),
    ((5, 2, 3), (5, 3, 4), DotGeneralConfig([2], [1], [0], [0])),
    ((2, 3, 5), (3, 5, 4), DotGeneralConfig([1], [0], [2], [1])),
    ((2, 3, 4, 5), (4, 6, 3), DotGeneralConfig([1, 2], [2, 0])),
    ((2, 3, 4), (4, 2, 3), DotGeneralConfig([0, 1, 2], [1, 2, 0])),
    ((2, 3), (4,), DotGeneralConfig([], [])),
    ((), (), DotGeneralConfig([], [])),
    ((3, 2, 4), (2, 3, 5, 4), DotGeneralConfig([2], [3], [1, 0], [0, 1])),
    ((2, 0), (0, 3), DotGeneralConfig([1], [0])),
    ((0, 3), (3, 2), DotGeneralConfig([1], [0])),
    ((2, 1, 3), (1, 1), DotGeneralConfig([1], [0])),
    ((17, 33), (33, 9), DotGeneralConfig([1], [0])),
]


def by_einsum(lhs: NDArray[Any], rhs: NDArray[Any], config: DotGeneralConfig) -> NDArray[Any]:
    """The same contraction with labels: batch axes first, then free axes of lhs, then of rhs."""
    left = list(range(lhs.ndim))
    right = [lhs.ndim + axis for axis in range(rhs.ndim)]
    pairs = ((config.lhs_contracting_dims, config.rhs_contracting_dims), (config.lhs_batch_dims, config.rhs_batch_dims))
    for lhs_dims, rhs_dims in pairs:
        for a, b in zip(lhs_dims, rhs_dims, strict=True):
            right[b] = left[a]
    batch = [left[axis] for axis in config.lhs_batch_dims]
    lhs_free = [label for label in left if label not in right]
    rhs_free = [label for label in right if label not in left]
    return np.asarray(np.einsum(lhs, left, rhs, right, batch + lhs_free + rhs_free))


def bound(lhs: NDArray[Any], rhs: NDArray[Any], config: DotGeneralConfig, dtype: str) -> NDArray[Any]:
    """k roundings, each within half an ulp of the sum of magnitudes, and one for the result."""
    k = math.prod(lhs.shape[axis] for axis in config.lhs_contracting_dims)
    magnitudes = by_einsum(np.abs(lhs).astype(np.float64), np.abs(rhs).astype(np.float64), config)
    return np.asarray((k + 2) * HALF_ULPS[dtype] * magnitudes)


@pytest.mark.parametrize("number", range(len(CASES)))
@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
def test_dot_general(bench: Bench, dtype: str, number: int) -> None:
    lhs_shape, rhs_shape, config = CASES[number]
    lhs, rhs = values(dtype, lhs_shape, 1, special=False), values(dtype, rhs_shape, 2, special=False)
    expected = by_einsum(wide(lhs), wide(rhs), config)
    atol = bound(lhs, rhs, config, dtype)
    for layout in LAYOUTS:
        bench.check("dot_general", lhs, rhs, config=config, expected=expected, atol=atol, layout=layout)


@pytest.mark.parametrize("number", range(len(CASES)))
@pytest.mark.parametrize("dtype", dtypes_of_kind("iu"))
def test_dot_general_of_integers_wraps(bench: Bench, dtype: str, number: int) -> None:
    lhs_shape, rhs_shape, config = CASES[number]
    lhs, rhs = values(dtype, lhs_shape, 1), values(dtype, rhs_shape, 2)
    info = np.iinfo(dtype)
    exact = by_einsum(lhs.astype(object), rhs.astype(object), config)
    cells = [(int(value) - info.min) % (1 << info.bits) + info.min for value in exact.reshape(-1)]
    bench.check("dot_general", lhs, rhs, config=config, expected=np.array(cells, dtype).reshape(exact.shape))


@pytest.mark.parametrize(("lhs_conj", "rhs_conj"), list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("dtype", ["complex64", "float32"])
def test_conjugation(bench: Bench, dtype: str, lhs_conj: bool, rhs_conj: bool) -> None:
    config = DotGeneralConfig([2], [1], [0], [0])
    lhs, rhs = values(dtype, (2, 3, 4), 1, special=False), values(dtype, (2, 4, 5), 2, special=False)
    expected = by_einsum(wide(lhs.conj() if lhs_conj else lhs), wide(rhs.conj() if rhs_conj else rhs), config)
    actual = bench.run(
        "dot_general", lhs, rhs, config=config, lhs_conj=lhs_conj, rhs_conj=rhs_conj,
        call=bench.session.dot_general_with_conj,
    )  # fmt: skip
    if actual is not None:
        assert np.all(np.abs(actual - expected) <= bound(lhs, rhs, config, dtype))


def test_a_zero_length_contraction_gives_zeros(bench: Bench) -> None:
    config = DotGeneralConfig([1], [0])
    bench.check("dot_general", np.ones((4, 0), np.float32), np.ones((0, 4), np.float32), config=config,
                expected=np.zeros((4, 4)))  # fmt: skip


def test_nan_reaches_its_row_only(bench: Bench) -> None:
    lhs, rhs = np.ones((3, 4), np.float32), np.ones((4, 2), np.float32)
    lhs[1, 2] = np.nan
    expected = np.where(np.arange(3)[:, None] == 1, np.nan, np.full((3, 2), 4.0))
    bench.check("dot_general", lhs, rhs, config=DotGeneralConfig([1], [0]), expected=expected)


ACCUMULATIONS = [
    DotGeneralAccumulation(),
    DotGeneralAccumulation(alpha=1, beta=1),
    DotGeneralAccumulation(alpha=2, beta=3),
    DotGeneralAccumulation(alpha=-1, beta=0, lhs_conj=True),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("accumulation", ACCUMULATIONS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "complex64", "float64", "float16", "int32"])
def test_accumulation_into_any_layout(
    bench: Bench, dtype: str, accumulation: DotGeneralAccumulation, layout: str
) -> None:
    config = DotGeneralConfig([1], [0])
    # Small integers: every dtype holds the exact result.
    rng = np.random.default_rng(3)
    lhs, rhs, old = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((3, 5), (5, 4), (3, 4)))
    if np.dtype(dtype).kind == "c":
        lhs, rhs = lhs + (1j * rng.integers(-4, 5, lhs.shape)).astype(dtype), rhs * np.complex64(1j)
    out = bench.up(old, layout)

    def run() -> Tensor:
        return bench.session.dot_general_into_accum(bench.up(lhs), bench.up(rhs), config, accumulation, out)

    if bench.refuses("dot_general_into_accum", dtype, run):
        return
    assert run() is out
    product = (lhs.conj() if accumulation.lhs_conj else lhs) @ rhs
    np.testing.assert_array_equal(bench.down(out), accumulation.alpha * product + accumulation.beta * old)


def test_beta_zero_never_reads_the_destination(bench: Bench) -> None:
    out = bench.up(np.full((2, 2), np.nan, np.float32))
    one = bench.up(np.eye(2, dtype=np.float32))
    other = bench.up(f32([[1, 2], [3, 4]]))
    bench.session.dot_general_into_accum(one, other, DotGeneralConfig([1], [0]), DotGeneralAccumulation(), out)
    np.testing.assert_array_equal(bench.down(out), [[1, 2], [3, 4]])
    empty = DotGeneralAccumulation(beta=2)
    lhs, rhs = bench.up(np.zeros((2, 0), np.float32)), bench.up(np.zeros((0, 2), np.float32))
    bench.session.dot_general_into_accum(lhs, rhs, DotGeneralConfig([1], [0]), empty, out)
    np.testing.assert_array_equal(bench.down(out), [[2, 4], [6, 8]])


def test_the_destination_may_share_a_storage_but_no_element(bench: Bench) -> None:
    whole = bench.up(np.arange(12, dtype=np.float32).reshape(3, 4))
    rows = [bench.session.slice(whole, SliceConfig([i, 0], [i + 1, 4])) for i in range(3)]
    lhs, config = bench.up(np.ones((1, 1), np.float32)), DotGeneralConfig([1], [0])
    bench.session.dot_general_into_accum(lhs, rows[0], config, DotGeneralAccumulation(), rows[2])
    np.testing.assert_array_equal(bench.down(whole)[2], [0, 1, 2, 3])
    with pytest.raises(ValidationError, match="dot_general_into_accum needs an out that overlaps no operand"):
        bench.session.dot_general_into_accum(lhs, rows[1], config, DotGeneralAccumulation(), rows[1])
    repeated = bench.session.broadcast_in_dim(lhs, (1, 4), (0, 1))
    with pytest.raises(ValidationError, match="needs an out without repeated elements"):
        bench.session.dot_general_into_accum(lhs, rows[1], config, DotGeneralAccumulation(), repeated)
