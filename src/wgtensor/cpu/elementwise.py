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
    "clamp",
    "compare",
    "conj",
    "div",
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
    "real",
    "rem",
    "select",
    "sign",
    "sub",
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


def rem(lhs: NDArray[Any], rhs: NDArray[Any]) -> NDArray[Any]:
    """Return the remainder with the sign of ``lhs``; 0 for an integer divisor 0 (as NumPy, but without its warning)."""
    return np.asarray(np.fmod(lhs, rhs))


def div(lhs: NDArray[Any], rhs: NDArray[Any]) -> NDArray[Any]:
    """Return the quotient; integers truncate towards zero, and their division by 0 gives 0."""
    if lhs.dtype.kind in "iu":
        return np.asarray(np.floor_divide(lhs - rem(lhs, rhs), rhs))
    return np.asarray(np.divide(lhs, rhs))


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
