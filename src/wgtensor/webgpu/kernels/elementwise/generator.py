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
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS, VALUE_TYPES, function_source
from wgtensor.webgpu.kernels.templating import declarations, render

__all__ = [
    "ElementwiseKernel",
    "KernelOp",
    "evaluation",
    "generate",
    "leaf_arrays",
    "parameter_words",
    "support_source",
]

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
    scattered
        Compute any four elements, at linear indices ``linear``, instead of the group ``g``; not in form "nd", and all
        classes are X.
    """

    form: str
    classes: tuple[str, ...]
    leaves: tuple[str, ...]
    scalars: tuple[str, ...]
    ops: tuple[KernelOp, ...]
    outputs: tuple[int, ...]
    wide: bool = False
    scattered: bool = False

    @property
    def reads(self) -> int:
        """Read-only bindings: the leaves, and the table where there is one."""
        return len(self.leaves) + (self.form == "table")

    def value_dtypes(self) -> list[str]:
        """Return the dtype name of every value."""
        dtypes = [*self.leaves, *self.scalars]
        dtypes.extend(LOWERINGS[op.name, op.dtype].result for op in self.ops)
        return dtypes


_LEAF_WORDS: Final = {"flat": 3, "nd": ND_RANK + 1, "loose": ND_RANK + 1, "table": 2}
_DIVISORS: Final = {"flat": 0, "nd": ND_RANK - 1, "loose": ND_RANK - 1, "table": 1}


def parameter_words(kernel: ElementwiseKernel) -> int:
    """Return the number of 32-bit words in the kernel's uniform, padded to 4."""
    numbers = _first_leaf_word(kernel) + _LEAF_WORDS[kernel.form] * len(kernel.leaves)
    return -(-numbers // 4) * 4


def generate(kernel: ElementwiseKernel) -> str:
    """Return the WGSL of ``kernel``."""
    dtypes = kernel.value_dtypes()
    written = [ACCESS[dtypes[value]] for value in kernel.outputs]
    arrays = [f"out{i}: array<{access.vector}>" for i, access in enumerate(written)]
    stores = [
        access.store.format(a=f"out{i}", g="g", v=f"v{value}")
        for i, (access, value) in enumerate(zip(written, kernel.outputs, strict=True))
    ]
    return render(
        "elementwise/elementwise.wgsl",
        float16="float16" in dtypes,
        words=parameter_words(kernel) // 4,
        bindings=declarations(leaf_arrays(kernel), arrays),
        support=support_source(kernel),
        workgroup=WORKGROUP,
        statements=[*evaluation(kernel), *stores],
    )


def leaf_arrays(kernel: ElementwiseKernel) -> list[str]:
    """Return the read-only arrays: leaves, and the offset table where there is one."""
    arrays = [
        f"in{i}: array<{_leaf_type(kernel, dtype, kind)}>"
        for i, (dtype, kind) in enumerate(zip(kernel.leaves, kernel.classes, strict=True))
    ]
    return [*arrays, "leaf_offsets: array<u32>"] if kernel.form == "table" else arrays


def support_source(kernel: ElementwiseKernel) -> str:
    """Return the functions that ``evaluation`` calls; they need ``params.words``, which ``parameter_words`` counts."""
    dtypes = kernel.value_dtypes()
    files = [file for op in kernel.ops for file in LOWERINGS[op.name, op.dtype].functions]
    files += ["core"] + ["complex"] * ("complex64" in dtypes)
    return render(
        "elementwise/support.wgsl",
        float16="float16" in dtypes,
        complex64="complex64" in dtypes,
        wide=kernel.wide,
        form=kernel.form,
        leaf_types=sorted({VALUE_TYPES[dtype] for dtype in kernel.leaves}),
        functions=function_source(dict.fromkeys(files)),
    )


def evaluation(kernel: ElementwiseKernel) -> list[str]:
    """Return the statements that define every value v0, v1 ... for the group ``g`` or the indices ``linear``."""
    reads = [f"let v{i} = {_read(kernel, i)};" for i in range(len(kernel.leaves))]
    return [*_OFFSETS[kernel.form](kernel), *reads, *_scalar_reads(kernel), *_statements(kernel)]


def _access(kernel: ElementwiseKernel, dtype: str) -> Access:
    return (WIDE_ACCESS if kernel.wide else ACCESS)[dtype]


def _leaf_type(kernel: ElementwiseKernel, dtype: str, kind: str) -> str:
    access = _access(kernel, dtype)
    return access.element if kind == "X" else access.read


def _word(index: int) -> str:
    return f"params.words[{index // 4}].{'xyzw'[index % 4]}"


def _first_divisor_word(kernel: ElementwiseKernel) -> int:
    return HEADER_WORDS + sum(ACCESS[dtype].scalar_words for dtype in kernel.scalars)


def _first_leaf_word(kernel: ElementwiseKernel) -> int:
    return _first_divisor_word(kernel) + 2 * _DIVISORS[kernel.form]


def _leaf_words(kernel: ElementwiseKernel, leaf: int) -> list[str]:
    count = _LEAF_WORDS[kernel.form]
    first = _first_leaf_word(kernel) + count * leaf
    return [_word(first + i) for i in range(count)]


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
    if kind == "F":
        mask, first, lane = _leaf_words(kernel, leaf)
        vector = access.load.format(a=f"in{leaf}", g=f"((g & {mask}) + {first})")
        return f"repeat_{access.name}({vector}, {lane}, {mask} == 0u)"
    if kind == "C":
        return access.load.format(a=f"in{leaf}", g="g")
    if kind == "V":
        return access.load.format(a=f"in{leaf}", g=f"(e{leaf}.x >> 2u)")
    picks = [access.pick.format(a=f"in{leaf}", e=f"e{leaf}.{lane}") for lane in "xyzw"]
    return access.gather.format(*picks)


_LANES: Final = "vec4<u32>(0u, 1u, 2u, 3u)"


def _linear(kernel: ElementwiseKernel) -> list[str]:
    """Define the four linear indices of an invocation, clamped to the last element, where they are not given."""
    if kernel.scattered:
        return []
    return [f"let linear = min(vec4<u32>(g * 4u) + {_LANES}, vec4<u32>(params.words[0].z));"]


def _flat_offsets(kernel: ElementwiseKernel) -> list[str]:
    """Nothing for whole groups; for single elements, the index or the one element that is repeated."""
    lines = []
    for leaf in range(len(kernel.leaves) if kernel.scattered else 0):
        mask, first, lane = _leaf_words(kernel, leaf)
        lines.append(f"let e{leaf} = (linear & vec4<u32>({mask})) + vec4<u32>(4u * {first} + {lane});")
    return lines


def _nd_offsets(kernel: ElementwiseKernel) -> list[str]:
    """One decomposition per invocation; the lanes differ along the last axis only."""
    lines = _decompose("vec4<u32>(g * 4u)", kernel)
    for leaf in range(len(kernel.leaves)):
        lines.append(f"let e{leaf} = {_walk(kernel, leaf)} + {_LANES} * {_leaf_words(kernel, leaf)[-1]};")
    return lines


def _loose_offsets(kernel: ElementwiseKernel) -> list[str]:
    """One decomposition per element."""
    gathered = [leaf for leaf, kind in enumerate(kernel.classes) if kind == "X"]
    walks = [f"let e{leaf} = {_walk(kernel, leaf)};" for leaf in gathered]
    return [*_linear(kernel), *_decompose("linear", kernel), *walks]


def _walk(kernel: ElementwiseKernel, leaf: int) -> str:
    offset, *strides = _leaf_words(kernel, leaf)
    return " + ".join([*(f"i{axis} * {stride}" for axis, stride in enumerate(strides)), offset])


def _decompose(index: str, kernel: ElementwiseKernel) -> list[str]:
    """Split linear indices into i0, i1 ... by the axis lengths in the parameters."""
    first = _first_divisor_word(kernel)
    lines = [f"var rest = {index};"]
    for axis in range(ND_RANK - 1, 0, -1):
        length, reciprocal = _word(first + 2 * (axis - 1)), _word(first + 2 * (axis - 1) + 1)
        lines.append(f"let q{axis} = divide(rest, {length}, {reciprocal});")
        lines.append(f"let i{axis} = rest - q{axis} * {length};")
        lines.append(f"rest = q{axis};")
    return [*lines, "let i0 = rest;"]


def _table_offsets(kernel: ElementwiseKernel) -> list[str]:
    first = _first_divisor_word(kernel)
    lines = [
        *_linear(kernel),
        f"let high = divide(linear, {_word(first)}, {_word(first + 1)});",
        f"let low = linear - high * {_word(first)};",
    ]
    for leaf in range(len(kernel.leaves)):
        hi, lo = _leaf_words(kernel, leaf)
        lanes = [f"leaf_offsets[{hi} + high.{c}] + leaf_offsets[{lo} + low.{c}]" for c in "xyzw"]
        lines.append(f"let e{leaf} = vec4<u32>({', '.join(lanes)});")
    return lines


_OFFSETS: Final = {"flat": _flat_offsets, "nd": _nd_offsets, "loose": _loose_offsets, "table": _table_offsets}


def _statements(kernel: ElementwiseKernel) -> list[str]:
    dtypes = kernel.value_dtypes()
    first = len(kernel.leaves) + len(kernel.scalars)
    lines = []
    for value, op in enumerate(kernel.ops, first):
        expression = LOWERINGS[op.name, op.dtype].expression.format(*(f"v{operand}" for operand in op.operands))
        keep = _KEEP.get(dtypes[value], "{0}")
        lines.append(f"let v{value} = {keep.format(expression)};")
    return lines
