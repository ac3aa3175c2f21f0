"""Random gathers and scatters, and the flat positions that NumPy's sliding windows say they touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract import GatherConfig, ScatterConfig
from wgtensor.tensor import Layout

__all__ = ["Case", "lying", "random_case"]


@dataclass(frozen=True)
class Case:
    """Windows of ``sizes`` in a tensor of ``shape``, at ``starts`` on the axes ``mapped``.

    ``dropped`` axes of the window (of length 1) are left out of the result, whose axes ``axes`` are the others.
    """

    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    mapped: tuple[int, ...]
    dropped: tuple[int, ...]
    axes: tuple[int, ...]
    vector_axis: int
    starts: NDArray[Any]

    def gather(self) -> GatherConfig:
        """Return the gather."""
        return GatherConfig(self.axes, self.dropped, self.mapped, self.vector_axis, self.sizes)

    def scatter(self, mode: str) -> ScatterConfig:
        """Return the scatter whose updates are what the gather returns."""
        return ScatterConfig(self.axes, self.dropped, self.mapped, self.vector_axis, mode)

    def positions(self) -> NDArray[np.int64]:
        """Return the row-major position in the tensor of each element of the result."""
        numbers = np.arange(int(np.prod(self.shape))).reshape(self.shape)
        windows = np.lib.stride_tricks.sliding_window_view(numbers, self.sizes)
        vectors = np.moveaxis(self.starts, self.vector_axis, -1)
        corners: list[Any] = [np.zeros(vectors.shape[:-1], np.int64) for _ in self.shape]
        for component, axis in enumerate(self.mapped):
            corners[axis] = np.clip(vectors[..., component], 0, self.shape[axis] - self.sizes[axis])
        picked = windows[tuple(corners)]
        batch = vectors.ndim - 1
        picked = np.squeeze(picked, tuple(batch + axis for axis in self.dropped))
        return np.moveaxis(picked, range(batch, picked.ndim), self.axes)


def random_case(rng: np.random.Generator, rank: int, longest: int = 7) -> Case:
    """Return windows of random sizes at random starts, some of them out of range, many of them equal."""
    shape = tuple(int(n) for n in rng.integers(1, longest, rank))
    mapped = tuple(int(axis) for axis in rng.permutation(rank)[: rng.integers(1, rank + 1)])
    sizes = tuple(1 if rng.random() < 0.4 else int(rng.integers(1, n + 1)) for n in shape)
    sizes = tuple(
        n if axis not in mapped and rng.random() < 0.7 else size
        for axis, (n, size) in enumerate(zip(shape, sizes, strict=True))
    )
    dropped = tuple(axis for axis, size in enumerate(sizes) if size == 1 and rng.random() < 0.6)
    batch = [int(n) for n in rng.integers(1, 5, rng.integers(0, 3))]
    kept = rank - len(dropped)
    axes = tuple(sorted(int(axis) for axis in rng.permutation(kept + len(batch))[:kept]))
    vector_axis = int(rng.integers(0, len(batch) + 1))
    starts = rng.integers(-2, longest + 2, [*batch[:vector_axis], len(mapped), *batch[vector_axis:]]).astype(np.int32)
    return Case(shape, sizes, mapped, dropped, axes, vector_axis, starts)


def lying(rng: np.random.Generator, array: NDArray[Any]) -> tuple[NDArray[Any], Layout]:
    """Return ``array`` in a random layout: the flat storage, with junk around the elements, and how they lie in it."""
    order = [int(axis) for axis in rng.permutation(array.ndim)]
    back = [int(axis) for axis in np.argsort(order)]
    flipped = tuple(axis for axis in range(array.ndim) if rng.random() < 0.3)
    stored = np.flip(array, flipped).transpose(order)
    steps = [int(n) for n in rng.integers(1, 3, array.ndim)]
    first = int(rng.integers(0, 4))
    wide = Layout.contiguous(tuple(n * step for n, step in zip(stored.shape, steps, strict=True)))
    strides = [stride * step for stride, step in zip(wide.strides, steps, strict=True)]
    layout = Layout(stored.shape, strides, first)
    flat = np.zeros(first + wide.size, array.dtype)
    flat.view(np.uint8)[...] = rng.integers(0, 256, flat.nbytes, np.uint8)
    np.lib.stride_tricks.as_strided(flat[first:], stored.shape, [s * array.itemsize for s in strides])[...] = stored
    return flat, layout.permute(back).reverse(flipped)
