"""What a session does for each operation once it is checked: join a window, or launch a cached plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, TypeAlias

from wgtensor.contract import CompareDirection
from wgtensor.contract.scalars import Scalar
from wgtensor.errors import UnsupportedError
from wgtensor.rules import OPERATIONS, Family
from wgtensor.rules.shapes import embedding_axes
from wgtensor.tensor import ALL_DTYPES, DType, Shape, Tensor, bfloat16, float16, float32
from wgtensor.webgpu import transfers
from wgtensor.webgpu.call import Call, Planning
from wgtensor.webgpu.composites import PROGRAMS
from wgtensor.webgpu.dot import DOT_DTYPES, dot_general, dot_general_into_accum, grouped_gemm
from wgtensor.webgpu.indexing import PLANS, copy_into, is_block_copy, is_combined
from wgtensor.webgpu.kernels.elementwise.rows import fused_row
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
from wgtensor.webgpu.window import FusionWindow

__all__ = ["LOWERINGS", "MOST_VISITED", "computed_dtypes"]

_Lowering: TypeAlias = Callable[[Call], Tensor]

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
    "scatter": lambda name, dtype: is_combined(dtype),
}
"""Whether kernels compute in a dtype, by operation or family; all others move bits and take all."""


def _refuse(call: Call, why: str = "", target: DType | None = None) -> NoReturn:
    """Raise the ``UnsupportedError`` of an operation that this backend does not do for these operands.

    Parameters
    ----------
    call
        What was asked for, and where.
    why
        A reason that follows the adapter's name.
    target
        The result's dtype of a cast.
    """
    info, facts = call.runtime.adapter_info, call.runtime.facts
    known = [dtype for dtype in computed_dtypes(call.name) if facts.float16 or dtype is not float16]
    dtypes = ", ".join(dict.fromkeys(str(each.dtype) for each in call.operands))
    names = ", ".join(dtype.name for dtype in known)
    raise UnsupportedError(
        f"{call.name} of {dtypes}{f' to {target.name}' if target else ''} is not available on {info.get('device')}"
        f"{why}; it is for {names}: {_way_out(call, known, target)}"
    )


def _way_out(call: Call, known: Sequence[DType], target: DType | None) -> str:
    """Say how to get there by NumPy, which casts on the host what the adapter cannot."""
    absent = [dtype for dtype in (*(each.dtype for each in call.operands), target) if dtype and dtype not in known]
    if bfloat16 in absent:
        return "use CpuBackend, which casts bfloat16"
    if target in absent:
        return f"download it and cast on the host (array.astype(np.{absent[-1].numpy})), or use CpuBackend"
    near = next((dtype for dtype in known[::-1] if dtype.kind == absent[0].kind), known[-1])
    return f"cast on the host before uploading (array.astype(np.{(target or near).numpy})), or use CpuBackend"


def _require_compute(call: Call) -> None:
    """Raise unless the adapter can compute in the dtypes of operands and result."""
    if call.runtime.facts.float16:
        return
    if any(each.dtype is float16 for each in call.operands):
        _refuse(call, ", which lacks shader-f16")
    if call.dtype is float16:
        _refuse(call, ", which lacks shader-f16", float16)


def _check_bindable(call: Call) -> None:
    """Raise unless all storage fits a binding, and a kernel can count the elements of every view."""
    facts, tensors = call.runtime.facts, call.tensors
    sizes = [each.storage.nbytes for each in tensors if isinstance(each.storage, DeviceStorage)]
    largest = max([*sizes, call.result.size * call.dtype.itemsize])
    if largest > facts.binding_limit:
        raise too_large(call.name, largest, facts.binding_limit)
    most = MOST_VISITED[facts.software]
    visited = max([each.layout.size for each in tensors], default=0)
    if visited > most:
        raise UnsupportedError(
            f"{call.name} visits at most {most} elements of an operand on this adapter, got a view of {visited}; "
            "work on slices of it"
        )


def _launch(call: Call, planning: Planning) -> Tensor:
    """Run the cached plan of a call into a new row-major tensor."""
    _check_bindable(call)
    runtime, result, (key, build) = call.runtime, call.result, planning
    inputs = [device_storage(each) for each in call.tensors]
    for storage in inputs:
        runtime.recorder.settle(storage)
    output = runtime.pool.allocate(result.size * call.dtype.itemsize)
    if result.size:
        runtime.recorder.launch(runtime.kernels.plan((call.name, *key), build), inputs, output)
    return Tensor(call.dtype, result, output)


def _empty(call: Call) -> Tensor:
    return Tensor(call.dtype, call.result, call.runtime.pool.allocate(0))


def _elementwise(call: Call) -> Tensor:
    compute = call.operands[1 if call.name == "select" else 0].dtype
    attribute = call.attributes.get("direction") or call.attributes.get("dtype")
    if attribute is compute:
        return _to_contiguous(call)
    row = fused_row(call.name, compute, attribute)
    if row is None:
        _refuse(call, target=attribute if isinstance(attribute, DType) else None)
    _require_compute(call)
    if call.result.size == 0:
        return _empty(call)
    _check_bindable(call)
    return call.runtime.recorder.join(row, [_spread(each, call.shape) for each in call.operands], call.shape)


def _spread(operand: Tensor | Scalar, shape: Shape) -> Tensor | Scalar:
    """Return a rank-0 tensor as a view of ``shape``."""
    if isinstance(operand, Scalar) or operand.shape == shape:
        return operand
    return operand.view(operand.layout.broadcast_in_dim(shape, ()))


def _to_contiguous(call: Call) -> Tensor:
    (x,) = call.tensors
    if x.size == 0:
        return _empty(call)
    call.runtime.recorder.settle(device_storage(x))
    return transfers.materialise(call.runtime, x)


def _reshape(call: Call) -> Tensor:
    """Copy a view that strides do not allow to relabel."""
    return _to_contiguous(call).view(call.result)


def _triangle(call: Call) -> Tensor:
    (x,), k, facts = call.tensors, call.attributes["k"], call.runtime.facts
    key = (x.dtype.itemsize, x.layout, k)
    return _launch(call, (key, lambda: plan_triangle(x.dtype, x.layout, k, call.name == "tril", facts)))


def _embed_diagonal(call: Call) -> Tensor:
    (x,), facts = call.tensors, call.runtime.facts
    source, new = embedding_axes(x.ndim, call.attributes["axis_a"], call.attributes["axis_b"])
    axes = (source - (source > new), new)
    key = (x.dtype.itemsize, x.layout, axes)
    return _launch(call, (key, lambda: plan_embed_diagonal(x.dtype, x.layout, *axes, facts)))


def _pad(call: Call) -> Tensor:
    value, dtype = call.operands[1], call.dtype
    config, layout = call.attributes["config"], call.tensors[0].layout
    padding = value.layout if isinstance(value, Tensor) else element_bytes(value.value, dtype)
    key = (dtype.itemsize, layout, config, padding)
    return _launch(call, (key, lambda: plan_pad(dtype, layout, config, padding, call.runtime.facts)))


def _concatenate(call: Call) -> Tensor:
    layouts, axis = tuple([each.layout for each in call.tensors]), call.attributes["axis"]
    dtype, facts = call.dtype, call.runtime.facts
    large = call.result.size * dtype.itemsize > facts.binding_limit
    words = all(layout.size * dtype.itemsize % 4 == 0 for layout in layouts)
    leading = all(n == 1 for n in call.shape[:axis])
    if leading and words and (large or all(is_plain_copy(dtype, each) for each in layouts)):
        return _join_blocks(call)
    key = (dtype.itemsize, layouts, axis)
    return _launch(call, (key, lambda: plan_concatenate(dtype, layouts, axis, facts)))


def _join_blocks(call: Call) -> Tensor:
    """Copy row-major blocks one after the other; no kernel binds the result, so it may exceed the binding limit."""
    runtime, dtype, result = call.runtime, call.dtype, call.result
    output, at = runtime.pool.allocate(result.size * dtype.itemsize), 0
    for each in call.tensors:
        if each.size:
            runtime.recorder.settle(device_storage(each))
            block = each if is_plain_copy(dtype, each.layout) else transfers.materialise(runtime, each)
            start = block.layout.offset * dtype.itemsize
            runtime.recorder.copy(device_storage(block), start, output, at, block.nbytes)
            at += block.nbytes
    return Tensor(dtype, result, output)


def _reduce(call: Call) -> Tensor:
    (x,), attributes = call.tensors, call.attributes
    kind = call.name.removeprefix("reduce_")
    if (kind, x.dtype) not in COMBINES:
        _refuse(call)
    axes = (attributes["axis"],) if "axis" in attributes else attributes["axes"]
    if not axes:
        return _to_contiguous(call)
    if "axis" not in attributes and all(x.shape[axis] == 1 for axis in axes):
        return x.view(x.layout.drop(axes))
    window = window_of(x)
    if window is not None:
        return _reduce_at_close(call, window, tuple(axes))
    facts = call.runtime.facts
    return _launch(call, ((x.dtype, x.layout, axes), lambda: plan_reduce(kind, x.dtype, x.layout, axes, facts)))


def _reduce_at_close(call: Call, window: FusionWindow, axes: tuple[int, ...]) -> Tensor:
    """Let a reduction of a pending result end its window."""
    _check_bindable(call)
    (x,), result = call.tensors, call.result
    reduction = WindowReduction(call.name, x.dtype, x.layout, axes, device_storage(x).slot)
    nbytes = result.size * call.dtype.itemsize
    return Tensor(call.dtype, result, call.runtime.recorder.reduce_at_close(window, reduction, nbytes))


def _planned(call: Call) -> Tensor:
    if call.name == "scatter" and (mode := call.attributes["config"].mode) != "set" and not is_combined(call.dtype):
        _refuse(call._replace(operands=call.operands[:1]), f" in mode {mode}")
    return _launch(call, PLANS[call.name](call))


def _copy_into(call: Call) -> Tensor:
    x, out = call.tensors
    if not is_block_copy(call.dtype, x.layout, out.layout):
        _check_bindable(call)
    return copy_into(call.runtime, x, out)


def _scan(call: Call) -> Tensor:
    """Run a scan, sort or search, of packed elements in a wider dtype."""
    if call.operands[0].dtype not in SCANNED[call.name]:
        _refuse(call)
    _require_compute(call)
    wide = call._replace(dtype=WIDER.get(call.dtype, call.dtype))
    _check_bindable(wide)
    ready = wide._replace(operands=readied(wide, widened=wide.dtype is not call.dtype))
    return narrowed(call, _launch(ready, SCAN_PLANS[call.name](ready)))


def _contraction(lower: _Lowering) -> _Lowering:
    """Guard a contraction by dtype."""

    def guarded(call: Call) -> Tensor:
        if call.dtype.name not in DOT_DTYPES:
            _refuse(call)
        _check_bindable(call)
        return lower(call)

    return guarded


def _composite(call: Call) -> Tensor:
    """Run an operation as a program of others."""
    if call.operands[0].dtype.name not in DOT_DTYPES:
        _refuse(call)
    _require_compute(call)
    _check_bindable(call)

    def step(inner: str, *values: Tensor | Scalar, **given: Any) -> Tensor:
        operation = OPERATIONS[inner]
        result = operation.infer_shape([each.shape for each in values], **given)
        computed = operation.infer_dtype([each.dtype for each in values], **given)
        return LOWERINGS[inner](Call(call.runtime, inner, values, result, computed, given))

    return PROGRAMS[call.name](step, *call.operands, **call.attributes)


LOWERINGS: Final[dict[str, _Lowering]] = {
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
