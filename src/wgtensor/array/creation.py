"""New tensors, made where they are: constants, ranges and grids, below the arrays."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from wgtensor.array.devices import Device
from wgtensor.array.dispatch import converted
from wgtensor.array.dtypes import dtype_of
from wgtensor.array.python_numbers import default_of_numbers, fitting, plain
from wgtensor.array.support import require_dtype
from wgtensor.contract import CompareDirection
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import DType, Shape, Tensor, bfloat16, float16, float32, int32

__all__ = ["arange", "eye", "full", "linspace"]

_COMPUTED_IN: Final = {float16: float32, bfloat16: float32}
"""Where a range in its own dtype would round at each step."""


def full(name: str, device: Device, shape: Shape, value: complex, dtype: Any) -> Tensor:
    """Return ``value`` in ``shape``, in ``dtype`` or the default one of the value."""
    target = _target(name, device, dtype, value)
    return device.session.full(shape, fitting(name, value, target), target)


def arange(device: Device, start: float, stop: float, step: float, dtype: Any) -> Tensor:
    """Return ``start``, ``start + step`` ... below ``stop`` (above it for a negative step).

    Raises
    ------
    ValidationError
        The step is 0, a number is not finite, or a value does not fit the dtype.
    DTypeError
        A number is complex, or a float where ``dtype`` is an integer.
    """
    start, stop, step = plain(start), plain(stop), plain(step)
    target = _target("arange", device, dtype, start, stop, step)
    if target.kind not in "iuf" or any(isinstance(each, complex) for each in (start, stop, step)):
        raise DTypeError(f"arange makes integers and real floats, got {target} of {start}, {stop}, {step}")
    length = _range_length(start, stop, step)
    if target.is_integer:
        start, step = _integer_range(start, step, length, target)
    session, compute = device.session, _COMPUTED_IN.get(target, target)
    values = session.iota(length, compute)
    values = values if step == 1 else session.mul(values, step)
    values = values if start == 0 else session.add(values, start)
    return converted(session, values, target)


def _range_length(start: float, stop: float, step: float) -> int:
    if step == 0 or not all(math.isfinite(each) for each in (start, stop, step)):
        raise ValidationError(f"arange needs finite numbers and a step other than 0, got {start}, {stop}, {step}")
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(0, -((start - stop) // step))
    return max(0, math.ceil((stop - start) / step))


def _integer_range(start: float, step: float, length: int, dtype: DType) -> tuple[int, int]:
    """Check that the elements fit, and return the step modulo the dtype's range, since it is no element."""
    first, _ = (fitting("arange", each, dtype) for each in (start, start + max(length - 1, 0) * step))
    low, count = -(1 << dtype.itemsize * 8 - 1) if dtype.kind == "i" else 0, 1 << dtype.itemsize * 8
    return first, (int(step) - low) % count + low


def linspace(device: Device, start: complex, stop: complex, num: int, dtype: Any, endpoint: bool) -> Tensor:
    """Return ``num`` evenly spaced numbers; exact at ``start`` and, with ``endpoint``, at ``stop``.

    Raises
    ------
    ValidationError
        ``num`` is negative.
    DTypeError
        The dtype is an integer, or real for complex ends.
    """
    target = _target("linspace", device, dtype, start, stop, 1.0)
    if target.kind not in "fc":
        raise DTypeError(f"linspace makes floats and complex numbers, got {target}; convert them with astype")
    start, stop = (fitting("linspace", each, target) for each in (start, stop))
    if num < 0:
        raise ValidationError(f"linspace needs a num of at least 0, got {num}")
    session, compute = device.session, _COMPUTED_IN.get(target, target)
    scale = _scale(start, stop, compute)
    first, last, parts = start * scale, stop * scale, max(num - 1 if endpoint else num, 1)
    step = (last - first) / parts
    # Counted from both ends, so that both are exact.
    number = session.iota(num, int32)
    upwards = session.add(session.mul(session.cast(number, compute), step), first)
    rest = session.cast(session.sub(parts, number), compute)
    downwards = session.add(session.mul(rest, -step), last)
    lower = session.compare(number, (parts + 1) // 2, CompareDirection.LT)
    values = session.select(lower, upwards, downwards)
    return converted(session, values if scale == 1 else session.mul(values, 1 / scale), target)


def _scale(start: complex, stop: complex, dtype: DType) -> float:
    """Return a half where the distance of the ends overflows the dtype in which it is computed, else 1."""
    limit = float(np.finfo(np.dtype(dtype)).max)
    return 1.0 if abs(stop / 2 - start / 2) <= limit / 2 else 0.5


def eye(device: Device, shape: Shape, k: int, dtype: DType) -> Tensor:
    """Return a matrix of ``shape`` with ones on diagonal ``k`` and zeros elsewhere."""
    require_dtype("eye", device, dtype)
    session, (rows, columns) = device.session, shape
    down = session.add(session.iota(rows, int32), max(-rows, min(k, columns)))
    right = session.broadcast_in_dim(session.iota(columns, int32), shape, (1,))
    ones = session.compare(session.broadcast_in_dim(down, shape, (0,)), right, CompareDirection.EQ)
    return converted(session, ones, dtype)


def _target(name: str, device: Device, dtype: Any, *numbers: complex) -> DType:
    """Return the dtype asked for, or the default one of the numbers; refuse what the device does not compute in."""
    default = default_of_numbers(name, numbers)
    target = default if dtype is None else dtype_of(dtype)
    require_dtype(name, device, target)
    return target
