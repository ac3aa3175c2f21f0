"""Elementwise operations against Python integers, float64 and the definition, for every dtype, shape and layout."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, SHAPES, Bench, dtypes_of_kind, f32, values
from numpy.typing import NDArray

from wgtensor.contract import CompareDirection
from wgtensor.errors import DTypeError, UnsupportedError
from wgtensor.rules import OPERATIONS
from wgtensor.tensor import Tensor


def wrapped(value: int, dtype: str) -> int:
    info = np.iinfo(dtype)
    return (value - info.min) % (1 << info.bits) + info.min


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b) if b else 0
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a: int, b: int) -> int:
    return a - truncated(a, b) * b if b else 0


INTEGER: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": truncated,
    "rem": remainder,
    "maximum": max,
    "minimum": min,
    "neg": lambda a: -a,
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
    "clamp": lambda x, low, high: min(max(x, low), high),
    "floor_divide": lambda a, b: a // b if b else 0,
    "remainder": lambda a, b: a % b if b else 0,
    "square": lambda a: a * a,
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
    "bitwise_not": lambda a: ~a,
    **dict.fromkeys(("floor", "ceil", "trunc", "round"), lambda a: a),
}
UNARY = ("neg", "abs", "sign", "conj", "real", "imag", "square", "reciprocal", "bitwise_not", "signbit")
ARITY = {**dict.fromkeys((*UNARY, "floor", "ceil", "trunc", "round"), 1), "clamp": 3}


def by_python(function: Callable[..., Any], dtype: str, *arrays: NDArray[Any]) -> NDArray[Any]:
    """Apply a function of Python numbers to each element."""
    flat = [[function(*items)] for items in zip(*(array.reshape(-1).tolist() for array in arrays), strict=True)]
    if np.dtype(dtype).kind in "iu":
        flat = [[wrapped(value, dtype)] for (value,) in flat]
    return np.array(flat, dtype).reshape(arrays[0].shape)


def operands(name: str, dtype: str, shape: tuple[int, ...], **options: Any) -> list[NDArray[Any]]:
    return [values(dtype, shape, seed, **options) for seed in range(ARITY.get(name, 2))]


@pytest.mark.parametrize("dtype", dtypes_of_kind("iu"))
@pytest.mark.parametrize("name", INTEGER)
def test_integers_wrap_and_truncate(bench: Bench, name: str, dtype: str) -> None:
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        arrays = operands(name, dtype, shape)
        bench.check(name, *arrays, expected=by_python(INTEGER[name], dtype, *arrays), layout=layout)


def test_integer_division_by_zero_and_of_the_smallest(bench: Bench) -> None:
    low = -(2**31)
    lhs, rhs = np.array([7, -7, low, 0, 7, -7], np.int32), np.array([0, 0, -1, 0, 2, 2], np.int32)
    bench.check("div", lhs, rhs, expected=np.array([0, 0, low, 0, 3, -3], np.int32))
    bench.check("rem", lhs, rhs, expected=np.array([0, 0, 0, 0, 1, -1], np.int32))


def test_integer_floor_division_by_zero_and_of_the_smallest(bench: Bench) -> None:
    low = -(2**31)
    lhs, rhs = np.array([7, -7, low, 0, 7, -7, 7], np.int32), np.array([0, 0, -1, 0, 2, 2, -2], np.int32)
    bench.check("floor_divide", lhs, rhs, expected=np.array([0, 0, low, 0, 3, -4, -4], np.int32))
    bench.check("remainder", lhs, rhs, expected=np.array([0, 0, 0, 0, 1, 1, -1], np.int32))


@pytest.mark.parametrize("dtype", dtypes_of_kind("iu"))
def test_shifts_by_the_width_and_by_negative_amounts_leave_the_sign(bench: Bench, dtype: str) -> None:
    info = np.iinfo(dtype)
    amounts = [0, 1, info.bits - 1, info.bits, info.bits + 1, info.max] + ([-1, info.min] if info.min else [])
    for value in (1, 3, 101, info.max, info.min):
        x, amount = np.full(len(amounts), value, dtype), np.array(amounts, dtype)
        left = [wrapped(value << n if 0 <= n < info.bits else 0, dtype) for n in amounts]
        right = [value >> (n if 0 <= n < info.bits else info.bits) for n in amounts]
        bench.check("shift_left", x, amount, expected=np.array(left, dtype))
        bench.check("shift_right", x, amount, expected=np.array(right, dtype))


def wide(dtype: str) -> Any:
    """A dtype in which float16 and float32 arithmetic is exact enough to round once; the widest one for float64."""
    return {"float16": np.float64, "float32": np.float64, "complex64": np.complex128}.get(
        dtype, np.clongdouble if dtype == "complex128" else np.longdouble
    )


FLOAT: dict[str, tuple[Callable[..., Any], float]] = {
    # name: reference, bound in ulp (0: correctly rounded or exact)
    "add": (lambda a, b: a + b, 0),
    "sub": (lambda a, b: a - b, 0),
    "mul": (lambda a, b: a * b, 0),
    "div": (lambda a, b: a / b, 2.5),
    "neg": (lambda a: -a, 0),
    "abs": (np.abs, 0),
    "sign": (lambda a: np.where(a == 0, a, np.where(np.isnan(a), a, np.copysign(1, a))), 0),
    "conj": (lambda a: a, 0),
    "real": (lambda a: a, 0),
    "imag": (np.zeros_like, 0),
    "maximum": (lambda a, b: np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a > b, a, b)), 0),
    "minimum": (lambda a, b: np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a < b, a, b)), 0),
    "square": (lambda a: a * a, 0),
    "reciprocal": (lambda a: 1 / a, 2.5),
    "floor": (np.floor, 0),
    "ceil": (np.ceil, 0),
    "trunc": (np.trunc, 0),
    "round": (np.rint, 0),
    "signbit": (np.signbit, 0),
    "copysign": (np.copysign, 0),
}


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize("name", FLOAT)
def test_floats_follow_ieee(bench: Bench, name: str, dtype: str) -> None:
    reference, ulps = FLOAT[name]
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        arrays = operands(name, dtype, shape)
        if name in ("maximum", "minimum"):
            arrays = [array + dtype_zero(dtype) for array in arrays]
        with np.errstate(all="ignore"):
            expected = reference(*(array.astype(wide(dtype)) for array in arrays))
        # Rounding a longdouble result twice costs up to half an ulp more than float64 arithmetic itself.
        slack = 1 if dtype == "float64" and name in ("add", "sub", "mul", "square") else 0
        bench.check(name, *arrays, expected=expected, ulps=ulps + slack, layout=layout)


def dtype_zero(dtype: str) -> Any:
    """Adding it turns -0 into +0: which of two zeros is the larger is not specified."""
    return np.dtype(dtype).type(0)


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
def test_float_remainder_is_exact_with_the_sign_of_lhs(bench: Bench, dtype: str) -> None:
    lhs = np.array([5.5, -5.5, 5.5, -5.5, -0.0, 1e4, np.inf, np.nan, 3.0, -6.0], dtype)
    rhs = np.array([2.0, 2.0, -2.0, -2.0, 3.0, 0.75, 2.0, 2.0, np.inf, 3.0], dtype)
    expected = [math.nan if math.isinf(a) else math.fmod(a, b) for a, b in zip(lhs.tolist(), rhs.tolist(), strict=True)]
    bench.check("rem", lhs, rhs, expected=np.array(expected, dtype))


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
def test_float_floor_division_of_quarters_is_exact(bench: Bench, dtype: str) -> None:
    rng = np.random.default_rng(3)
    lhs, rhs = rng.integers(-400, 400, 200) / 4, rng.integers(1, 40, 200) / 4 * rng.choice([-1, 1], 200)
    quotient = [a // b for a, b in zip(lhs.tolist(), rhs.tolist(), strict=True)]
    rest = [math.copysign(a % b, b) for a, b in zip(lhs.tolist(), rhs.tolist(), strict=True)]
    bench.check("floor_divide", lhs.astype(dtype), rhs.astype(dtype), expected=np.array(quotient, dtype))
    bench.check("remainder", lhs.astype(dtype), rhs.astype(dtype), expected=np.array(rest, dtype))


@pytest.mark.parametrize(("dtype", "step"), [("float16", 2.0**-10), ("float32", 2.0**-23), ("float64", 2.0**-52)])
def test_nextafter_is_one_step(bench: Bench, dtype: str, step: float) -> None:
    info = np.finfo(dtype)
    tiny, largest = float(info.smallest_subnormal), float(info.max)
    rows = [
        *[(1.0, 2.0, 1 + step), (1.0, 0.0, 1 - step / 2), (-1.0, 0.0, -1 + step / 2), (2.0, -np.inf, 2 - step)],
        *[(0.0, 1.0, tiny), (-0.0, 1.0, tiny), (0.0, -1.0, -tiny), (tiny, -1.0, 0.0), (-tiny, 1.0, -0.0)],
        *[(largest, np.inf, np.inf), (np.inf, 0.0, largest), (3.0, 3.0, 3.0), (0.0, -0.0, -0.0), (-0.0, 0.0, 0.0)],
        *[(np.nan, 1.0, np.nan), (1.0, np.nan, np.nan)],
    ]
    x, towards, expected = np.array(rows).T
    bench.check("nextafter", x.astype(dtype), towards.astype(dtype), expected=expected.astype(dtype))


COMPLEX: dict[str, tuple[Callable[..., Any], float]] = {
    # Bounds count ulps of the result's magnitude; products and quotients are those of the textbook formulas.
    "add": (lambda a, b: a + b, 1),
    "sub": (lambda a, b: a - b, 1),
    "mul": (lambda a, b: a * b, 4),
    "div": (lambda a, b: a / b, 8),
    "neg": (lambda a: -a, 0),
    "abs": (np.abs, 4),
    "sign": (lambda a: np.where(a == 0, 0, a / np.where(a == 0, 1, np.abs(a))), 4),
    "conj": (np.conj, 0),
    "real": (np.real, 0),
    "imag": (np.imag, 0),
    "square": (lambda a: a * a, 4),
    "reciprocal": (lambda a: 1 / a, 8),
    "round": (lambda a: np.rint(a.real) + 1j * np.rint(a.imag), 0),
}


@pytest.mark.parametrize("dtype", dtypes_of_kind("c"))
@pytest.mark.parametrize("name", COMPLEX)
def test_complex(bench: Bench, name: str, dtype: str) -> None:
    reference, ulps = COMPLEX[name]
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        arrays = operands(name, dtype, shape, special=name not in ("div", "reciprocal"))
        expected = reference(*(array.astype(wide(dtype)) for array in arrays))
        bench.check(name, *arrays, expected=expected, ulps=ulps, layout=layout)


@pytest.mark.parametrize("dtype", dtypes_of_kind("biuf"))
@pytest.mark.parametrize("direction", CompareDirection)
def test_compare_is_false_for_nan_except_ne(bench: Bench, direction: CompareDirection, dtype: str) -> None:
    relation = {"eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__"}
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        lhs, rhs = operands("compare", dtype, shape)
        pairs = zip(lhs.reshape(-1).tolist(), rhs.reshape(-1).tolist(), strict=True)
        expected = np.array([getattr(a, relation[direction.value])(b) for a, b in pairs], bool).reshape(shape)
        bench.check("compare", lhs, rhs, expected=expected, direction=direction, layout=layout)


@pytest.mark.parametrize("dtype", dtypes_of_kind("c"))
def test_complex_compares_for_equality_only(bench: Bench, dtype: str) -> None:
    lhs, rhs = np.array([1 + 2j, 1, complex(np.nan, 1)], dtype), np.array([1 + 2j, 1j, complex(np.nan, 1)], dtype)
    bench.check("compare", lhs, rhs, expected=[True, False, False], direction=CompareDirection.EQ)
    bench.check("compare", lhs, rhs, expected=[False, True, True], direction=CompareDirection.NE)


@pytest.mark.parametrize("dtype", DTYPES)
def test_select_takes_each_side_untouched(bench: Bench, dtype: str) -> None:
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        predicate = values("bool", shape, 9)
        on_true, on_false = operands("select", dtype, shape)
        expected = np.where(predicate, on_true, on_false)
        bench.check("select", predicate, on_true, on_false, expected=expected, layout=layout)


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
def test_clamp_propagates_nan(bench: Bench, dtype: str) -> None:
    nan, inf = np.nan, np.inf
    x = np.array([nan, -5, 5, 0.5, inf, -inf, 0.5, 0.5], dtype)
    low = np.array([0, 0, 0, 0, 0, 0, nan, 0], dtype)
    high = np.array([1, 1, 1, 1, 1, 1, 1, nan], dtype)
    bench.check("clamp", x, low, high, expected=np.array([nan, 0, 1, 0.5, 1, 0, nan, nan], dtype))


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("logical_and", lambda a, b: a and b),
        ("logical_or", lambda a, b: a or b),
        ("logical_xor", lambda a, b: a != b),
        ("logical_not", lambda a: not a),
        ("bitwise_and", lambda a, b: a and b),
        ("bitwise_or", lambda a, b: a or b),
        ("bitwise_xor", lambda a, b: a != b),
        ("bitwise_not", lambda a: not a),
        ("add", lambda a, b: a or b),
        ("mul", lambda a, b: a and b),
        ("maximum", max),
        ("minimum", min),
    ],
)
def test_bool(bench: Bench, name: str, reference: Callable[..., bool]) -> None:
    count = 1 if name.endswith("_not") else 2
    for shape, layout in zip(SHAPES, (*LAYOUTS, *LAYOUTS), strict=False):
        arrays = [values("bool", shape, seed) for seed in range(count)]
        bench.check(name, *arrays, expected=by_python(reference, "bool", *arrays), layout=layout)


@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_predicates(bench: Bench, name: str, dtype: str) -> None:
    nan, inf = np.nan, np.inf
    parts = [0.0, -0.0, 1.5, nan, -nan, inf, -inf]
    if np.dtype(dtype).kind == "c":
        x = np.array([complex(a, b) for a in parts for b in parts], dtype)
        expected = {
            "isnan": [math.isnan(a) or math.isnan(b) for a in parts for b in parts],
            "isinf": [math.isinf(a) or math.isinf(b) for a in parts for b in parts],
            "isfinite": [math.isfinite(a) and math.isfinite(b) for a in parts for b in parts],
        }
    else:
        x = np.array(parts, dtype)
        expected = {each: [getattr(math, each)(part) for part in parts] for each in ("isnan", "isinf", "isfinite")}
    bench.check(name, x, expected=expected[name])


def test_isnan_sees_every_nan_pattern(bench: Bench) -> None:
    bits = np.array([0x7FC00000, 0x7FFFFFFF, 0x7F800001, 0xFFC00000, 0x7F800000], np.uint32)
    bench.check("isnan", bits.view(np.float32), expected=[True, True, True, True, False])


def test_rank_zero_operands_and_python_numbers_meet_any_shape(bench: Bench) -> None:
    x = values("float32", (2, 3), special=False)
    three = np.float32(3)
    for lhs, rhs in ((x, np.asarray(three)), (x, 3), (x, 3.0)):
        bench.check("sub", lhs, rhs, expected=x - three)
        bench.check("sub", rhs, lhs, expected=three - x)
    bench.check("clamp", x, -1, np.asarray(np.float32(1)), expected=np.clip(x, -1, 1))
    bench.check("select", np.array([True, False]), np.array([1, 2], np.int32), 0, expected=np.array([1, 0]))
    bench.check("logical_xor", np.array([True, False]), True, expected=[False, True])


@pytest.mark.parametrize(("real", "complex_"), [("float32", "complex64"), ("float64", "complex128")])
def test_a_real_rank_zero_tensor_meets_complex_of_its_precision(bench: Bench, real: str, complex_: str) -> None:
    x = values(complex_, (5,), special=False)
    for name, operation in (("add", np.add), ("mul", np.multiply), ("sub", np.subtract)):
        expected = operation(np.complex128(2.5), x.astype(np.complex128))
        bench.check(name, np.asarray(np.dtype(real).type(2.5)), x, expected=expected, ulps=2)
    bench.check("compare", x, np.asarray(np.dtype(real).type(2.5)), direction=CompareDirection.NE, expected=[True] * 5)


def test_results_are_new_tensors(bench: Bench) -> None:
    x = bench.up(f32([1, 2]))
    for y in (bench.session.conj(x), bench.session.real(x), bench.session.cast(x, "float32")):
        assert y.storage is not x.storage
        assert y.placement == x.placement


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
@pytest.mark.parametrize("name", ["add", "sub"])
@pytest.mark.parametrize("first", ["itself", "conj", "select"])
def test_a_value_beside_itself_keeps_nan_and_infinity(bench: Bench, name: str, first: str, dtype: str) -> None:
    """Drivers know that x - x is 0, which is wrong for NaN and infinities."""
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 3.0], dtype)
    session = bench.session

    def call(tensor: Tensor) -> Tensor:
        same = {
            "itself": lambda: tensor,
            "conj": lambda: session.conj(tensor),
            "select": lambda: session.select(bench.up(np.ones(7, bool)), tensor, tensor),
        }[first]()
        result: Tensor = getattr(session, name)(same, tensor)
        return result

    if not bench.supports(name, dtype):
        with pytest.raises(UnsupportedError, match=f"{dtype}.* is not available"):
            call(bench.up(x))
        return
    same = x.conj() if first == "conj" else x
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(bench.down(call(bench.up(x))), same + x if name == "add" else same - x)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *[("floor", "complex64"), ("remainder", "complex64"), ("hypot", "complex64"), ("erf", "complex64")],
        *[("bitwise_and", "float32"), ("shift_left", "bool"), ("shift_right", "float32"), ("copysign", "int32")],
        *[("tan", "int32"), ("reciprocal", "int32"), ("square", "bool"), ("signbit", "uint32")],
    ],
)
def test_dtypes_without_a_meaning_are_refused(bench: Bench, name: str, dtype: str) -> None:
    arrays = [bench.up(np.ones(3, dtype)) for _ in range(OPERATIONS[name].arity)]
    with pytest.raises(DTypeError, match=f"{name} takes .* tensors, got {dtype}; cast first"):
        getattr(bench.session, name)(*arrays)
