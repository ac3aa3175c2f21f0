"""How the depth of a contraction is walked: in one piece, or in parts that are summed afterwards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor import merge_axes
from wgtensor.webgpu.kernels.contraction.axes import LANES
from wgtensor.webgpu.kernels.contraction.problem import AxisGroup
from wgtensor.webgpu.kernels.contraction.tables import offsets

__all__ = ["Depth", "split_depth"]


@dataclass(frozen=True, slots=True)
class Depth:
    """The walk along the depth.

    Attributes
    ----------
    axes
        Axes of one part, with strides in (a, b).
    parts
        One row (offset in a, offset in b, depth) per part.
    """

    axes: AxisGroup
    parts: NDArray[np.int64]

    @property
    def longest(self) -> int:
        """The longest depth of a part."""
        return int(self.parts[:, 2].max())

    def aligned(self, tensor: int) -> bool:
        """Whether vectors along the depth stay vectors in every part."""
        return not (self.parts[:, [tensor, 2]] % LANES).any()


def split_depth(depth: AxisGroup, target: int) -> Depth:
    """Cut ``depth`` into parts of at most ``target``, by cutting one axis and walking those outside it.

    Examples
    --------
    >>> split_depth(AxisGroup((10,), ((1,), (5,))), 4).parts.tolist()
    [[0, 0, 4], [4, 20, 4], [8, 40, 2]]
    """
    if depth.size <= target:
        return Depth(depth, np.array([[0, 0, depth.size]]))
    axis, inner = len(depth.lengths) - 1, 1
    while inner * depth.lengths[axis] <= target:
        inner *= depth.lengths[axis]
        axis -= 1
    part = _part(target // inner)
    lengths = (part, *depth.lengths[axis + 1 :])
    axes = AxisGroup(*merge_axes(lengths, [own[axis:] for own in depth.strides]))
    return Depth(axes, _parts(depth, axis, part, inner))


def _part(longest: int) -> int:
    """Prefer parts that keep vectors whole."""
    return longest // LANES * LANES or longest


def _parts(depth: AxisGroup, axis: int, part: int, inner: int) -> NDArray[np.int64]:
    count = -(-depth.lengths[axis] // part)
    rows: list[NDArray[Any]] = [
        offsets((*depth.lengths[:axis], count), (*own[:axis], part * own[axis])) for own in depth.strides
    ]
    left = depth.lengths[axis] - part * np.arange(count)
    rows.append(np.tile(inner * np.minimum(part, left), math.prod(depth.lengths[:axis])))
    return np.stack(rows, axis=1)
