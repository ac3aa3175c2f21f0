"""Set functions: distinct elements and membership, by sorting. Results come in ascending order.

NaN differs from every NaN and -0 equals 0, as the standard says. The number of distinct elements is read from the
device, which waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from wgtensor.array import ordering
from wgtensor.array.array import Array
from wgtensor.array.calls import call_on, required_array
from wgtensor.array.ordering import Groups
from wgtensor.array.refusals import speaking_of
from wgtensor.contract.session import SessionBase
from wgtensor.tensor import Tensor

__all__ = [
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "isin",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

_Part: TypeAlias = Callable[[Groups, SessionBase], Tensor]


class UniqueAllResult(NamedTuple):
    """What :func:`unique_all` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What :func:`unique_counts` returns."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What :func:`unique_inverse` returns."""

    values: Array
    inverse_indices: Array


def isin(x1: Array | int, x2: Array | int, /, *, invert: bool = False) -> Array:
    """Return whether each element of ``x1`` is in ``x2``.

    Parameters
    ----------
    x1, x2
        Arrays of bools, integers or floats, or one of them a number; dtypes promote. NaN is in nothing.
    invert
        Whether to return the opposite.

    Returns
    -------
    Array
        bool, in the shape of ``x1``.

    Raises
    ------
    DTypeError
        Dtypes do not promote, or are complex.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.isin(wt.asarray([1, 2, 3]), wt.asarray([3, 1])).tolist()
    [True, False, True]
    """
    return call_on("isin", ordering.is_in, (x1, x2), invert)


def unique_all(x: Array, /) -> UniqueAllResult:
    """Return the distinct elements of the flattened array, and where and how often they occur.

    Parameters
    ----------
    x
        Array of any dtype; complex numbers are ordered by real, then imaginary part.

    Returns
    -------
    UniqueAllResult
        ``values``; ``indices``, where each occurs first in the flattened array; ``inverse_indices``, which value each
        element is, in the shape of ``x``; ``counts``, how often each occurs. All but the values are int32.

    Examples
    --------
    >>> import wgtensor as wt
    >>> [each.tolist() for each in wt.unique_all(wt.asarray([3, 1, 3]))]
    [[1, 3], [1, 0], [1, 0, 1], [1, 2]]
    """
    return UniqueAllResult(
        *_parts("unique_all", x, (Groups.distinct, Groups.first_positions, Groups.inverse, Groups.counts))
    )


def unique_counts(x: Array, /) -> UniqueCountsResult:
    """Return the distinct elements of the flattened array and how often they occur; see :func:`unique_all`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.unique_counts(wt.asarray([3, 1, 3])).counts.tolist()
    [1, 2]
    """
    return UniqueCountsResult(*_parts("unique_counts", x, (Groups.distinct, Groups.counts)))


def unique_inverse(x: Array, /) -> UniqueInverseResult:
    """Return the distinct elements of the flattened array and which of them each element is; see :func:`unique_all`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.unique_inverse(wt.asarray([3, 1, 3])).inverse_indices.tolist()
    [1, 0, 1]
    """
    return UniqueInverseResult(*_parts("unique_inverse", x, (Groups.distinct, Groups.inverse)))


def unique_values(x: Array, /) -> Array:
    """Return the distinct elements of the flattened array; see :func:`unique_all`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.unique_values(wt.asarray([3, 1, 3])).tolist()
    [1, 3]
    """
    (values,) = _parts("unique_values", x, (Groups.distinct,))
    return values


def _parts(name: str, x: Array, wanted: tuple[_Part, ...]) -> list[Array]:
    """Group equal elements and return what is wanted of the groups."""
    device = required_array(name, x).device
    with speaking_of(name):
        groups = ordering.groups_of(device.session, x.tensor)
        return [Array(lower(groups, device.session), device) for lower in wanted]
