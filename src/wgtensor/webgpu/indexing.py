"""What a session launches for the data-moving operations: each function gives a plan's key and how to plan it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from wgtensor.contract import GatherConfig
from wgtensor.rules import fitting_number
from wgtensor.tensor import DType, Layout, Shape, Tensor
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.indexing import COMBINES, plan_dynamic_update_slice, plan_gather, plan_scatter
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.structural import element_bytes, is_plain_copy, plan_copy_into, plan_fill, plan_iota
from wgtensor.webgpu.recorder import too_large
from wgtensor.webgpu.storage import device_storage
from wgtensor.webgpu.transfers import materialise

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["PLANS", "Planning", "copy_into", "is_block_copy", "is_combined"]

Planning: TypeAlias = tuple[tuple[Hashable, ...], Callable[[], LaunchPlan]]
"""The key of a plan, and what makes it."""


def _gather(
    facts: AdapterFacts, operands: Sequence[Tensor], shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Planning:
    """Windows of a tensor at starts."""
    x, starts = operands
    config = attributes["config"]

    def build() -> LaunchPlan:
        return plan_gather(dtype, x.layout, starts.dtype, starts.layout, config, facts)

    return (dtype.itemsize, x.layout, starts.dtype, starts.layout, config), build


def _dynamic_slice(
    facts: AdapterFacts, operands: Sequence[Tensor], shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Planning:
    """A gather of one window."""
    x, starts = operands

    def build() -> LaunchPlan:
        axes = range(len(shape))
        config = GatherConfig(axes, (), axes, 0, shape)
        plan = plan_gather(dtype, x.layout, starts.dtype, starts.layout, config, facts)
        return replace(plan, name="dynamic_slice")

    return (dtype.itemsize, x.layout, starts.dtype, starts.layout, shape), build


def _dynamic_update_slice(
    facts: AdapterFacts, operands: Sequence[Tensor], shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Planning:
    """A copy with one window overwritten."""
    x, update, starts = operands

    def build() -> LaunchPlan:
        return plan_dynamic_update_slice(dtype, x.layout, update.layout, starts.dtype, starts.layout, facts)

    return (dtype.itemsize, x.layout, update.layout, starts.dtype, starts.layout), build


def _scatter(
    facts: AdapterFacts, operands: Sequence[Tensor], shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Planning:
    """A copy with updates combined into it."""
    x, starts, updates = operands
    config = attributes["config"]

    def build() -> LaunchPlan:
        plan = plan_scatter(dtype, x.layout, starts.dtype, starts.layout, updates.layout, config, facts)
        largest = max(plan.workspaces, default=0)
        if largest > facts.binding_limit:
            raise too_large("scatter, which keeps 4 bytes per element,", largest, facts.binding_limit)
        return plan

    width = dtype.itemsize if config.mode == "set" else dtype
    return (width, x.layout, starts.dtype, starts.layout, updates.layout, config), build


def _full(
    facts: AdapterFacts, operands: Sequence[Tensor], shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Planning:
    """One number everywhere."""
    size, value = (
        Layout.contiguous(shape).size,
        element_bytes(fitting_number("full", attributes["value"], dtype), dtype),
    )
    return (size, value), lambda: plan_fill(dtype, (size,), value, facts)


def _iota(
    facts: AdapterFacts, operands: Sequence[Tensor], shape: Shape, dtype: DType, attributes: dict[str, Any]
) -> Planning:
    """0, 1, 2, ..."""
    return (shape, dtype), lambda: plan_iota(dtype, shape[0], facts)


PLANS: Final[dict[str, Callable[..., Planning]]] = {
    "gather": _gather,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "scatter": _scatter,
    "full": _full,
    "iota": _iota,
}
"""By operation: ``plan(facts, operands, shape, dtype, attributes)``."""


def is_combined(name: str, dtype: DType) -> bool:
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
