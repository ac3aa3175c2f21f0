"""float32 and float16 functions against NumPy in float64: the bounds of ``BOUNDS``, and special values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.bounds import BOUNDS
from kernels.harness import FLOATS, evaluate, flushed, needs_float16
from kernels.samples import (
    COUNT,
    SPECIALS,
    cross,
    finite_floats,
    padded,
    same_values,
    ulp_errors,
)
from numpy.typing import NDArray

Array = NDArray[Any]

FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "exp2": np.exp2,
    "log2": np.log2,
    "log10": np.log10,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "hypot": np.hypot,
    "atan2": np.arctan2,
    "logaddexp": np.logaddexp,
}
RANGES = [(-1e-3, 1e-3), (-1, 1), (0.5, 2), (1, 1.01), (-10, 10), (-110, 90), (200, 300), (-1e5, 1e5)]


@pytest.fixture(autouse=True)
def _silent() -> Any:
    with np.errstate(all="ignore"):
        yield


def reference(function: str, x: Array) -> Array:
    return FUNCTIONS[function](x.astype(np.float64))


@pytest.mark.parametrize("span", [None, *RANGES], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_float32_functions_stay_within_their_bounds(
    function: str, span: tuple[float, float] | None, rng: np.random.Generator
) -> None:
    x = finite_floats(rng) if span is None else rng.uniform(*span, COUNT).astype(np.float32)
    expected = reference(function, x)
    errors = np.where(flushed(x, expected), 0.0, ulp_errors(evaluate(function, "float32", x), expected))
    worst = errors.argmax()
    assert errors[worst] <= BOUNDS[function] + 1e-6, f"{errors[worst]} ulp at {x[worst]!r}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_float32_functions_at_special_values(function: str) -> None:
    x = padded(SPECIALS)
    result = evaluate(function, "float32", x)
    expected = reference(function, x)
    usable = ~flushed(x, expected)
    assert ulp_errors(result, expected)[usable].max() <= BOUNDS[function] + 1e-6
    exact = usable & (~np.isfinite(expected) | (expected == 0))
    assert same_values(result, expected.astype(np.float32))[exact].all()


@pytest.mark.parametrize("function", ["sin", "cos", "tan"])
def test_arguments_next_to_multiples_of_half_pi(function: str, rng: np.random.Generator) -> None:
    multiple = np.concatenate([np.arange(1, COUNT // 2), rng.integers(1, 2**52, COUNT // 2 + 1)])
    x = (multiple * (np.pi / 2)).astype(np.float32)
    assert ulp_errors(evaluate(function, "float32", x), reference(function, x)).max() <= BOUNDS[function]


ODD = ["sin", "expm1", "log1p", "tanh", "tan", "asin", "atan", "sinh", "asinh", "atanh"]


@pytest.mark.parametrize("function", ODD)
def test_odd_functions_move_tiny_arguments_bit_for_bit(function: str) -> None:
    x = np.array([0.0, -0.0, 1e-45, -1e-45, 1e-40, -1e-40, 1e-38, -1e-30], np.float32)
    assert (evaluate(function, "float32", x).view(np.uint32) == x.view(np.uint32)).all()


@needs_float16
@pytest.mark.parametrize("function", FUNCTIONS)
def test_float16_functions_over_every_value(function: str) -> None:
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    result = evaluate(function, "float16", x)
    # A float32 result within its bound of b ulp adds b / 2^13 to the half ulp of the one rounding.
    assert ulp_errors(result, reference(function, x)).max() <= 0.51


def test_powers_and_logarithms_are_exact_where_they_are_whole() -> None:
    whole = np.arange(-126, 128, dtype=np.float32)
    powers = 2.0 ** whole[:252]
    assert (evaluate("exp2", "float32", whole[:252]) == powers).all()
    assert (evaluate("log2", "float32", powers) == whole[:252]).all()
    tens = padded(10.0 ** np.arange(11)).astype(np.float32)
    assert (evaluate("log10", "float32", tens) == padded(np.arange(11))).all()


def pair_errors(function: str, dtype: str, x: Array, y: Array) -> Array:
    """Errors in ulp, of ``max(1, |result|)`` for logaddexp, where nothing is flushed."""
    expected = BINARY[function](x.astype(np.float64), y.astype(np.float64))
    result = evaluate(function, dtype, x, y)
    errors = ulp_errors(result, expected)
    if function == "logaddexp":
        errors *= np.spacing(np.abs(expected).astype(dtype)) / np.spacing(np.maximum(np.abs(expected), 1).astype(dtype))
    return np.asarray(np.where(flushed(x, y, expected), 0.0, np.where(same_values(result, expected), 0.0, errors)))


@pytest.mark.parametrize("span", [None, *RANGES], ids=str)
@pytest.mark.parametrize("function", BINARY)
def test_float32_functions_of_two_stay_within_their_bounds(
    function: str, span: tuple[float, float] | None, rng: np.random.Generator
) -> None:
    x, y = (finite_floats(rng) if span is None else rng.uniform(*span, COUNT).astype(np.float32) for _ in range(2))
    errors = pair_errors(function, "float32", x, y)
    worst = errors.argmax()
    assert errors[worst] <= BOUNDS[function], f"{errors[worst]} ulp at {x[worst]!r}, {y[worst]!r}"


@pytest.mark.parametrize("function", BINARY)
def test_float32_functions_of_two_at_special_values(function: str) -> None:
    x, y = cross(SPECIALS, SPECIALS)
    assert pair_errors(function, "float32", x, y).max() <= BOUNDS[function]
    result = evaluate(function, "float32", x, y)
    expected = BINARY[function](x.astype(np.float64), y.astype(np.float64))
    exact = ~flushed(x, y, expected) & (~np.isfinite(expected) | (expected == 0))
    assert same_values(result, expected.astype(np.float32))[exact].all()


@needs_float16
@pytest.mark.parametrize("function", BINARY)
def test_float16_functions_of_two(function: str, rng: np.random.Generator) -> None:
    x, y = rng.integers(0, 2**16, (2, COUNT), dtype=np.uint16).view(np.float16)
    assert pair_errors(function, "float16", x, y).max() <= 0.51


@pytest.mark.parametrize(("y", "x"), [(1e-40, 2e-40), (-3e-45, 1e-45), (1e-39, -1e-42)])
def test_atan2_of_denormals_is_the_angle_of_their_ratio(y: float, x: float) -> None:
    operands = [np.full(4, value, np.float32) for value in (y, x)]
    expected = np.arctan2(*(operand.astype(np.float64) for operand in operands))
    assert ulp_errors(evaluate("atan2", "float32", *operands), expected).max() <= BOUNDS["atan2"]


def power_samples(kind: str, rng: np.random.Generator) -> tuple[Array, Array]:
    x = np.abs(finite_floats(rng))
    target = rng.uniform(-149, 128, COUNT)
    if kind == "any bit pattern":
        return finite_floats(rng), finite_floats(rng)
    if kind == "integers":
        return rng.uniform(-20, 20, COUNT).astype(np.float32), rng.integers(-20, 21, COUNT).astype(np.float32)
    if kind == "near one":
        x = rng.uniform(0.5, 2, COUNT).astype(np.float32)
    if kind == "next to one":
        x = (1 + rng.uniform(-1e-3, 1e-3, COUNT)).astype(np.float32)
    return x, (target / np.log2(x.astype(np.float64))).astype(np.float32)


@pytest.mark.parametrize("kind", ["any bit pattern", "any result", "near one", "next to one", "integers"])
def test_pow_stays_within_its_bound(kind: str, rng: np.random.Generator) -> None:
    x, y = power_samples(kind, rng)
    expected = np.power(x.astype(np.float64), y.astype(np.float64))
    errors = np.where(flushed(x, y, expected), 0.0, ulp_errors(evaluate("pow", "float32", x, y), expected))
    worst = errors.argmax()
    assert errors[worst] <= BOUNDS["pow"], f"{errors[worst]} ulp at {x[worst]!r} ** {y[worst]!r}"


def test_pow_of_special_values() -> None:
    x, y = cross(SPECIALS, SPECIALS)
    result = evaluate("pow", "float32", x, y)
    expected = np.power(x.astype(np.float64), y.astype(np.float64))
    usable = ~flushed(x, y, expected)
    assert ulp_errors(result, expected)[usable].max() <= BOUNDS["pow"]
    exact = usable & (~np.isfinite(expected) | (expected == 0) | (np.abs(expected) == 1))
    assert same_values(result, expected.astype(np.float32))[exact].all()


def test_pow_is_exact_where_the_power_is_a_float() -> None:
    cases = [
        (base * 2.0**shift, exponent)
        for exponent in range(2, 17)
        for base in range(1, 4096, 2)
        if base**exponent < 2**24
        for shift in range(-6, 7)
    ]
    x, y = (padded(np.array(column, np.float32)) for column in zip(*cases, strict=True))
    assert (evaluate("pow", "float32", x, y) == x.astype(np.float64) ** y).all()


@needs_float16
def test_float16_pow(rng: np.random.Generator) -> None:
    words = rng.integers(0, 2**16, (2, COUNT), dtype=np.uint16)
    x, y = words.view(np.float16)
    expected = np.power(x.astype(np.float64), y.astype(np.float64))
    assert ulp_errors(evaluate("pow", "float16", x, y), expected).max() <= 0.51


@pytest.mark.parametrize("dtype", FLOATS)
def test_rem_is_the_exact_fmod(dtype: str, rng: np.random.Generator) -> None:
    x, y = cross(SPECIALS.astype(dtype), SPECIALS.astype(dtype))
    wide = [finite_floats(rng).astype(dtype) for _ in range(2)]
    near = [rng.uniform(-1e3, 1e3, COUNT).astype(dtype) for _ in range(2)]
    for a, b in ((x, y), wide, near):
        assert same_values(evaluate("rem", dtype, a, b), np.fmod(a, b)).all()
