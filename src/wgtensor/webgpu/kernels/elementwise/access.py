"""How four elements of each dtype are read from and written to storage buffers.

Buffers are bound as arrays of the widest type that the access class allows. Sub-word types are packed as NumPy stores
them, so one invocation owns whole words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["ACCESS", "WIDE_ACCESS", "Access"]


@dataclass(frozen=True, slots=True)
class Access:
    """WGSL pieces for one dtype; ``{a}`` is the array's name, the rest are WGSL expressions.

    Attributes
    ----------
    vector
        Array element type for writes.
    read
        Array element type for vector reads.
    load
        Value of four elements from vector index ``{g}``.
    store
        Statement that writes value ``{v}`` at vector index ``{g}``.
    element
        Array element type for single reads.
    pick
        One element at element index ``{e}``, in the form that ``gather`` takes.
    gather
        Value of four elements from four picks ``{0}`` to ``{3}``.
    name
        Suffix of ``repeat_...``, which gives a value, or one lane of it four times.
    scalar
        Value of four equal elements from parameter words ``{0}`` and ``{1}`` (the second for complex only).
    scalar_words
        Parameter words of a host scalar.
    """

    vector: str
    read: str
    load: str
    store: str
    element: str
    pick: str
    gather: str
    scalar: str
    name: str
    scalar_words: int = 1


def _plain(name: str) -> Access:
    return Access(
        vector=f"vec4<{name}>",
        read=f"vec4<{name}>",
        load="{a}[{g}]",
        store="{a}[{g}] = {v};",
        element=name,
        pick="{a}[{e}]",
        gather=f"vec4<{name}>({{0}}, {{1}}, {{2}}, {{3}})",
        scalar=f"vec4<{name}>(bitcast<{name}>({{0}}))",
        name=name,
    )


ACCESS: Final[Mapping[str, Access]] = {
    "float32": _plain("f32"),
    "int32": _plain("i32"),
    "uint32": _plain("u32"),
    "bool": Access(
        vector="u32",
        read="u32",
        load="((vec4<u32>({a}[{g}]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u)",
        store="{a}[{g}] = dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), {v}), vec4<u32>(1u));",
        element="u32",
        pick="(({a}[({e}) >> 2u] >> ((({e}) & 3u) * 8u)) & 255u)",
        gather="vec4<u32>({0}, {1}, {2}, {3}) != vec4<u32>(0u)",
        scalar="vec4<u32>({0}) != vec4<u32>(0u)",
        name="bool",
    ),
    "float16": replace(_plain("f16"), scalar="vec4<f16>(f16(unpack2x16float({0}).x))"),
    "complex64": Access(
        vector="vec4<f32>",
        read="vec4<f32>",
        load="c64x4(vec4<f32>({a}[2u * ({g})].xz, {a}[2u * ({g}) + 1u].xz), "
        "vec4<f32>({a}[2u * ({g})].yw, {a}[2u * ({g}) + 1u].yw))",
        store="{a}[2u * ({g})] = vec4<f32>({v}.re.x, {v}.im.x, {v}.re.y, {v}.im.y); "
        "{a}[2u * ({g}) + 1u] = vec4<f32>({v}.re.z, {v}.im.z, {v}.re.w, {v}.im.w);",
        element="vec2<f32>",
        pick="{a}[{e}]",
        gather="c64x4(vec4<f32>({0}.x, {1}.x, {2}.x, {3}.x), vec4<f32>({0}.y, {1}.y, {2}.y, {3}.y))",
        scalar="c64x4(vec4<f32>(bitcast<f32>({0})), vec4<f32>(bitcast<f32>({1})))",
        name="c64x4",
        scalar_words=2,
    ),
}
"""Access by dtype name; the dtypes that elementwise kernels compute in."""

WIDE_ACCESS: Final[Mapping[str, Access]] = {
    **ACCESS,
    "float32": replace(ACCESS["float32"], read="vec2<u64>", load="bitcast<vec4<f32>>(wide_words({a}[{g}]))"),
    "int32": replace(ACCESS["int32"], read="vec2<u64>", load="bitcast<vec4<i32>>(wide_words({a}[{g}]))"),
    "uint32": replace(ACCESS["uint32"], read="vec2<u64>", load="wide_words({a}[{g}])"),
    "float16": replace(ACCESS["float16"], read="u64", load="wide_halves({a}[{g}])"),
    "complex64": replace(
        ACCESS["complex64"],
        read="vec2<u64>",
        load="wide_complex({a}[2u * ({g})], {a}[2u * ({g}) + 1u])",
        element="u64",
        pick="wide_pair({a}[{e}])",
    ),
}
"""The same with reads of 64 bits, for software adapters; the functions are in ``wide.wgsl``."""
