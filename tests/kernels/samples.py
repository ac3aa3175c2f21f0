"""Operands for the kernel tests, and how far a result lies from a reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "COUNT",
    "EPS",
    "SPECIALS",
    "complex_grid",
    "cross",
    "finite_floats",
    "padded",
    "relative_errors",
    "same_values",
    "ulp_errors",
]

Array = NDArray[Any]

COUNT = 40_000
EPS = 2.0**-23

_TINY, _HUGE = np.finfo(np.float32).tiny, np.finfo(np.float32).max
SPECIALS = np.array(
    [
        *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -1.5, 10.0),
        *(1e-45, -1e-45, 1e-40, -1e-40, _TINY, -_TINY, _HUGE, -_HUGE, 1.00000012, 0.99999994, -0.99999994),
        *(
            88.72284,
            88.8,
            -87.4,
            -103.97,
            -104.0,
            16777216.0,
            16777217.0,
            -16777215.0,
            8388607.5,
            1e10,
            -1e10,
        ),
        *(2147483648.0, -2147483648.0, 2147483520.0, 4294967296.0, 4294967040.0, 65504.0, 65520.0, 1e30),
    ],
    np.float32,
)


def finite_floats(rng: np.random.Generator, count: int = COUNT) -> Array:
    """Draw float32 values whose bit patterns are uniform over all finite floats, denormals included."""
    words = rng.integers(0, 2**32, count, dtype=np.uint32)
    return np.where((words & 0x7F80_0000) == 0x7F80_0000, words & 0x807F_FFFF, words).astype(np.uint32).view(np.float32)


def padded(values: Array) -> Array:
    """Repeat values up to a multiple of 4, the kernels' step."""
    return np.resize(values, -(-values.size // 4) * 4)


def cross(left: Array, right: Array) -> tuple[Array, Array]:
    """Every pair of the two lists, padded."""
    a, b = np.meshgrid(left, right)
    return padded(a.ravel()), padded(b.ravel())


def complex_grid(parts: Array) -> Array:
    re, im = cross(parts, parts)
    grid = np.empty(re.size, np.complex64)
    grid.real, grid.imag = re, im
    return grid


def ulp_errors(result: Array, reference: Array) -> Array:
    """Distance in units of the result's last place; infinite if only one of the two is finite."""
    nearest = reference.astype(result.dtype)
    finite = np.isfinite(nearest) & np.isfinite(result)
    errors = np.where(same_values(result, nearest), 0.0, np.inf)
    distance = np.abs(result[finite].astype(reference.dtype) - reference[finite])
    errors[finite] = distance / np.spacing(np.abs(nearest[finite])).astype(np.float64)
    return errors


def relative_errors(result: Array, reference: Array, smallest: float) -> Array:
    """Distance in units of 2^-23 |reference|; 0 where that is not between ``smallest`` and its inverse."""
    modulus = np.abs(reference)
    usable = (modulus > smallest) & (modulus < 1 / smallest)
    distance = np.abs(result.astype(np.complex128) - reference) / (modulus * EPS)
    return np.where(usable, np.where(np.isnan(distance), np.inf, distance), 0.0)


def same_values(result: Array, reference: Array) -> NDArray[np.bool_]:
    """Equality in which NaN equals NaN and -0 differs from 0; complex values part by part."""
    if reference.dtype.kind == "c":
        return same_values(result.real, reference.real) & same_values(result.imag, reference.imag)
    if reference.dtype.kind != "f":
        return np.equal(result, reference)
    equal = (result == reference) & (np.signbit(result) == np.signbit(reference))
    same: NDArray[np.bool_] = equal | (np.isnan(result) & np.isnan(reference))
    return same
