"""Casts between all dtypes, with results that do not depend on the machine.

Floats become integers by truncation, saturate out of range, and NaN becomes 0. bfloat16 is held as uint16 bits and is
reached through float32, rounding to nearest even.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor import DType, bfloat16

__all__ = ["cast", "from_bfloat16", "to_bfloat16"]


def cast(x: NDArray[Any], *, source: DType, dtype: DType) -> NDArray[Any]:
    """Return ``x``, whose elements are of ``source``, as ``dtype``."""
    if source is dtype:
        return x.copy()
    values = from_bfloat16(x) if source is bfloat16 else x
    if dtype is bfloat16:
        return to_bfloat16(_as(values, np.dtype(np.float32)))
    return _as(values, np.dtype(dtype))


def _as(x: NDArray[Any], target: np.dtype[Any]) -> NDArray[Any]:
    if target.kind == "b":
        return np.asarray(np.not_equal(x, 0))
    if x.dtype.kind == "c" and target.kind != "c":
        x = x.real
    if x.dtype.kind == "f" and target.kind in "iu":
        return _saturate(x, target)
    return x.astype(target)


def _saturate(x: NDArray[Any], target: np.dtype[Any]) -> NDArray[Any]:
    limits = np.iinfo(target)
    # Both bounds are powers of two (or 0), which float64 holds exactly; the largest 64-bit integers are not.
    whole = np.trunc(x.astype(np.float64))
    low, end = float(limits.min), float(limits.max) + 1 if limits.bits < 64 else 2.0 ** (limits.bits - (limits.min < 0))
    inside = (whole >= low) & (whole < end)
    result = np.where(inside, whole, 0).astype(target)
    return np.where(whole < low, target.type(limits.min), np.where(whole >= end, target.type(limits.max), result))


def from_bfloat16(bits: NDArray[Any]) -> NDArray[Any]:
    """Return the float32 values of bfloat16 ``bits``; exact."""
    return np.asarray(bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def to_bfloat16(x: NDArray[Any]) -> NDArray[Any]:
    """Return the bfloat16 bits of float32 ``x``, rounded to nearest even; NaN stays NaN."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32).reshape(x.shape)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    quiet = bits | np.uint32(0x00400000)
    return (np.where(np.isnan(x), quiet, rounded) >> np.uint32(16)).astype(np.uint16)
