"""Shape rules of slices, padding, joining, gather and scatter (StableHLO's, with starts clamped)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wgtensor.errors import ValidationError
from wgtensor.rules.axes import checked_shape, require_axes, require_per_axis
from wgtensor.rules.operation import Operation
from wgtensor.tensor import Shape

if TYPE_CHECKING:
    from wgtensor.contract.configs import GatherConfig, PadConfig, ScatterConfig, SliceConfig

__all__ = [
    "concatenate",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "pad",
    "reverse",
    "scatter",
    "slice_",
    "window_sizes",
]


def slice_(operation: Operation, shapes: Sequence[Shape], *, config: SliceConfig) -> Shape:
    """Positions ``start, start + stride, ...`` below ``limit``."""
    (shape,) = shapes
    strides = config.strides or ()
    for role, values in (("starts", config.starts), ("limits", config.limits), ("strides", strides)):
        require_per_axis("slice", role, values, shape)
    for axis, (start, limit, stride) in enumerate(zip(config.starts, config.limits, strides, strict=True)):
        if not 0 <= start <= limit <= shape[axis]:
            raise ValidationError(
                f"slice needs 0 <= start <= limit <= {shape[axis]} on axis {axis} of shape {shape}, "
                f"got start {start} and limit {limit}"
            )
        if stride < 1:
            raise ValidationError(
                f"slice needs strides of 1 or more, got {stride} on axis {axis}; reverse the axis for a negative one"
            )
    return tuple(-(-(b - a) // s) for a, b, s in zip(config.starts, config.limits, strides, strict=True))


def reverse(operation: Operation, shapes: Sequence[Shape], *, axes: Sequence[int]) -> Shape:
    """Distinct axes in range."""
    require_axes("reverse", "axes", axes, len(shapes[0]))
    return shapes[0]


def pad(operation: Operation, shapes: Sequence[Shape], *, config: PadConfig) -> Shape:
    """``low + n + (n - 1) * interior + high`` per axis, which must not be negative."""
    shape, value = shapes
    interior = config.interior or ()
    if value != ():
        raise ValidationError(f"pad needs a rank-0 value, got shape {value}")
    for role, values in (("low", config.low), ("high", config.high), ("interior", interior)):
        require_per_axis("pad", role, values, shape)
    if any(between < 0 for between in interior):
        raise ValidationError(f"pad needs interior of 0 or more, got {interior}; slice with a stride instead")
    result = tuple(
        low + n + max(n - 1, 0) * between + high
        for n, low, high, between in zip(shape, config.low, config.high, interior, strict=True)
    )
    if any(length < 0 for length in result):
        raise ValidationError(
            f"pad may crop an axis to length 0 at most, got low {config.low} and high {config.high} for shape {shape}"
        )
    return checked_shape("pad", result)


def concatenate(operation: Operation, shapes: Sequence[Shape], *, axis: int) -> Shape:
    """One tensor or more, equal but for the length of ``axis``."""
    if not shapes:
        raise ValidationError("concatenate needs at least one tensor, got none")
    first = shapes[0]
    require_axes("concatenate", "an axis", (axis,), len(first))
    for shape in shapes:
        if len(shape) != len(first) or shape[:axis] + shape[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            raise ValidationError(
                f"concatenate needs shapes that are equal but for axis {axis}, got {first} and {shape}"
            )
    return checked_shape("concatenate", (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1 :]))


def gather(operation: Operation, shapes: Sequence[Shape], *, config: GatherConfig) -> Shape:
    """Batch axes of ``starts``, with the window's axes put at ``offset_dims``."""
    operand, starts = shapes
    rank, sizes = len(operand), config.slice_sizes
    batch = _batch_shape("gather", starts, config.index_vector_dim, config.start_index_map, rank)
    require_per_axis("gather", "slice_sizes", sizes, operand)
    _require_window_fits("gather", sizes, operand)
    _require_sorted_axes("gather", "collapsed_slice_dims", config.collapsed_slice_dims, rank)
    if any(sizes[axis] != 1 for axis in config.collapsed_slice_dims):
        raise ValidationError(
            f"gather needs slice size 1 on collapsed axes, got sizes {sizes} and axes {config.collapsed_slice_dims}"
        )
    window = [size for axis, size in enumerate(sizes) if axis not in config.collapsed_slice_dims]
    if len(config.offset_dims) != len(window):
        raise ValidationError(
            f"gather needs one of offset_dims per window axis that is not collapsed ({len(window)}), "
            f"got {config.offset_dims}"
        )
    result_rank = len(batch) + len(window)
    _require_sorted_axes("gather", "offset_dims", config.offset_dims, result_rank)
    lengths, rest = dict(zip(config.offset_dims, window, strict=True)), iter(batch)
    return checked_shape("gather", [lengths[i] if i in lengths else next(rest) for i in range(result_rank)])


def scatter(operation: Operation, shapes: Sequence[Shape], *, config: ScatterConfig) -> Shape:
    """The operand's shape; updates are batch axes of ``starts`` and window axes at ``update_window_dims``."""
    operand, starts, updates = shapes
    rank = len(operand)
    index_map = config.scatter_dims_to_operand_dims
    batch = _batch_shape("scatter", starts, config.index_vector_dim, index_map, rank)
    _require_sorted_axes("scatter", "inserted_window_dims", config.inserted_window_dims, rank)
    _require_sorted_axes("scatter", "update_window_dims", config.update_window_dims, len(updates))
    if len(config.update_window_dims) + len(config.inserted_window_dims) != rank:
        raise ValidationError(
            f"scatter needs update_window_dims and inserted_window_dims to cover the {rank} axes of shape {operand}, "
            f"got {config.update_window_dims} and {config.inserted_window_dims}"
        )
    outer = tuple(n for axis, n in enumerate(updates) if axis not in config.update_window_dims)
    if outer != batch:
        raise ValidationError(
            f"scatter needs updates whose other axes are the starts' batch shape {batch}, got {outer} "
            f"in updates of shape {updates}"
        )
    _require_window_fits("scatter", window_sizes(config, updates, rank), operand)
    return operand


def window_sizes(config: ScatterConfig, updates: Shape, rank: int) -> tuple[int, ...]:
    """Return the length of a scatter's window on each operand axis; 1 on inserted ones."""
    lengths = iter(config.update_window_dims)
    return tuple(1 if axis in config.inserted_window_dims else updates[next(lengths)] for axis in range(rank))


def dynamic_slice(operation: Operation, shapes: Sequence[Shape], *, sizes: Sequence[int]) -> Shape:
    """The window's sizes."""
    shape, starts = shapes
    _require_start_vector("dynamic_slice", starts, shape)
    require_per_axis("dynamic_slice", "sizes", sizes, shape)
    _require_window_fits("dynamic_slice", sizes, shape)
    return tuple(int(size) for size in sizes)


def dynamic_update_slice(operation: Operation, shapes: Sequence[Shape]) -> Shape:
    """The operand's shape; the update has its rank and fits."""
    shape, update, starts = shapes
    _require_start_vector("dynamic_update_slice", starts, shape)
    if len(update) != len(shape):
        raise ValidationError(f"dynamic_update_slice needs an update of rank {len(shape)}, got shape {update}")
    _require_window_fits("dynamic_update_slice", update, shape)
    return shape


def _batch_shape(name: str, starts: Shape, vector_axis: int, index_map: Sequence[int], rank: int) -> Shape:
    """Return the axes of ``starts`` beside the index vector; an axis one past the last means scalar indices."""
    if not 0 <= vector_axis <= len(starts):
        raise ValidationError(
            f"{name} needs index_vector_dim within 0 to {len(starts)} for starts of shape {starts}, got {vector_axis}"
        )
    count = starts[vector_axis] if vector_axis < len(starts) else 1
    if len(index_map) != count:
        raise ValidationError(
            f"{name} needs one mapped operand axis per index component ({count}), got {tuple(index_map)}"
        )
    require_axes(name, "mapped operand axes", index_map, rank)
    return starts[:vector_axis] + starts[vector_axis + 1 :]


def _require_sorted_axes(name: str, role: str, axes: Sequence[int], rank: int) -> None:
    require_axes(name, role, axes, rank)
    if list(axes) != sorted(axes):
        raise ValidationError(f"{name} needs ascending {role}, got {tuple(axes)}")


def _require_window_fits(name: str, sizes: Sequence[int], shape: Shape) -> None:
    if any(not 0 <= size <= length for size, length in zip(sizes, shape, strict=True)):
        raise ValidationError(f"{name} needs a window within the operand's shape {shape}, got sizes {tuple(sizes)}")


def _require_start_vector(name: str, starts: Shape, shape: Shape) -> None:
    if starts != (len(shape),):
        raise ValidationError(f"{name} needs starts of shape ({len(shape)},) for shape {shape}, got {starts}")
