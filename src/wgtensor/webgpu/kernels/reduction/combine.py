"""What each reduction does, as WGSL: one row per operation and dtype.

Order, for max, min, argmax and argmin, is decided on integers. Each element becomes a u32 key that grows with it, and
every NaN the greatest key, so a NaN wins, denormals survive, and no driver's float ``max`` is asked. Sums and products
are plain float operations without barriers against folding: no driver can fold across a loop whose length it does not
know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from wgtensor.tensor import DType, bool_, complex64, float16, float32, int32, uint32

__all__ = ["COMBINES", "Combine"]


@dataclass(frozen=True, slots=True)
class Combine:
    """WGSL pieces of one reduction of one dtype.

    Attributes
    ----------
    accumulator, identity
        WGSL type of a partial result, and the partial result of no elements.
    lift
        Partial result of one element with bits ``x`` at position ``i`` of the reduced axes.
    join
        Partial result of partial results ``a`` and ``b``.
    result
        Bits of the result, from partial result ``a``.
    words
        32-bit words of a partial result.
    result_bytes
        Bytes of a result.
    functions
        WGSL files that the pieces call.
    empty
        Result over no elements; None where there is none.
    """

    accumulator: str
    identity: str
    lift: str
    join: str
    result: str
    words: int
    result_bytes: int
    functions: tuple[str, ...] = ()
    empty: int | None = None

    @property
    def stored(self) -> str:
        """WGSL type of a partial result in a scratch buffer."""
        return "u32" if self.words == 1 else "vec2<u32>"

    @property
    def packing(self) -> int:
        """Results that share a 32-bit word."""
        return max(4 // self.result_bytes, 1)


@dataclass(frozen=True, slots=True)
class _Number:
    """How a dtype is added and multiplied: from bits ``x`` to its accumulator ``a``, and back."""

    accumulator: str
    lift: str
    result: str
    one: str
    product: str = "a * b"
    functions: tuple[str, ...] = ()


_INTEGER = _Number("u32", "x", "a", "1u")
_NUMBERS: Final[Mapping[DType, _Number]] = {
    float32: _Number("f32", "bitcast<f32>(x)", "bitcast<u32>(a)", "1.0"),
    float16: _Number("f32", "unpack2x16float(x).x", "half_bits(a)", "1.0", functions=("half",)),
    int32: _INTEGER,
    uint32: _INTEGER,
    complex64: _Number(
        "vec2<f32>",
        "bitcast<vec2<f32>>(x)",
        "bitcast<vec2<u32>>(a)",
        "vec2<f32>(1.0, 0.0)",
        "vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)",
    ),
}
_ORDERS: Final[Mapping[DType, str]] = {
    float32: "order_float32",
    float16: "order_float16",
    int32: "order_int32",
    uint32: "order_uint32",
}
_INDEX_BYTES: Final = 4


def _arithmetic(dtype: DType, join: str, identity: str, empty: int) -> Combine:
    number = _NUMBERS[dtype]
    words = max(dtype.itemsize // 4, 1)
    pieces = (number.accumulator, identity, number.lift, join, number.result)
    return Combine(*pieces, words, dtype.itemsize, number.functions, empty)


def _sum(dtype: DType) -> Combine:
    return _arithmetic(dtype, "a + b", f"{_NUMBERS[dtype].accumulator}()", 0)


def _product(dtype: DType) -> Combine:
    return _arithmetic(dtype, _NUMBERS[dtype].product, _NUMBERS[dtype].one, 1)


def _extreme(flip: str) -> Callable[[DType], Combine]:
    """Return max (``flip`` empty) or min (``"~"``, which turns the order round)."""

    def combine(dtype: DType) -> Combine:
        lift = f"select({flip}ascending(x), 0xffffffffu, is_nan(x))"
        result = f"bits_of({flip}a)"
        return Combine("u32", "0u", lift, "max(a, b)", result, 1, dtype.itemsize, (_ORDERS[dtype],))

    return combine


def _position(flip: str) -> Callable[[DType], Combine]:
    """Return argmax or argmin: pairs of key and position, of which the greater key wins, then the lower position."""

    def combine(dtype: DType) -> Combine:
        lift = f"vec2<u32>(select({flip}ascending(unsigned_zero(x)), 0xffffffffu, is_nan(x)), i)"
        join = "select(a, b, b.x > a.x || (b.x == a.x && b.y < a.y))"
        functions = (_ORDERS.get(dtype, "order_uint32"),)
        return Combine("vec2<u32>", "vec2<u32>(0u, 0xffffffffu)", lift, join, "a.y", 2, _INDEX_BYTES, functions)

    return combine


def _truth(join: str, empty: int) -> Callable[[DType], Combine]:
    def combine(dtype: DType) -> Combine:
        return Combine("u32", f"{empty}u", "select(0u, 1u, x != 0u)", join, "a", 1, dtype.itemsize, empty=empty)

    return combine


_ROWS: Final[tuple[tuple[str, Callable[[DType], Combine], tuple[DType, ...]], ...]] = (
    ("sum", _sum, tuple(_NUMBERS)),
    ("prod", _product, tuple(_NUMBERS)),
    ("max", _extreme(""), tuple(_ORDERS)),
    ("min", _extreme("~"), tuple(_ORDERS)),
    ("argmax", _position(""), (*_ORDERS, bool_)),
    ("argmin", _position("~"), (*_ORDERS, bool_)),
    ("any", _truth("a | b", 0), (bool_,)),
    ("all", _truth("a & b", 1), (bool_,)),
)
COMBINES: Final[Mapping[tuple[str, DType], Combine]] = {
    (name, dtype): make(dtype) for name, make, dtypes in _ROWS for dtype in dtypes
}
"""Every reduction that has kernels, by operation and dtype."""
