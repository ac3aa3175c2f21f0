"""Scans, sorts and searches in plain NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "argsort",
    "cumulative_max",
    "cumulative_min",
    "cumulative_prod",
    "cumulative_sum",
    "flat_nonzero",
    "searchsorted",
    "sort",
]

_WIDER: Final[Mapping[str, type[np.inexact[Any]]]] = {
    "float16": np.float64,
    "float32": np.float64,
    "float64": np.longdouble,
    "complex64": np.complex128,
    "complex128": np.clongdouble,
}
"""What floats are accumulated in: NumPy's scans run element by element, and would lose a bit for every doubling."""


def cumulative_sum(x: NDArray[Any], *, axis: int, exclusive: bool, reverse: bool) -> NDArray[Any]:
    """Return running sums; integers wrap in their own dtype."""
    return _scan(np.add, x, 0, axis, exclusive, reverse)


def cumulative_prod(x: NDArray[Any], *, axis: int, exclusive: bool, reverse: bool) -> NDArray[Any]:
    """Return running products; integers wrap in their own dtype."""
    return _scan(np.multiply, x, 1, axis, exclusive, reverse)


def cumulative_max(x: NDArray[Any], *, axis: int, exclusive: bool, reverse: bool) -> NDArray[Any]:
    """Return running maxima; NaN stays."""
    least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return _scan(np.maximum, x, least, axis, exclusive, reverse)


def cumulative_min(x: NDArray[Any], *, axis: int, exclusive: bool, reverse: bool) -> NDArray[Any]:
    """Return running minima; NaN stays."""
    greatest = np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max
    return _scan(np.minimum, x, greatest, axis, exclusive, reverse)


def _scan(ufunc: np.ufunc, x: NDArray[Any], identity: float, axis: int, exclusive: bool, reverse: bool) -> NDArray[Any]:
    line = np.moveaxis(x, axis, -1)
    line = line[..., ::-1] if reverse else line
    wide = _WIDER.get(x.dtype.name, x.dtype)
    if exclusive:
        first = np.full((*line.shape[:-1], 1), identity, x.dtype)
        line = np.concatenate([first, line], axis=-1)[..., : line.shape[-1]]
    result = ufunc.accumulate(line, axis=-1, dtype=wide).astype(x.dtype)
    return np.moveaxis(result[..., ::-1] if reverse else result, -1, axis)


def flat_nonzero(mask: NDArray[np.bool_], *, count: int) -> NDArray[Any]:
    """Return the row-major positions of the first ``count`` True, then zeros."""
    found = np.flatnonzero(mask)[:count]
    return np.pad(found, (0, count - found.size))


def argsort(x: NDArray[Any], *, axis: int, descending: bool) -> NDArray[Any]:
    """Return the positions that sort; NaN last, equals in order."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    rank = _dense_ranks(x)
    return np.argsort(np.where(np.isnan(x), 1, -rank) if x.dtype.kind == "f" else -rank, axis=axis, kind="stable")


def _dense_ranks(x: NDArray[Any]) -> NDArray[np.int64]:
    """Return numbers, from 0, in the order of the elements and of a dtype that can be negated."""
    return np.unique(x, return_inverse=True)[1].reshape(x.shape).astype(np.int64)


def sort(x: NDArray[Any], *, axis: int, descending: bool) -> NDArray[Any]:
    """Return the elements in order; NaN last, equals in order."""
    return np.take_along_axis(x, argsort(x, axis=axis, descending=descending), axis)


def searchsorted(ordered: NDArray[Any], values: NDArray[Any], *, side: Any) -> NDArray[Any]:
    """Return the number of sorted elements before each value, or up to it on the right."""
    return np.asarray(np.searchsorted(ordered, values, side))
