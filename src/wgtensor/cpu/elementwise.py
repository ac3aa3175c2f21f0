"""Elementwise operations in plain NumPy; shapes and dtypes are checked already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract import CompareDirection

__all__ = [
    "abs_",
    "add",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "ceil",
    "clamp",
    "compare",
    "conj",
    "copysign",
    "div",
    "floor",
    "floor_divide",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mul",
    "neg",
    "nextafter",
    "real",
    "reciprocal",
    "rem",
    "remainder",
    "round_",
    "select",
    "shift_left",
    "shift_right",
    "sign",
    "signbit",
    "square",
    "sub",
    "trunc",
]

_RELATIONS: Final[dict[CompareDirection, Callable[..., Any]]] = {
    CompareDirection.EQ: np.equal,
    CompareDirection.NE: np.not_equal,
    CompareDirection.LT: np.less,
    CompareDirection.LE: np.less_equal,
    CompareDirection.GT: np.greater,
    CompareDirection.GE: np.greater_equal,
}

add: Final = np.add
sub: Final = np.subtract
mul: Final = np.multiply
neg: Final = np.negative
abs_: Final = np.abs
conj: Final = np.conjugate
maximum: Final = np.maximum
minimum: Final = np.minimum
logical_and: Final = np.logical_and
logical_or: Final = np.logical_or
logical_xor: Final = np.logical_xor
logical_not: Final = np.logical_not
isnan: Final = np.isnan
isinf: Final = np.isinf
isfinite: Final = np.isfinite
select: Final = np.where
square: Final = np.square
remainder: Final = np.remainder
signbit: Final = np.signbit
copysign: Final = np.copysign
bitwise_and: Final = np.bitwise_and
bitwise_or: Final = np.bitwise_or
bitwise_xor: Final = np.bitwise_xor
bitwise_not: Final = np.bitwise_invert
# NumPy takes amounts as unsigned: a negative one is beyond the width, too.
shift_left: Final = np.bitwise_left_shift
shift_right: Final = np.bitwise_right_shift


def rem(lhs: NDArray[Any], rhs: NDArray[Any]) -> NDArray[Any]:
    """Return the remainder with the sign of ``lhs``; 0 for an integer divisor 0 (as NumPy, but without its warning)."""
    return np.asarray(np.fmod(lhs, rhs))


def div(lhs: NDArray[Any], rhs: NDArray[Any]) -> NDArray[Any]:
    """Return the quotient; integers truncate towards zero, and their division by 0 gives 0."""
    if lhs.dtype.kind in "iu":
        return np.asarray(np.floor_divide(lhs - rem(lhs, rhs), rhs))
    return np.asarray(np.divide(lhs, rhs))


def floor_divide(lhs: NDArray[Any], rhs: NDArray[Any]) -> NDArray[Any]:
    """Return the floor of the quotient; with one infinite operand the quotient itself, where Python has NaN or -1."""
    result = np.asarray(np.floor_divide(lhs, rhs))
    if lhs.dtype.kind != "f":
        return result
    return np.where(np.isinf(lhs) ^ np.isinf(rhs), np.divide(lhs, rhs), result)


def sign(x: NDArray[Any]) -> NDArray[Any]:
    """Return -1, 0 or 1 (complex: ``x / abs(x)``); zeros keep their sign."""
    return np.where(x == 0, x, np.sign(x))


def real(x: NDArray[Any]) -> NDArray[Any]:
    """Return the real part."""
    return x.real.copy()


def imag(x: NDArray[Any]) -> NDArray[Any]:
    """Return the imaginary part; zeros for floats."""
    return x.imag.copy()


def compare(lhs: NDArray[Any], rhs: NDArray[Any], *, direction: CompareDirection) -> NDArray[Any]:
    """Return whether the relation holds."""
    return np.asarray(_RELATIONS[direction](lhs, rhs))


def clamp(x: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """Return ``min(max(x, low), high)``."""
    return np.asarray(np.minimum(np.maximum(x, low), high))


def reciprocal(x: NDArray[Any]) -> NDArray[Any]:
    """Return ``1 / x``."""
    return np.asarray(np.divide(x.dtype.type(1), x))


def floor(x: NDArray[Any]) -> NDArray[Any]:
    """Return the largest whole number that is not above ``x``."""
    return _rounded(np.floor, x)


def ceil(x: NDArray[Any]) -> NDArray[Any]:
    """Return the smallest whole number that is not below ``x``."""
    return _rounded(np.ceil, x)


def trunc(x: NDArray[Any]) -> NDArray[Any]:
    """Return the whole number next to ``x`` towards zero."""
    return _rounded(np.trunc, x)


def round_(x: NDArray[Any]) -> NDArray[Any]:
    """Return the nearest whole number, halves to even."""
    return _rounded(np.rint, x)


def _rounded(function: Callable[..., Any], x: NDArray[Any]) -> NDArray[Any]:
    return x.copy() if x.dtype.kind in "iu" else np.asarray(function(x))


def nextafter(x: NDArray[Any], towards: NDArray[Any]) -> NDArray[Any]:
    """Return the next number after ``x`` on the way to ``towards``."""
    # NumPy's float16 keeps x where the two are zeros of different sign.
    return np.where(x == towards, towards, np.nextafter(x, towards))
