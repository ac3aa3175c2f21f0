"""Elementwise functions against NumPy: values, promotion, broadcasting, numbers, special cases of the standard."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import array_api_strict
import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, compare, dtypes_of_kind, f32, values

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.errors import DTypeError, ValidationError

Place = Callable[..., Array]
Computes = Callable[[Any], bool]
Refused = Callable[[Any], bool]

RENAMED = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power",
}  # fmt: skip

UNARY: dict[str, tuple[str, float]] = {
    "abs": ("iuf", 0), "acos": ("f", 4), "acosh": ("f", 4), "asin": ("f", 4), "asinh": ("f", 4), "atan": ("f", 4),
    "atanh": ("f", 4), "bitwise_invert": ("biu", 0), "ceil": ("iuf", 0), "conj": ("iufc", 0), "cos": ("f", 4),
    "cosh": ("f", 6), "exp": ("f", 4), "expm1": ("f", 6), "floor": ("iuf", 0), "imag": ("c", 0),
    "isfinite": ("iufc", 0),
    "isinf": ("iufc", 0), "isnan": ("iufc", 0), "log": ("f", 4), "log10": ("f", 4), "log1p": ("f", 4), "log2": ("f", 4),
    "logical_not": ("b", 0), "negative": ("iufc", 0), "positive": ("iufc", 0), "real": ("iufc", 0),
    "reciprocal": ("f", 2.5), "round": ("iuf", 0), "sign": ("iuf", 0), "signbit": ("f", 0), "sin": ("f", 4),
    "sinh": ("f", 6), "sqrt": ("f", 2.5), "square": ("iuf", 0), "tan": ("f", 6), "tanh": ("f", 4), "trunc": ("iuf", 0),
}  # fmt: skip
"""Kinds, and the bound in ulp that ``docs/operations.md`` states for real numbers; complex accuracy is tested there."""

BINARY: dict[str, tuple[str, float]] = {
    "add": ("iuf", 0), "atan2": ("f", 4), "bitwise_and": ("biu", 0), "bitwise_or": ("biu", 0),
    "bitwise_xor": ("biu", 0), "copysign": ("f", 0), "divide": ("f", 2.5), "equal": ("biufc", 0), "greater": ("iuf", 0),
    "greater_equal": ("iuf", 0), "hypot": ("f", 2), "less": ("iuf", 0), "less_equal": ("iuf", 0),
    "logical_and": ("b", 0), "logical_or": ("b", 0), "logical_xor": ("b", 0), "maximum": ("iuf", 0),
    "minimum": ("iuf", 0), "multiply": ("iuf", 0), "nextafter": ("f", 0), "not_equal": ("biufc", 0),
    "subtract": ("iuf", 0),
}  # fmt: skip
"""As above. ``floor_divide``, ``remainder``, ``pow``, ``logaddexp`` and shifts have tests of their own."""


@pytest.fixture(autouse=True)
def quiet_numpy() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def numpy_function(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(np, RENAMED.get(name, name))
    return function


def wide(x: Any) -> Any:
    """Return floats in float64, so that NumPy's result is the exact one rounded once; other values as they are."""
    return x.astype(np.float64) if np.asarray(x).dtype in (np.float16, np.float32) else x


def is_exact(ulps: float, dtype: str) -> bool:
    """Return whether NumPy computes the very same value in the dtype itself."""
    return ulps == 0 or np.dtype(dtype) == np.float64


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name, (kinds, _) in UNARY.items() for dtype in dtypes_of_kind(kinds)]
)
def test_unary_functions(place: Place, refused: Refused, name: str, dtype: str) -> None:
    if refused(dtype):
        return
    x, (_, ulps) = values(dtype, (3, 7), seed=1), UNARY[name]
    layout = LAYOUTS[len(name) % len(LAYOUTS)]
    actual = getattr(wt, name)(place(x, layout)).to_numpy()
    expected = numpy_function(name)(x if is_exact(ulps, dtype) else wide(x))
    assert actual.dtype == (expected.dtype if is_exact(ulps, dtype) else np.dtype(dtype))
    compare(actual, expected, ulps=ulps)


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name, (kinds, _) in BINARY.items() for dtype in dtypes_of_kind(kinds)]
)
def test_binary_functions(place: Place, refused: Refused, name: str, dtype: str) -> None:
    """Second operands broadcast along the first axis, and lie in another way."""
    if refused(dtype):
        return
    x, y, (_, ulps) = values(dtype, (3, 7), seed=1), values(dtype, (7,), seed=2), BINARY[name]
    actual = getattr(wt, name)(place(x), place(y, "reversed")).to_numpy()
    expected = numpy_function(name)(*((x, y) if is_exact(ulps, dtype) else (wide(x), wide(y))))
    assert actual.dtype == (expected.dtype if is_exact(ulps, dtype) else np.dtype(dtype))
    compare(actual, expected, ulps=ulps)


STANDARD = [name for name in DTYPES if name != "float16"]


@pytest.mark.parametrize("a", STANDARD)
def test_promotion_is_the_standards(place: Place, computes: Computes, refused: Refused, a: str) -> None:
    """Of every pair of dtypes, by ``array_api_strict``; pairs without a common dtype are refused."""
    if refused(a):
        return
    for b in filter(computes, STANDARD):
        x, y = place(np.ones(3, a)), place(np.ones(3, b))
        try:
            expected = array_api_strict.result_type(getattr(array_api_strict, a), getattr(array_api_strict, b))
        except TypeError:
            with pytest.raises(DTypeError, match=f"got {a} and {b}"):
                wt.equal(x, y)
            continue
        assert wt.result_type(x, y).name == str(expected._np_dtype)
        if computes(expected._np_dtype):
            assert wt.add(x, y).dtype.name == str(expected._np_dtype)
            assert wt.equal(x, y).to_numpy().all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_take_the_dtype_of_the_array(place: Place, refused: Refused, dtype: str) -> None:
    if refused(dtype):
        return
    x = values(dtype, (5,), special=False)
    number = {"b": True, "i": -3, "u": 3, "f": 2, "c": 2.5}[np.dtype(dtype).kind]
    for left, right in ((place(x), number), (number, place(x))):
        result = wt.not_equal(left, right)
        np.testing.assert_array_equal(result.to_numpy(), x != np.asarray(number).astype(dtype))
    if np.dtype(dtype).kind != "b":
        assert wt.add(place(x), number).dtype.name == dtype
        assert wt.subtract(number, place(x)).dtype.name == dtype


def test_a_complex_number_makes_floats_complex(place: Place) -> None:
    x = values("float32", (5,), special=False)
    compare((place(x) + 2j).to_numpy(), x.astype(np.complex64) + np.complex64(2j))
    compare(wt.multiply(2j, place(x)).to_numpy(), x.astype(np.complex64) * np.complex64(2j))
    assert wt.result_type(wt.float32, 1j) is wt.complex64


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "uint32", "int64"])
def test_integer_division_floors(place: Place, refused: Refused, dtype: str) -> None:
    """As NumPy's, but by zero the result is 0 on every device."""
    if refused(dtype):
        return
    x, y = values(dtype, (50,), seed=3), values(dtype, (50,), seed=4)
    compare(wt.floor_divide(place(x), place(y)).to_numpy(), np.where(y == 0, 0, x // y))
    compare(wt.remainder(place(x), place(y)).to_numpy(), np.where(y == 0, 0, x % y))
    assert (place(x) / place(y)).dtype is wt.float32


def test_float_division_floors(place: Place) -> None:
    x = np.array([5, -5, 5, -5, 7.5, -7.5, 0.0, -0.0, np.nan, 3, np.inf, 3, -3], np.float32)
    y = np.array([3, 3, -3, -3, 2.5, 2.5, 4, 4, 1, np.nan, 2, np.inf, np.inf], np.float32)
    compare(wt.remainder(place(x), place(y)).to_numpy(), np.remainder(x, y))
    finite = np.isfinite(x) & np.isfinite(y)
    compare(wt.floor_divide(place(x), place(y)).to_numpy()[finite], np.floor_divide(x, y)[finite])
    assert (place(f32([1])) // place(f32([0.1]))).tolist() == np.floor_divide(f32([1]), f32([0.1])).tolist()


def test_floor_division_of_infinities_is_the_standards(place: Place) -> None:
    """NumPy's is NaN for an infinite dividend, and -1 where an infinite divisor has the other sign."""
    x = f32([np.inf, np.inf, -np.inf, -np.inf, 3, -3, 3, -3, np.inf, 1, -1, 0, np.nan])
    y = f32([2, -2, 2, -2, np.inf, np.inf, -np.inf, -np.inf, np.inf, 0, 0, 0, 1])
    expected = f32([np.inf, -np.inf, -np.inf, np.inf, 0, -0.0, -0.0, 0, np.nan, np.inf, -np.inf, np.nan, np.nan])
    compare(wt.floor_divide(place(x), place(y)).to_numpy(), expected)
    compare((place(x) // place(y)).to_numpy(), expected)
    compare((place(f32([-3, np.inf])) // np.inf).to_numpy(), f32([-0.0, np.nan]))


def test_signs_of_zeros_are_zero(place: Place) -> None:
    x = np.array([0.0, -0.0, -2.0, np.inf, np.nan], np.float32)
    compare(wt.sign(place(x)).to_numpy(), np.array([0, 0, -1, 1, np.nan], np.float32))
    assert not np.signbit(
        wt.sign(place(np.array([complex(-0.0, -0.0)], np.complex64))).to_numpy().view(np.float32)
    ).any()


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "int64", "float64"])
def test_powers(place: Place, refused: Refused, dtype: str) -> None:
    if refused(dtype):
        return
    x, y = np.arange(-3 if dtype[0] != "u" else 0, 7, dtype=dtype), np.arange(5, dtype=dtype)[:, None]
    compare(wt.pow(place(x), place(y)).to_numpy(), x.astype(np.float64) ** y, ulps=6 if dtype[0] == "f" else 0)
    compare((place(x) ** 2).to_numpy(), x**2, ulps=6 if dtype[0] == "f" else 0)


def test_negative_powers_of_integers(place: Place) -> None:
    x = place(np.array([-2, -1, 0, 1, 2], np.int32))
    np.testing.assert_array_equal(wt.pow(x, place(np.full(5, -3, np.int32))).to_numpy(), [0, -1, 0, 1, 0])


SHIFTS = [0, 1, 7, 31, 32, 40]


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_shifts(place: Place, dtype: str) -> None:
    """Shifts by the width or more leave 0, or the sign."""
    x = values(dtype, (9,), seed=5)
    for shift in SHIFTS:
        wide_left = (x.astype(object) << shift) & 0xFFFFFFFF
        compare((place(x) << shift).to_numpy(), wide_left.astype(np.uint32).view(dtype))
        compare(wt.bitwise_right_shift(place(x), shift).to_numpy(), (x.astype(object) >> shift).astype(dtype))


SPECIAL: list[tuple[str, list[float], list[float] | None, list[float]]] = [
    ("pow", [1, np.nan, np.nan, -0.0, 0.0, np.inf, -np.inf, -2, 0.5], [np.nan, 0, 1, 3, -1, -1, 3, 0.5, -np.inf],
     [1, 1, np.nan, -0.0, np.inf, 0, -np.inf, np.nan, np.inf]),
    ("atan2", [0, -0.0, 0, -0.0, 1, np.inf, np.inf, np.nan], [-0.0, -0.0, 0, 0, -0.0, np.inf, -np.inf, 1],
     [np.pi, -np.pi, 0, -0.0, np.pi / 2, np.pi / 4, 3 * np.pi / 4, np.nan]),
    ("logaddexp", [np.inf, -np.inf, -np.inf, np.nan, 1000], [1, -np.inf, 2, 1, 1000],
     [np.inf, -np.inf, 2, np.nan, 1000 + np.log(2)]),
    ("hypot", [np.inf, np.nan, 3e38, 0], [np.nan, 1, 0, -0.0], [np.inf, np.nan, 3e38, 0]),
    ("round", [0.5, 1.5, -0.5, -2.5, np.inf, np.nan], None, [0, 2, -0.0, -2, np.inf, np.nan]),
    ("sign", [-np.inf, -0.0, 0.0, np.nan], None, [-1, 0, 0, np.nan]),
    ("expm1", [-0.0, -np.inf, np.inf], None, [-0.0, -1, np.inf]),
    ("log1p", [-0.0, -1, -2, np.inf], None, [-0.0, -np.inf, np.nan, np.inf]),
    ("maximum", [np.nan, 1, -np.inf], [1, np.nan, np.inf], [np.nan, np.nan, np.inf]),
    ("nextafter", [0, 1, np.nan, 2], [1, 1, 1, np.nan], [1e-45, 1, np.nan, np.nan]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "x", "y", "expected"), SPECIAL, ids=[row[0] for row in SPECIAL])
def test_special_cases(place: Place, name: str, x: Any, y: Any, expected: Any) -> None:
    operands = [place(np.array(each, np.float32)) for each in (x, y) if each is not None]
    compare(getattr(wt, name)(*operands).to_numpy(), np.array(expected, np.float32), ulps=4)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32", "float64", "uint8"])
@pytest.mark.parametrize(("low", "high"), [(None, None), (2, None), (None, 3), (1, 3)])
def test_clip(place: Place, refused: Refused, dtype: str, low: int | None, high: int | None) -> None:
    if refused(dtype):
        return
    x = values(dtype, (4, 5))
    expected = x.copy() if low is high is None else np.clip(x, low, high)
    compare(wt.clip(place(x), low, high).to_numpy(), expected)
    column = None if low is None else place(np.full((4, 1), low, dtype))
    compare(wt.clip(place(x, "transposed"), min=column, max=high).to_numpy(), expected)


def test_clip_keeps_the_dtype_and_ignores_limits_that_are_none(place: Place, device: Device) -> None:
    x = place(np.array([1, 9, 200], np.uint32))
    assert wt.clip(x, -5, 1 << 40).tolist() == [1, 9, 200]
    assert wt.clip(x, 3, 1 << 40).tolist() == [3, 9, 200]
    assert wt.clip(wt.asarray([1, 2], device=device), wt.asarray([[0], [5]], device=device)).shape == (2, 2)
    with pytest.raises(DTypeError, match=r"clip takes numbers that fit the dtype int32, got 1\.5"):
        wt.clip(wt.asarray([1], device=device), 1.5)
    with pytest.raises(ValidationError, match="clip needs an int within"):
        wt.clip(x, 1 << 40)
    with pytest.raises(DTypeError, match="clip takes integers and real floats"):
        wt.clip(wt.asarray([True], device=device), 0, 1)


def test_clip_of_a_narrow_dtype_with_a_wide_limit(device: Device, refused: Refused) -> None:
    if refused("int8"):
        return
    x = wt.asarray([-100, 0, 100], dtype=wt.int8, device=device)
    result = wt.clip(x, None, wt.asarray(300, dtype=wt.int16, device=device))
    assert (result.dtype, result.tolist()) == (wt.int8, [-100, 0, 100])


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1)])
def test_empty_and_scalar_shapes(place: Place, shape: tuple[int, ...]) -> None:
    x = np.ones(shape, np.float32)
    np.testing.assert_array_equal(wt.add(wt.square(place(x)), 1).to_numpy(), x + 1)


def test_broadcasting_of_both_operands(place: Place) -> None:
    x, y = values("float32", (3, 1, 2), special=False), values("float32", (4, 1), special=False)
    compare(wt.multiply(place(x), place(y)).to_numpy(), x * y)
    with pytest.raises(ValidationError, match=r"multiply needs shapes that broadcast .*\(3, 2\) and \(4, 2\)"):
        wt.multiply(place(np.ones((3, 2), np.float32)), place(np.ones((4, 2), np.float32)))


def test_functions_join_one_window(device: Device) -> None:
    x = wt.arange(100, dtype=wt.float32, device=device)
    wt.evaluate(x)
    before = device.backend.runtime.counters.dispatches
    y = wt.sqrt(wt.add(wt.square(x), 1)) * 2 - wt.minimum(x, 3)
    wt.evaluate(y)
    if device.kind == "webgpu":
        assert device.backend.runtime.counters.dispatches - before == 1
    n = np.arange(100, dtype=np.float32)
    compare(y.to_numpy(), np.sqrt(n.astype(np.float64) ** 2 + 1) * 2 - np.minimum(n, 3), atol=1e-4)
