"""What decides the WGSL of a contraction kernel. No shapes, no strides: those are data."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from wgtensor.webgpu.kernels.contraction.numbers import NUMBERS, WIDE_NUMBERS, Numbers
from wgtensor.webgpu.kernels.templating import render

__all__ = ["Tile", "Variant", "render_kernel"]


@dataclass(frozen=True, slots=True)
class Tile:
    """How much of the result a workgroup and an invocation make.

    Attributes
    ----------
    kind
        ``"register"``: each invocation loads what it needs. ``"broadcast"``: the lanes of a subgroup share the loads
        of a. ``"workgroup"``: tiles of a and b are staged in workgroup memory. ``"pack"``, ``"finish"``: copies.
    rows, cols
        Result rows and columns of one invocation.
    lanes
        Invocations of a workgroup; the subgroup size for ``"broadcast"``.
    block_rows, block_cols, depth
        Result rows and columns of a workgroup, and depth of a stage, for ``"workgroup"``.
    """

    kind: str
    rows: int
    cols: int
    lanes: int
    block_rows: int = 0
    block_cols: int = 0
    depth: int = 4


@dataclass(frozen=True, slots=True)
class Variant:
    """Equal variants mean equal WGSL.

    Attributes
    ----------
    tile
        The tile.
    dtype, out_dtype
        Storage of the operands, and of what is written: the result, or partial sums.
    a, b, c
        Loader and store classes.
    affine
        Whether both operands walk the depth by one stride; else by tables.
    two_level
        Whether offset tables have two levels.
    folded
        Whether the grid is folded because one dimension is too long.
    accumulate
        Whether alpha and beta are applied.
    conj_a, conj_b
        Whether an operand is conjugated.
    wide
        Whether operands are read 64 bits at a time.
    """

    tile: Tile
    dtype: str
    out_dtype: str
    a: str
    b: str
    c: str
    affine: bool = True
    two_level: bool = False
    folded: bool = False
    accumulate: bool = False
    conj_a: bool = False
    conj_b: bool = False
    wide: bool = False

    @property
    def numbers(self) -> Numbers:
        """How the operands are read."""
        return (WIDE_NUMBERS if self.wide else NUMBERS)[self.dtype]

    @property
    def key(self) -> tuple[object, ...]:
        """The kernel's key."""
        return ("contraction", *astuple(self))


def _buffer_type(numbers: Numbers, access: str) -> str:
    """Return the array element type of a buffer under a loader class."""
    return numbers.element if access == "x" else numbers.vector


def render_kernel(template: str, variant: Variant, **values: object) -> str:
    """Return the WGSL of ``template`` with what all kernels of this family share filled in."""
    out = NUMBERS[variant.out_dtype]
    loaders = [("a", variant.numbers, variant.a, variant.conj_a)]
    if variant.b:
        loaders.append(("b", variant.numbers, variant.b, variant.conj_b))
    reads = [(name, _buffer_type(numbers, access)) for name, numbers, access, _ in loaders]
    c_type = _buffer_type(out, variant.c) if variant.c == "n" or out.put else "atomic<u32>"
    return render(
        f"contraction/{template}.wgsl",
        variant=variant,
        tile=variant.tile,
        lanes=variant.numbers.lanes,
        reads=[*reads, ("tables", "u32")],
        loaders=loaders,
        c_type=c_type,
        out=out,
        out_class=variant.c,
        two_level=variant.two_level,
        affine=variant.affine,
        accumulate=variant.accumulate,
        wide=variant.wide,
        **values,
    )
