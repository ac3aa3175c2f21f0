"""Analytic functions against NumPy in a wider precision, and their IEEE special values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, SHAPES, Bench, dtypes_of_kind, values

WIDE = {"float16": np.float64, "float32": np.float64, "float64": np.longdouble, "complex64": np.complex128}

# name: reference and bound in ulp (the table's accuracy; float16 results round once more, which is within it)
FUNCTIONS: dict[str, tuple[Callable[..., Any], float]] = {
    "exp": (np.exp, 4),
    "log": (np.log, 4),
    "sin": (np.sin, 4),
    "cos": (np.cos, 4),
    "tanh": (np.tanh, 4),
    "sqrt": (np.sqrt, 2.5),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 4),
    "expm1": (np.expm1, 6),
    "log1p": (np.log1p, 4),
    "log2": (np.log2, 4),
    "log10": (np.log10, 4),
    "tan": (np.tan, 6),
    "asin": (np.arcsin, 4),
    "acos": (np.arccos, 4),
    "atan": (np.arctan, 4),
    "sinh": (np.sinh, 6),
    "cosh": (np.cosh, 6),
    "asinh": (np.arcsinh, 4),
    "acosh": (np.arccosh, 4),
    "atanh": (np.arctanh, 4),
}
REAL_FUNCTIONS: dict[str, tuple[Callable[..., Any], float]] = {
    **FUNCTIONS,
    "exp2": (np.exp2, 4),
    "erf": (lambda x: np.vectorize(math.erf, otypes=[np.float64])(x).reshape(x.shape), 4),
}
BINARY: dict[str, tuple[Callable[..., Any], float]] = {
    "atan2": (np.arctan2, 4),
    "hypot": (np.hypot, 2),
}


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_floats(bench: Bench, name: str, dtype: str) -> None:
    reference, ulps = REAL_FUNCTIONS[name]
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        x = values(dtype, shape)
        with np.errstate(all="ignore"):
            expected = reference(x.astype(WIDE[dtype]))
        bench.check(name, x, expected=expected, ulps=ulps, layout=layout)


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_floats(bench: Bench, name: str, dtype: str) -> None:
    reference, ulps = BINARY[name]
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        x, y = values(dtype, shape, 1), values(dtype, shape, 2)
        bench.check(
            name, x, y, expected=reference(x.astype(WIDE[dtype]), y.astype(WIDE[dtype])), ulps=ulps, layout=layout
        )


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
def test_neither_hypot_nor_logaddexp_overflows_on_the_way(bench: Bench, dtype: str) -> None:
    info = np.finfo(dtype)
    large, small = float(info.max) / 8, float(info.tiny) * 4
    x = np.array([3 * large, 3 * small, -3 * large], dtype)
    y = np.array([4 * large, -4 * small, 0], dtype)
    bench.check("hypot", x, y, expected=np.array([5 * large, 5 * small, 3 * large], dtype), ulps=2)
    x, y = np.array([1000, 1000, -1000, 0, 20], dtype), np.array([1000, 0, -1000, -5, 1], dtype)
    expected = np.logaddexp(x.astype(np.float64), y.astype(np.float64))
    bench.check("logaddexp", x, y, expected=expected, atol=2 * info.eps * np.maximum(1, np.abs(expected)))


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_float32_over_many_magnitudes(bench: Bench, name: str) -> None:
    magnitudes = np.logspace(-30, 4, 2000).astype(np.float32)
    x = np.concatenate([magnitudes, -magnitudes])
    with np.errstate(all="ignore"):
        expected = REAL_FUNCTIONS[name][0](x.astype(np.float64))
        magnitude = np.abs(expected).astype(np.float32)
    # GPUs may flush denormal results; the kernel tests hold the adapters that keep them to the bound.
    usual = (magnitude >= np.finfo(np.float32).tiny) | (magnitude == 0) | np.isnan(magnitude)
    bench.check(name, x[usual], expected=expected[usual], ulps=REAL_FUNCTIONS[name][1])


SPECIAL = [
    ("exp", [-np.inf, np.inf, np.nan, 0.0, 1000.0, -1000.0], [0.0, np.inf, np.nan, 1.0, np.inf, 0.0]),
    ("log", [0.0, -0.0, -1.0, np.inf, np.nan, 1.0], [-np.inf, -np.inf, np.nan, np.inf, np.nan, 0.0]),
    ("sin", [0.0, -0.0, np.inf, -np.inf, np.nan], [0.0, -0.0, np.nan, np.nan, np.nan]),
    ("cos", [0.0, np.inf, np.nan], [1.0, np.nan, np.nan]),
    ("tanh", [-0.0, 1000.0, -1000.0, np.inf, -np.inf, np.nan], [-0.0, 1.0, -1.0, 1.0, -1.0, np.nan]),
    ("sqrt", [-0.0, 0.0, -1.0, np.inf, np.nan], [-0.0, 0.0, np.nan, np.inf, np.nan]),
    ("rsqrt", [0.0, -0.0, -1.0, np.inf, np.nan, 4.0], [np.inf, -np.inf, np.nan, 0.0, np.nan, 0.5]),
    ("expm1", [-0.0, -np.inf, np.inf, np.nan], [-0.0, -1.0, np.inf, np.nan]),
    ("log1p", [-0.0, -1.0, -2.0, np.inf, np.nan], [-0.0, -np.inf, np.nan, np.inf, np.nan]),
]


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize(("name", "x", "expected"), SPECIAL, ids=[row[0] for row in SPECIAL])
def test_special_values(bench: Bench, name: str, x: list[float], expected: list[float], dtype: str) -> None:
    bench.check(name, np.array(x, dtype), expected=np.array(expected, dtype))


@pytest.mark.parametrize("dtype", ["complex64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_complex(bench: Bench, name: str, dtype: str) -> None:
    reference, ulps = FUNCTIONS[name]
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        x = values(dtype, shape, special=False)
        # Bounds count ulps of the magnitude; a product of two real functions stands behind each part.
        bench.check(name, x, expected=reference(x.astype(WIDE[dtype])), ulps=2 * ulps, layout=layout)


def test_small_complex_arguments_do_not_cancel(bench: Bench) -> None:
    x = np.array([1e-10 + 1e-10j, -1e-6 + 2e-9j, 1e-3 - 1e-3j], np.complex64)
    wide = x.astype(np.clongdouble)
    bench.check("log1p", x, expected=wide - wide**2 / 2 + wide**3 / 3 - wide**4 / 4, ulps=8)
    bench.check("expm1", x, expected=wide + wide**2 / 2 + wide**3 / 6 + wide**4 / 24, ulps=8)


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
def test_pow_of_floats(bench: Bench, dtype: str) -> None:
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        base, exponent = values(dtype, shape, 1), np.clip(values(dtype, shape, 2, special=False), -4, 4)
        with np.errstate(all="ignore"):
            expected = np.power(base.astype(WIDE[dtype]), exponent.astype(WIDE[dtype]))
        bench.check("pow", base, exponent, expected=expected, ulps=6, layout=layout)


@pytest.mark.parametrize("dtype", dtypes_of_kind("iu"))
def test_pow_of_integers_wraps(bench: Bench, dtype: str) -> None:
    info = np.iinfo(dtype)
    base = np.array([0, 0, 1, 2, 3, info.max, info.min, 5], dtype)
    exponent = np.array([0, 3, 100, 7, 100, 3, 2, 1], dtype)
    exact = [pow(int(a), int(b), 1 << info.bits) for a, b in zip(base, exponent, strict=True)]
    expected = [value - (1 << info.bits) if value > info.max else value for value in exact]
    bench.check("pow", base, exponent, expected=np.array(expected, dtype))


@pytest.mark.parametrize("dtype", dtypes_of_kind("i"))
def test_negative_integer_powers_are_zero_but_for_units(bench: Bench, dtype: str) -> None:
    base = np.array([2, 0, 1, -1, -1, -2], dtype)
    exponent = np.array([-1, -1, -5, -5, -4, -100], dtype)
    bench.check("pow", base, exponent, expected=np.array([0, 0, 1, -1, 1, 0], dtype))


def test_pow_of_complex(bench: Bench) -> None:
    base, exponent = values("complex64", (9,), 1, special=False), np.full(9, 1.5 - 0.5j, np.complex64)
    expected = np.power(base.astype(np.complex128), exponent.astype(np.complex128))
    # The logarithm's error is multiplied by the exponent's magnitude and by log(abs(base)), at most 3 here.
    bench.check("pow", base, exponent, expected=expected, ulps=24)
