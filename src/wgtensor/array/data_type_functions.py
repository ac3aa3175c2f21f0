"""Data type functions of the standard: conversion, promotion, broadcasting, and what a dtype holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from wgtensor.array import dispatch
from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.devices import DeviceLike, as_device
from wgtensor.array.dtypes import dtype_of
from wgtensor.array.operators import device_of
from wgtensor.array.promotion import is_promotable, promoted, result_dtype
from wgtensor.array.python_numbers import beside, is_number
from wgtensor.array.shaping import shape_of
from wgtensor.array.support import available_dtypes, require_dtype
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import DType, DTypeLike, Shape, bfloat16

__all__ = [
    "FInfo",
    "IInfo",
    "astype",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "result_type",
]

KINDS: Final = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
"""The standard's names of kinds, and the kind letters of their dtypes."""


def astype(x: Array, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike = None) -> Array:
    """Return ``x`` in another dtype.

    Floats become integers towards zero; what is out of range saturates and NaN is 0. What is not 0 is True.

    Parameters
    ----------
    x, dtype
        Array and the new dtype.
    copy
        Whether to copy where nothing changes.
    device
        Where the result is; by default where ``x`` is.

    Raises
    ------
    DTypeError
        From complex to real: take ``wt.real`` or ``wt.abs``.
    UnsupportedError
        The device does not compute in the dtype.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.astype(wt.asarray([-1.5, 2.5]), wt.int32).tolist()
    [-1, 2]
    """
    target, here = dtype_of(dtype), required_array("astype", x).device
    there = here if device is None else as_device(device)
    require_dtype("astype", there, target)
    if there is here:
        return x if target is x.dtype and not copy else x.astype(target, copy=copy)
    if target in available_dtypes(here):
        return x.astype(target, copy=False).to_device(there)
    return x.to_device(there).astype(target, copy=False)


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Return views of arrays in their common shape; see :func:`broadcast_shapes`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> [each.shape for each in wt.broadcast_arrays(wt.ones((2, 1)), wt.ones(3))]
    [(2, 3), (2, 3)]
    """
    if not arrays:
        return ()
    device_of("broadcast_arrays", *arrays)
    shape = broadcast_shapes(*(required_array("broadcast_arrays", each).shape for each in arrays))
    return tuple(broadcast_to(each, shape) for each in arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common shape of several: aligned at the right, equal lengths or 1, which stretches.

    Raises
    ------
    ValidationError
        There is none.

    Examples
    --------
    >>> broadcast_shapes((4, 1), (3,))
    (4, 3)
    """
    common: Shape = ()
    for shape in shapes:
        common = dispatch.broadcasted("broadcast_shapes", common, shape_of("broadcast_shapes", shape))
    return common


def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """Return the view of ``x`` in ``shape``.

    Raises
    ------
    ValidationError
        Its shape does not broadcast to that.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.broadcast_to(wt.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    wanted = shape_of("broadcast_to", shape)
    device = required_array("broadcast_to", x).device
    if dispatch.broadcasted("broadcast_to", x.shape, wanted) != wanted:
        raise ValidationError(f"broadcast_to needs a shape that {x.shape} stretches to, got {wanted}")
    return Array(dispatch.broadcast_to(device.session, x.tensor, wanted), device)


def can_cast(from_: DTypeLike | Array, to: DTypeLike, /) -> bool:
    """Return whether promotion leads from a dtype, or an array's, to another.

    Examples
    --------
    >>> can_cast("int8", "int32"), can_cast("int32", "float32")
    (True, False)
    """
    source, target = _dtype_given(from_), dtype_of(to)
    return is_promotable(source, target) and promoted("can_cast", source, target) is target


@dataclass(frozen=True, slots=True)
class FInfo:
    """Limits of a float dtype, or of the parts of a complex one.

    Attributes
    ----------
    bits
        Bits of one real number.
    eps
        Distance from 1 to the next float.
    max, min
        Largest and least finite number.
    smallest_normal
        Least positive number of full precision.
    dtype
        The real dtype.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True, slots=True)
class IInfo:
    """Limits of an integer dtype.

    Attributes
    ----------
    bits
        Bits of one integer.
    max, min
        Largest and least integer.
    dtype
        The dtype.
    """

    bits: int
    max: int
    min: int
    dtype: DType


_BFLOAT16: Final = FInfo(16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, -(2 - 2.0**-7) * 2.0**127, 2.0**-126, bfloat16)


def finfo(type: DTypeLike | Array, /) -> FInfo:
    """Return the limits of a float or complex dtype, or of an array's.

    Raises
    ------
    DTypeError
        It is of another kind.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.finfo(wt.float32).bits, wt.finfo("float32").eps == 2**-23
    (32, True)
    """
    dtype = _dtype_given(type).real
    if not dtype.is_float:
        raise DTypeError(f"finfo takes float and complex dtypes, got {dtype}; use iinfo for integers")
    if dtype is bfloat16:
        return _BFLOAT16
    info = np.finfo(np.dtype(dtype))
    numbers = (float(info.eps), float(info.max), float(info.min), float(info.smallest_normal))
    return FInfo(info.bits, *numbers, dtype)


def iinfo(type: DTypeLike | Array, /) -> IInfo:
    """Return the limits of an integer dtype, or of an array's.

    Raises
    ------
    DTypeError
        It is of another kind.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.iinfo(wt.uint8).max
    255
    """
    dtype = _dtype_given(type)
    if not dtype.is_integer:
        raise DTypeError(f"iinfo takes integer dtypes, got {dtype}; use finfo for floats")
    info = np.iinfo(np.dtype(dtype))
    return IInfo(info.bits, int(info.max), int(info.min), dtype)


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> bool:
    """Return whether a dtype is of a kind, or of one of several.

    Parameters
    ----------
    dtype
        The dtype.
    kind
        A dtype; one of ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``, ``"real floating"``,
        ``"complex floating"``, ``"numeric"``; or a tuple of these.

    Raises
    ------
    ValidationError
        There is no such kind.

    Examples
    --------
    >>> isdtype("int32", ("bool", "integral"))
    True
    """
    element = dtype_of(dtype)
    return any(_is_of_kind(element, each) for each in (kind if isinstance(kind, tuple) else (kind,)))


def _is_of_kind(dtype: DType, kind: Any) -> bool:
    if not isinstance(kind, str):
        return dtype is dtype_of(kind)
    if kind not in KINDS:
        raise ValidationError(f"isdtype needs a dtype or one of {', '.join(KINDS)} as kind, got {kind!r}")
    return dtype.kind in KINDS[kind]


def result_type(*arrays_and_dtypes: Array | DTypeLike | complex) -> DType:
    """Return the dtype in which arrays, dtypes and Python numbers meet.

    Raises
    ------
    ValidationError
        There is no array and no dtype.
    DTypeError
        The standard defines no common dtype.

    Examples
    --------
    >>> result_type("int8", "uint8", 3)
    wgtensor.int16
    """
    numbers = [each for each in arrays_and_dtypes if is_number(each)]
    dtypes = [_dtype_given(each) for each in arrays_and_dtypes if not is_number(each)]
    if not dtypes:
        raise ValidationError(f"result_type needs at least one array or dtype, got {arrays_and_dtypes!r}")
    result = result_dtype("result_type", dtypes)
    for number in numbers:
        result = beside("result_type", number, result)
    return result


def _dtype_given(given: Any) -> DType:
    return given.dtype if isinstance(given, Array) else dtype_of(given)
