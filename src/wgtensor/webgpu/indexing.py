"""What a session launches for the data-moving operations: each function gives a plan's key and how to plan it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from wgtensor.contract import GatherConfig
from wgtensor.rules import fitting_number
from wgtensor.tensor import DType, Layout, Tensor
from wgtensor.webgpu.call import Call, Planning
from wgtensor.webgpu.kernels.indexing import COMBINES, plan_dynamic_update_slice, plan_gather, plan_scatter
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.structural import element_bytes, is_plain_copy, plan_copy_into, plan_fill, plan_iota
from wgtensor.webgpu.recorder import too_large
from wgtensor.webgpu.storage import device_storage
from wgtensor.webgpu.transfers import materialise

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["PLANS", "copy_into", "is_block_copy", "is_combined"]


def _gather(call: Call) -> Planning:
    """Windows of a tensor at starts."""
    (x, starts), config, facts = call.tensors, call.attributes["config"], call.runtime.facts

    def build() -> LaunchPlan:
        return plan_gather(x.dtype, x.layout, starts.dtype, starts.layout, config, facts)

    return (x.dtype.itemsize, x.layout, starts.dtype, starts.layout, config), build


def _dynamic_slice(call: Call) -> Planning:
    """A gather of one window."""
    (x, starts), shape, facts = call.tensors, call.shape, call.runtime.facts

    def build() -> LaunchPlan:
        axes = range(len(shape))
        config = GatherConfig(axes, (), axes, 0, shape)
        plan = plan_gather(x.dtype, x.layout, starts.dtype, starts.layout, config, facts)
        return replace(plan, name="dynamic_slice")

    return (x.dtype.itemsize, x.layout, starts.dtype, starts.layout, shape), build


def _dynamic_update_slice(call: Call) -> Planning:
    """A copy with one window overwritten."""
    (x, update, starts), facts = call.tensors, call.runtime.facts

    def build() -> LaunchPlan:
        return plan_dynamic_update_slice(x.dtype, x.layout, update.layout, starts.dtype, starts.layout, facts)

    return (x.dtype.itemsize, x.layout, update.layout, starts.dtype, starts.layout), build


def _scatter(call: Call) -> Planning:
    """A copy with updates combined into it."""
    (x, starts, updates), config, facts = call.tensors, call.attributes["config"], call.runtime.facts

    def build() -> LaunchPlan:
        plan = plan_scatter(x.dtype, x.layout, starts.dtype, starts.layout, updates.layout, config, facts)
        largest = max(plan.workspaces, default=0)
        if largest > facts.binding_limit:
            raise too_large("scatter, which keeps 4 bytes per element,", largest, facts.binding_limit)
        return plan

    width = x.dtype.itemsize if config.mode == "set" else x.dtype
    return (width, x.layout, starts.dtype, starts.layout, updates.layout, config), build


def _full(call: Call) -> Planning:
    """One number everywhere."""
    dtype, size, facts = call.dtype, call.result.size, call.runtime.facts
    value = element_bytes(fitting_number("full", call.attributes["value"], dtype), dtype)
    return (size, value), lambda: plan_fill(dtype, (size,), value, facts)


def _iota(call: Call) -> Planning:
    """0, 1, 2, ..."""
    dtype, (size,), facts = call.dtype, call.shape, call.runtime.facts
    return (size, dtype), lambda: plan_iota(dtype, size, facts)


PLANS: Final[dict[str, Callable[[Call], Planning]]] = {
    "gather": _gather,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "scatter": _scatter,
    "full": _full,
    "iota": _iota,
}
"""By operation."""


def is_combined(dtype: DType) -> bool:
    """Return whether scatter adds in ``dtype``; other modes and operations move bits."""
    return ("add", dtype) in COMBINES


def is_block_copy(dtype: DType, source: Layout, target: Layout) -> bool:
    """Return whether one block of whole words moves to another, which needs no kernel and so no binding."""
    whole = source.size * dtype.itemsize % 4 == 0
    return whole and is_plain_copy(dtype, source) and is_plain_copy(dtype, target)


def copy_into(runtime: WebGpuRuntime, x: Tensor, out: Tensor) -> Tensor:
    """Write ``x`` into the elements of ``out``; windows that read ``out`` run first."""
    if out.size == 0:
        return out
    recorder, target, dtype = runtime.recorder, device_storage(out), out.dtype
    for tensor in (x, out):
        recorder.settle(device_storage(tensor))
    if x.storage is target:  # A kernel may not read a buffer that it writes, not even elsewhere.
        x = materialise(runtime, x)
    recorder.close_readers(target)
    source, layouts = device_storage(x), (x.layout, out.layout)
    if is_block_copy(dtype, *layouts):
        start, at = (layout.offset * dtype.itemsize for layout in layouts)
        recorder.copy(source, start, target, at, x.nbytes)
    else:
        key = ("copy_into", dtype.itemsize, *layouts)
        plan = runtime.kernels.plan(key, lambda: plan_copy_into(dtype, *layouts, runtime.facts))
        recorder.launch(plan, (source,), target)
    return out
