"""Scans, sorts and searches of a session: which dtypes, in which dtype they are computed, and their launch plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from wgtensor.tensor import DType, Layout, Shape, Tensor, bool_, complex64, float16, float32, int32, uint32
from wgtensor.webgpu.kernels.elementwise.rows import fused_row
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.scan import is_one_line, plan_flat_nonzero, plan_scan
from wgtensor.webgpu.kernels.sort import ORDERED, plan_search, plan_sort
from wgtensor.webgpu.launching import Operands, check_bindable, launch
from wgtensor.webgpu.storage import device_storage
from wgtensor.webgpu.transfers import materialise

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["SCANNED", "argsort", "cumulative", "flat_nonzero", "searchsorted", "sort"]

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

_WIDER: Final[Mapping[DType, DType]] = {float16: float32, bool_: uint32}
"""In what packed elements are scanned and sorted, since neighbours in a word may lie on different lines."""


def cumulative(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Run ``cumulative_sum``, ``_prod``, ``_max`` or ``_min``."""
    x = _widened(runtime, name, operands[0])
    op = name.removeprefix("cumulative_")

    def build() -> LaunchPlan:
        return plan_scan(op, x.dtype, x.layout, facts=runtime.facts, **attributes)

    key = (name, x.dtype, x.layout, *attributes.values())
    return _cast(runtime, name, launch(runtime, key, build, (x,), shape, x.dtype), dtype)


def flat_nonzero(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Find True, in a copy of the mask where its elements do not lie on one line."""
    mask, count = _tensor(operands[0]), attributes["count"]
    if count and not is_one_line(mask.layout):
        runtime.recorder.settle(device_storage(mask))
        mask = materialise(runtime, mask)

    def build() -> LaunchPlan:
        return plan_flat_nonzero(mask.layout, count, runtime.facts)

    return launch(runtime, (name, mask.layout, count), build, (mask,), shape, dtype)


def sort(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Sort elements."""
    x = _widened(runtime, name, operands[0])

    def build() -> LaunchPlan:
        return plan_sort(x.dtype, x.layout, facts=runtime.facts, positions=False, **attributes)

    key = (name, x.dtype, x.layout, *attributes.values())
    return _cast(runtime, name, launch(runtime, key, build, (x,), shape, x.dtype), dtype)


def argsort(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Sort positions."""
    x = _tensor(operands[0])

    def build() -> LaunchPlan:
        return plan_sort(x.dtype, x.layout, facts=runtime.facts, positions=True, **attributes)

    return launch(runtime, (name, x.dtype, x.layout, *attributes.values()), build, (x,), shape, dtype)


def searchsorted(
    runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Tensor:
    """Search a sorted line."""
    ordered, values = (_tensor(each) for each in operands)
    right = attributes["side"] == "right"

    def build() -> LaunchPlan:
        return plan_search(values.dtype, ordered.layout, values.layout, runtime.facts, right=right)

    key = (name, values.dtype, ordered.layout, values.layout, right)
    return launch(runtime, key, build, operands, shape, dtype)


def _widened(runtime: WebGpuRuntime, name: str, operand: object) -> Tensor:
    x = _tensor(operand)
    return _cast(runtime, name, x, _WIDER.get(x.dtype, x.dtype))


def _cast(runtime: WebGpuRuntime, name: str, x: Tensor, dtype: DType) -> Tensor:
    """Return ``x`` in ``dtype``: itself, or a result that waits in a window."""
    if x.dtype is dtype:
        return x
    if x.size == 0:
        return Tensor(dtype, Layout.contiguous(x.shape), runtime.pool.allocate(0))
    check_bindable(runtime, name, (x,), x.shape, max(x.dtype, dtype, key=lambda each: each.itemsize))
    row = fused_row("cast", x.dtype, dtype)
    assert row is not None
    return runtime.recorder.join(row, [x], x.shape)


def _tensor(operand: object) -> Tensor:
    assert isinstance(operand, Tensor)
    return operand
