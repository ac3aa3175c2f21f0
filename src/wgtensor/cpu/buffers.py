"""Tensors made out of nothing, and writes into one, in plain NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.cpu.casts import to_bfloat16
from wgtensor.rules import fitting_number
from wgtensor.tensor import DType, bfloat16

__all__ = ["copy_into", "full", "iota"]


def copy_into(x: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
    """Write ``x`` into ``out``."""
    out[...] = x
    return out


def full(*, shape: Sequence[int], value: complex, dtype: DType) -> NDArray[Any]:
    """Return ``value`` everywhere."""
    number = fitting_number("full", value, dtype)
    if dtype is bfloat16:
        return np.full(shape, to_bfloat16(np.asarray(number, np.float32)))
    return np.full(shape, number, dtype.numpy)


def iota(*, length: int, dtype: DType) -> NDArray[Any]:
    """Return 0, 1, 2, ...; integers wrap."""
    numbers = np.arange(length)
    return to_bfloat16(numbers.astype(np.float32)) if dtype is bfloat16 else numbers.astype(dtype.numpy)
