"""From a fusion window's plan to WGSL.

The frame is ``elementwise.wgsl``; this module writes what must be unrolled: bindings, reads by access class, one
statement per operation, writes. Every float result passes through an XOR with a run-time zero, so that no driver folds
algebra across operations and a fused chain gives the very same bits as its operations one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wgtensor.webgpu.kernels.elementwise.access import ACCESS, WIDE_ACCESS, Access
from wgtensor.webgpu.kernels.elementwise.geometry import HEADER_WORDS, ND_RANK, WORKGROUP
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS, function_source
from wgtensor.webgpu.kernels.templating import render

__all__ = ["ElementwiseKernel", "KernelOp", "generate", "parameter_words"]

_KEEP: Final = {"float32": "wg_keep({0})", "float16": "wg_keep_f16({0})", "complex64": "wg_keep_c64({0})"}


@dataclass(frozen=True, slots=True)
class KernelOp:
    """One operation: its row in ``LOWERINGS`` and its operands, as numbers of leaves, scalars and earlier values.

    Values are numbered leaves first, then scalars, then operations in order.
    """

    name: str
    dtype: str
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ElementwiseKernel:
    """Everything that decides the WGSL of an elementwise kernel; equal objects mean equal WGSL.

    Attributes
    ----------
    form, classes
        From the geometry; one class per leaf.
    leaves, scalars
        Dtype names.
    ops
        The operations in order.
    outputs
        Value numbers that are written, one buffer each.
    wide
        Read 64 bits at a time.
    """

    form: str
    classes: tuple[str, ...]
    leaves: tuple[str, ...]
    scalars: tuple[str, ...]
    ops: tuple[KernelOp, ...]
    outputs: tuple[int, ...]
    wide: bool = False

    @property
    def reads(self) -> int:
        """Read-only bindings: the leaves, and the table where there is one."""
        return len(self.leaves) + (self.form == "table")

    def value_dtypes(self) -> list[str]:
        """Return the dtype name of every value."""
        dtypes = [*self.leaves, *self.scalars]
        dtypes.extend(LOWERINGS[op.name, op.dtype].result for op in self.ops)
        return dtypes


def parameter_words(kernel: ElementwiseKernel) -> int:
    """Return the number of 32-bit words in the kernel's uniform, padded to 4."""
    scalars = sum(ACCESS[dtype].scalar_words for dtype in kernel.scalars)
    per_leaf = {"flat": 1, "table": 2}.get(kernel.form, ND_RANK + 1)
    lengths = ND_RANK - 1 if kernel.form in ("nd", "loose") else 0
    return -(-(HEADER_WORDS + scalars + lengths + per_leaf * len(kernel.leaves)) // 4) * 4


def generate(kernel: ElementwiseKernel) -> str:
    """Return the WGSL of ``kernel``."""
    dtypes = kernel.value_dtypes()
    files = [file for op in kernel.ops for file in LOWERINGS[op.name, op.dtype].functions]
    files += ["core"] + ["complex"] * ("complex64" in dtypes)
    return render(
        "elementwise/elementwise.wgsl",
        float16="float16" in dtypes,
        complex64="complex64" in dtypes,
        wide=kernel.wide,
        words=parameter_words(kernel) // 4,
        bindings=_bindings(kernel, dtypes),
        functions=function_source(dict.fromkeys(files)),
        workgroup=WORKGROUP,
        offsets=_OFFSETS[kernel.form](kernel),
        reads=[f"let v{i} = {_read(kernel, i)};" for i in range(len(kernel.leaves))] + _scalar_reads(kernel),
        statements=_statements(kernel, dtypes),
        writes=[
            ACCESS[dtypes[value]].store.format(a=f"out{i}", g="g", v=f"v{value}")
            for i, value in enumerate(kernel.outputs)
        ],
    )


def _bindings(kernel: ElementwiseKernel, dtypes: list[str]) -> list[str]:
    """Return the declarations: leaves, table, outputs, parameters."""
    reads = [
        f"in{i}: array<{_leaf_type(kernel, dtype, kind)}>"
        for i, (dtype, kind) in enumerate(zip(kernel.leaves, kernel.classes, strict=True))
    ]
    if kernel.form == "table":
        reads.append("offsets: array<u32>")
    writes = [f"out{i}: array<{ACCESS[dtypes[value]].vector}>" for i, value in enumerate(kernel.outputs)]
    lines = [f"var<storage, read> {text};" for text in reads]
    lines += [f"var<storage, read_write> {text};" for text in writes]
    lines.append("var<uniform> params: Params;")
    return [f"@group(0) @binding({number}) {line}" for number, line in enumerate(lines)]


def _access(kernel: ElementwiseKernel, dtype: str) -> Access:
    return (WIDE_ACCESS if kernel.wide else ACCESS)[dtype]


def _leaf_type(kernel: ElementwiseKernel, dtype: str, kind: str) -> str:
    access = _access(kernel, dtype)
    return access.read if kind in "CV" else access.element


def _word(index: int) -> str:
    return f"params.words[{index // 4}].{'xyzw'[index % 4]}"


def _first_geometry_word(kernel: ElementwiseKernel) -> int:
    return HEADER_WORDS + sum(ACCESS[dtype].scalar_words for dtype in kernel.scalars)


def _scalar_reads(kernel: ElementwiseKernel) -> list[str]:
    lines, word = [], HEADER_WORDS
    for i, dtype in enumerate(kernel.scalars, len(kernel.leaves)):
        access = ACCESS[dtype]
        lines.append(f"let v{i} = {access.scalar.format(_word(word), _word(word + 1))};")
        word += access.scalar_words
    return lines


def _read(kernel: ElementwiseKernel, leaf: int) -> str:
    """Return the expression that reads four elements of a leaf."""
    access, kind = _access(kernel, kernel.leaves[leaf]), kernel.classes[leaf]
    if kind == "C":
        return access.load.format(a=f"in{leaf}", g="g")
    if kind == "V":
        return access.load.format(a=f"in{leaf}", g=f"(e{leaf}.x >> 2u)")
    if kind == "S":
        element = access.pick.format(a=f"in{leaf}", e=_word(_first_geometry_word(kernel) + leaf))
        return access.gather.format(*[element] * 4)
    picks = [access.pick.format(a=f"in{leaf}", e=f"e{leaf}.{lane}") for lane in "xyzw"]
    return access.gather.format(*picks)


def _flat_offsets(kernel: ElementwiseKernel) -> list[str]:
    return []


def _nd_offsets(kernel: ElementwiseKernel) -> list[str]:
    """One decomposition per invocation; the lanes differ along the last axis only."""
    lines = _decompose("g * 4u", "u32", kernel)
    base = _first_geometry_word(kernel) + ND_RANK - 1
    for leaf in range(len(kernel.leaves)):
        offset, *strides = [_word(base + (ND_RANK + 1) * leaf + i) for i in range(ND_RANK + 1)]
        start = " + ".join([offset, *(f"i{axis} * {stride}" for axis, stride in enumerate(strides))])
        lines.append(f"let e{leaf} = vec4<u32>({start}) + vec4<u32>(0u, 1u, 2u, 3u) * {strides[-1]};")
    return lines


def _loose_offsets(kernel: ElementwiseKernel) -> list[str]:
    """One decomposition per element, clamped to the last one."""
    lines = _decompose("min(vec4<u32>(g * 4u) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.words[0].z))", "v", kernel)
    base = _first_geometry_word(kernel) + ND_RANK - 1
    for leaf in range(len(kernel.leaves)):
        offset, *strides = [_word(base + (ND_RANK + 1) * leaf + i) for i in range(ND_RANK + 1)]
        terms = [f"i{axis} * {stride}" for axis, stride in enumerate(strides)]
        lines.append(f"let e{leaf} = {' + '.join(terms)} + {offset};")
    return lines


def _decompose(index: str, kind: str, kernel: ElementwiseKernel) -> list[str]:
    """Split a linear index into i0 to i3 by the axis lengths in the parameters."""
    first = _first_geometry_word(kernel)
    splat = (lambda text: text) if kind == "u32" else (lambda text: f"vec4<u32>({text})")
    lines = [f"let linear = {index};", "var rest = linear;"]
    for axis in range(ND_RANK - 1, 0, -1):
        length = splat(_word(first + axis - 1))
        lines.append(f"let q{axis} = rest / {length}; let i{axis} = rest - q{axis} * {length}; rest = q{axis};")
    return [*lines, "let i0 = rest;"]


def _table_offsets(kernel: ElementwiseKernel) -> list[str]:
    lines = [
        "let linear = min(vec4<u32>(g * 4u) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.words[0].z));",
        "let period = vec4<u32>(params.words[0].w);",
        "let high = linear / period;",
        "let low = linear - high * period;",
    ]
    base = _first_geometry_word(kernel)
    for leaf in range(len(kernel.leaves)):
        hi, lo = _word(base + 2 * leaf), _word(base + 2 * leaf + 1)
        lanes = [f"offsets[{hi} + high.{c}] + offsets[{lo} + low.{c}]" for c in "xyzw"]
        lines.append(f"let e{leaf} = vec4<u32>({', '.join(lanes)});")
    return lines


_OFFSETS: Final = {"flat": _flat_offsets, "nd": _nd_offsets, "loose": _loose_offsets, "table": _table_offsets}


def _statements(kernel: ElementwiseKernel, dtypes: list[str]) -> list[str]:
    first = len(kernel.leaves) + len(kernel.scalars)
    lines = []
    for value, op in enumerate(kernel.ops, first):
        expression = LOWERINGS[op.name, op.dtype].expression.format(*(f"v{operand}" for operand in op.operands))
        keep = _KEEP.get(dtypes[value], "{0}")
        lines.append(f"let v{value} = {keep.format(expression)};")
    return lines
