"""wgpu-native's C library: its functions, a device of our own, and what the device reports back.

The native engine asks for its device here and not through wgpu-py, because only the request can install the
callbacks that tell of errors and of a lost device. Every callback is one static C function; the device's
``Events`` travel as user data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wgpu.backends.wgpu_native import _ffi, _mappings

from wgtensor.webgpu.engine.interrupts import finishing

__all__ = [
    "Events",
    "compute_pipeline",
    "done_callback",
    "ffi",
    "lib",
    "map_callback",
    "request_device",
    "shader_module",
]

ffi: Any = _ffi.ffi
lib: Any = _ffi.lib

# The first use of a name takes cffi's lock, and a destructor may run (in the garbage collector) while this very thread
# holds it. So what destructors use is resolved here.
for _name in (
    "WGPUMapAsyncStatus_Success",
    "wgpuBindGroupLayoutRelease",
    "wgpuBufferRelease",
    "wgpuBufferUnmap",
    "wgpuCommandEncoderRelease",
    "wgpuComputePassEncoderEnd",
    "wgpuComputePassEncoderRelease",
    "wgpuComputePipelineRelease",
    "wgpuDeviceDestroy",
    "wgpuDeviceRelease",
    "wgpuPipelineLayoutRelease",
    "wgpuQuerySetRelease",
    "wgpuQueueRelease",
):
    getattr(lib, _name)

LOSS = "Parent device is lost"
"""What wgpu-core says in every error of a call on a lost device."""

# A callback may come late, while its device is being torn down: the user data of every device stays alive.
_ALIVE: list[Any] = []


class Events:
    """What the callbacks of one device have reported.

    Attributes
    ----------
    errors
        Texts of uncaptured errors, oldest first.
    lost
        Why the device is lost, or None.
    finished
        The newest ticket whose work is done.
    mapped
        Status of each completed mapping by its number.
    """

    __slots__ = ("errors", "finished", "handle", "lost", "mapped")

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.lost: str | None = None
        self.finished = 0
        self.mapped: dict[int, int] = {}
        self.handle = ffi.new_handle(self)
        _ALIVE.append(self)


def _text(view: Any) -> str:
    """Return the Python string of a ``WGPUStringView``."""
    if view.data == ffi.NULL or view.length == 0:
        return ""
    limit = -1 if view.length == lib.WGPU_STRLEN else view.length
    return str(ffi.string(view.data, limit).decode(errors="replace"))


def _error(_device: Any, _kind: int, message: Any, user: Any, _unused: Any) -> None:
    events = ffi.from_handle(user)
    told = "\n".join(line.rstrip() for line in _text(message).splitlines())
    events.errors.append(told)
    if LOSS in told:
        # An error may tell of the loss before the loss callback does, which waits for the queue to drain.
        events.lost = events.lost or told


def _lost(_device: Any, _reason: int, message: Any, user: Any, _unused: Any) -> None:
    events = ffi.from_handle(user)
    events.lost = events.lost or _text(message) or "the device is lost"


def _mapped(status: int, _message: Any, user: Any, number: Any) -> None:
    if status != lib.WGPUMapAsyncStatus_Aborted:
        ffi.from_handle(user).mapped[int(ffi.cast("uintptr_t", number))] = status


def _done(_status: int, _message: Any, user: Any, ticket: Any) -> None:
    events = ffi.from_handle(user)
    events.finished = max(events.finished, int(ffi.cast("uintptr_t", ticket)))


def _device(_status: int, device: Any, message: Any, user: Any, _unused: Any) -> None:
    ffi.from_handle(user).append((device, _text(message)))


def _callback(types: str, function: Any) -> Any:
    return ffi.callback(f"void({types})", function, onerror=finishing(function))


_ON_ERROR = _callback("WGPUDevice const *, WGPUErrorType, WGPUStringView, void *, void *", _error)
_ON_LOST = _callback("WGPUDevice const *, WGPUDeviceLostReason, WGPUStringView, void *, void *", _lost)
_ON_MAPPED = _callback("WGPUMapAsyncStatus, WGPUStringView, void *, void *", _mapped)
_ON_DONE = _callback("WGPUQueueWorkDoneStatus, WGPUStringView, void *, void *", _done)
_ON_DEVICE = _callback("WGPURequestDeviceStatus, WGPUDevice, WGPUStringView, void *, void *", _device)


def map_callback(events: Events) -> Any:
    """Return the callback description for a buffer mapping; the caller numbers it in ``userdata2``."""
    info = ffi.new("WGPUBufferMapCallbackInfo *")
    info.mode = lib.WGPUCallbackMode_AllowProcessEvents
    info.callback = _ON_MAPPED
    info.userdata1 = events.handle
    return info


def done_callback(events: Events) -> Any:
    """Return the callback description for finished work; the caller puts the ticket into ``userdata2``."""
    info = ffi.new("WGPUQueueWorkDoneCallbackInfo *")
    info.mode = lib.WGPUCallbackMode_AllowProcessEvents
    info.callback = _ON_DONE
    info.userdata1 = events.handle
    return info


def _adapter_limits(adapter: Any) -> Any:
    """Return the adapter's limits, to be asked for in full, and the struct chained to them."""
    limits, native = ffi.new("WGPULimits *"), ffi.new("WGPUNativeLimits *")
    native.chain.sType = lib.WGPUSType_NativeLimits
    limits.nextInChain = ffi.addressof(native, "chain")
    lib.wgpuAdapterGetLimits(adapter._internal, limits)
    return limits, native


def request_device(adapter: Any, features: Iterable[str], events: Events) -> Any:
    """Make a device with ``features`` and all limits at the adapter's maximum; raises ``RuntimeError``."""
    numbers = [_feature_number(name) for name in sorted(features)]
    c_features = ffi.new("WGPUFeatureName[]", numbers)
    limits, native = _adapter_limits(adapter)
    descriptor = ffi.new("WGPUDeviceDescriptor *")
    descriptor.requiredFeatureCount = len(numbers)
    descriptor.requiredFeatures = c_features
    descriptor.requiredLimits = limits
    descriptor.deviceLostCallbackInfo.mode = lib.WGPUCallbackMode_AllowSpontaneous
    descriptor.deviceLostCallbackInfo.callback = _ON_LOST
    descriptor.deviceLostCallbackInfo.userdata1 = events.handle
    descriptor.uncapturedErrorCallbackInfo.callback = _ON_ERROR
    descriptor.uncapturedErrorCallbackInfo.userdata1 = events.handle
    answers: list[tuple[Any, str]] = []
    handle = ffi.new_handle(answers)
    info = ffi.new("WGPURequestDeviceCallbackInfo *")
    info.mode = lib.WGPUCallbackMode_AllowProcessEvents
    info.callback = _ON_DEVICE
    info.userdata1 = handle
    lib.wgpuAdapterRequestDevice(adapter._internal, descriptor, info[0])
    del native  # kept alive until here: the limits point at it
    device, message = answers[0] if answers else (ffi.NULL, "the driver did not answer")
    if device == ffi.NULL:
        raise RuntimeError(message)
    return device


def shader_module(device: Any, wgsl: str, checked: bool) -> Any:
    """Compile WGSL to a module, with wgpu's injected checks or without (trusted)."""
    code = wgsl.encode()
    c_code = ffi.new("char[]", code)
    source = ffi.new("WGPUShaderSourceWGSL *")
    source.chain.sType = lib.WGPUSType_ShaderSourceWGSL
    source.code.data = c_code
    source.code.length = len(code)
    descriptor = ffi.new("WGPUShaderModuleDescriptor *")
    descriptor.nextInChain = ffi.addressof(source, "chain")
    if checked:
        return lib.wgpuDeviceCreateShaderModule(device, descriptor)
    return lib.wgpuDeviceCreateShaderModuleTrusted(device, descriptor, lib.WGPUShaderRuntimeChecks_None)


def compute_pipeline(device: Any, module: Any, layout: Any) -> Any:
    """Make the pipeline of a module's entry point ``main``."""
    name = ffi.new("char[]", b"main")
    descriptor = ffi.new("WGPUComputePipelineDescriptor *")
    descriptor.layout = layout
    descriptor.compute.module = module
    descriptor.compute.entryPoint.data = name
    descriptor.compute.entryPoint.length = 4
    return lib.wgpuDeviceCreateComputePipeline(device, descriptor)


def _feature_number(name: str) -> int:
    native = _mappings.enum_str2int["NativeFeature"]
    number = native.get(name, _mappings.enummap.get(f"FeatureName.{name}"))
    if number is None:
        raise RuntimeError(f"unknown feature {name!r}")
    return int(number)
