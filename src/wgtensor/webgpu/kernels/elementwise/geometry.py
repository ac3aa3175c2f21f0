"""How the leaves of an elementwise kernel are addressed: shapes as data, in four forms.

One invocation makes four consecutive outputs, so its linear index is ``4 * g``. The *form* says how that index becomes
element offsets in the leaves:

- ``flat``: every leaf is contiguous (class C) or one repeated element (class S).
- ``nd``: at most four merged axes whose last is a multiple of 4, decomposed once per invocation; leaves that have unit
  stride there and aligned rows are read as vectors (class V), the others element by element (class X).
- ``loose``: at most four merged axes, decomposed for each element; all leaves are class X.
- ``table``: any rank; ``offset(i) = hi[i / L] + lo[i % L]`` from one small table buffer; all leaves are class X.

A binary operation so has at most eight kernels: three flat ones, three nd, one loose, one table. Nothing is compiled per
shape or per rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor import Layout, Shape, merge_axes
from wgtensor.webgpu.kernels.plan import Grid, fold_grid, pack_words

__all__ = ["HEADER_WORDS", "ND_RANK", "WORKGROUP", "Geometry", "plan_geometry"]

WORKGROUP: Final = 256
"""Invocations of one workgroup: the baseline that every adapter offers."""
ND_RANK: Final = 4
"""Merged axes that the nd and loose forms pad to."""
HEADER_WORDS: Final = 4
"""Words before the scalars and the geometry: run-time zero, groups of four, last element, table length L."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The form of a kernel and the numbers that go with it.

    Attributes
    ----------
    form
        ``"flat"``, ``"nd"``, ``"loose"`` or ``"table"``.
    classes
        One of C, S, V, X for each leaf.
    header
        The header words.
    words
        The geometry words, placed after the scalars: axis lengths, then offset and strides of each leaf.
    table
        The offset table of the table form.
    grid
        Workgroups.
    """

    form: str
    classes: tuple[str, ...]
    header: tuple[int, int, int, int]
    words: tuple[int, ...]
    grid: Grid
    table: NDArray[np.uint32] | None = None

    def params(self, scalars: bytes = b"") -> bytes:
        """Return the uniform: header, scalars, geometry words, padded to 16 bytes."""
        data = pack_words(self.header) + scalars + pack_words(self.words)
        return data + bytes(-len(data) % 16)


def plan_geometry(shape: Shape, leaves: Sequence[Layout], workgroups: int) -> Geometry:
    """Choose the form for an iteration over ``shape`` (not empty) with ``leaves``, each a layout of that shape.

    Parameters
    ----------
    shape
        The results' shape.
    leaves
        Layouts in elements; offsets and strides of any sign.
    workgroups
        The adapter's workgroups per dimension.
    """
    size = Layout.contiguous(shape).size
    groups = -(-size // 4)
    grid = fold_grid(-(-groups // WORKGROUP), workgroups)
    classes = [_flat_class(layout) for layout in leaves]
    if "X" not in classes:
        words = tuple(layout.offset for layout in leaves)
        return Geometry("flat", tuple(classes), (0, groups, size - 1, 0), words, grid)
    lengths, strides = merge_axes(shape, [layout.strides for layout in leaves])
    if len(lengths) > ND_RANK:
        return _table_geometry(lengths, strides, leaves, (groups, size - 1), grid)
    lengths, padded = _pad_axes(lengths, strides)
    vectors = [_is_vector(layout.offset, each) for layout, each in zip(leaves, padded, strict=True)]
    aligned = lengths[-1] % 4 == 0 and any(vectors)
    words = (*lengths[1:], *(word for layout, s in zip(leaves, padded, strict=True) for word in (layout.offset, *s)))
    form_classes = tuple("V" if aligned and vector else "X" for vector in vectors)
    return Geometry("nd" if aligned else "loose", form_classes, (0, groups, size - 1, 0), words, grid)


def _flat_class(layout: Layout) -> str:
    if layout.is_contiguous:
        return "C"
    repeats = all(n == 1 or s == 0 for n, s in zip(layout.shape, layout.strides, strict=True))
    return "S" if repeats else "X"


def _is_vector(offset: int, strides: tuple[int, ...]) -> bool:
    return strides[-1] == 1 and offset % 4 == 0 and all(stride % 4 == 0 for stride in strides[:-1])


def _pad_axes(
    lengths: tuple[int, ...], strides: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    missing = ND_RANK - len(lengths)
    return (1,) * missing + lengths, [(0,) * missing + each for each in strides]


def _table_geometry(
    lengths: tuple[int, ...],
    strides: tuple[tuple[int, ...], ...],
    leaves: Sequence[Layout],
    counts: tuple[int, int],
    grid: Grid,
) -> Geometry:
    """Split the axes where the two tables are shortest, and lay all leaves' tables in one buffer."""
    inner = _best_split(lengths)
    period = int(np.prod(lengths[inner:], dtype=np.int64))
    parts: list[NDArray[np.int64]] = []
    words: list[int] = []
    position = 0
    for layout, each in zip(leaves, strides, strict=True):
        for table in (
            layout.offset + _offsets(lengths[:inner], each[:inner]),
            _offsets(lengths[inner:], each[inner:]),
        ):
            words.append(position)
            parts.append(table)
            position += table.size
    joined = np.concatenate(parts).astype(np.uint32)
    return Geometry("table", ("X",) * len(leaves), (0, *counts, period), tuple(words), grid, joined)


def _best_split(lengths: tuple[int, ...]) -> int:
    sizes = np.cumprod((1, *lengths[::-1]), dtype=np.float64)[::-1]
    return int(np.argmin([sizes[0] / inner + inner for inner in sizes]))


def _offsets(lengths: tuple[int, ...], strides: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the element offset of every position, in row-major order."""
    offsets = np.zeros(1, np.int64)
    for length, stride in zip(lengths, strides, strict=True):
        offsets = (offsets[:, None] + np.arange(length, dtype=np.int64) * stride).ravel()
    return offsets
