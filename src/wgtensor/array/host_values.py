"""From Python numbers, nested lists and other libraries' arrays in host memory to host tensors of a dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.array.arguments import type_name
from wgtensor.array.devices import Device
from wgtensor.array.python_numbers import default_of_kind, is_number
from wgtensor.array.support import available_dtypes, require_dtype
from wgtensor.cpu.casts import cast
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.interop import dlpack
from wgtensor.tensor import DType, Shape, Tensor, float32

__all__ = ["converted", "host_tensor"]


def host_tensor(obj: Any, dtype: DType | None, device: Device) -> Tensor:
    """Return the values of ``obj`` as a host tensor to upload to ``device``, of ``dtype`` if that is given.

    Parameters
    ----------
    obj
        NumPy array or scalar, or something with ``__dlpack__``, ``__array__`` or the buffer protocol: of its own dtype.
        Python number or nested sequences of them: of the default dtype of its kind.
    dtype
        What the values become; Python ints must fit into it.
    device
        Must compute in the result's dtype.

    Raises
    ------
    DTypeError
        ``obj`` holds something else than numbers, or complex numbers where ``dtype`` is real.
    ValidationError
        Nested sequences of different lengths, or an int outside of ``dtype``.
    UnsupportedError
        The device does not compute in the dtype.
    """
    values = _held(obj)
    if values is None:
        numbers = _numbers(obj)
        dtype = dtype or default_of_kind(numbers.dtype.kind)
        _require_range(numbers, dtype, device)
        values = Tensor.from_numpy(numbers)
    require_dtype("asarray", device, dtype or values.dtype)
    return converted("asarray", values, dtype or values.dtype)


def converted(name: str, values: Tensor, dtype: DType) -> Tensor:
    """Return a host tensor in ``dtype``; itself if it has that. ``name`` is for error texts.

    Raises
    ------
    DTypeError
        It is complex and ``dtype`` is real.
    """
    if values.dtype is dtype:
        return values
    if values.dtype.is_complex and not dtype.is_complex:
        raise DTypeError(f"{name} takes no {values.dtype} values to the real dtype {dtype}; take .real or abs first")
    with np.errstate(all="ignore"):
        return Tensor.from_numpy(cast(values.to_numpy(), source=values.dtype, dtype=dtype), dtype)


def _held(obj: Any) -> Tensor | None:
    """Return what has a dtype of its own as a tensor over its memory, or None."""
    if hasattr(obj, "__dlpack__") and not isinstance(obj, np.ndarray):
        return dlpack.host_tensor(obj, may_move=True, copy=None)
    try:
        array = np.asarray(obj if hasattr(obj, "__array__") else memoryview(obj))
    except TypeError:
        return None
    if array.dtype.kind not in "biufc":
        raise DTypeError(f"asarray takes arrays of numbers, got NumPy dtype {array.dtype}; convert it with NumPy first")
    return Tensor.from_numpy(array)


def _numbers(obj: Any) -> NDArray[Any]:
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


def _require_range(array: NDArray[Any], dtype: DType, device: Device) -> None:
    """Raise if an int is outside of an integer dtype, which would wrap."""
    if not (array.size and dtype.is_integer and array.dtype.kind in "iu"):
        return
    span = int(array.min()), int(array.max())
    if not _holds(dtype, span):
        limits = np.iinfo(np.dtype(dtype))
        wide = next((each for each in available_dtypes(device) if each.is_integer and _holds(each, span)), float32)
        raise ValidationError(
            f"asarray needs ints within {limits.min} to {limits.max} for {dtype}, got "
            f"{span[0] if span[0] < limits.min else span[1]}; write dtype=wt.{wide}"
        )


def _holds(dtype: DType, span: tuple[int, int]) -> bool:
    limits = np.iinfo(np.dtype(dtype))
    return bool(limits.min <= span[0] and span[1] <= limits.max)


def _refusal(obj: Any) -> DTypeError | ValidationError:
    """Return the error that says what in ``obj`` is no array of numbers, and where."""
    return _fault(obj, "") or DTypeError(f"asarray takes numbers that have one dtype, got {obj!r}")


def _fault(obj: Any, where: str) -> DTypeError | ValidationError | None:
    """Return what is wrong in a nest of sequences, innermost first, or None."""
    if is_number(obj):
        return _fault_of_number(obj)
    if isinstance(obj, str) or not isinstance(obj, Sequence):
        return _fault_of_object(obj, where)
    faults = (_fault(each, f"{where}[{i}]") for i, each in enumerate(obj))
    found = next((fault for fault in faults if fault is not None), None)
    shapes = [] if found else [_shape_of(each) for each in obj]
    other = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
    if other is None:
        return found
    return ValidationError(
        f"asarray needs nested lists of equal lengths, got shape {shapes[0]} at {where}[0] and {shapes[other]} "
        f"at {where}[{other}]; pad the shorter ones"
    )


def _fault_of_number(number: Any) -> ValidationError | None:
    if not isinstance(number, int) or -(1 << 63) <= number < 1 << 64:
        return None
    return ValidationError(
        f"asarray needs ints of at most 64 bits, got one of {number.bit_length()} bits; write a float"
    )


def _fault_of_object(obj: Any, where: str) -> DTypeError:
    if hasattr(obj, "__array_namespace__"):
        return DTypeError(f"asarray takes no arrays inside lists, got one at {where}; join them with wt.stack")
    got = f"{type_name(obj)} at {where}" if where else type_name(obj)
    return DTypeError(f"asarray takes numbers, nested lists of numbers, and arrays, got {got}")


def _shape_of(obj: Any) -> Shape:
    """Return the shape of a nest that is known to be even."""
    if not isinstance(obj, Sequence):
        return ()
    return (len(obj), *(_shape_of(obj[0]) if len(obj) else ()))
