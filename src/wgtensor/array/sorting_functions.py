"""Sorting functions: stable whether asked for or not, NaN last in either direction."""

from __future__ import annotations

from wgtensor.array import ordering
from wgtensor.array.array import Array
from wgtensor.array.calls import call

__all__ = ["argsort", "sort"]


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the positions that sort an array along an axis.

    Parameters
    ----------
    x
        Array of bools, integers or floats.
    axis
        Along which.
    descending
        Whether the largest comes first; NaN comes last either way.
    stable
        Equals keep their order, whatever this says.

    Returns
    -------
    Array
        int32, in the shape of ``x``.

    Raises
    ------
    AxisError
        There is no such axis.
    DTypeError
        ``x`` is complex.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.argsort(wt.asarray([3, 1, 2])).tolist()
    [1, 2, 0]
    """
    return call("argsort", ordering.argsort, x, axis, descending)


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return an array sorted along an axis; parameters and errors are those of :func:`argsort`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.sort(wt.asarray([3, 1, 2]), descending=True).tolist()
    [3, 2, 1]
    """
    return call("sort", ordering.sort, x, axis, descending)
