"""Larger tensors from smaller ones: joining, repeating, rolling and taking, below the arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wgtensor.array.arguments import integer_of
from wgtensor.array.dispatch import converted
from wgtensor.array.promotion import result_dtype
from wgtensor.array.refusals import require_kinds
from wgtensor.array.shaping import axis_of, expand
from wgtensor.contract import GatherConfig, SliceConfig
from wgtensor.contract.session import SessionBase
from wgtensor.errors import ValidationError
from wgtensor.rules.axes import as_integers
from wgtensor.tensor import Shape, Tensor, int32

__all__ = ["concat", "read_int", "repeat", "roll", "section", "stack", "take", "tile", "true_positions", "unstack"]


def concat(session: SessionBase, tensors: Sequence[Tensor], axis: int | None, name: str = "concat") -> Tensor:
    """Join tensors along ``axis`` in their common dtype; with None, flattened. ``name`` is for error texts.

    Raises
    ------
    ValidationError
        Ranks differ, or lengths of another axis.
    """
    dtype = result_dtype(name, [each.dtype for each in tensors])
    ready = [converted(session, each, dtype) for each in tensors]
    if axis is None:
        return session.concatenate([session.reshape(each, (each.size,)) for each in ready], 0)
    along = axis_of(name, axis, ready[0].ndim)
    first = ready[0].shape
    for shape in (each.shape for each in ready):
        if len(shape) != len(first) or _without(shape, along) != _without(first, along):
            raise ValidationError(f"{name} needs shapes that are equal but for axis {along}, got {first} and {shape}")
    return session.concatenate(ready, along)


def _without(shape: Shape, axis: int) -> Shape:
    return shape[:axis] + shape[axis + 1 :]


def stack(session: SessionBase, tensors: Sequence[Tensor], axis: int) -> Tensor:
    """Join tensors of one shape along a new axis.

    Raises
    ------
    ValidationError
        Shapes differ.
    """
    first = tensors[0]
    for each in tensors:
        if each.shape != first.shape:
            raise ValidationError(
                f"stack needs arrays of one shape, got {first.shape} and {each.shape}; broadcast first"
            )
    along = axis_of("stack", axis, first.ndim + 1)
    return concat(session, [expand(session, each, along) for each in tensors], along, "stack")


def unstack(session: SessionBase, x: Tensor, axis: int) -> list[Tensor]:
    """Return the views of ``x`` at each position of ``axis``, without that axis."""
    along = axis_of("unstack", axis, x.ndim)
    shape = _without(x.shape, along)
    return [session.reshape(section(session, x, along, i, i + 1), shape) for i in range(x.shape[along])]


def section(session: SessionBase, x: Tensor, axis: int, start: int, limit: int) -> Tensor:
    """Return the view of ``x`` from ``start`` to ``limit`` along one axis."""
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[axis], limits[axis] = start, limit
    return session.slice(x, SliceConfig(starts, limits))


def roll(session: SessionBase, x: Tensor, shift: Any, axis: Any) -> Tensor:
    """Return ``x`` with elements moved by ``shift`` along ``axis`` (one of each, or several), around the end.

    Raises
    ------
    ValidationError
        Not as many shifts as axes.
    """
    if axis is None:
        number = integer_of("roll", "shift", shift)
        return session.reshape(_rolled(session, session.reshape(x, (x.size,)), number, 0), x.shape)
    axes = [axis_of("roll", each, x.ndim) for each in (axis if isinstance(axis, tuple | list) else (axis,))]
    given = shift if isinstance(shift, tuple | list) else (shift,) * len(axes)
    shifts = [integer_of("roll", "shift", each) for each in given]
    if len(shifts) != len(axes):
        raise ValidationError(f"roll needs one shift, or one per axis, got shifts {tuple(shifts)} for axes {axis}")
    for number, each in zip(shifts, axes, strict=True):
        x = _rolled(session, x, number, each)
    return x


def _rolled(session: SessionBase, x: Tensor, shift: int, axis: int) -> Tensor:
    length = x.shape[axis]
    cut = -shift % length if length else 0
    if not cut:
        return x
    parts = (section(session, x, axis, cut, length), section(session, x, axis, 0, cut))
    return session.concatenate(parts, axis)


def tile(session: SessionBase, x: Tensor, repetitions: Any) -> Tensor:
    """Return ``x`` laid side by side as often as ``repetitions`` says for each axis, counted from the last.

    Raises
    ------
    ValidationError
        A repetition is no integer, or below 0.
    """
    given = as_integers("tile", "repetitions", repetitions)
    if any(times < 0 for times in given):
        raise ValidationError(f"tile needs repetitions of at least 0, got {given}")
    rank = max(x.ndim, len(given))
    times, lengths = (1,) * (rank - len(given)) + given, (1,) * (rank - x.ndim) + x.shape
    spread = tuple(n for pair in zip(times, lengths, strict=True) for n in pair)
    wide = session.broadcast_in_dim(x, spread, tuple(range(2 * (rank - x.ndim) + 1, 2 * rank, 2)))
    return session.reshape(wide, tuple(r * n for r, n in zip(times, lengths, strict=True)))


def repeat(session: SessionBase, x: Tensor, repeats: int | Tensor, axis: int | None) -> Tensor:
    """Return ``x`` with each element along ``axis`` (None: flattened) repeated.

    Counts in a tensor decide the result's shape, so their sum is read from the device; counts below 0 are 0.

    Raises
    ------
    ValidationError
        ``repeats`` is below 0, or has neither one element nor one per position.
    """
    if axis is None:
        x, axis = session.reshape(x, (x.size,)), 0
    along = axis_of("repeat", axis, x.ndim)
    if not isinstance(repeats, Tensor):
        return _repeated(session, x, repeats, along)
    require_kinds("repeat", repeats.dtype, "iu", "convert the counts with astype(wt.int32)")
    if repeats.shape in ((), (1,)):
        return _repeated(session, x, max(read_int(session, repeats), 0), along)
    if repeats.shape != (x.shape[along],):
        raise ValidationError(
            f"repeat needs one count or {x.shape[along]}, one per position of axis {along}, got shape {repeats.shape}"
        )
    return _repeated_each(session, x, repeats, along)


def _repeated(session: SessionBase, x: Tensor, times: int, axis: int) -> Tensor:
    times = integer_of("repeat", "repeats", times)
    if times < 0:
        raise ValidationError(f"repeat needs repeats of at least 0, got {times}")
    head, tail = x.shape[: axis + 1], x.shape[axis + 1 :]
    dims = tuple(i + (i > axis) for i in range(x.ndim))
    wide = session.broadcast_in_dim(x, (*head, times, *tail), dims)
    return session.reshape(wide, (*head[:-1], head[-1] * times, *tail))


def _repeated_each(session: SessionBase, x: Tensor, repeats: Tensor, axis: int) -> Tensor:
    """Take, for each position of the result, the element before whose end it lies."""
    if repeats.size == 0:
        return x
    counts = session.maximum(session.cast(repeats, int32), 0)
    ends = session.cumulative_sum(counts, 0)
    total = read_int(session, section(session, ends, 0, ends.size - 1, ends.size))
    return take(session, x, session.searchsorted(ends, session.iota(total, int32), "right"), axis)


def take(session: SessionBase, x: Tensor, positions: Tensor, axis: int) -> Tensor:
    """Return the elements of ``x`` at integer ``positions`` (any shape, within the length) along ``axis``."""
    shape = x.shape[:axis] + positions.shape + x.shape[axis + 1 :]
    if x.size == 0:
        return session.reshape(x, shape)
    inside = range(axis, axis + positions.ndim)
    config = GatherConfig(
        offset_dims=[i for i in range(len(shape)) if i not in inside],
        collapsed_slice_dims=[axis],
        start_index_map=[axis],
        index_vector_dim=positions.ndim,
        slice_sizes=[1 if i == axis else n for i, n in enumerate(x.shape)],
    )
    return session.gather(x, positions, config)


def true_positions(session: SessionBase, mask: Tensor) -> Tensor:
    """Return the int32 row-major positions of True, as many as there are; reads their number from the device."""
    ones = session.cast(mask, int32)
    return session.flat_nonzero(mask, read_int(session, session.reduce_sum(ones, tuple(range(mask.ndim)))))


def read_int(session: SessionBase, x: Tensor) -> int:
    """Return the one integer in ``x``; waits for the device."""
    return int(session.download_to_host(x).to_numpy().item())
