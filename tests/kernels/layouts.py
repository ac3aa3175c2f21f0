"""Layouts and elements for kernel tests: random views, random bits, and what NumPy says they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor import DType, Layout, as_dtype

__all__ = ["NAMED_LAYOUTS", "random_bits", "random_layout", "storage_size", "viewed"]

NAMED_LAYOUTS = {
    "contiguous": Layout.contiguous((7, 12)),
    "one element": Layout.contiguous(()),
    "offset": Layout((5, 9), (9, 1), 3),
    "aligned rows": Layout((6, 16), (32, 1), 16),
    "transposed": Layout.contiguous((37, 70)).permute((1, 0)),
    "transposed in quads": Layout.contiguous((36, 64)).permute((1, 0)),
    "batches transposed": Layout.contiguous((3, 16, 20)).permute((0, 2, 1)),
    "outer axes transposed": Layout.contiguous((2, 3, 9, 2, 17)).permute((4, 1, 0, 3, 2)),
    "reversed": Layout.contiguous((4, 6, 5)).reverse((0, 2)),
    "repeated": Layout.contiguous((5,)).broadcast_in_dim((3, 5, 4), (1,)),
    "steps": Layout.contiguous((9, 11)).slice((8, 1), (4, 4), (-2, 3)),
    "diagonal": Layout.contiguous((6, 5, 6)).diagonal(0, 2),
    "rank 6": Layout.contiguous((2, 3, 2, 5, 2, 3)).permute((3, 0, 5, 1, 4, 2)),
    "bits reversed": Layout.contiguous((2,) * 12).permute(tuple(range(11, -1, -1))),
    "short sides": Layout.contiguous((2, 3, 4, 5, 2, 4)).permute((2, 5, 0, 4, 3, 1)),
    "eleven axes": Layout.contiguous((2,) * 11).permute((5, 2, 9, 0, 7, 10, 3, 1, 8, 4, 6)),
}


def random_layout(rng: np.random.Generator, rank: int, longest: int = 9) -> Layout:
    """Return a view: some axes reversed, stepped over, repeated or cut, in any order."""
    shape = tuple(int(n) for n in rng.integers(1, longest, rank))
    layout = Layout.contiguous(shape)
    starts, lengths, steps = [], [], []
    for length in shape:
        step = int(rng.choice([-2, -1, 1, 1, 1, 2]))
        count = int(rng.integers(1, -(-length // abs(step)) + 1)) if rng.random() < 0.5 else -(-length // abs(step))
        starts.append(0 if step > 0 else (count - 1) * -step)
        lengths.append(count)
        steps.append(step)
    layout = layout.slice(starts, lengths, steps).permute([int(a) for a in rng.permutation(rank)])
    if rank and rng.random() < 0.25:
        return layout.broadcast_in_dim((*layout.shape[:1], 3, *layout.shape[1:]), (0, *range(2, rank + 1)))
    return layout


def storage_size(layout: Layout) -> int:
    """Return the elements that a buffer needs to hold ``layout``."""
    return layout.bounds()[1] + 1


def random_bits(rng: np.random.Generator, dtype: DType | str, count: int) -> NDArray[np.uint8]:
    """Return ``count`` elements of any bit pattern, as bytes of shape (count, itemsize)."""
    return rng.integers(0, 256, (count, as_dtype(dtype).itemsize), np.uint8)


def viewed(elements: NDArray[Any], layout: Layout) -> NDArray[Any]:
    """Return the elements that ``layout`` shows, row-major; ``elements`` has one row or scalar per element."""
    indices = np.full(layout.shape, layout.offset, np.int64)
    for axis, (length, stride) in enumerate(zip(layout.shape, layout.strides, strict=True)):
        steps = np.arange(length, dtype=np.int64) * stride
        indices += steps.reshape([-1 if each == axis else 1 for each in range(layout.ndim)])
    return elements[indices]
