"""A fusion window as the prologue of a reduction: its elements are computed where the reduction would read them.

The first pass visits every element once, in chunks of the four elements that an elementwise kernel computes at once, or
as four single elements. So the window's statements take the place of the read, results that are still held are written
on the way, and shares, order and bits are those of the same reduction of a stored operand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from wgtensor.webgpu.kernels.elementwise.access import ACCESS
from wgtensor.webgpu.kernels.elementwise.functions import function_source
from wgtensor.webgpu.kernels.elementwise.generator import (
    ElementwiseKernel,
    KernelOp,
    evaluation,
    parameter_words,
    support_source,
)
from wgtensor.webgpu.kernels.elementwise.geometry import Geometry
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS
from wgtensor.webgpu.kernels.reduction.problem import Access

__all__ = ["Prologue", "template_values", "written_arrays"]

_CHUNKS: Final[Mapping[str, str]] = {
    "bool": "dot(select(vec4<u32>(), vec4<u32>(1u, 256u, 65536u, 16777216u), {0}), vec4<u32>(1u))",
    "float16": "vec2<u32>(pack2x16float(vec2<f32>({0}.xy)), pack2x16float(vec2<f32>({0}.zw)))",
    "float32": "bitcast<vec4<u32>>({0})",
    "int32": "bitcast<vec4<u32>>({0})",
    "uint32": "{0}",
}
"""Four computed elements as the chunk that a reduction reads; the dtypes of which a chunk is four elements."""

_SINGLE_STORE: Final = "{a}[linear[{lane}]] = {v}[{lane}];"
_SINGLE_STORES: Final[Mapping[str, str]] = {
    "float32": _SINGLE_STORE,
    "int32": _SINGLE_STORE,
    "uint32": _SINGLE_STORE,
    "complex64": "{a}[linear[{lane}]] = vec2<f32>({v}.re[{lane}], {v}.im[{lane}]);",
}
"""Statement that writes one lane of a value; none for what shares its word with neighbours."""


@dataclass(frozen=True, slots=True)
class Prologue:
    """What a first pass computes instead of reading its operand.

    Attributes
    ----------
    kernel
        The window; its first output is what is reduced, the others are written.
    geometry
        How the leaves are addressed.
    """

    kernel: ElementwiseKernel
    geometry: Geometry

    def fits(self, access: Access) -> bool:
        """Return whether a first pass that reads by ``access`` can compute the window."""
        dtypes = self.kernel.value_dtypes()
        outputs = [dtypes[value] for value in self.kernel.outputs]
        whole = access is not Access.GENERAL or all(dtype in _SINGLE_STORES for dtype in outputs)
        return whole and outputs[0] in _CHUNKS and not any(_loops(op) for op in self.kernel.ops)

    def evaluated(self, access: Access) -> ElementwiseKernel:
        """Return the window as a first pass by ``access`` evaluates it: by chunks or by single elements."""
        if access is not Access.GENERAL:
            return self.kernel
        form = "loose" if self.geometry.form == "nd" else self.geometry.form
        return replace(self.kernel, form=form, classes=("X",) * len(self.kernel.leaves), scattered=True)

    @property
    def words(self) -> tuple[int, ...]:
        """The parameter words, with zeros for the scalars, which the launch fills in."""
        scalars = sum(ACCESS[dtype].scalar_words for dtype in self.kernel.scalars)
        words = (*self.geometry.header, *(0,) * scalars, *self.geometry.words)
        return words + (0,) * (-len(words) % 4)


def written_arrays(kernel: ElementwiseKernel) -> list[str]:
    """Return the arrays of the window's live results."""
    accesses = [ACCESS[dtype] for dtype in _written(kernel).values()]
    types = [access.element if kernel.scattered else access.vector for access in accesses]
    return [f"out{i}: array<{each}>" for i, each in enumerate(types)]


def template_values(kernel: ElementwiseKernel) -> dict[str, Any]:
    """Return what ``reduce.wgsl`` takes of a window: its functions, and the statements that evaluate and write it."""
    dtypes = kernel.value_dtypes()
    reduced = kernel.outputs[0]
    chunk = _CHUNKS[dtypes[reduced]].format(f"v{reduced}")
    return {
        "float16": "float16" in dtypes,
        "words": parameter_words(kernel) // 4,
        "support": support_source(kernel),
        "statements": [*evaluation(kernel), *_stores(kernel), f"return {chunk};"],
    }


def _written(kernel: ElementwiseKernel) -> dict[int, str]:
    """Return the dtypes of the values that are written, by number."""
    dtypes = kernel.value_dtypes()
    return {value: dtypes[value] for value in kernel.outputs[1:]}


def _stores(kernel: ElementwiseKernel) -> list[str]:
    lines = []
    for i, (value, dtype) in enumerate(_written(kernel).items()):
        names = {"a": f"out{i}", "v": f"v{value}"}
        if kernel.scattered:
            lines += [_SINGLE_STORES[dtype].format(lane=lane, **names) for lane in range(4)]
        else:
            lines.append(ACCESS[dtype].store.format(g="g", **names))
    return lines


def _loops(op: KernelOp) -> bool:
    """Return whether an operation loops: once per element of a reduction that exceeds what software adapters allow."""
    return _has_loop(LOWERINGS[op.name, op.dtype].functions)


@cache
def _has_loop(files: tuple[str, ...]) -> bool:
    return "while (" in function_source(files)
