"""complex64 functions against NumPy: error bounds in complex128, special values in complex64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.bounds import COMPLEX_BOUNDS
from kernels.harness import evaluate, flushes_denormals, resolution, smallest_modulus
from kernels.samples import (
    COUNT,
    EPS,
    complex_grid,
    cross,
    relative_errors,
    same_values,
    ulp_errors,
)
from numpy.typing import NDArray

Array = NDArray[Any]

PARTS = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -100.0, 1e10, np.inf, -np.inf, np.nan], np.float32)
"""Real and imaginary parts of the special values."""


@pytest.fixture(autouse=True)
def _silent() -> Any:
    with np.errstate(all="ignore"):
        yield


def log_modulus(x: Array, y: Array) -> Array:
    """Half of log(x^2 + y^2) in extended precision, without cancellation near 1."""
    large, small = np.maximum(np.abs(x), np.abs(y)), np.minimum(np.abs(x), np.abs(y))
    near = 0.5 * np.log1p((large - 1) * (large + 1) + small * small)
    return np.where((large > 0.5) & (large < 2), near, np.log(np.hypot(x, y)))


def log(z: Array) -> Array:
    x, y = z.real.astype(np.longdouble), z.imag.astype(np.longdouble)
    return (log_modulus(x, y) + 1j * np.arctan2(y, x)).astype(np.complex128)


def log1p(z: Array) -> Array:
    x, y = z.real.astype(np.longdouble), z.imag.astype(np.longdouble)
    near = 0.5 * np.log1p(x * (2 + x) + y * y)
    modulus = np.where(np.abs(z) < 0.7, near, log_modulus(1 + x, y))
    return (modulus + 1j * np.arctan2(y, 1 + x)).astype(np.complex128)


UNARY: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": log,
    "log1p": log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda z: 1 / np.sqrt(z),
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "sign": np.sign,
    "square": np.square,
    "reciprocal": lambda z: 1 / z,
    "log2": lambda z: log(z) / math.log(2),
    "log10": lambda z: log(z) / math.log(10),
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}
INVERSE = ["asin", "acos", "atan", "asinh", "acosh", "atanh"]
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
}


def square(rng: np.random.Generator, half: float) -> Array:
    parts = rng.uniform(-half, half, (2, COUNT))
    return np.asarray(parts[0] + 1j * parts[1], np.complex64)


def polar(rng: np.random.Generator, low: float, high: float, centre: complex = 0) -> Array:
    """Points around a centre at distances whose decimal logarithm is uniform."""
    distance = 10 ** rng.uniform(low, high, COUNT)
    return np.asarray(centre + distance * np.exp(2j * np.pi * rng.uniform(0, 1, COUNT)), np.complex64)


def axes(rng: np.random.Generator, low: float, high: float) -> Array:
    """Parts with independent magnitudes, so that many points lie close to an axis."""
    parts = 10 ** rng.uniform(low, high, (2, COUNT)) * rng.choice([-1, 1], (2, COUNT))
    return np.asarray(parts[0] + 1j * parts[1], np.complex64)


SAMPLES: dict[str, Callable[[np.random.Generator], Array]] = {
    "square of 1": lambda rng: square(rng, 1),
    "square of 95": lambda rng: square(rng, 95),
    "whole plane": lambda rng: polar(rng, np.log10(smallest_modulus()), 38),
    "near the axes": lambda rng: axes(rng, -5, 1),
    "near the axes, whole range": lambda rng: axes(rng, np.log10(smallest_modulus()), 38.4),
    "near 1": lambda rng: polar(rng, -7, -1, 1),
    "near -1": lambda rng: polar(rng, -7, -1, -1),
    "near i": lambda rng: polar(rng, -7, -1, 1j),
    "near the unit circle": lambda rng: polar(rng, 0, 0) * (1 + axes(rng, -7, -1)),
}


def bounded_errors(result: Array, expected: Array) -> Array:
    return relative_errors(result, expected, smallest_modulus())


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("function", UNARY)
def test_functions_stay_within_their_bounds(function: str, sample: str, rng: np.random.Generator) -> None:
    z = SAMPLES[sample](rng)
    expected = UNARY[function](z.astype(np.complex128))
    assert bounded_errors(evaluate(function, "complex64", z), expected).max() <= COMPLEX_BOUNDS[function]


@pytest.mark.parametrize("point", [1, -1, 1j, -1j])
@pytest.mark.parametrize("function", INVERSE)
def test_inverse_functions_right_beside_their_branch_points(
    function: str, point: complex, rng: np.random.Generator
) -> None:
    """At distances that vanish against the point itself: only the other part is not 0 or 1."""
    distance = (10 ** rng.uniform(-36, -7, COUNT) * rng.choice([-1, 1], COUNT)).astype(np.float32)
    z = np.empty(COUNT, np.complex64)
    z.real, z.imag = (point.real, distance) if point.real else (distance, point.imag)
    expected = UNARY[function](z.astype(np.clongdouble)).astype(np.complex128)
    assert bounded_errors(evaluate(function, "complex64", z), expected).max() <= COMPLEX_BOUNDS[function]


@pytest.mark.parametrize("function", INVERSE)
def test_branch_cuts_follow_the_sign_of_zero(function: str, rng: np.random.Generator) -> None:
    along = (10 ** rng.uniform(-3, 3, COUNT) * rng.choice([-1, 1], COUNT)).astype(np.float32)
    zero = np.where(rng.random(COUNT) < 0.5, np.float32(0), np.float32(-0.0))
    z = np.empty(COUNT, np.complex64)
    for z.real, z.imag in ((along, zero), (zero, along)):
        expected = UNARY[function](z.astype(np.complex128))
        result = evaluate(function, "complex64", z)
        assert bounded_errors(result, expected).max() <= COMPLEX_BOUNDS[function]
        assert (np.signbit(result.real) == np.signbit(expected.real)).all()
        assert (np.signbit(result.imag) == np.signbit(expected.imag)).all()


@pytest.mark.parametrize("sample", SAMPLES)
def test_abs_has_no_overflow_or_underflow_on_the_way(sample: str, rng: np.random.Generator) -> None:
    z = SAMPLES[sample](rng)
    expected = np.abs(z.astype(np.complex128))
    assert ulp_errors(evaluate("abs", "complex64", z), expected).max() <= COMPLEX_BOUNDS["abs"]


@pytest.mark.parametrize("samples", [("square of 1", "square of 95"), ("whole plane", "near the axes")], ids=str)
@pytest.mark.parametrize("operation", BINARY)
def test_arithmetic_stays_within_its_bounds(operation: str, samples: tuple[str, str], rng: np.random.Generator) -> None:
    for names in (samples, samples[::-1]):
        a, b = (SAMPLES[name](rng) for name in names)
        expected = BINARY[operation](a.astype(np.complex128), b.astype(np.complex128))
        errors = bounded_errors(evaluate(operation, "complex64", a, b), expected)
        assert errors.max() <= COMPLEX_BOUNDS.get(operation, 0.5 + 1e-6)


def test_division_does_not_overflow_on_the_way(rng: np.random.Generator) -> None:
    a, b = axes(rng, 30, 38.5), axes(rng, 30, 38.5)
    expected = a.astype(np.complex128) / b.astype(np.complex128)
    assert bounded_errors(evaluate("div", "complex64", a, b), expected).max() <= COMPLEX_BOUNDS["div"]


@pytest.mark.parametrize("samples", [("square of 1", "square of 95"), ("near 1", "whole plane")], ids=str)
def test_pow_stays_within_its_bound(samples: tuple[str, str], rng: np.random.Generator) -> None:
    a, b = (SAMPLES[name](rng) for name in samples)
    wide_a, wide_b = a.astype(np.complex128), b.astype(np.complex128)
    size = np.abs(wide_b * log(wide_a))
    kept = np.resize(np.flatnonzero(size < 1e4), COUNT)
    expected = np.exp(wide_b * log(wide_a))[kept]
    result = evaluate("pow", "complex64", a[kept], b[kept])
    errors = bounded_errors(result, expected) / (1 + size[kept])
    assert errors.max() <= COMPLEX_BOUNDS["pow"]


@pytest.mark.parametrize("exponent", [1, 2, 3, -1, -3, 7, 15, -20, 99])
def test_small_integer_powers_are_products(exponent: int, rng: np.random.Generator) -> None:
    z = SAMPLES["square of 1"](rng)
    result = evaluate("pow", "complex64", z, np.full(COUNT, exponent, np.complex64))
    assert bounded_errors(result, z.astype(np.complex128) ** exponent).max() <= abs(exponent)


def test_powers_of_the_imaginary_unit_are_exact() -> None:
    exponents = np.array([2, 3, 4, 5], np.complex64)
    expected = np.array([-1, -1j, 1, 1j], np.complex64)
    assert (evaluate("pow", "complex64", np.full(4, 1j, np.complex64), exponents) == expected).all()


def test_pow_with_a_zero_operand_is_numpys() -> None:
    zeros = np.array([0, -0.0], np.complex64)
    others = complex_grid(PARTS)
    for a, b in (cross(zeros, others), cross(others, zeros)):
        finite = np.isfinite(a) & np.isfinite(b)
        assert same_values(evaluate("pow", "complex64", a, b), np.power(a, b))[finite].all()


def agrees(result: Array, expected: Array, signs: bool) -> NDArray[np.bool_]:
    """Equal to 4 eps or the denormals' resolution part by part; with ``signs``, zeros carry the same sign."""
    if expected.dtype.kind == "c":
        return agrees(result.real, expected.real, signs) & agrees(result.imag, expected.imag, signs)
    if not signs:
        result, expected = np.abs(result), np.abs(expected)
    close = np.abs(result - expected) <= 4 * EPS * np.abs(expected) + resolution()
    same_sign = np.signbit(result) == np.signbit(expected)
    return np.asarray(same_values(result, expected) | (close & same_sign & np.isfinite(expected)))


# Where C99 leaves the sign of a zero or an infinity open, NumPy's is the C library's.
UNSPECIFIED_SIGNS: dict[str, Callable[[Array], Array]] = {
    "exp": lambda z: np.isinf(z.real) & ~np.isfinite(z.imag),
    "sin": lambda z: ~np.isfinite(z.real) | np.isnan(z.imag),
    "cos": lambda z: ~np.isfinite(z.real) | np.isnan(z.imag),
    # Of finite other parts the Array API and C differ in the sign; test_special_values has the former.
    "tanh": lambda z: np.isinf(z.real),
    "tan": lambda z: np.isinf(z.imag),
    "sinh": lambda z: ~np.isfinite(z.imag) | np.isnan(z.real),
    "cosh": lambda z: ~np.isfinite(z.imag) | np.isnan(z.real),
}
# Not expm1: NumPy's formula gives NaN for infinities (0 * inf), ours follows exp.
SPECIAL: dict[str, Callable[[Array], Array]] = {
    **{name: getattr(np, name) for name in ("exp", "log", "log1p", "sqrt", "sin", "cos", "tanh", "sign", "abs")},
    "rsqrt": lambda z: np.complex64(1) / np.sqrt(z),
    "reciprocal": lambda z: np.complex64(1) / z,
    **{name: getattr(np, name) for name in ("tan", "sinh", "cosh", "log2", "log10")},
    **{name: UNARY[name] for name in INVERSE},
}


@pytest.mark.parametrize("function", SPECIAL)
def test_special_values_are_numpys(function: str) -> None:
    z = complex_grid(PARTS)
    result, expected = evaluate(function, "complex64", z), SPECIAL[function](z)
    open_sign = UNSPECIFIED_SIGNS[function](z) if function in UNSPECIFIED_SIGNS else np.zeros(z.shape, np.bool_)
    same = np.where(open_sign, agrees(result, expected, False), agrees(result, expected, True))
    assert same.all(), [*zip(z[~same], result[~same], expected[~same], strict=True)]


@pytest.mark.parametrize("operation", BINARY)
def test_special_pairs_are_numpys(operation: str) -> None:
    a, b = cross(complex_grid(PARTS), complex_grid(PARTS))
    result, expected = evaluate(operation, "complex64", a, b), BINARY[operation](a, b)
    same = agrees(result, expected, True)
    # Finite products are bounded above: NumPy may fuse one of their terms.
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(expected)
    assert (same | (finite & (operation == "mul"))).all()


def test_expm1_of_infinities_follows_exp() -> None:
    z = complex_grid(PARTS)
    z = np.resize(z[np.isinf(z.real)], 64)
    assert agrees(evaluate("expm1", "complex64", z), evaluate("exp", "complex64", z) - np.float32(1), True).all()


@pytest.mark.parametrize(
    ("operation", "function"),
    [
        *[("round", np.rint), ("neg", np.negative), ("conj", np.conj), ("real", np.real), ("imag", np.imag)],
        *[("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)],
    ],
)
def test_moves_and_classes(operation: str, function: Callable[[Array], Array]) -> None:
    z = complex_grid(PARTS)
    assert same_values(evaluate(operation, "complex64", z), function(z)).all()


def test_equality_compares_both_parts() -> None:
    a, b = cross(complex_grid(PARTS), complex_grid(PARTS))
    assert (evaluate("eq", "complex64", a, b) == (a == b)).all()
    assert (evaluate("ne", "complex64", a, b) == (a != b)).all()


def test_denormal_moduli_survive(rng: np.random.Generator) -> None:
    if flushes_denormals():
        pytest.skip("this adapter's arithmetic flushes denormals")
    z = axes(rng, -44, -38)
    expected = log(z.astype(np.complex128))
    assert bounded_errors(evaluate("log", "complex64", z), expected).max() <= COMPLEX_BOUNDS["log"]
