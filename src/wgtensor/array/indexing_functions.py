"""Indexing functions: elements at the positions that an integer array names."""

from __future__ import annotations

from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.devices import Device
from wgtensor.array.indexing import take_along_axis as _take_along_axis
from wgtensor.array.operators import device_of
from wgtensor.array.refusals import speaking_of
from wgtensor.array.shaping import axis_of
from wgtensor.errors import DTypeError, ValidationError

__all__ = ["take", "take_along_axis"]


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """Return the elements of ``x`` at ``indices`` along ``axis``.

    Parameters
    ----------
    x
        Array of any dtype.
    indices
        Integer array, one-dimensional in the standard, of any shape here. Negative integers count from the end. Those
        out of range select the first or the last position, since a check would read the device.
    axis
        Along which; only one-dimensional ``x`` needs none.

    Returns
    -------
    Array
        ``x.shape`` with the length of ``axis`` replaced by ``indices.shape``.

    Raises
    ------
    DTypeError
        ``indices`` is no integer array.
    ValidationError
        There is no such axis, or ``x`` has several and none is named; the arrays are on different devices.
    IndexRuleError
        The axis has length 0, and there are indices.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.take(wt.asarray([10, 20, 30]), wt.asarray([2, 0, -1])).tolist()
    [30, 10, 30]
    """
    _device_of_both("take", x, indices)
    if axis is None and x.ndim != 1:
        raise ValidationError(f"take needs an axis for an array of shape {x.shape}; only one axis needs no name")
    return x[(slice(None),) * axis_of("take", axis or 0, x.ndim) + (indices,)]


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Return one element of ``x`` for each of ``indices``: at that position along ``axis``, and in place elsewhere.

    What ``argsort`` and ``argmax`` with ``keepdims=True`` return, for example, are indices for it.

    Parameters
    ----------
    x
        Array of any dtype.
    indices
        Integer array of the rank of ``x``; on axes other than ``axis`` the two broadcast. Negative integers count from
        the end. Those out of range select the first or the last position, since a check would read the device.
    axis
        Along which.

    Returns
    -------
    Array
        The length of ``indices`` along ``axis``, the common lengths on the others.

    Raises
    ------
    DTypeError
        ``indices`` is no integer array.
    ValidationError
        Ranks differ, there is no such axis, other axes do not broadcast, or the arrays are on different devices.
    IndexRuleError
        The axis of ``x`` has length 0, and there are indices.

    Examples
    --------
    >>> import wgtensor as wt
    >>> x = wt.asarray([[3.0, 1.0], [2.0, 4.0]])
    >>> wt.take_along_axis(x, wt.asarray([[1], [0]])).tolist()
    [[1.0], [2.0]]
    """
    device = _device_of_both("take_along_axis", x, indices)
    with speaking_of("take_along_axis"):
        return Array(_take_along_axis(device.session, x.tensor, indices.tensor, axis), device)


def _device_of_both(name: str, x: Array, indices: Array) -> Device:
    """Return the device of two arrays, of which the second is of integers."""
    required_array(name, x)
    if not required_array(name, indices).dtype.is_integer:
        raise DTypeError(f"{name} needs integer indices, got {indices.dtype}; convert with indices.astype(wt.int32)")
    return device_of(name, x, indices)
