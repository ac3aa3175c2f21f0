"""Units: elements as 1 to 16 bytes, whatever number they stand for, and how kernels read them and write them whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wgtensor.tensor.layout import merge_axes
from wgtensor.webgpu.kernels.tables import Strides

__all__ = ["UNITS", "Moved", "Unit", "widened"]


@dataclass(frozen=True, slots=True)
class Unit:
    """WGSL pieces for one unit size.

    Attributes
    ----------
    nbytes
        Bytes of a unit.
    element
        WGSL type in which one unit is held.
    word
        Array element type through which single units are read.
    block
        Array element type that one invocation of a gather owns and writes.
    lanes
        Units per block.
    load
        The unit at offset ``{0}`` of an array ``source``.
    pack
        A block from units ``e0``, ``e1`` ...
    """

    nbytes: int
    element: str
    word: str
    block: str
    lanes: int
    load: str
    pack: str

    @property
    def packed(self) -> bool:
        """Whether several units share a 32-bit word."""
        return self.nbytes < 4


UNITS: Final[Mapping[int, Unit]] = {
    unit.nbytes: unit
    for unit in (
        Unit(1, "u32", "u32", "u32", 4, "extractBits(source[{0} >> 2u], 8u * ({0} & 3u), 8u)",
             "e0 | (e1 << 8u) | (e2 << 16u) | (e3 << 24u)"),
        Unit(2, "u32", "u32", "u32", 2, "extractBits(source[{0} >> 1u], 16u * ({0} & 1u), 16u)", "e0 | (e1 << 16u)"),
        Unit(4, "u32", "u32", "vec4<u32>", 4, "source[{0}]", "vec4<u32>(e0, e1, e2, e3)"),
        Unit(8, "vec2<u32>", "vec2<u32>", "vec4<u32>", 2, "source[{0}]", "vec4<u32>(e0, e1)"),
        Unit(16, "vec4<u32>", "vec4<u32>", "vec4<u32>", 1, "source[{0}]", "e0"),
    )
}  # fmt: skip

WIDER: Final = (16, 4)
"""Units to which smaller ones are joined, best first; others would only add kernels."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Merged axes, and operands on them that are moved, all counted in units of ``unit``.

    Attributes
    ----------
    unit
        What is moved at a time.
    lengths
        The merged axes.
    strides, offsets
        Of each moved operand.
    counted
        Strides of operands that are walked along without being moved, in their own elements.
    steps
        Further distances in the moved operands.
    """

    unit: Unit
    lengths: tuple[int, ...]
    strides: tuple[Strides, ...]
    offsets: tuple[int, ...]
    counted: tuple[Strides, ...] = ()
    steps: tuple[int, ...] = ()


def widened(
    itemsize: int,
    shape: Sequence[int],
    strides: Sequence[Strides],
    offsets: Sequence[int],
    counted: Sequence[Strides] = (),
    steps: Sequence[int] = (),
) -> Moved:
    """Merge axes and join neighbouring elements to the widest unit in which every moved operand stays whole.

    The last axis is joined where the moved operands are contiguous along it and the counted ones stand still.

    Examples
    --------
    >>> moved = widened(4, (5, 8), [(16, 1)], [4])
    >>> moved.unit.nbytes, moved.lengths, moved.strides, moved.offsets
    (16, (5, 2), ((4, 1),), (1,))
    """
    lengths, merged = merge_axes(shape, [*strides, *counted])
    moved, still = merged[: len(strides)], merged[len(strides) :]
    for nbytes in WIDER:
        factor = nbytes // itemsize
        if factor > 1 and lengths and not any(axes[-1] for axes in still):
            distances = (*offsets, *steps, *(stride for axes in moved for stride in axes[:-1]))
            if all(axes[-1] == 1 for axes in moved) and not any(n % factor for n in (lengths[-1], *distances)):
                return Moved(
                    UNITS[nbytes],
                    (*lengths[:-1], lengths[-1] // factor),
                    tuple((*(stride // factor for stride in axes[:-1]), 1) for axes in moved),
                    tuple(offset // factor for offset in offsets),
                    still,
                    tuple(step // factor for step in steps),
                )
    return Moved(UNITS[itemsize], lengths, moved, tuple(offsets), still, tuple(steps))
