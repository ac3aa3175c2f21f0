"""Copying a strided view without the elements that it skips or repeats, and without losing its order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor.layout import Layout

__all__ = ["compact_copy"]


def compact_copy(array: NDArray[Any]) -> tuple[Layout, NDArray[Any]]:
    """Return a layout and a new gapless flat array that together hold what ``array`` holds.

    The order of axes, the direction in which they are walked and their repetition (stride 0) are kept, so a
    Fortran-ordered array stays so and a broadcast one stays small; gaps are dropped.

    Examples
    --------
    >>> layout, flat = compact_copy(np.arange(12).reshape(3, 4).T[::-1, ::2])
    >>> layout.strides, flat.tolist()
    ((-1, 4), [0, 1, 2, 3, 8, 9, 10, 11])
    """
    if array.size == 0:
        return Layout.contiguous(array.shape), np.empty(0, array.dtype)
    repeated = [stride == 0 for stride in array.strides]
    backward = [stride < 0 for stride in array.strides]
    core = array[tuple(slice(0, 1) if each else slice(None) for each in repeated)]
    core = core[tuple(slice(None, None, -1) if each else slice(None) for each in backward)]
    dense = np.array(core, order="K", copy=True)
    strides = [0 if r else stride // dense.itemsize for r, stride in zip(repeated, dense.strides, strict=True)]
    layout = Layout(array.shape, strides).reverse([axis for axis, back in enumerate(backward) if back])
    order = sorted(range(dense.ndim), key=lambda axis: -dense.strides[axis])
    return layout, dense.transpose(order).reshape(-1)
