"""How the leaves of an elementwise kernel are addressed: shapes as data, in four forms.

One invocation makes four consecutive outputs, so its linear index is ``4 * g``. The *form* says how that index becomes
element offsets in the leaves, and a *class* per leaf how they are read:

- ``flat``: every leaf is row-major or one repeated element; data tell which, so one class (F) serves both.
- ``nd``: at most six merged axes whose last is a multiple of 4, decomposed once per invocation; leaves that have unit
  stride there and aligned rows are read as vectors (V), the others element by element (X).
- ``loose``: at most six merged axes, decomposed for each element; row-major leaves are read as vectors (C), the others
  element by element (X).
- ``table``: any rank; ``offset(i) = hi[i / L] + lo[i % L]`` from one small table buffer; all leaves are class X.

A binary operation so has at most eight kernels: one flat, three nd, three loose, one table. Nothing is compiled per
shape or per rank. Division by an axis length multiplies by its reciprocal, which is data too: integer division is slow
on GPUs, and slower on software drivers, which do it lane by lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor import Layout, Shape, merge_axes
from wgtensor.webgpu.kernels.plan import Grid, fold_grid, pack_words

__all__ = ["HEADER_WORDS", "ND_RANK", "WORKGROUP", "Geometry", "divisor_words", "plan_geometry", "with_scalars"]

WORKGROUP: Final = 256
"""Invocations of one workgroup: the baseline that every adapter offers."""
ND_RANK: Final = 6
"""Merged axes that the nd and loose forms pad to."""
HEADER_WORDS: Final = 4
"""Words before the scalars and the geometry: run-time zero, groups of four, last element, unused."""
ALL_BITS: Final = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Geometry:
    """The form of a kernel and the numbers that go with it.

    Attributes
    ----------
    form
        ``"flat"``, ``"nd"``, ``"loose"`` or ``"table"``.
    classes
        One of F, V, C, X for each leaf.
    header
        The header words.
    words
        The geometry words, placed after the scalars: divisors (length, reciprocal), then the numbers of each leaf.
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


def with_scalars(params: bytes, scalars: bytes) -> bytes:
    """Return ``params``, which begin with a header and place for ``scalars`` (if any), with the scalars filled in."""
    if not scalars:
        return params
    first = 4 * HEADER_WORDS
    return params[:first] + scalars + params[first + len(scalars) :]


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
    header = (0, groups, size - 1, 0)
    if all(layout.is_contiguous or _repeats(layout) for layout in leaves):
        flat = tuple(word for layout in leaves for word in _flat_words(layout))
        return Geometry("flat", ("F",) * len(leaves), header, flat, grid)
    lengths, strides = merge_axes(shape, [layout.strides for layout in leaves])
    if len(lengths) > ND_RANK:
        return _table_geometry(lengths, strides, leaves, header, grid)
    lengths, padded = _pad_axes(lengths, strides)
    vectors = [_is_vector(layout.offset, each) for layout, each in zip(leaves, padded, strict=True)]
    aligned = lengths[-1] % 4 == 0 and any(vectors)
    if aligned:
        classes = tuple("V" if vector else "X" for vector in vectors)
    else:
        classes = tuple("C" if layout.is_contiguous else "X" for layout in leaves)
    words = [word for length in lengths[1:] for word in divisor_words(length)]
    for layout, each in zip(leaves, padded, strict=True):
        words += [layout.offset, *each]
    return Geometry("nd" if aligned else "loose", classes, header, tuple(words), grid)


def divisor_words(length: int) -> tuple[int, int]:
    """Return a divisor and the bits of its float32 reciprocal, as ``divide`` in ``elementwise.wgsl`` takes them."""
    return length, int(np.float32(1 / length).view(np.uint32))


def _repeats(layout: Layout) -> bool:
    return all(n == 1 or s == 0 for n, s in zip(layout.shape, layout.strides, strict=True))


def _flat_words(layout: Layout) -> tuple[int, int, int]:
    """Return a mask of the group index, the vector to begin with, and the lane to repeat."""
    if layout.is_contiguous:
        return ALL_BITS, 0, 0
    return 0, layout.offset // 4, layout.offset % 4


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
    header: tuple[int, int, int, int],
    grid: Grid,
) -> Geometry:
    """Split the axes where the two tables are shortest, and lay all leaves' tables in one buffer."""
    inner = _best_split(lengths)
    period = int(np.prod(lengths[inner:], dtype=np.int64))
    parts: list[NDArray[np.int64]] = []
    words: list[int] = [*divisor_words(period)]
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
    return Geometry("table", ("X",) * len(leaves), header, tuple(words), grid, joined)


def _best_split(lengths: tuple[int, ...]) -> int:
    sizes = np.cumprod((1, *lengths[::-1]), dtype=np.float64)[::-1]
    return int(np.argmin([sizes[0] / inner + inner for inner in sizes]))


def _offsets(lengths: tuple[int, ...], strides: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the element offset of every position, in row-major order."""
    offsets = np.zeros(1, np.int64)
    for length, stride in zip(lengths, strides, strict=True):
        offsets = (offsets[:, None] + np.arange(length, dtype=np.int64) * stride).ravel()
    return offsets
