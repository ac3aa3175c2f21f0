"""From Python numbers, nested lists and other libraries' arrays in host memory to host tensors of a dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.array.dispatch import is_number
from wgtensor.array.python_numbers import default_of_kind
from wgtensor.cpu.casts import cast
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import DType, Shape, Tensor

__all__ = ["host_tensor"]


def host_tensor(obj: Any, dtype: DType | None) -> Tensor:
    """Return the values of ``obj`` as a host tensor, of ``dtype`` if that is given.

    Parameters
    ----------
    obj
        NumPy array or scalar, something that NumPy sees as one (``__array__``, the buffer protocol): of its own dtype.
        Python number or nested sequences of them: of the default dtype of its kind.
    dtype
        What the values become; Python ints must fit into it.

    Raises
    ------
    DTypeError
        ``obj`` holds something else than numbers, or complex numbers where ``dtype`` is real.
    ValidationError
        Nested sequences of different lengths, or an int outside of ``dtype``.
    """
    array = _array_like(obj)
    if array is None:
        array = _of_numbers(obj)
        dtype = dtype or default_of_kind(array.dtype.kind)
        _require_range(array, dtype)
    if array.dtype.kind not in "biufcV":
        raise DTypeError(f"asarray takes arrays of numbers, got NumPy dtype {array.dtype}; convert it with NumPy first")
    return _converted(Tensor.from_numpy(array), dtype)


def _converted(values: Tensor, dtype: DType | None) -> Tensor:
    if dtype is None or values.dtype is dtype:
        return values
    if values.dtype.is_complex and not dtype.is_complex:
        raise DTypeError(f"asarray takes no {values.dtype} values to the real dtype {dtype}; take .real or abs first")
    with np.errstate(all="ignore"):
        return Tensor.from_numpy(cast(values.to_numpy(), source=values.dtype, dtype=dtype), dtype)


def _array_like(obj: Any) -> NDArray[Any] | None:
    """Return what has a dtype of its own as an array, or None."""
    if hasattr(obj, "__array__"):
        return np.asarray(obj)
    try:
        return np.asarray(memoryview(obj))
    except TypeError:
        return None


def _of_numbers(obj: Any) -> NDArray[Any]:
    """Return numbers as NumPy holds them at full width: bool, (u)int64, float64 or complex128."""
    if not is_number(obj) and (isinstance(obj, str) or not isinstance(obj, Sequence)):
        raise _refusal(obj)
    try:
        array = np.asarray(obj)
    except (TypeError, ValueError) as cause:
        raise _refusal(obj) from cause
    if array.dtype.kind not in "biufc":
        raise _refusal(obj)
    return array


def _require_range(array: NDArray[Any], dtype: DType) -> None:
    """Raise if an int is outside of an integer dtype, which would wrap."""
    if not (array.size and dtype.is_integer and array.dtype.kind in "iu"):
        return
    limits = np.iinfo(np.dtype(dtype))
    low, high = int(array.min()), int(array.max())
    if low < limits.min or high > limits.max:
        raise _out_of_range(low if low < limits.min else high, f"{limits.min} to {limits.max} for {dtype}")


def _out_of_range(number: int, limits: str = f"{-(1 << 63)} to {(1 << 64) - 1}") -> ValidationError:
    return ValidationError(
        f"asarray needs ints within {limits}, got {number}; write dtype=wt.int64 where the device has it, or floats"
    )


def _refusal(obj: Any) -> DTypeError | ValidationError:
    """Return the error that says what in ``obj`` is no array of numbers, and where."""
    error = _fault(obj, "")
    return error or DTypeError(f"asarray takes numbers that have one dtype, got {obj!r}")


def _fault(obj: Any, where: str) -> DTypeError | ValidationError | None:
    """Return what is wrong in a nest of sequences, innermost first, or None."""
    place = f" at {where}" if where else ""
    if isinstance(obj, int) and not -(1 << 63) <= obj < 1 << 64:
        return _out_of_range(obj)
    if is_number(obj):
        return None
    if isinstance(obj, str) or not isinstance(obj, Sequence):
        return DTypeError(
            f"asarray takes numbers, nested lists of numbers, and arrays, got {type(obj).__module__}."
            f"{type(obj).__qualname__}{place}; join arrays with wt.stack or wt.concat"
        )
    faults = (_fault(each, f"{where}[{i}]") for i, each in enumerate(obj))
    found = next((fault for fault in faults if fault is not None), None)
    if found is not None:
        return found
    shapes = [_shape_of(each) for each in obj]
    other = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
    if other is None:
        return None
    return ValidationError(
        f"asarray needs nested lists of equal lengths, got shape {shapes[0]} at {where}[0] and {shapes[other]} "
        f"at {where}[{other}]; pad the shorter ones"
    )


def _shape_of(obj: Any) -> Shape:
    """Return the shape of a nest that is known to be even."""
    if not isinstance(obj, Sequence):
        return ()
    return (len(obj), *(_shape_of(obj[0]) if len(obj) else ()))
