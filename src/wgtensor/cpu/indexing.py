"""Padding, joining, gather and scatter in plain NumPy; starts are clamped so that every window fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract import GatherConfig, PadConfig, ScatterConfig
from wgtensor.cpu.reduction import accumulator
from wgtensor.rules import window_sizes

__all__ = ["concatenate", "dynamic_slice", "dynamic_update_slice", "gather", "pad", "scatter"]

_COMBINE: Final[dict[str, np.ufunc]] = {"add": np.add, "min": np.minimum, "max": np.maximum}


def concatenate(*tensors: NDArray[Any], axis: int) -> NDArray[Any]:
    """Return the tensors joined along ``axis``."""
    return np.concatenate(tensors, axis=axis)


def pad(x: NDArray[Any], value: NDArray[Any], *, config: PadConfig) -> NDArray[Any]:
    """Return ``x`` with ``value`` before, after and between its elements; negative amounts crop."""
    targets, sources, shape = [], [], []
    for length, low, high, between in zip(x.shape, config.low, config.high, config.interior or (), strict=True):
        step = between + 1
        total = low + length + max(length - 1, 0) * between + high
        first = max(0, -(low // step))
        last = min(length, -((low - total) // step))
        first = min(first, last)
        targets.append(slice(low + first * step, low + first * step + (last - first) * step, step))
        sources.append(slice(first, last))
        shape.append(total)
    result = np.full(shape, value, x.dtype)
    if all(source.start < source.stop for source in sources):
        result[tuple(targets)] = x[tuple(sources)]
    return result


def _clamped(starts: NDArray[Any], room: NDArray[Any]) -> NDArray[np.int64]:
    """Return ``starts`` as int64 within 0 and ``room``; the largest unsigned starts saturate first."""
    if starts.dtype == np.uint64:
        starts = np.minimum(starts, np.uint64(2**63 - 1))
    return np.clip(starts.astype(np.int64), 0, room)


def _room(shape: Sequence[int], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the largest start on each axis at which the window fits."""
    return np.array(shape, np.int64) - np.array(sizes, np.int64)


def _window(x: NDArray[Any], starts: NDArray[Any], sizes: Sequence[int]) -> tuple[slice, ...]:
    corner = _clamped(starts, _room(x.shape, sizes)).tolist()
    return tuple(slice(start, start + size) for start, size in zip(corner, sizes, strict=True))


def dynamic_slice(x: NDArray[Any], starts: NDArray[Any], *, sizes: Sequence[int]) -> NDArray[Any]:
    """Return a copy of the window at ``starts``."""
    return x[_window(x, starts, sizes)].copy()


def dynamic_update_slice(x: NDArray[Any], update: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    """Return ``x`` with ``update`` written at ``starts``."""
    result = x.copy()
    result[_window(x, starts, update.shape)] = update
    return result


def _positions(
    shape: Sequence[int],
    starts: NDArray[Any],
    index_axes: Sequence[int],
    sizes: Sequence[int],
    axes: Sequence[int | None],
) -> list[NDArray[np.int64]]:
    """Return, for each operand axis, the operand positions of every element of the windowed tensor.

    ``starts`` has its index components last. ``axes`` says which axis of the windowed tensor walks each operand axis,
    or None; its remaining axes are the starts' batch axes.
    """
    room = _room(shape, sizes)
    windows = [axis for axis in axes if axis is not None]
    rank = starts.ndim - 1 + len(windows)
    positions = []
    for dim, axis in enumerate(axes):
        corner = np.zeros(starts.shape[:-1], np.int64)
        if dim in index_axes:
            corner = _clamped(starts[..., index_axes.index(dim)], room[dim])
        position = np.expand_dims(corner, windows)
        if axis is not None:
            steps = np.arange(sizes[dim]).reshape([-1 if i == axis else 1 for i in range(rank)])
            position = position + steps
        positions.append(position)
    return positions


def _index_last(starts: NDArray[Any], vector_axis: int) -> NDArray[Any]:
    if vector_axis == starts.ndim:
        return starts[..., None]
    return np.moveaxis(starts, vector_axis, -1)


def _spread(axes: Sequence[int], rank: int, dropped: Sequence[int]) -> list[int | None]:
    remaining = iter(axes)
    return [None if dim in dropped else next(remaining) for dim in range(rank)]


def gather(x: NDArray[Any], starts: NDArray[Any], *, config: GatherConfig) -> NDArray[Any]:
    """Return the windows of ``x`` at ``starts``."""
    index = _index_last(starts, config.index_vector_dim)
    axes = _spread(config.offset_dims, x.ndim, config.collapsed_slice_dims)
    positions = _positions(x.shape, index, config.start_index_map, config.slice_sizes, axes)
    shape = np.broadcast_shapes(*(position.shape for position in positions), index.shape[:-1] if x.ndim == 0 else ())
    if 0 in shape:
        return np.empty(shape, x.dtype)
    return x[tuple(np.broadcast_arrays(*positions))] if positions else np.full(shape, x)


def scatter(x: NDArray[Any], starts: NDArray[Any], updates: NDArray[Any], *, config: ScatterConfig) -> NDArray[Any]:
    """Return ``x`` with ``updates`` combined into the windows at ``starts``, in row-major order of the updates."""
    index = _index_last(starts, config.index_vector_dim)
    axes = _spread(config.update_window_dims, x.ndim, config.inserted_window_dims)
    sizes = window_sizes(config, updates.shape, x.ndim)
    positions = _positions(x.shape, index, config.scatter_dims_to_operand_dims, sizes, axes)
    flat = np.zeros(updates.shape, np.int64)
    for length, position in zip(x.shape, positions, strict=True):
        flat = flat * length + position
    wide = accumulator(x.dtype)
    result = x.astype(wide, order="C", copy=True)
    if config.mode == "set":
        result.reshape(-1)[flat.reshape(-1)] = updates.reshape(-1)
    else:
        _COMBINE[config.mode].at(result.reshape(-1), flat.reshape(-1), updates.astype(wide).reshape(-1))
    return result.astype(x.dtype)
