"""Reductions in plain NumPy: the reduced axes become one contiguous last axis, over which NumPy sums pairwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "accumulator",
    "argmax",
    "argmin",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
]


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype to accumulate in: float32 for float16, else the dtype itself."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def _rows(x: NDArray[Any], axes: Sequence[int]) -> NDArray[Any]:
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [x.shape[axis] for axis in kept]
    return np.ascontiguousarray(x.transpose(*kept, *axes)).reshape(*shape, math.prod(x.shape[axis] for axis in axes))


def _fold(ufunc: np.ufunc, x: NDArray[Any], axes: Sequence[int]) -> NDArray[Any]:
    return np.asarray(ufunc.reduce(_rows(x, axes), axis=-1, dtype=accumulator(x.dtype))).astype(x.dtype)


def reduce_sum(x: NDArray[Any], *, axes: Sequence[int]) -> NDArray[Any]:
    """Return the sum; integers wrap in their own dtype."""
    return _fold(np.add, x, axes)


def reduce_prod(x: NDArray[Any], *, axes: Sequence[int]) -> NDArray[Any]:
    """Return the product; integers wrap in their own dtype."""
    return _fold(np.multiply, x, axes)


def reduce_max(x: NDArray[Any], *, axes: Sequence[int]) -> NDArray[Any]:
    """Return the largest, or NaN."""
    return _fold(np.maximum, x, axes)


def reduce_min(x: NDArray[Any], *, axes: Sequence[int]) -> NDArray[Any]:
    """Return the smallest, or NaN."""
    return _fold(np.minimum, x, axes)


def reduce_any(x: NDArray[Any], *, axes: Sequence[int]) -> NDArray[Any]:
    """Return whether any is True."""
    return _fold(np.logical_or, x, axes)


def reduce_all(x: NDArray[Any], *, axes: Sequence[int]) -> NDArray[Any]:
    """Return whether all are True."""
    return _fold(np.logical_and, x, axes)


def argmax(x: NDArray[Any], *, axis: int) -> NDArray[Any]:
    """Return the position of the first NaN, else of the first largest."""
    return np.asarray(np.argmax(x, axis=axis))


def argmin(x: NDArray[Any], *, axis: int) -> NDArray[Any]:
    """Return the position of the first NaN, else of the first smallest."""
    return np.asarray(np.argmin(x, axis=axis))
