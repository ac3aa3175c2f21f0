"""Dtype and shape of one tensor: ``astype``, ``reshape`` and the functions that only move axes, below the arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wgtensor.array.arguments import integer_of, require_copy
from wgtensor.array.refusals import in_parts
from wgtensor.contract.session import SessionBase
from wgtensor.errors import AxisError, DTypeError, UnsupportedError, ValidationError
from wgtensor.rules.axes import as_integers
from wgtensor.tensor import DType, Shape, Tensor

__all__ = [
    "astype",
    "axes_of",
    "axis_of",
    "expand",
    "flip",
    "move_axes",
    "permute",
    "reshape",
    "shape_of",
    "squeeze",
    "swap_last",
]


def astype(session: SessionBase, x: Tensor, dtype: DType, copy: bool) -> Tensor:
    """Return ``x`` in ``dtype``: a new tensor, or ``x`` itself if it has that dtype and ``copy`` is False.

    Raises
    ------
    DTypeError
        From complex to real, which the standard leaves out: take ``wt.real`` or ``wt.abs``.
    """
    if x.dtype is dtype:
        return session.to_contiguous(x) if copy else x
    if x.dtype.is_complex and not dtype.is_complex:
        raise DTypeError(
            f"astype takes no complex array to a real dtype, got {x.dtype} to {dtype}; use wt.real or wt.abs first"
        )
    try:
        return session.cast(x, dtype)
    except UnsupportedError as error:
        raise in_parts("astype", error) from None


def reshape(session: SessionBase, x: Tensor, shape: Any, copy: bool | None) -> Tensor:
    """Return the elements of ``x`` in row-major order under ``shape``, of which one length may be -1.

    Raises
    ------
    ValidationError
        Another number of elements; or ``copy=False`` where strides do not allow a view.
    """
    require_copy("reshape", copy)
    lengths = _filled(shape_of("reshape", shape, negative=True), x)
    if copy:
        return session.reshape(session.to_contiguous(x), lengths)
    if copy is False and math.prod(lengths) == x.size and x.layout.reshape(lengths) is None:
        raise ValidationError(
            f"reshape with copy=False needs strides that allow a view, got {x.layout} to {lengths}; use copy=None"
        )
    return session.reshape(x, lengths)


def _filled(lengths: Shape, x: Tensor) -> Shape:
    """Replace the one -1 by what is left for it."""
    if lengths.count(-1) == 0:
        return lengths
    known = math.prod(n for n in lengths if n != -1)
    if lengths.count(-1) > 1 or known == 0 or x.size % known:
        raise ValidationError(
            f"reshape needs a shape of {x.size} elements with at most one -1, got {lengths} for shape {x.shape}"
        )
    return tuple(x.size // known if n == -1 else n for n in lengths)


def permute(session: SessionBase, x: Tensor, axes: Any, name: str) -> Tensor:
    """Return the view of ``x`` whose axis ``i`` is axis ``axes[i]``; negative axes count from the end."""
    order = as_integers(name, "axes", axes)
    if sorted(axis % x.ndim if -x.ndim <= axis < x.ndim else -1 for axis in order) != list(range(x.ndim)):
        raise ValidationError(
            f"{name} needs each axis of shape {x.shape} once, got axes {order}; all {x.ndim} must be named"
        )
    return session.transpose(x, tuple(axis % x.ndim for axis in order))


def expand(session: SessionBase, x: Tensor, axis: Any) -> Tensor:
    """Return the view of ``x`` with axes of length 1 at the positions ``axis`` of the result."""
    given = axis if isinstance(axis, tuple | list) else (axis,)
    rank = x.ndim + len(given)
    new = axes_of("expand_dims", given, rank)
    kept = tuple(position for position in range(rank) if position not in new)
    lengths = iter(x.shape)
    return session.broadcast_in_dim(x, tuple(next(lengths) if i in kept else 1 for i in range(rank)), kept)


def squeeze(session: SessionBase, x: Tensor, axis: Any) -> Tensor:
    """Return the view of ``x`` without ``axis``, one or several of length 1.

    Raises
    ------
    ValidationError
        One of them is longer, or empty.
    """
    gone = axes_of("squeeze", axis if isinstance(axis, tuple | list) else (axis,), x.ndim)
    if any(x.shape[each] != 1 for each in gone):
        raise ValidationError(f"squeeze needs axes of length 1, got axes {gone} of shape {x.shape}")
    return session.reshape(x, tuple(n for i, n in enumerate(x.shape) if i not in gone))


def flip(session: SessionBase, x: Tensor, axis: Any) -> Tensor:
    """Return the view that walks ``axis`` (one, several, or None for all) backwards."""
    return session.reverse(x, axes_of("flip", axis, x.ndim))


def swap_last(session: SessionBase, x: Tensor, name: str) -> Tensor:
    """Return the view of ``x`` with its last two axes swapped.

    Raises
    ------
    ValidationError
        There are fewer than two.
    """
    if x.ndim < 2:
        raise ValidationError(
            f"{name} needs at least two axes, got shape {x.shape}; add axes with None, as in x[None, :]"
        )
    *leading, rows, columns = range(x.ndim)
    return session.transpose(x, (*leading, columns, rows))


def move_axes(session: SessionBase, x: Tensor, source: Any, destination: Any) -> Tensor:
    """Return the view whose axes ``destination`` are ``source`` of ``x``, the others in their order.

    Raises
    ------
    ValidationError
        Not as many of one as of the other, or an axis twice.
    """
    sources, targets = (_distinct("moveaxis", each, x.ndim) for each in (source, destination))
    if len(sources) != len(targets):
        raise ValidationError(f"moveaxis needs as many destinations as sources, got {source} and {destination}")
    moved = dict(zip(targets, sources, strict=True))
    rest = (axis for axis in range(x.ndim) if axis not in sources)
    return session.transpose(x, tuple(moved[i] if i in moved else next(rest) for i in range(x.ndim)))


def axis_of(name: str, axis: Any, rank: int) -> int:
    """Return ``axis`` as a number from 0; negative ones count from the end.

    Raises
    ------
    AxisError
        There is no such axis.
    """
    number = integer_of(name, "axis", axis)
    if not -rank <= number < rank:
        allowed = f"within {-rank} to {rank - 1}" if rank else "that exists, and a shape of () has none"
        raise AxisError(f"{name} needs an axis {allowed}, got {number}")
    return number % rank


def axes_of(name: str, axis: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Return an ``axis`` argument (one, several, or None for all) as axes from 0, each once, ascending."""
    return tuple(range(rank)) if axis is None else tuple(sorted(_distinct(name, axis, rank)))


def _distinct(name: str, axis: int | Sequence[int], rank: int) -> tuple[int, ...]:
    """Return one axis or several as axes from 0, each once, in their order."""
    given = axis if isinstance(axis, tuple | list) else (axis,)
    numbers = tuple(axis_of(name, each, rank) for each in given)
    if len(set(numbers)) != len(numbers):
        raise ValidationError(f"{name} needs each axis once, got {tuple(given)} for {rank} axes")
    return numbers


def shape_of(name: str, shape: Any, negative: bool = False) -> Shape:
    """Return a ``shape`` argument, an int or several, as a tuple.

    Raises
    ------
    ValidationError
        A length is no integer, or below 0 (-1 is left where ``negative`` allows it).
    """
    is_several = isinstance(shape, tuple | list)
    lengths = as_integers(name, "shape", shape) if is_several else (integer_of(name, "shape", shape),)
    if any(length < -negative for length in lengths):
        raise ValidationError(f"{name} needs lengths of at least 0, got shape {lengths}")
    return lengths
