"""Taking one element per position of an index array along an axis: ``take_along_axis`` below the arrays."""

from __future__ import annotations

import math

from wgtensor.array.dispatch import broadcast_to, broadcasted
from wgtensor.array.indexing.windows import clamped, wrapped
from wgtensor.array.shaping import axis_of
from wgtensor.contract import GatherConfig
from wgtensor.contract.session import SessionBase
from wgtensor.errors import IndexRuleError, ValidationError
from wgtensor.tensor import Shape, Tensor

__all__ = ["take_along_axis"]


def take_along_axis(session: SessionBase, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Return ``x`` at ``indices`` along ``axis`` and at its own position on the other axes, which broadcast.

    Raises
    ------
    ValidationError
        Ranks differ, there is no such axis, or other axes do not broadcast.
    IndexRuleError
        The axis of ``x`` has length 0, and there are indices.
    """
    if x.ndim != indices.ndim:
        raise ValidationError(
            f"take_along_axis needs indices of rank {x.ndim}, got shape {indices.shape}; add axes with None"
        )
    axis = axis_of("take_along_axis", axis, x.ndim)
    length = x.shape[axis]
    shape, source = _shapes(x.shape, indices.shape, axis)
    if length == 0 and 0 not in shape:
        raise IndexRuleError(f"take_along_axis takes no positions on an axis of length 0, got indices of {shape}")
    x = broadcast_to(session, x, source)
    if x.size == 0:
        return session.reshape(x, shape)
    position = clamped(session, wrapped(session, broadcast_to(session, indices, shape), length), length)
    starts = _row_major_positions(session, position, length, axis)
    return session.gather(session.reshape(x, (x.size,)), starts, GatherConfig((), (0,), (0,), x.ndim, (1,)))


def _shapes(x: Shape, indices: Shape, axis: int) -> tuple[Shape, Shape]:
    """Return the shapes to which the indices and the array broadcast; on ``axis`` each keeps its length."""
    before = broadcasted("take_along_axis", x[:axis], indices[:axis])
    after = broadcasted("take_along_axis", x[axis + 1 :], indices[axis + 1 :])
    return (*before, indices[axis], *after), (*before, x[axis], *after)


def _row_major_positions(session: SessionBase, position: Tensor, length: int, axis: int) -> Tensor:
    """Return where elements are in a row-major array: at ``position`` on ``axis``, in place on the others."""
    shape, rank = position.shape, position.ndim

    def own(axes: Shape) -> Tensor:
        lengths = [shape[each] if each in axes else 1 for each in range(rank)]
        counted = session.reshape(session.iota(math.prod(lengths), position.dtype), lengths)
        return broadcast_to(session, counted, shape)

    before, after = tuple(range(axis)), tuple(range(axis + 1, rank))
    if before:
        position = session.add(position, session.mul(own(before), length))
    if after:
        inner = math.prod(shape[each] for each in after)
        position = session.add(session.mul(position, inner), own(after))
    return position
