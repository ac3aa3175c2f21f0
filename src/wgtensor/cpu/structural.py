"""Structural operations that need a copy; the others are views (``wgtensor.rules.views``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.rules import embedding_axes

__all__ = ["embed_diagonal", "reshape", "to_contiguous", "tril", "triu"]


def to_contiguous(x: NDArray[Any]) -> NDArray[Any]:
    """Return a row-major copy."""
    return x.copy(order="C")


def reshape(x: NDArray[Any], *, shape: Sequence[int]) -> NDArray[Any]:
    """Return a row-major copy in another shape."""
    return x.copy(order="C").reshape(shape)


def embed_diagonal(x: NDArray[Any], *, axis_a: int, axis_b: int | None) -> NDArray[Any]:
    """Return zeros with ``x`` on the diagonal of its axis ``axis_a`` and a new axis ``axis_b``."""
    source, new = embedding_axes(x.ndim, axis_a, axis_b)
    wide = np.expand_dims(x, new)
    positions = np.arange(wide.shape[source])
    on_diagonal = np.expand_dims(positions[:, None] == positions, list(range(2, wide.ndim)))
    return np.where(np.moveaxis(on_diagonal, (0, 1), (source, new)), wide, x.dtype.type(0))


def tril(x: NDArray[Any], *, k: int) -> NDArray[Any]:
    """Return ``x`` with zeros above the ``k``-th diagonal of the last two axes."""
    return np.tril(x, _within(k, x))


def triu(x: NDArray[Any], *, k: int) -> NDArray[Any]:
    """Return ``x`` with zeros below the ``k``-th diagonal of the last two axes."""
    return np.triu(x, _within(k, x))


def _within(k: int, x: NDArray[Any]) -> int:
    """Return the diagonal ``k``, or the first one outside ``x`` on its side: NumPy takes no larger numbers."""
    rows, cols = x.shape[-2:]
    return int(max(-rows - 1, min(k, cols + 1)))
