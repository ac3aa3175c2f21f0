"""Dtype and shape of one tensor: what ``astype``, ``reshape`` and ``permute_dims`` do, below the arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wgtensor.contract.session import SessionBase
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules.axes import as_integers
from wgtensor.tensor import DType, Shape, Tensor

__all__ = ["astype", "axes_of", "axis_of", "permute", "reshape", "shape_of"]


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
    return session.cast(x, dtype)


def reshape(session: SessionBase, x: Tensor, shape: Any, copy: bool | None) -> Tensor:
    """Return the elements of ``x`` in row-major order under ``shape``, of which one length may be -1.

    Raises
    ------
    ValidationError
        Another number of elements; or ``copy=False`` where strides do not allow a view.
    """
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


def permute(session: SessionBase, x: Tensor, axes: Any) -> Tensor:
    """Return the view of ``x`` whose axis ``i`` is axis ``axes[i]``; negative axes count from the end."""
    order = as_integers("permute_dims", "axes", axes)
    if sorted(axis % x.ndim if -x.ndim <= axis < x.ndim else -1 for axis in order) != list(range(x.ndim)):
        raise ValidationError(
            f"permute_dims needs each axis of shape {x.shape} once, got axes {order}; all {x.ndim} must be named"
        )
    return session.transpose(x, tuple(axis % x.ndim for axis in order))


def axis_of(name: str, axis: Any, rank: int) -> int:
    """Return ``axis`` as a number from 0; negative ones count from the end.

    Raises
    ------
    ValidationError
        There is no such axis.
    """
    (number,) = as_integers(name, "axis", (axis,))
    if not -rank <= number < rank:
        raise ValidationError(f"{name} needs an axis within {-rank} to {rank - 1}, got {number}")
    return number % rank


def axes_of(name: str, axis: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Return an ``axis`` argument (one, several, or None for all) as axes from 0, each once, ascending."""
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple | list) else (axis,)
    numbers = [axis_of(name, each, rank) for each in given]
    if len(set(numbers)) != len(numbers):
        raise ValidationError(f"{name} needs each axis once, got {tuple(given)} for {rank} axes")
    return tuple(sorted(numbers))


def shape_of(name: str, shape: Any, negative: bool = False) -> Shape:
    """Return a ``shape`` argument, an int or several, as a tuple.

    Raises
    ------
    ValidationError
        A length is no integer, or below 0 (-1 is left where ``negative`` allows it).
    """
    lengths = as_integers(name, "shape", shape if isinstance(shape, tuple | list) else (shape,))
    if any(length < -negative for length in lengths):
        raise ValidationError(f"{name} needs lengths of at least 0, got shape {lengths}")
    return lengths
