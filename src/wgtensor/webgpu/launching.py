"""Running launch plans for operations: checks of size, the result's storage, and the record."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from wgtensor.contract.scalars import Scalar
from wgtensor.errors import UnsupportedError
from wgtensor.tensor import DType, Layout, Shape, Tensor
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.recorder import too_large
from wgtensor.webgpu.storage import DeviceStorage, device_storage

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["MOST_VISITED", "Lowering", "Operands", "check_bindable", "launch"]

Operands: TypeAlias = Sequence[Tensor | Scalar]
Lowering: TypeAlias = "Callable[[WebGpuRuntime, str, Operands, Shape, DType, dict[str, Any]], Tensor]"
"""``lower(runtime, name, operands, shape, dtype, attributes) -> result``; operands are checked, the lock is held."""


MOST_VISITED: Final = {True: 1 << 30, False: 1 << 31}
"""Elements that a kernel may visit in one operand, on software adapters (whose loops end early) and on others; only
views that repeat elements have more."""


def check_bindable(runtime: WebGpuRuntime, name: str, operands: Operands, shape: Shape, dtype: DType) -> None:
    """Raise unless all storage fits a binding, and a kernel can count the elements of every view."""
    limit = runtime.facts.binding_limit
    storages = [each.storage for each in operands if isinstance(each, Tensor)]
    sizes = [storage.nbytes for storage in storages if isinstance(storage, DeviceStorage)]
    largest = max(*sizes, Layout.contiguous(shape).size * dtype.itemsize)
    if largest > limit:
        raise too_large(name, largest, limit)
    most = MOST_VISITED[runtime.facts.software]
    visited = max(each.layout.size for each in operands if isinstance(each, Tensor))
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
