"""Operations defined to the bit: arithmetic, comparisons, moves, integers, booleans, conversions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels import harness
from kernels.harness import DTYPES, FLOATS, evaluate, flushed
from kernels.samples import COUNT, SPECIALS, complex_grid, cross, finite_floats, padded, same_values
from numpy.typing import NDArray

from wgtensor.webgpu.kernels.elementwise.expressions import cast_operation
from wgtensor.webgpu.kernels.elementwise.functions import FUNCTIONS, function_source
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS, VALUE_TYPES

Array = NDArray[Any]

ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
}
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
TESTS: dict[str, Callable[[Array], Array]] = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}
MOVES: dict[str, Callable[[Array], Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": lambda x: np.where(x == 0, x, np.sign(x)),  # NumPy drops the sign of a zero
    "conj": np.conj,
    "real": np.real,
    "imag": np.imag,
}
BITWISE: dict[str, Callable[[Array, Array], Array]] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}
INTEGERS = ["int32", "uint32"]


@pytest.fixture(autouse=True)
def _silent() -> Any:
    with np.errstate(all="ignore"):
        yield


def float_pairs(dtype: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """Pairs of special values, then pairs of random bit patterns."""
    left, right = cross(SPECIALS, SPECIALS)
    a, b = np.concatenate([left, finite_floats(rng)]), np.concatenate([right, finite_floats(rng)])
    return a.astype(dtype), b.astype(dtype)


def integer_pairs(dtype: str, rng: np.random.Generator) -> tuple[Array, Array]:
    info = np.iinfo(dtype)
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7, 46341, 65536]
    edges += [-1, -2, -3, -7] if info.min < 0 else []
    special = cross(np.array(edges, dtype), np.array(edges, dtype))
    wide, small = rng.integers(info.min, info.max, 4000, dtype, endpoint=True), rng.integers(0, 9, 4000)
    return np.concatenate([special[0], wide]), np.concatenate([special[1], small.astype(dtype)])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", ARITHMETIC)
def test_float_arithmetic_rounds_correctly(operation: str, dtype: str, rng: np.random.Generator) -> None:
    a, b = float_pairs(dtype, rng)
    expected = ARITHMETIC[operation](a, b)
    same = same_values(evaluate(operation, dtype, a, b), expected)
    assert (same | flushed(a, b, expected)).all()


def worse(source: str, factor: float) -> str:
    """Return WGSL whose estimates of quotients and roots are off by ``factor``, as drivers' may be."""
    estimates = ("1.0 / vec4<f32>(divisor)", "sqrt(vec4<f32>(radicand) * 1.1920929e-07)")
    assert all(estimate in source for estimate in estimates)
    for estimate in estimates:
        source = source.replace(estimate, f"({estimate} * {factor})")
    return source


@pytest.mark.parametrize("factor", [0.9999995, 1.0000005])
def test_quotients_and_roots_do_not_depend_on_the_drivers_precision(
    factor: float, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "function_source", lambda names: worse(function_source(names), factor))
    harness.compiled.cache_clear()
    a, b = float_pairs("float32", rng)
    quotient, root = evaluate("div", "float32", a, b), evaluate("sqrt", "float32", np.abs(a))
    harness.compiled.cache_clear()
    assert (same_values(quotient, a / b) | flushed(a, b, a / b)).all()
    assert (same_values(root, np.sqrt(np.abs(a))) | flushed(a)).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", COMPARISONS)
def test_float_comparisons(operation: str, dtype: str, rng: np.random.Generator) -> None:
    a, b = float_pairs(dtype, rng)
    same = evaluate(operation, dtype, a, b) == COMPARISONS[operation](a, b)
    assert (same | flushed(a, b)).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", TESTS)
def test_classes_of_floats(operation: str, dtype: str) -> None:
    x = padded(SPECIALS).astype(dtype)
    assert (evaluate(operation, dtype, x) == TESTS[operation](x)).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", MOVES)
def test_moves_of_floats(operation: str, dtype: str, rng: np.random.Generator) -> None:
    x = np.concatenate([padded(SPECIALS), finite_floats(rng)]).astype(dtype)
    assert same_values(evaluate(operation, dtype, x), MOVES[operation](x)).all()


def extremum(a: Array, b: Array, sign: int) -> Array:
    """IEEE 754-2019 maximum (sign 1) and minimum (-1); NumPy leaves open which of -0 and 0 it returns."""
    largest = sign * np.maximum(sign * a, sign * b)
    both_zero = (a == 0) & (b == 0)
    negative = np.signbit(a) & np.signbit(b) if sign > 0 else np.signbit(a) | np.signbit(b)
    return np.where(both_zero, np.where(negative, -0.0, 0.0).astype(a.dtype), largest)


@pytest.mark.parametrize("dtype", FLOATS)
def test_extrema_propagate_nan_and_order_zeros(dtype: str, rng: np.random.Generator) -> None:
    a, b = float_pairs(dtype, rng)
    assert same_values(evaluate("maximum", dtype, a, b), extremum(a, b, 1)).all()
    assert same_values(evaluate("minimum", dtype, a, b), extremum(a, b, -1)).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp_is_the_minimum_of_the_maximum(dtype: str, rng: np.random.Generator) -> None:
    low, high = float_pairs(dtype, rng)
    x = rng.permutation(low)
    expected = extremum(extremum(x, low, 1), high, -1)
    assert same_values(evaluate("clamp", dtype, x, low, high), expected).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_select_takes_the_first_branch_where_true(dtype: str, rng: np.random.Generator) -> None:
    choice = rng.integers(0, 2, 64).astype(np.bool_)
    a, b = (rng.integers(0, 100, 64).astype(dtype) for _ in range(2))
    assert (evaluate("select", dtype, choice, a, b) == np.where(choice, a, b)).all()


def truncated(a: Array, b: Array) -> tuple[Array, Array]:
    """Quotient and remainder of truncating division, 0 and 0 for a zero divisor, in wide integers."""
    x, y = a.astype(np.int64), b.astype(np.int64)
    safe = np.where(y == 0, 1, y)
    quotient = np.abs(x) // np.abs(safe) * np.sign(x) * np.sign(safe)
    remainder = x - quotient * safe
    return np.where(y == 0, 0, quotient).astype(a.dtype), np.where(y == 0, 0, remainder).astype(a.dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_truncates(dtype: str, rng: np.random.Generator) -> None:
    a, b = integer_pairs(dtype, rng)
    quotient, remainder = truncated(a, b)
    assert (evaluate("div", dtype, a, b) == quotient).all()
    assert (evaluate("rem", dtype, a, b) == remainder).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_by_the_floor(dtype: str, rng: np.random.Generator) -> None:
    a, b = integer_pairs(dtype, rng)
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    quotient = np.array([x // y if y else 0 for x, y in pairs]).astype(dtype)
    assert (evaluate("floor_divide", dtype, a, b) == quotient).all()
    assert (evaluate("remainder", dtype, a, b) == [x % y if y else 0 for x, y in pairs]).all()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("operation", BITWISE)
def test_bitwise_operations(operation: str, dtype: str, rng: np.random.Generator) -> None:
    a, b = integer_pairs(dtype, rng)
    assert (evaluate(operation, dtype, a, b) == BITWISE[operation](a, b)).all()
    assert (evaluate("bitwise_not", dtype, a) == ~a).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_by_the_width_and_by_negative_amounts_leave_the_sign(dtype: str, rng: np.random.Generator) -> None:
    x, _ = integer_pairs(dtype, rng)
    amounts = [*range(34), 63, 64, 2**31 - 1] + ([-1, -31, -32, -(2**31)] if dtype == "int32" else [2**32 - 1])
    x, amount = cross(x[:: x.size // 64], np.array(amounts, dtype))
    pairs = list(zip(x.tolist(), amount.tolist(), strict=True))
    left = [a << n & 0xFFFF_FFFF if 0 <= n < 32 else 0 for a, n in pairs]
    right = [a >> (n if 0 <= n < 32 else 32) for a, n in pairs]
    assert (evaluate("shift_left", dtype, x, amount) == np.array(left, np.uint32).view(dtype)).all()
    assert (evaluate("shift_right", dtype, x, amount) == right).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", ["floor", "ceil", "trunc", "round"])
def test_rounding_is_exact_and_keeps_the_sign_of_zero(operation: str, dtype: str, rng: np.random.Generator) -> None:
    halves = np.arange(-20, 20, dtype=np.float32) / 2
    x = np.concatenate([padded(SPECIALS), halves, finite_floats(rng), rng.uniform(-99, 99, 4000)]).astype(dtype)
    expected = getattr(np, "rint" if operation == "round" else operation)(x)
    assert (same_values(evaluate(operation, dtype, x), expected) | flushed(x)).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", ["floor_divide", "remainder"])
def test_float_division_by_the_floor_is_numpys(operation: str, dtype: str, rng: np.random.Generator) -> None:
    near = [rng.uniform(-1e3, 1e3, COUNT).astype(dtype) for _ in range(2)]
    for a, b in (float_pairs(dtype, rng), near):
        expected = getattr(np, operation)(a, b)
        if operation == "floor_divide":  # the Array API's quotient, where Python has NaN or -1
            expected = np.where(np.isinf(a) ^ np.isinf(b), a / b, expected)
        same = same_values(evaluate(operation, dtype, a, b), expected)
        assert (same | flushed(a, b, expected, np.fmod(a, b))).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_signs_and_neighbors(dtype: str, rng: np.random.Generator) -> None:
    a, b = float_pairs(dtype, rng)
    zeros = np.full(4, -0.0, dtype)
    a, b = np.concatenate([a, zeros, -zeros]), np.concatenate([b, -zeros, zeros])
    assert (evaluate("signbit", dtype, a) == np.signbit(a)).all()
    assert same_values(evaluate("copysign", dtype, a, b), np.copysign(a, b)).all()
    expected = np.where(a == b, b, np.nextafter(a, b))
    assert same_values(evaluate("nextafter", dtype, a, b), expected).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_squares_and_reciprocals_round_correctly(dtype: str, rng: np.random.Generator) -> None:
    x, _ = float_pairs(dtype, rng)
    for operation, function in (("square", np.square), ("reciprocal", np.reciprocal)):
        expected = function(x)
        assert (same_values(evaluate(operation, dtype, x), expected) | flushed(x, expected)).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_powers_wrap(dtype: str, rng: np.random.Generator) -> None:
    a, b = integer_pairs(dtype, rng)
    units = {1: 1, -1: -1}
    powers = [
        pow(x, y, 2**32) if y >= 0 else units.get(x, 0) ** (y & 1) if x in units else 0
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    expected = (np.array(powers, np.int64) & 0xFFFF_FFFF).astype(np.uint32).view(dtype)
    assert (evaluate("pow", dtype, a, b) == expected).all()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "maximum", "minimum", *COMPARISONS])
def test_integer_arithmetic_wraps(operation: str, dtype: str, rng: np.random.Generator) -> None:
    a, b = integer_pairs(dtype, rng)
    functions = ARITHMETIC | COMPARISONS | {"maximum": np.maximum, "minimum": np.minimum}
    assert (evaluate(operation, dtype, a, b) == functions[operation](a, b)).all()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("operation", ["neg", "abs", "sign"])
def test_integer_signs(operation: str, dtype: str, rng: np.random.Generator) -> None:
    x, _ = integer_pairs(dtype, rng)
    assert (evaluate(operation, dtype, x) == MOVES[operation](x)).all()


@pytest.mark.parametrize(
    ("operation", "function"),
    [
        *[("add", np.add), ("mul", np.multiply), ("maximum", np.maximum), ("minimum", np.minimum)],
        *[("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)],
        *COMPARISONS.items(),
        *BITWISE.items(),
    ],
)
def test_boolean_truth_tables(operation: str, function: Callable[[Array, Array], Array]) -> None:
    a, b = np.array([0, 0, 1, 1], np.bool_), np.array([0, 1, 0, 1], np.bool_)
    assert (evaluate(operation, "bool", a, b) == function(a, b)).all()


def test_logical_not() -> None:
    x = np.array([0, 1, 1, 0], np.bool_)
    assert (evaluate("logical_not", "bool", x) == ~x).all()
    assert (evaluate("bitwise_not", "bool", x) == ~x).all()


def test_differences_of_booleans_are_not_defined() -> None:
    assert not {("sub", "bool"), ("neg", "bool"), ("lt", "complex64"), ("rem", "complex64")} & LOWERINGS.keys()


def converted(x: Array, target: str) -> Array:
    """NumPy's conversion, where that is defined; else saturated, and 0 for NaN."""
    if x.dtype.kind == "c" and target not in ("bool", "complex64"):
        x = x.real
    if x.dtype.kind == "f" and target in INTEGERS:
        info = np.iinfo(target)
        return np.clip(np.trunc(np.nan_to_num(x.astype(np.float64))), info.min, info.max).astype(target)
    return x.astype(target)


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_conversions(source: str, target: str, rng: np.random.Generator) -> None:
    samples = {
        "bool": np.array([0, 1, 1, 0], np.bool_),
        "int32": integer_pairs("int32", rng)[0],
        "uint32": integer_pairs("uint32", rng)[0],
        "complex64": complex_grid(SPECIALS),
    }
    floats = np.concatenate([padded(SPECIALS), finite_floats(rng), rng.uniform(-5e9, 5e9, 4000)])
    x = samples[source] if source in samples else floats.astype(source)
    assert same_values(evaluate(cast_operation(target), source, x), converted(x, target)).all()


def test_function_files_come_once_and_after_what_they_need() -> None:
    source = function_source([*reversed([*FUNCTIONS]), *FUNCTIONS])
    order = [source.index(f"fn wg_{name}(") for name in ("keep", "scale", "exp", "cexp", "cpow")]
    assert order == sorted(order)
    assert source.count("fn wg_keep(") == 1


@pytest.mark.parametrize("key", LOWERINGS, ids="-".join)
def test_every_row_names_known_functions_and_types(key: tuple[str, str]) -> None:
    lowering = LOWERINGS[key]
    source = function_source(lowering.functions)
    called = {word.split("(")[0] for word in lowering.expression.replace("(", "( ").split() if word.startswith("wg_")}
    assert all(f"fn {name}(" in source for name in called)
    assert key[1] in VALUE_TYPES
    assert lowering.result in VALUE_TYPES
