"""How each dtype is read, computed and written in contraction kernels.

Four neighbours are one ``Lanes`` value: a ``vec4`` or, for complex numbers, a struct of two. ``lanes/*.wgsl`` define
``Scalar``, ``Lanes`` and their arithmetic; this table holds the expressions that depend on how a buffer stores the dtype.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["NUMBERS", "Numbers"]


@dataclass(frozen=True, slots=True)
class Numbers:
    """WGSL pieces of one storage dtype; ``{p}`` is a buffer, ``{e}`` an element index, ``{v}`` a value.

    Attributes
    ----------
    lanes
        The file in ``lanes/`` that holds the arithmetic.
    vector, load, store
        Array element type for vector access, and the access of four elements from ``{e}``, a multiple of 4.
    element, pick, put
        Array element type for single access, and the access of one element; ``put`` is empty where elements share a word.
    component
        The ``Scalar`` in lane ``{c}`` of a ``Lanes`` value.
    assign
        Statement that sets lane ``{i}`` of ``{v}``, a place in memory, to the ``Scalar`` ``{x}``.
    broadcast
        The ``Lanes`` value that subgroup lane ``{l}`` holds.
    width
        Vectors of 32-bit words in a ``Lanes`` value.
    partial
        The dtype in which partial sums are kept.
    """

    lanes: str
    vector: str
    load: str
    store: str
    element: str
    pick: str
    put: str
    partial: str
    component: str = "{v}.{c}"
    assign: str = "{v}[{i}] = {x};"
    broadcast: str = "subgroupBroadcast({v}, {l}u)"
    width: int = 1


def _plain(scalar: str, dtype: str) -> Numbers:
    return Numbers(
        lanes=dtype,
        vector=f"vec4<{scalar}>",
        load="{p}[{e} >> 2u]",
        store="{p}[{e} >> 2u] = {v};",
        element=scalar,
        pick="{p}[{e}]",
        put="{p}[{e}] = {v};",
        partial=dtype,
    )


_UINT32: Final = _plain("u32", "uint32")

NUMBERS: Final[Mapping[str, Numbers]] = {
    "float32": _plain("f32", "float32"),
    "uint32": _UINT32,
    "int32": _UINT32,  # products and sums wrap alike, signed or not
    "float16": Numbers(
        lanes="float32",
        vector="vec2<u32>",
        load="vec4<f32>(unpack2x16float({p}[{e} >> 2u].x), unpack2x16float({p}[{e} >> 2u].y))",
        store="{p}[{e} >> 2u] = vec2<u32>(pack2x16float({v}.xy), pack2x16float({v}.zw));",
        element="u32",
        pick="unpack2x16float({p}[{e} >> 1u] >> (16u * ({e} & 1u))).x",
        put="",
        partial="float32",
    ),
    "complex64": Numbers(
        lanes="complex64",
        vector="vec4<f32>",
        load="from_pairs({p}[{e} >> 1u], {p}[({e} >> 1u) + 1u])",
        store="{p}[{e} >> 1u] = first_pair({v}); {p}[({e} >> 1u) + 1u] = second_pair({v});",
        element="vec2<f32>",
        pick="{p}[{e}]",
        put="{p}[{e}] = {v};",
        partial="complex64",
        component="vec2<f32>({v}.re.{c}, {v}.im.{c})",
        assign="{v}.re[{i}] = {x}.x; {v}.im[{i}] = {x}.y;",
        broadcast="Lanes(subgroupBroadcast({v}.re, {l}u), subgroupBroadcast({v}.im, {l}u))",
        width=2,
    ),
}
"""Pieces by dtype name."""
