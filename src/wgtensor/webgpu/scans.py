"""Scans, sorts and searches of a session: in which dtypes they run, what their operands need first, and their plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from wgtensor.tensor import DType, Layout, Tensor, bool_, complex64, float16, float32, int32, uint32
from wgtensor.webgpu.call import Call, Planning
from wgtensor.webgpu.kernels.elementwise.rows import fused_row
from wgtensor.webgpu.kernels.scan import is_one_line, plan_flat_nonzero, plan_scan
from wgtensor.webgpu.kernels.sort import ORDERED, plan_search, plan_sort
from wgtensor.webgpu.storage import device_storage
from wgtensor.webgpu.transfers import materialise

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["SCANNED", "SCAN_PLANS", "WIDER", "narrowed", "readied"]

_REAL: Final = (float32, float16, int32, uint32)
SCANNED: Final[Mapping[str, tuple[DType, ...]]] = {
    "cumulative_sum": (*_REAL, complex64),
    "cumulative_prod": (*_REAL, complex64),
    "cumulative_max": _REAL,
    "cumulative_min": _REAL,
    "flat_nonzero": (bool_,),
    "sort": ORDERED,
    "argsort": ORDERED,
    "searchsorted": ORDERED,
}
"""Dtypes that have kernels, by operation."""

WIDER: Final[Mapping[DType, DType]] = {float16: float32, bool_: uint32}
"""In what packed results are computed, since neighbours in a word may lie on different lines."""


def readied(call: Call, *, widened: bool) -> list[Tensor]:
    """Return the operands as their plan takes them: cast to the call's dtype, or a mask copied where it is no line."""
    if widened:
        return [_cast(call.runtime, each, call.dtype) for each in call.tensors]
    if call.name == "flat_nonzero":
        return [_in_line(call.runtime, each) for each in call.tensors]
    return call.tensors


def narrowed(call: Call, result: Tensor) -> Tensor:
    """Return ``result`` in the call's dtype."""
    return result if result.dtype is call.dtype else _cast(call.runtime, result, call.dtype)


def _cast(runtime: WebGpuRuntime, x: Tensor, dtype: DType) -> Tensor:
    """Return ``x`` in another dtype, as a result that waits in its window."""
    if x.size == 0:
        return Tensor(dtype, Layout.contiguous(x.shape), runtime.pool.allocate(0))
    row = fused_row("cast", x.dtype, dtype)
    assert row is not None
    return runtime.recorder.join(row, [x], x.shape)


def _in_line(runtime: WebGpuRuntime, mask: Tensor) -> Tensor:
    if mask.size == 0 or is_one_line(mask.layout):
        return mask
    runtime.recorder.settle(device_storage(mask))
    return materialise(runtime, mask)


def _plan_cumulative(call: Call) -> Planning:
    (x,), attributes, facts = call.tensors, call.attributes, call.runtime.facts
    op = call.name.removeprefix("cumulative_")
    key = (x.dtype, x.layout, *attributes.values())
    return key, lambda: plan_scan(op, x.dtype, x.layout, facts=facts, **attributes)


def _plan_nonzero(call: Call) -> Planning:
    (mask,), count, facts = call.tensors, call.attributes["count"], call.runtime.facts
    return (mask.layout, count), lambda: plan_flat_nonzero(mask.layout, count, facts)


def _plan_sort(call: Call) -> Planning:
    (x,), attributes, facts = call.tensors, call.attributes, call.runtime.facts
    positions = call.name == "argsort"
    key = (x.dtype, x.layout, *attributes.values())
    return key, lambda: plan_sort(x.dtype, x.layout, facts=facts, positions=positions, **attributes)


def _plan_search(call: Call) -> Planning:
    (ordered, values), right, facts = call.tensors, call.attributes["side"] == "right", call.runtime.facts
    key = (values.dtype, ordered.layout, values.layout, right)
    return key, lambda: plan_search(values.dtype, ordered.layout, values.layout, facts, right=right)


SCAN_PLANS: Final[Mapping[str, Callable[[Call], Planning]]] = {
    "cumulative_sum": _plan_cumulative,
    "cumulative_prod": _plan_cumulative,
    "cumulative_max": _plan_cumulative,
    "cumulative_min": _plan_cumulative,
    "flat_nonzero": _plan_nonzero,
    "sort": _plan_sort,
    "argsort": _plan_sort,
    "searchsorted": _plan_search,
}
"""By operation, for operands that are ready."""
