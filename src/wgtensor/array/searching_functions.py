"""Searching functions: positions of extremes, of what is not zero, and in sorted arrays; and choice by a condition."""

from __future__ import annotations

from typing import Literal

from wgtensor.array import ordering, reduction
from wgtensor.array.array import Array
from wgtensor.array.calls import call, call_on, required_array, tensors_of
from wgtensor.array.dispatch import choose
from wgtensor.array.operators import device_of
from wgtensor.array.refusals import speaking_of

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the position of the largest element, the first of equals; the first NaN if there is one.

    Parameters
    ----------
    x
        Array of bools, integers or floats.
    axis
        Along which; None searches the flattened array.
    keepdims
        Whether reduced axes stay, with length 1.

    Returns
    -------
    Array
        int32.

    Raises
    ------
    ValidationError
        There are no elements to choose from.
    DTypeError
        ``x`` is complex.

    Examples
    --------
    >>> import wgtensor as wt
    >>> int(wt.argmax(wt.asarray([3.0, 9.0, 4.0])))
    1
    """
    return call("argmax", reduction.arg_extreme, x, "argmax", axis, keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the position of the smallest element; parameters and errors are those of :func:`argmax`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.argmin(wt.asarray([[3, 1], [0, 2]]), axis=1).tolist()
    [1, 0]
    """
    return call("argmin", reduction.arg_extreme, x, "argmin", axis, keepdims)


def count_nonzero(x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return how many elements are not zero, as int32; NaN is not zero.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        One or several axes; None means all.
    keepdims
        Whether reduced axes stay, with length 1.

    Examples
    --------
    >>> import wgtensor as wt
    >>> int(wt.count_nonzero(wt.asarray([1, 0, 3])))
    2
    """
    return call("count_nonzero", reduction.count_nonzero, x, axis, keepdims)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Return the indices of the elements that are not zero, in row-major order.

    How many there are is read from the device, which waits for it.

    Parameters
    ----------
    x
        Array of at least one axis.

    Returns
    -------
    tuple of Array
        One int32 vector per axis.

    Raises
    ------
    ValidationError
        ``x`` has no axes.

    Examples
    --------
    >>> import wgtensor as wt
    >>> [each.tolist() for each in wt.nonzero(wt.asarray([[1, 0], [0, 2]]))]
    [[0, 1], [0, 1]]
    """
    device = required_array("nonzero", x).device
    with speaking_of("nonzero"):
        return tuple(Array(each, device) for each in ordering.nonzero_positions(device.session, x.tensor))


def searchsorted(
    x1: Array,
    x2: Array | int | float,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: Array | None = None,
) -> Array:
    """Return where values would go into a sorted array.

    Parameters
    ----------
    x1
        Real vector in ascending order, NaN last, or in the order of ``sorter``.
    x2
        Values of any shape, or a number.
    side
        ``"left"``: before equals; ``"right"``: after them.
    sorter
        Positions that sort ``x1``, as :func:`argsort` returns them.

    Returns
    -------
    Array
        int32, in the shape of ``x2``.

    Raises
    ------
    ValidationError
        ``x1`` does not have one axis, ``sorter`` has another shape, or ``side`` is another word.
    DTypeError
        Dtypes do not promote, or are not real.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.searchsorted(wt.asarray([1, 3, 5]), wt.asarray([0, 3, 9])).tolist()
    [0, 1, 3]
    """
    device = device_of("searchsorted", x1, x2)
    ordered, values, *order = tensors_of("searchsorted", (x1, x2, *([] if sorter is None else [sorter])), device)
    with speaking_of("searchsorted"):
        return Array(ordering.searchsorted(device.session, ordered, values, side, *(order or [None])), device)


def where(condition: Array, x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return elements of ``x1`` where ``condition`` holds, of ``x2`` elsewhere.

    Parameters
    ----------
    condition
        Bool array.
    x1, x2
        Arrays, or one of them a number; dtypes promote and all three shapes broadcast.

    Raises
    ------
    ValidationError
        Shapes do not broadcast.
    DTypeError
        ``condition`` is not bool, dtypes do not promote, or neither ``x1`` nor ``x2`` is an array.

    Examples
    --------
    >>> import wgtensor as wt
    >>> x = wt.asarray([-1.0, 2.0])
    >>> wt.where(x > 0, x, 0.0).tolist()
    [0.0, 2.0]
    """
    return call_on("where", choose, (condition, x1, x2))
