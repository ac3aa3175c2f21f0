"""Analytic functions in plain NumPy, in the operand's own precision."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["cos", "exp", "expm1", "log", "log1p", "pow_", "rsqrt", "sin", "sqrt", "tanh"]

exp: Final = np.exp
log: Final = np.log
sin: Final = np.sin
cos: Final = np.cos
tanh: Final = np.tanh
sqrt: Final = np.sqrt
expm1: Final = np.expm1


def rsqrt(x: NDArray[Any]) -> NDArray[Any]:
    """Return ``1 / sqrt(x)``."""
    return np.asarray(np.reciprocal(np.sqrt(x)))


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
    return result


def pow_(base: NDArray[Any], exponent: NDArray[Any]) -> NDArray[Any]:
    """Return ``base ** exponent``; integers wrap, negative integer exponents give 0 (bases 1 and -1 excepted)."""
    if base.dtype.kind not in "iu":
        return np.asarray(np.power(base, exponent))
    # Bases 1 and -1 depend on the exponent's parity alone, for either sign of it.
    unit = np.abs(base) == 1
    usable = np.where(exponent >= 0, exponent, exponent & 1)
    return np.asarray(np.where(unit | (exponent >= 0), np.power(base, usable), 0), base.dtype)
