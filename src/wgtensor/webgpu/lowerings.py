"""What a session does for each operation once it is checked: join a window, or launch a cached plan."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from wgtensor.contract import CompareDirection
from wgtensor.contract.scalars import Scalar
from wgtensor.errors import UnsupportedError
from wgtensor.rules import OPERATIONS, Family
from wgtensor.rules.shapes import embedding_axes
from wgtensor.tensor import ALL_DTYPES, DType, Layout, Shape, Tensor, bfloat16, float16, float32
from wgtensor.webgpu import transfers
from wgtensor.webgpu.composites import PROGRAMS
from wgtensor.webgpu.dot import DOT_DTYPES, dot_general, dot_general_into_accum, grouped_gemm
from wgtensor.webgpu.indexing import PLANS, copy_into, is_block_copy, is_combined
from wgtensor.webgpu.kernels.elementwise.rows import fused_row
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.reduction import plan_reduce
from wgtensor.webgpu.kernels.reduction.combine import COMBINES
from wgtensor.webgpu.kernels.structural import (
    element_bytes,
    is_plain_copy,
    plan_concatenate,
    plan_embed_diagonal,
    plan_pad,
    plan_triangle,
)
from wgtensor.webgpu.prologue import WindowReduction, window_of
from wgtensor.webgpu.recorder import too_large
from wgtensor.webgpu.scans import SCAN_PLANS, SCANNED, WIDER, narrowed, readied
from wgtensor.webgpu.storage import DeviceStorage, device_storage

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["LOWERINGS", "MOST_VISITED", "check_bindable", "computed_dtypes", "launch", "refuse", "require_compute"]

Operands: TypeAlias = Sequence[Tensor | Scalar]
Lowering: TypeAlias = "Callable[[WebGpuRuntime, str, Operands, Shape, DType, dict[str, Any]], Tensor]"
"""``lower(runtime, name, operands, shape, dtype, attributes) -> result``; operands are checked, the lock is held."""


MOST_VISITED: Final = {True: 1 << 30, False: 1 << 31}
"""Elements that a kernel may visit in one operand, on software adapters (whose loops end early) and on others; only
views that repeat elements have more."""


def computed_dtypes(name: str) -> tuple[DType, ...]:
    """Return the dtypes in which operation ``name`` runs on adapters that have float16.

    Casts run between any two of theirs.
    """
    computes = _COMPUTES.get(name) or _COMPUTES.get(OPERATIONS[name].family)
    return tuple(dtype for dtype in ALL_DTYPES if computes is None or computes(name, dtype))


def _has_row(name: str, dtype: DType) -> bool:
    return fused_row(name, dtype, _ANY_ATTRIBUTE.get(name)) is not None


_ANY_ATTRIBUTE: Final = {"compare": CompareDirection.EQ, "cast": float32, "convert": float32}
"""Rows of all attributes exist for the same dtypes."""

_COMPUTES: Final[dict[Family | str, Callable[[str, DType], bool]]] = {
    Family.ELEMENTWISE: _has_row,
    Family.ANALYTIC: _has_row,
    Family.CAST: _has_row,
    Family.REDUCTION: lambda name, dtype: (name.removeprefix("reduce_"), dtype) in COMBINES,
    Family.SCAN: lambda name, dtype: dtype in SCANNED[name],
    Family.SORT: lambda name, dtype: dtype in SCANNED[name],
    Family.DOT: lambda name, dtype: dtype.name in DOT_DTYPES and dtype.kind in OPERATIONS[name].dtypes,
    "scatter": is_combined,
}
"""Whether kernels compute in a dtype, by operation or family; all others move bits and take all."""

_UNPACKS_FLOAT16: Final = frozenset({Family.REDUCTION, "dot_general", "dot_general_into_accum", "grouped_gemm"})
"""Families and operations whose kernels read float16 as words and compute in float32: they need no shader-f16."""


def _adapter_dtypes(runtime: WebGpuRuntime, name: str) -> tuple[DType, ...]:
    """Return the dtypes in which operation ``name`` runs on the runtime's adapter."""
    float16_too = runtime.facts.float16 or not _UNPACKS_FLOAT16.isdisjoint((name, OPERATIONS[name].family))
    return tuple(dtype for dtype in computed_dtypes(name) if float16_too or dtype is not float16)


def refuse(
    runtime: WebGpuRuntime, name: str, operands: Operands, why: str = "", target: DType | None = None
) -> NoReturn:
    """Raise the ``UnsupportedError`` of an operation that this backend does not do for these operands.

    Parameters
    ----------
    runtime, name, operands
        What was asked for, and where.
    why
        A reason that follows the adapter's name.
    target
        The result's dtype of a cast.
    """
    known = _adapter_dtypes(runtime, name)
    dtypes = ", ".join(dict.fromkeys(str(each.dtype) for each in operands))
    device, names = runtime.adapter_info.get("device"), ", ".join(dtype.name for dtype in known)
    raise UnsupportedError(
        f"{name} of {dtypes}{f' to {target.name}' if target else ''} is not available on {device}{why}; it is for "
        f"{names}: {_way_out(operands, known, target)}"
    )


def _way_out(operands: Operands, known: Sequence[DType], target: DType | None) -> str:
    """Say how to get there by NumPy, which casts on the host what the adapter cannot."""
    absent = [dtype for dtype in (*(each.dtype for each in operands), target) if dtype and dtype not in known]
    if bfloat16 in absent:
        return "use CpuBackend, which casts bfloat16"
    if target in absent:
        return f"download it and cast on the host (array.astype(np.{absent[-1].numpy})), or use CpuBackend"
    near = next((dtype for dtype in known[::-1] if dtype.kind == absent[0].kind), known[-1])
    return f"cast on the host before uploading (array.astype(np.{(target or near).numpy})), or use CpuBackend"


def require_compute(runtime: WebGpuRuntime, name: str, operands: Operands) -> None:
    """Raise unless the adapter can compute in the operands' dtypes."""
    if not runtime.facts.float16 and any(each.dtype.name == "float16" for each in operands):
        refuse(runtime, name, operands, ", which lacks shader-f16")


def check_bindable(runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType) -> None:
    """Raise unless all storage fits a binding, and a kernel can count the elements of every view."""
    limit = runtime.facts.binding_limit
    storages = [each.storage for each in operands if isinstance(each, Tensor)]
    sizes = [storage.nbytes for storage in storages if isinstance(storage, DeviceStorage)]
    largest = max([*sizes, Layout.contiguous(shape).size * dtype.itemsize])
    if largest > limit:
        raise too_large(name, largest, limit)
    most = MOST_VISITED[runtime.facts.software]
    visited = max((each.layout.size for each in operands if isinstance(each, Tensor)), default=0)
    if visited > most:
        raise UnsupportedError(
            f"{name} visits at most {most} elements of an operand on this adapter, got a view of {visited}; "
            "work on slices of it"
        )


def launch(
    runtime: WebGpuRuntime,
    key: tuple[Hashable, ...],
    build: Callable[[], LaunchPlan],
    operands: Operands,
    shape: Shape,
    dtype: DType,
) -> Tensor:
    """Run the cached plan of ``key`` (its first entry is the operation's name) into a new row-major tensor."""
    check_bindable(runtime, str(key[0]), operands, shape, dtype)
    result = Layout.contiguous(shape)
    inputs = [device_storage(each) for each in operands if isinstance(each, Tensor)]
    for storage in inputs:
        runtime.recorder.settle(storage)
    output = runtime.pool.allocate(result.size * dtype.itemsize)
    if result.size:
        runtime.recorder.launch(runtime.kernels.plan(key, build), inputs, output)
    return Tensor(dtype, result, output)


def _elementwise(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    compute = operands[1 if name == "select" else 0].dtype
    attribute = attributes.get("direction") or attributes.get("dtype")
    if attribute is compute:
        return _to_contiguous(runtime, name, operands, shape, dtype, {})
    row = fused_row(name, compute, attribute)
    if row is None:
        refuse(runtime, name, operands, target=attribute if isinstance(attribute, DType) else None)
    require_compute(runtime, name, [*operands, Scalar(0, dtype)])
    if Layout.contiguous(shape).size == 0:
        return Tensor(dtype, Layout.contiguous(shape), runtime.pool.allocate(0))
    check_bindable(runtime, name, operands, shape, dtype)
    return runtime.recorder.join(row, [_spread(each, shape) for each in operands], shape)


def _spread(operand: Tensor | Scalar, shape: Shape) -> Tensor | Scalar:
    """Return a rank-0 tensor as a view of ``shape``."""
    if isinstance(operand, Scalar) or operand.shape == shape:
        return operand
    return operand.view(operand.layout.broadcast_in_dim(shape, ()))


def _to_contiguous(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    (x,) = operands
    assert isinstance(x, Tensor)
    if x.size == 0:
        return Tensor(dtype, Layout.contiguous(shape), runtime.pool.allocate(0))
    runtime.recorder.settle(device_storage(x))
    return transfers.materialise(runtime, x)


def _reshape(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Copy a view that strides do not allow to relabel."""
    copied = _to_contiguous(runtime, name, operands, operands[0].shape, dtype, {})
    return copied.view(Layout.contiguous(shape))


def _triangle(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    layout, k = _layout(operands[0]), attributes["k"]

    def build() -> LaunchPlan:
        return plan_triangle(dtype, layout, k, name == "tril", runtime.facts)

    return launch(runtime, (name, dtype.itemsize, layout, k), build, operands, shape, dtype)


def _embed_diagonal(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    layout = _layout(operands[0])
    source, new = embedding_axes(layout.ndim, attributes["axis_a"], attributes["axis_b"])
    axes = (source - (source > new), new)

    def build() -> LaunchPlan:
        return plan_embed_diagonal(dtype, layout, *axes, runtime.facts)

    return launch(runtime, (name, dtype.itemsize, layout, axes), build, operands, shape, dtype)


def _pad(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    x, value = operands
    layout, config = _layout(x), attributes["config"]
    padding = value.layout if isinstance(value, Tensor) else element_bytes(value.value, dtype)

    def build() -> LaunchPlan:
        return plan_pad(dtype, layout, config, padding, runtime.facts)

    return launch(runtime, (name, dtype.itemsize, layout, config, padding), build, operands, shape, dtype)


def _concatenate(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    layouts, axis = tuple(_layout(each) for each in operands), attributes["axis"]
    large = Layout.contiguous(shape).size * dtype.itemsize > runtime.facts.binding_limit
    words = all(layout.size * dtype.itemsize % 4 == 0 for layout in layouts)
    if all(n == 1 for n in shape[:axis]) and words and (large or all(is_plain_copy(dtype, each) for each in layouts)):
        return _join_blocks(runtime, operands, shape, dtype)

    def build() -> LaunchPlan:
        return plan_concatenate(dtype, layouts, axis, runtime.facts)

    return launch(runtime, (name, dtype.itemsize, layouts, axis), build, operands, shape, dtype)


def _join_blocks(runtime: WebGpuRuntime, operands: Operands, shape: Shape, dtype: DType) -> Tensor:
    """Copy row-major blocks one after the other; no kernel binds the result, so it may exceed the binding limit."""
    result = Layout.contiguous(shape)
    output, at = runtime.pool.allocate(result.size * dtype.itemsize), 0
    for each in operands:
        if isinstance(each, Tensor) and each.size:
            runtime.recorder.settle(device_storage(each))
            block = each if is_plain_copy(dtype, each.layout) else transfers.materialise(runtime, each)
            start = block.layout.offset * dtype.itemsize
            runtime.recorder.copy(device_storage(block), start, output, at, block.nbytes)
            at += block.nbytes
    return Tensor(dtype, result, output)


def _reduce(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    x = operands[0]
    kind = name.removeprefix("reduce_")
    if (kind, x.dtype) not in COMBINES:
        refuse(runtime, name, operands)
    axes = (attributes["axis"],) if "axis" in attributes else attributes["axes"]
    if not axes:
        return _to_contiguous(runtime, name, operands, shape, dtype, {})
    layout = _layout(x)
    if isinstance(x, Tensor) and "axis" not in attributes and all(layout.shape[axis] == 1 for axis in axes):
        return x.view(layout.drop(axes))

    if isinstance(x, Tensor) and (window := window_of(x)) is not None:
        check_bindable(runtime, name, operands, shape, dtype)
        reduction = WindowReduction(name, x.dtype, layout, tuple(axes), device_storage(x).slot)
        result = Layout.contiguous(shape)
        nbytes = result.size * dtype.itemsize
        return Tensor(dtype, result, runtime.recorder.reduce_at_close(window, reduction, nbytes))

    def build() -> LaunchPlan:
        return plan_reduce(kind, x.dtype, layout, axes, runtime.facts)

    return launch(runtime, (name, x.dtype, layout, axes), build, operands, shape, dtype)


def _planned(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    if name == "scatter" and (mode := attributes["config"].mode) != "set" and not is_combined(name, dtype):
        refuse(runtime, name, operands[:1], f" in mode {mode}")
    key, build = PLANS[name](runtime.facts, operands, shape, dtype, attributes)
    return launch(runtime, (name, *key), build, operands, shape, dtype)


def _copy_into(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    x, out = operands
    assert isinstance(x, Tensor)
    assert isinstance(out, Tensor)
    if not is_block_copy(dtype, x.layout, out.layout):
        check_bindable(runtime, name, operands, shape, dtype)
    return copy_into(runtime, x, out)


def _scan(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Run a scan, sort or search, of packed elements in a wider dtype."""
    if operands[0].dtype not in SCANNED[name]:
        refuse(runtime, name, operands)
    require_compute(runtime, name, operands)
    computed = WIDER.get(dtype, dtype)
    check_bindable(runtime, name, operands, shape, computed)
    ready = readied(runtime, name, operands, computed if computed is not dtype else None)
    key, build = SCAN_PLANS[name](runtime.facts, name, ready, attributes)
    return narrowed(runtime, launch(runtime, (name, *key), build, ready, shape, computed), dtype)


def _contraction(lower: Lowering) -> Lowering:
    """Guard a contraction by dtype."""

    def guarded(
        runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
    ) -> Tensor:
        if dtype.name not in DOT_DTYPES:
            refuse(runtime, name, operands)
        check_bindable(runtime, name, operands, shape, dtype)
        return lower(runtime, name, operands, shape, dtype, attributes)

    return guarded


def _composite(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Run an operation as a program of others."""
    if operands[0].dtype.name not in DOT_DTYPES:
        refuse(runtime, name, operands)
    require_compute(runtime, name, operands)
    check_bindable(runtime, name, operands, shape, dtype)

    def step(inner: str, *values: Tensor | Scalar, **given: Any) -> Tensor:
        operation = OPERATIONS[inner]
        result = operation.infer_shape([each.shape for each in values], **given)
        computed = operation.infer_dtype([each.dtype for each in values], **given)
        return LOWERINGS[inner](runtime, inner, values, result, computed, given)

    return PROGRAMS[name](step, *operands, **attributes)


def _layout(operand: Tensor | Scalar) -> Layout:
    assert isinstance(operand, Tensor)
    return operand.layout


LOWERINGS: Final[dict[str, Lowering]] = {
    **{
        name: _elementwise
        for name, operation in OPERATIONS.items()
        if operation.family in (Family.ELEMENTWISE, Family.ANALYTIC, Family.CAST)
    },
    **{name: _reduce for name, operation in OPERATIONS.items() if operation.family is Family.REDUCTION},
    "to_contiguous": _to_contiguous,
    "reshape": _reshape,
    "tril": _triangle,
    "triu": _triangle,
    "embed_diagonal": _embed_diagonal,
    "pad": _pad,
    "concatenate": _concatenate,
    "copy_into": _copy_into,
    **dict.fromkeys(PLANS, _planned),
    **dict.fromkeys(SCAN_PLANS, _scan),
    "dot_general": _contraction(dot_general),
    "dot_general_into_accum": _contraction(dot_general_into_accum),
    "grouped_gemm": _contraction(grouped_gemm),
    **dict.fromkeys(PROGRAMS, _composite),
}
"""Lowering by operation name; views have none, since the session makes them itself."""
