"""Reductions against sums in float64 and Python integers; NaN, ties, identities and zero lengths."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, Bench, dtypes_of_kind, i32, values

from wgtensor.errors import ValidationError

AXES = [axes for count in range(4) for axes in itertools.combinations(range(3), count)]
CASES = list(zip(AXES, itertools.cycle(LAYOUTS), strict=False))


FOLDS: dict[str, Callable[..., int]] = {
    "reduce_sum": lambda a, b: a + b,
    "reduce_prod": lambda a, b: a * b,
    "reduce_max": max,
    "reduce_min": min,
}


def integer_fold(function: Callable[..., int], x: Any, axes: tuple[int, ...]) -> Any:
    """Fold Python integers along axes, and wrap at the end."""
    info = np.iinfo(x.dtype)
    folded = x.astype(object)
    for axis in reversed(axes):
        folded = np.asarray(np.frompyfunc(function, 2, 1).reduce(folded, axis=axis), object)
    wrapped = [(int(value) - info.min) % (1 << info.bits) + info.min for value in folded.reshape(-1)]
    return np.array(wrapped, x.dtype).reshape(folded.shape)


@pytest.mark.parametrize("dtype", dtypes_of_kind("iu"))
@pytest.mark.parametrize("name", FOLDS)
def test_integers(bench: Bench, name: str, dtype: str) -> None:
    fold = FOLDS[name]
    x = values(dtype, (3, 5, 4))
    for axes, layout in CASES:
        expected = integer_fold(fold, x, axes) if axes else x
        bench.check(name, x, axes=axes, expected=expected, layout=layout)


def eps(dtype: str) -> float:
    return float(np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
def test_sums_stay_within_the_sum_of_magnitudes(bench: Bench, dtype: str) -> None:
    x = values(dtype, (5, 7, 9), special=False)
    for axes, layout in CASES:
        expected = x.astype(np.clongdouble).sum(axis=axes)
        if np.dtype(dtype).kind == "f":
            expected = expected.real
        # A tree over n elements rounds log2(n) times; two more for its sequential leaves and the final rounding.
        depth = math.log2(max(2, math.prod(x.shape[axis] for axis in axes))) + 2
        bound = depth * eps(dtype) * np.abs(x.astype(np.clongdouble)).sum(axis=axes)
        bench.check("reduce_sum", x, axes=axes, expected=expected, atol=bound.astype(np.float64), layout=layout)


@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
def test_products(bench: Bench, dtype: str) -> None:
    x = (np.abs(values(dtype, (3, 4, 3), special=False)) % 1 + np.dtype(dtype).type(0.5)).astype(dtype)
    for axes, layout in CASES:
        expected = x.astype(np.clongdouble if np.dtype(dtype).kind == "c" else np.longdouble).prod(axis=axes)
        count = math.prod(x.shape[axis] for axis in axes)
        bench.check("reduce_prod", x, axes=axes, expected=expected, ulps=2 * count, layout=layout)


def test_float16_accumulates_in_float32(bench: Bench) -> None:
    x = np.full(4096, 1.0, np.float16)
    bench.check("reduce_sum", x, axes=(0,), expected=np.float16(4096))
    beyond = np.array([256, 256, 2.0**-8, 2.0**-8], np.float16)
    bench.check("reduce_prod", beyond, axes=(0,), expected=np.float16(1))
    cancelling = np.array([60000, 60000, -60000, -60000, 1], np.float16)
    bench.check("reduce_sum", cancelling, axes=(0,), expected=np.float16(1))


def test_long_float32_sums_are_tree_shaped(bench: Bench) -> None:
    x = np.full((2, 300_000), 0.1, np.float32)
    for array, axes in ((x, (1,)), (np.ascontiguousarray(x.T), (0,))):
        bench.check("reduce_sum", array, axes=axes, expected=[300_000 * float(np.float32(0.1))] * 2, ulps=20)


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize("name", ["reduce_max", "reduce_min"])
def test_extrema_propagate_nan(bench: Bench, name: str, dtype: str) -> None:
    pick = max if name == "reduce_max" else min
    x = values(dtype, (4, 3, 5)) + np.dtype(dtype).type(0)
    for axes, layout in CASES:
        rows = np.moveaxis(x, axes, range(3 - len(axes), 3)).reshape(-1, math.prod(x.shape[a] for a in axes))
        cells = [math.nan if any(map(math.isnan, row)) else pick(row) for row in rows.tolist()]
        kept = [n for axis, n in enumerate(x.shape) if axis not in axes]
        bench.check(name, x, axes=axes, expected=np.array(cells, dtype).reshape(kept), layout=layout)


@pytest.mark.parametrize("name", ["reduce_any", "reduce_all"])
def test_any_and_all(bench: Bench, name: str) -> None:
    for seed, (axes, layout) in enumerate(CASES):
        x = values("bool", (2, 3, 2), seed)
        expected = x.any(axis=axes) if name == "reduce_any" else x.all(axis=axes)
        bench.check(name, x, axes=axes, expected=expected if axes else x, layout=layout)


@pytest.mark.parametrize(
    ("name", "dtype", "identity"),
    [
        ("reduce_sum", "float32", 0), ("reduce_sum", "int32", 0), ("reduce_prod", "float32", 1),
        ("reduce_prod", "complex64", 1), ("reduce_any", "bool", False), ("reduce_all", "bool", True),
    ],
)  # fmt: skip
def test_a_zero_length_axis_gives_the_identity(bench: Bench, name: str, dtype: str, identity: Any) -> None:
    x = np.zeros((2, 0, 3), dtype)
    bench.check(name, x, axes=(1,), expected=np.full((2, 3), identity, dtype))
    bench.check(name, x, axes=(0,), expected=np.zeros((0, 3), dtype))
    bench.check(name, x, axes=(0, 1, 2), expected=np.full((), identity, dtype))


@pytest.mark.parametrize("name", ["reduce_max", "reduce_min"])
def test_extrema_over_a_zero_length_axis_are_refused(bench: Bench, name: str) -> None:
    x = bench.up(np.zeros((2, 0), np.float32))
    with pytest.raises(ValidationError, match=rf"{name} has no value over an axis of length 0, got axes \(1,\)"):
        getattr(bench.session, name)(x, (1,))
    bench.check(name, np.zeros((2, 0), np.float32), axes=(0,), expected=np.zeros(0))


ARGUMENTS = [
    ([3.0, np.nan, 1.0, 5.0], 1, 1),
    ([1.0, 2.0, np.nan], 2, 2),
    ([np.inf, np.nan, -np.inf], 1, 1),
    ([np.nan] * 100, 0, 0),
    ([0.0] * 50 + [np.nan] * 50, 50, 50),
    ([0.0] * 1000, 0, 0),
    ([-np.inf] * 300, 0, 0),
    ([1.0, 5.0, 5.0, 5.0], 1, 0),
    ([2.0, 1.0, 1.0], 0, 1),
]


@pytest.mark.parametrize(("row", "largest", "smallest"), ARGUMENTS)
def test_arg_reductions_take_the_first_nan_then_the_first_of_equals(
    bench: Bench, row: list[float], largest: int, smallest: int
) -> None:
    x = np.array([row, row], np.float32)
    bench.check("argmax", x, axis=1, expected=i32([largest] * 2))
    bench.check("argmin", x, axis=1, expected=i32([smallest] * 2))


@pytest.mark.parametrize("dtype", dtypes_of_kind("biuf"))
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_arg_reductions_of_every_axis_and_dtype(bench: Bench, name: str, dtype: str) -> None:
    x = values(dtype, (3, 4, 5), special=False)
    for axis, layout in itertools.product(range(3), LAYOUTS):
        rows = np.moveaxis(x, axis, -1)
        pick = max if name == "argmax" else min
        cells = [row.index(pick(row)) for row in rows.reshape(-1, x.shape[axis]).tolist()]
        expected = np.array(cells, np.int32).reshape(rows.shape[:-1])
        actual = bench.run(name, x, axis=axis, layout=layout)
        if actual is not None:
            assert actual.dtype == np.int32
            np.testing.assert_array_equal(actual, expected)


def test_every_position_of_one_is_found(bench: Bench) -> None:
    for n in (1, 2, 31, 86, 257):
        bench.check("argmax", np.eye(n, dtype=np.float32), axis=1, expected=np.arange(n))
