"""Explicit movement between host and device: any dtype, any view, bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract.session import require_host, require_resident
from wgtensor.errors import DeviceOutOfMemoryError
from wgtensor.tensor import ArrayStorage, Layout, Tensor
from wgtensor.webgpu.kernels.structural import is_plain_copy, plan_copy
from wgtensor.webgpu.recorder import too_large
from wgtensor.webgpu.storage import DeviceStorage
from wgtensor.webgpu.window import Closed

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["download_to_host", "materialise", "upload_host_tensor"]

_WORD = 4


def upload_host_tensor(runtime: WebGpuRuntime, tensor: Tensor) -> Tensor:
    """Copy a host tensor to the device.

    A view that touches no more memory than it has elements (Fortran order, reversed, broadcast ...) travels as it lies
    and keeps its strides; any other is gathered into row-major order first.

    Raises
    ------
    RuntimeStateError
        The tensor is on a device already.
    DeviceOutOfMemoryError
        The byte budget does not allow it.
    DeviceLostError
        The device is lost.
    """
    require_host("upload_host_tensor", tensor)
    recorder = runtime.recorder
    with recorder.lock:
        recorder.check_alive("upload_host_tensor")
        layout, data = _travelling(tensor)
        limit = runtime.facts.buffer_limit
        if data.nbytes > limit:
            raise DeviceOutOfMemoryError(
                f"upload_host_tensor needs a buffer of {data.nbytes} bytes, this adapter's max-buffer-size is {limit}; "
                "upload it in parts"
            )
        storage = runtime.pool.allocate(data.nbytes, for_host_write=True)
        if data.nbytes:
            recorder.write(storage, data.view(np.uint8))
        return Tensor(tensor.dtype, layout, storage)


def _travelling(tensor: Tensor) -> tuple[Layout, NDArray[Any]]:
    """Return the flat elements to send, and the layout that they then have."""
    storage, layout = tensor.storage, tensor.layout
    assert isinstance(storage, ArrayStorage)
    low, high = layout.bounds()
    if layout.size == 0:
        return Layout.contiguous(layout.shape), storage.flat[:0]
    if high - low + 1 <= layout.size:
        moved = Layout(layout.shape, layout.strides, layout.offset - low)
        return (Layout.contiguous(layout.shape) if moved.is_contiguous else moved), storage.flat[low : high + 1]
    return Layout.contiguous(layout.shape), _gathered("upload_host_tensor", storage, layout)


def _gathered(operation: str, storage: ArrayStorage, layout: Layout) -> NDArray[Any]:
    """Return the elements of a host view, flat and in row-major order."""
    try:
        return np.ascontiguousarray(storage.view(layout)).reshape(-1)
    except MemoryError as cause:
        nbytes = layout.size * storage.flat.itemsize
        raise DeviceOutOfMemoryError(
            f"{operation} needs {nbytes} bytes of host memory for a view of shape {layout.shape}; transfer slices of it"
        ) from cause


def download_to_host(runtime: WebGpuRuntime, tensor: Tensor) -> Tensor:
    """Copy a tensor of this runtime to the host, row-major; blocks until it is there.

    Raises
    ------
    RuntimeStateError
        The tensor is a host tensor.
    ForeignDomainError
        The tensor belongs to another runtime.
    DeviceLostError
        The device is lost.
    BackendSourceError
        The batch that computes it was refused.
    """
    require_resident("download_to_host", tensor, runtime.domain)
    recorder = runtime.recorder
    with recorder.lock:
        recorder.check_alive("download_to_host")
        if tensor.size == 0:
            return _host(tensor, np.empty(0, _bits(tensor)), Layout.contiguous(tensor.shape))
        storage: Any = tensor.storage
        recorder.settle(storage, Closed.ASKED)
        low, high = tensor.layout.bounds()
        if high - low + 1 > tensor.size:
            tensor = materialise(runtime, tensor)
            storage, low, high = tensor.storage, 0, tensor.size - 1
        flat = _read_elements(runtime, storage, low, high - low + 1, _bits(tensor))
    layout = tensor.layout
    return _host(tensor, flat, Layout(layout.shape, layout.strides, layout.offset - low))


def _read_elements(
    runtime: WebGpuRuntime, storage: DeviceStorage, first: int, count: int, dtype: np.dtype[Any]
) -> NDArray[Any]:
    start = first * dtype.itemsize
    skip = start % _WORD
    data = runtime.recorder.read(storage, start - skip, count * dtype.itemsize + skip)
    return np.frombuffer(data, dtype, count, skip)


def _bits(tensor: Tensor) -> np.dtype[Any]:
    """The NumPy dtype that carries the elements: uint16 for bfloat16."""
    return tensor.dtype.numpy if tensor.dtype.numpy is not None else np.dtype(np.uint16)


def _host(tensor: Tensor, flat: NDArray[Any], layout: Layout) -> Tensor:
    """Return the row-major host tensor of elements that lie as ``layout`` says."""
    if not layout.is_contiguous:
        flat = _gathered("download_to_host", ArrayStorage(flat), layout)
    return Tensor(tensor.dtype, Layout.contiguous(layout.shape), ArrayStorage(flat))


def materialise(runtime: WebGpuRuntime, tensor: Tensor) -> Tensor:
    """Return a row-major copy of a settled, non-empty tensor, in new storage."""
    recorder, layout = runtime.recorder, tensor.layout
    source: Any = tensor.storage
    plain = is_plain_copy(tensor.dtype, layout)
    largest, limit = max(source.nbytes, tensor.nbytes), runtime.facts.binding_limit
    if not plain and largest > limit:
        raise too_large("to_contiguous", largest, limit)
    output = runtime.pool.allocate(tensor.nbytes)
    if plain:
        recorder.copy(source, layout.offset * tensor.dtype.itemsize, output, 0, tensor.nbytes)
    else:
        key = ("copy", tensor.dtype.itemsize, layout)
        plan = runtime.kernels.plan(key, lambda: plan_copy(tensor.dtype, layout, runtime.facts))
        recorder.launch(plan, (source,), output)
    return Tensor(tensor.dtype, Layout.contiguous(layout.shape), output)
