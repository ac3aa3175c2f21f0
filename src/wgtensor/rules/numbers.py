"""Numbers beside tensors: which of them fit a dtype."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import DType

__all__ = ["fitting_number"]

_FIRST_INFINITE: Final = (1 << 1024) - (1 << 970)
"""The smallest int that rounds to 2**1024, beyond Python's floats."""


def fitting_number(name: str, value: Any, dtype: DType) -> complex:
    """Return ``value``, a number of Python's or NumPy's, as Python's, if a tensor of ``dtype`` can hold its kind.

    Raises
    ------
    DTypeError
        Its kind does not fit: a float beside integers, a complex beside floats, an int beside bool, or no number.
    ValidationError
        An int outside the dtype.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _fitting_int(name, value, dtype)
    if isinstance(value, float) and (dtype.is_float or dtype.is_complex):
        return float(value)
    if isinstance(value, complex) and dtype.is_complex:
        return complex(value)
    if isinstance(value, np.ndarray):
        raise DTypeError(
            f"{name} takes tensors, and numbers that fit their dtype {dtype}, got a NumPy array of shape "
            f"{value.shape}; upload it with upload_host_tensor(Tensor.from_numpy(array))"
        )
    raise DTypeError(
        f"{name} takes tensors, and numbers that fit their dtype {dtype}, got {value!r} "
        f"of type {type(value).__name__}; cast the tensor, or upload a tensor of its own"
    )


def _fitting_int(name: str, value: int, dtype: DType) -> int:
    if dtype.kind == "b":
        raise DTypeError(f"{name} takes bool beside bool tensors, got the int {value}; use True or False")
    if dtype.is_integer:
        bits = dtype.itemsize * 8
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.kind == "i" else (0, (1 << bits) - 1)
        if not low <= value <= high:
            raise ValidationError(f"{name} needs an int within {low} to {high} beside {dtype}, got {value}")
    elif abs(value) >= _FIRST_INFINITE:
        raise ValidationError(f"{name} needs an int below 2**1024 beside {dtype}, got one of {value.bit_length()} bits")
    return value
