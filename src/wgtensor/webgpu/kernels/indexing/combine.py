"""How updates meet the operand in the scatter modes that combine: one row per mode and dtype.

Float atomics would give sums that depend on the order in which invocations run, and drop NaN. Every row combines by
an integer atomic instead: extremes as keys that grow with the number (every NaN the greatest), integers as they are,
floats as fixed-point numbers (``sum.wgsl``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from wgtensor.tensor import DType, complex64, float16, float32, int32, uint32
from wgtensor.webgpu.kernels.units import UNITS

__all__ = ["COMBINES", "Combine"]


@dataclass(frozen=True, slots=True)
class Combine:
    """WGSL pieces of one mode and dtype.

    Attributes
    ----------
    nbytes
        Bytes of an element; a complex number is two.
    key
        What an element with bits ``x`` is in its cell.
    value
        Bits of the result's element, from its cell ``a``, or from the sum ``y``.
    atomic
        How a key meets a cell.
    functions
        WGSL files that the pieces call.
    bits
        ``x`` from an element ``{0}``.
    sums
        Whether cells hold ranks, and sums lie beside them in fixed point.
    """

    nbytes: int
    key: str
    value: str
    atomic: str
    functions: tuple[str, ...] = ()
    bits: str = "{0}"
    sums: bool = False

    @property
    def load(self) -> str:
        """The element at offset ``{0}`` of an array ``source``."""
        return UNITS[self.nbytes].load

    @property
    def lanes(self) -> int:
        """Elements of a 32-bit word."""
        return 4 // self.nbytes

    @property
    def pack(self) -> str:
        """A word of elements ``e0``, ``e1``."""
        return "e0" if self.nbytes == 4 else UNITS[self.nbytes].pack


_ORDERED: Final = (float16, float32, int32, uint32)


def _extreme(dtype: DType, flip: str) -> Combine:
    """Return max (``flip`` empty) or min (``"~"``, which turns the order round)."""
    key = f"select({flip}ascending(x), 0xffffffffu, is_nan(x))"
    value = f"select(bits_of({flip}a), x, a == {key})"
    return Combine(dtype.itemsize, key, value, "atomicMax", (f"reduction/functions/order_{dtype.name}.wgsl",))


_SUM: Final = "indexing/sum.wgsl"
_FLOAT_SUM: Final = Combine(4, "rank_of(x)", "y", "atomicMax", (_SUM,), sums=True)
_HALF_SUM: Final = Combine(
    2,
    "rank_of(x)",
    "half_bits(bitcast<f32>(y))",
    "atomicMax",
    (_SUM, "reduction/functions/half.wgsl"),
    "bitcast<u32>(unpack2x16float({0}).x)",
    sums=True,
)
_INTEGER_SUM: Final = Combine(4, "x", "a", "atomicAdd")

COMBINES: Final[Mapping[tuple[str, DType], Combine]] = {
    **{("max", dtype): _extreme(dtype, "") for dtype in _ORDERED},
    **{("min", dtype): _extreme(dtype, "~") for dtype in _ORDERED},
    ("add", float32): _FLOAT_SUM,
    ("add", complex64): _FLOAT_SUM,
    ("add", float16): _HALF_SUM,
    ("add", int32): _INTEGER_SUM,
    ("add", uint32): _INTEGER_SUM,
}
"""Every mode that combines, by mode and dtype; mode set moves any dtype."""
