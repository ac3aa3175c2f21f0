"""Analytic functions in plain NumPy, in the operand's own precision."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "pow_",
    "rsqrt",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]

exp: Final = np.exp
log: Final = np.log
sin: Final = np.sin
cos: Final = np.cos
sqrt: Final = np.sqrt
exp2: Final = np.exp2
log2: Final = np.log2
log10: Final = np.log10
logaddexp: Final = np.logaddexp
hypot: Final = np.hypot
asin: Final = np.arcsin
acos: Final = np.arccos
atan: Final = np.arctan
atan2: Final = np.arctan2
sinh: Final = np.sinh
cosh: Final = np.cosh
asinh: Final = np.arcsinh
acosh: Final = np.arccosh
atanh: Final = np.arctanh


def rsqrt(x: NDArray[Any]) -> NDArray[Any]:
    """Return ``1 / sqrt(x)``."""
    return np.asarray(np.reciprocal(np.sqrt(x)))


def expm1(x: NDArray[Any]) -> NDArray[Any]:
    """Return ``exp(x) - 1`` without cancellation."""
    if x.dtype.kind != "c":
        return np.asarray(np.expm1(x))
    # NumPy multiplies infinite parts by 0; where nothing cancels, exp has the right ones. A real zero is +0.
    result: NDArray[Any] = np.where(np.isfinite(x), np.expm1(x), np.exp(x) - 1)
    result.real += 0.0
    return result


def tanh(x: NDArray[Any]) -> NDArray[Any]:
    """Return the hyperbolic tangent."""
    if x.dtype.kind != "c":
        return np.asarray(np.tanh(x))
    # The standard gives an infinite real part an imaginary zero of the operand's sign, C the sign of sin(2 imag).
    result = np.asarray(np.tanh(x))
    limit = np.isinf(x.real) & np.isfinite(x.imag)
    result.imag[limit] = np.copysign(0, x.imag[limit])
    return result


def tan(x: NDArray[Any]) -> NDArray[Any]:
    """Return the tangent, of complex numbers as ``-1j * tanh(1j * x)``."""
    if x.dtype.kind != "c":
        return np.asarray(np.tan(x))
    result = np.asarray(np.tan(x))
    limit = np.isinf(x.imag) & np.isfinite(x.real)
    result.real[limit] = np.copysign(0, x.real[limit])
    return result


def log1p(x: NDArray[Any]) -> NDArray[Any]:
    """Return ``log(1 + x)`` without cancellation."""
    if x.dtype.kind != "c":
        return np.asarray(np.log1p(x))
    # NumPy takes log(abs(1 + x)), which loses every digit of a small x.
    re, im = x.real, x.imag
    small = (np.abs(re) < 0.5) & (np.abs(im) < 0.5)
    magnitude = 0.5 * np.log1p(re * (2 + re) + im * im)
    result = np.asarray(np.log(1 + x))
    result.real[...] = np.where(small, magnitude, result.real)
    # 1 + x has the imaginary part +0 where that of x is -0, and so the other side of the cut.
    result.imag[...] = np.arctan2(im, 1 + re)
    return result


def pow_(base: NDArray[Any], exponent: NDArray[Any]) -> NDArray[Any]:
    """Return ``base ** exponent``; integers wrap, negative integer exponents give 0 (bases 1 and -1 excepted)."""
    if base.dtype.kind not in "iu":
        return np.asarray(np.power(base, exponent))
    # Bases 1 and -1 depend on the exponent's parity alone, for either sign of it.
    unit = np.abs(base) == 1
    usable = np.where(exponent >= 0, exponent, exponent & 1)
    return np.asarray(np.where(unit | (exponent >= 0), np.power(base, usable), 0), base.dtype)


_ERF: Final = np.frompyfunc(math.erf, 1, 1)


def erf(x: NDArray[Any]) -> NDArray[Any]:
    """Return the error function, which NumPy lacks."""
    return np.asarray(_ERF(x), x.dtype)
