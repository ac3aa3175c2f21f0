"""Sorting, searching and sets of tensors, on sorts, scans and moves, below the arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from wgtensor.array.assembly import concat, section, take, true_positions
from wgtensor.array.dispatch import converted
from wgtensor.array.promotion import promoted
from wgtensor.array.reduction import nonzero
from wgtensor.array.refusals import require_kinds
from wgtensor.array.shaping import axis_of
from wgtensor.contract import CompareDirection, ScatterConfig
from wgtensor.contract.session import SessionBase
from wgtensor.errors import ValidationError
from wgtensor.tensor import Shape, Tensor, bool_, int32

__all__ = ["Groups", "argsort", "groups_of", "is_in", "nonzero_positions", "searchsorted", "sort"]

_ORDERED: Final = "biuf"
_NO_ORDER: Final = "complex numbers have no order, use abs, real or imag"


def sort(session: SessionBase, x: Tensor, axis: int, descending: bool) -> Tensor:
    """Return ``x`` in order along ``axis``, stable, NaN last."""
    require_kinds("sort", x.dtype, _ORDERED, _NO_ORDER)
    if x.ndim == 0:
        return x
    return session.sort(x, axis_of("sort", axis, x.ndim), descending)


def argsort(session: SessionBase, x: Tensor, axis: int, descending: bool) -> Tensor:
    """Return the int32 positions along ``axis`` that put ``x`` in order, stable, NaN last."""
    require_kinds("argsort", x.dtype, _ORDERED, _NO_ORDER)
    return session.argsort(x, axis_of("argsort", axis, x.ndim), descending)


def nonzero_positions(session: SessionBase, x: Tensor) -> tuple[Tensor, ...]:
    """Return the int32 indices of the elements that are not zero, one vector per axis, in row-major order.

    Their number decides the results' shape, so it is read from the device.

    Raises
    ------
    ValidationError
        ``x`` has no axes.
    """
    if x.ndim == 0:
        raise ValidationError("nonzero needs an array of at least one axis, got shape (); reshape it to (1,)")
    flat = true_positions(session, nonzero(session, x))
    indices, stride = [], 1
    for length in reversed(x.shape):
        above = flat if stride == 1 else session.div(flat, stride)
        indices.append(session.rem(above, max(length, 1)))
        stride *= max(length, 1)
    return tuple(reversed(indices))


def searchsorted(session: SessionBase, ordered: Tensor, values: Any, side: str, sorter: Tensor | None) -> Tensor:
    """Return, for each of ``values``, the int32 number of elements before it in the ascending vector ``ordered``.

    Raises
    ------
    ValidationError
        ``ordered`` does not have one axis, ``sorter`` has another shape, or ``side`` is neither ``"left"`` nor
        ``"right"``.
    """
    if ordered.ndim != 1:
        raise ValidationError(f"searchsorted needs a first array of one axis, got shape {ordered.shape}")
    if side not in ("left", "right"):
        raise ValidationError(f"searchsorted needs side 'left' or 'right', got {side!r}")
    if sorter is not None:
        ordered = _sorted_by(session, ordered, sorter)
    ordered, values = _alike(session, "searchsorted", ordered, values)
    require_kinds("searchsorted", ordered.dtype, "iuf", _NO_ORDER)
    return session.searchsorted(ordered, values, side)


def _sorted_by(session: SessionBase, x: Tensor, sorter: Tensor) -> Tensor:
    require_kinds("searchsorted", sorter.dtype, "iu", "give the positions that wt.argsort returns")
    if sorter.shape != x.shape:
        raise ValidationError(f"searchsorted needs a sorter of shape {x.shape}, got {sorter.shape}")
    return take(session, x, sorter, 0)


@dataclass(frozen=True, slots=True)
class Groups:
    """Equal elements of a flattened tensor, side by side.

    Attributes
    ----------
    order
        Positions that sort the elements, equals in their order; int32.
    values
        The elements in that order.
    firsts
        Which of them differ from the one before; bool.
    starts
        Where those are; int32, one per distinct element.
    shape
        Of the tensor.
    """

    order: Tensor
    values: Tensor
    firsts: Tensor
    starts: Tensor
    shape: Shape

    def distinct(self, session: SessionBase) -> Tensor:
        """Return each distinct element, where it occurs first."""
        return take(session, self.values, self.starts, 0)

    def first_positions(self, session: SessionBase) -> Tensor:
        """Return where each distinct element occurs first."""
        return take(session, self.order, self.starts, 0)

    def counts(self, session: SessionBase) -> Tensor:
        """Return how often each distinct element occurs."""
        end = session.full((1,), self.order.size, int32)
        if self.starts.size == 0:
            return self.starts
        nexts = concat(session, [section(session, self.starts, 0, 1, self.starts.size), end], 0)
        return session.sub(nexts, self.starts)

    def inverse(self, session: SessionBase) -> Tensor:
        """Return, for each element, which of the distinct ones it is, in the shape of the tensor."""
        if self.order.size == 0:
            return session.reshape(self.order, self.shape)
        numbers = session.sub(session.cumulative_sum(session.cast(self.firsts, int32), 0), 1)
        config = ScatterConfig((), (0,), (0,), 1, mode="set")
        return session.reshape(session.scatter(numbers, self.order, numbers, config), self.shape)


def groups_of(session: SessionBase, x: Tensor) -> Groups:
    """Sort the flattened ``x`` and find where its distinct elements begin; reads their number from the device.

    NaN differs from every NaN, -0 equals 0; complex numbers are sorted by real, then imaginary part.
    """
    line = session.reshape(x, (x.size,))
    order = _order(session, line)
    values = take(session, line, order, 0)
    firsts = session.full((min(x.size, 1),), True, bool_)
    if x.size > 1:
        before, after = section(session, values, 0, 0, x.size - 1), section(session, values, 0, 1, x.size)
        firsts = concat(session, [firsts, session.compare(before, after, CompareDirection.NE)], 0)
    return Groups(order, values, firsts, true_positions(session, firsts), x.shape)


def _order(session: SessionBase, line: Tensor) -> Tensor:
    """Return positions that bring equals together; of complex numbers by two stable sorts."""
    if not line.dtype.is_complex:
        return session.argsort(line, 0)
    by_imaginary = session.argsort(session.imag(line), 0)
    real = take(session, session.real(line), by_imaginary, 0)
    return take(session, by_imaginary, session.argsort(real, 0), 0)


def is_in(session: SessionBase, x: Any, members: Any, invert: bool) -> Tensor:
    """Return whether each element of ``x`` equals one of ``members``, or the opposite; NaN equals none.

    One of both may be a number.
    """
    x, members = _alike(session, "isin", x, members)
    require_kinds("isin", x.dtype, _ORDERED, _NO_ORDER)
    if members.size == 0:
        return session.full(x.shape, invert, bool_)
    ordered = session.sort(session.reshape(members, (members.size,)), 0)
    nearest = session.minimum(session.searchsorted(ordered, x), members.size - 1)
    direction = CompareDirection.NE if invert else CompareDirection.EQ
    return session.compare(take(session, ordered, nearest, 0), x, direction)


def _alike(session: SessionBase, name: str, a: Any, b: Any) -> tuple[Tensor, Tensor]:
    """Return two tensors, or a tensor and a number, as tensors of their common dtype."""
    if not isinstance(a, Tensor):
        a = session.full((), a, b.dtype)
    if not isinstance(b, Tensor):
        b = session.full((), b, a.dtype)
    dtype = promoted(name, a.dtype, b.dtype)
    return converted(session, a, dtype), converted(session, b, dtype)
