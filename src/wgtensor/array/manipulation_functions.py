"""Manipulation functions: arrays joined, split, and seen under other shapes.

Broadcasting is in the data types' chapter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wgtensor.array import assembly, shaping
from wgtensor.array.array import Array
from wgtensor.array.calls import call, call_on, required_array, tensors_of
from wgtensor.array.operators import device_of
from wgtensor.array.refusals import speaking_of
from wgtensor.errors import ValidationError
from wgtensor.tensor import Tensor

__all__ = [
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "transpose",
    "unstack",
]


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """Return arrays joined along an axis.

    Parameters
    ----------
    arrays
        One or more, of shapes that are equal but for ``axis``; dtypes promote.
    axis
        Along which; None flattens the arrays first.

    Raises
    ------
    ValidationError
        There are none, shapes differ elsewhere, or there is no such axis.
    DTypeError
        Dtypes do not promote.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.concat([wt.asarray([1, 2]), wt.asarray([3])]).tolist()
    [1, 2, 3]
    """
    return _joined("concat", assembly.concat, arrays, axis)


def _joined(name: str, lower: Callable[..., Tensor], arrays: Sequence[Array], axis: int | None) -> Array:
    if not isinstance(arrays, tuple | list) or not arrays:
        raise ValidationError(f"{name} needs a tuple or list of at least one array, got {arrays!r}")
    device = device_of(name, *(required_array(name, each) for each in arrays))
    with speaking_of(name):
        return Array(lower(device.session, tensors_of(name, arrays, device), axis), device)


def expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """Return the view of ``x`` with a new axis of length 1 at each position of the result that ``axis`` names.

    Raises
    ------
    AxisError
        A position is out of range; an IndexError too.
    ValidationError
        A position is named twice.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.expand_dims(wt.zeros((2, 3)), (0, -1)).shape
    (1, 2, 3, 1)
    """
    return call("expand_dims", shaping.expand, x, axis)


def flip(x: Array, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Return the view of ``x`` with elements in reverse order along ``axis``, one or several; None means all.

    Raises
    ------
    AxisError
        There is no such axis.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.flip(wt.asarray([1, 2, 3])).tolist()
    [3, 2, 1]
    """
    return call("flip", shaping.flip, x, axis)


def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
    """Return the view of ``x`` with axes ``source`` at positions ``destination``, the others in their order.

    Raises
    ------
    AxisError
        There is no such axis.
    ValidationError
        An axis is named twice, or there are not as many of both.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.moveaxis(wt.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return call("moveaxis", shaping.move_axes, x, source, destination)


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """Return the view of ``x`` whose axis ``i`` is axis ``axes[i]``.

    Raises
    ------
    ValidationError
        ``axes`` does not name each axis once.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.permute_dims(wt.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return call("permute_dims", shaping.permute, x, axes, "permute_dims")


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Return ``x`` with each element repeated.

    Parameters
    ----------
    x
        Array.
    repeats
        How often: an int for all, or an integer array of shape ``(1,)`` or with one count per position, of which those
        below 0 count as 0. An array decides the result's shape, so its sum is read from the device, which waits.
    axis
        Along which; None flattens ``x`` first.

    Raises
    ------
    ValidationError
        ``repeats`` is a negative int, or has another shape.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.repeat(wt.asarray([1, 2]), 2).tolist()
    [1, 1, 2, 2]
    """
    if isinstance(repeats, Array):
        return call_on("repeat", assembly.repeat, (x, repeats), axis)
    return call("repeat", assembly.repeat, x, repeats, axis)


def reshape(x: Array, /, shape: int | tuple[int, ...], *, copy: bool | None = None) -> Array:
    """Return the elements of ``x`` in row-major order under another shape.

    Parameters
    ----------
    x
        Array.
    shape
        Lengths, of which one may be -1 for what is left.
    copy
        True: always new memory; False: a view or an error; None: a view where strides allow.

    Raises
    ------
    ValidationError
        The number of elements differs, or ``copy=False`` and strides do not allow a view.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.reshape(wt.asarray([1, 2, 3, 4]), (2, -1)).tolist()
    [[1, 2], [3, 4]]
    """
    return call("reshape", shaping.reshape, x, shape, copy)


def roll(x: Array, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Return ``x`` with elements moved along an axis; what leaves at the end enters at the beginning.

    Parameters
    ----------
    x
        Array.
    shift
        By how many places, towards larger indices if positive: an int for all axes, or one per axis.
    axis
        Along which; None flattens ``x``, rolls it and gives it its shape back.

    Raises
    ------
    AxisError
        There is no such axis.
    ValidationError
        There are not as many shifts as axes.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.roll(wt.asarray([1, 2, 3]), 1).tolist()
    [3, 1, 2]
    """
    return call("roll", assembly.roll, x, shift, axis)


def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """Return the view of ``x`` without ``axis``, one or several of length 1.

    Raises
    ------
    AxisError
        There is no such axis.
    ValidationError
        It has another length.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.squeeze(wt.zeros((1, 3, 1)), (0, 2)).shape
    (3,)
    """
    return call("squeeze", shaping.squeeze, x, axis)


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """Return arrays of one shape joined along a new axis.

    Raises
    ------
    ValidationError
        There are none, shapes differ, or there is no such axis in the result.
    DTypeError
        Dtypes do not promote.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.stack([wt.asarray([1, 2]), wt.asarray([3, 4])], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    return _joined("stack", assembly.stack, arrays, axis)


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """Return ``x`` laid side by side.

    Parameters
    ----------
    x
        Array.
    repetitions
        How often along each axis, aligned at the right; missing axes of ``x`` have length 1, missing counts are 1.

    Raises
    ------
    ValidationError
        A count is no integer, or below 0.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.tile(wt.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return call("tile", assembly.tile, x, repetitions)


def transpose(x: Array, /, axes: tuple[int, ...] | None = None) -> Array:
    """Return the view of ``x`` with axes in another order, reversed by default; beyond the standard, as in NumPy.

    Raises
    ------
    ValidationError
        ``axes`` does not name each axis once.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.transpose(wt.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """
    rank = required_array("transpose", x).ndim
    order = tuple(range(rank))[::-1] if axes is None else axes
    return call("transpose", shaping.permute, x, order, "transpose")


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Return the views of ``x`` at each position of an axis, without that axis.

    Raises
    ------
    AxisError
        There is no such axis.

    Examples
    --------
    >>> import wgtensor as wt
    >>> [part.tolist() for part in wt.unstack(wt.asarray([[1, 2], [3, 4]]), axis=1)]
    [[1, 3], [2, 4]]
    """
    device = required_array("unstack", x).device
    return tuple(Array(each, device) for each in assembly.unstack(device.session, x.tensor, axis))
