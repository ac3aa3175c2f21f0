"""DLPack: arrays out to other libraries and theirs in, through host memory.

Exports go to the CPU, device (1, 0). An array on the cpu device lends its memory read-only, since arrays are values; an
array on a GPU is copied, and only if a consumer asks for (1, 0). Imports are copied, since what another library may
write into is no value.

NumPy makes and reads the capsules. ctypes does what NumPy cannot: bfloat16, which NumPy lacks, goes through it as
uint16, and the element type that the capsule names is rewritten.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.array.arguments import type_name
from wgtensor.errors import DTypeError, ExchangeError
from wgtensor.tensor import ArrayStorage, Tensor, bfloat16

if TYPE_CHECKING:
    from wgtensor.array.devices import Device

__all__ = ["CPU", "device_of", "host_tensor", "to_capsule"]

CPU: Final = (1, 0)
"""DLPack's device of host memory."""

_DEVICE_TYPES: Final = {"cpu": 1, "webgpu": 15}
"""kDLCPU and kDLWebGPU."""

_UINT16: Final = (1, 16)
_BFLOAT16: Final = (4, 16)
"""Type code and bits."""


def device_of(tensor: Tensor) -> tuple[int, int]:
    """Return DLPack's (device type, number) of a tensor: (15, N) on ``webgpu:N``, (1, 0) on the cpu."""
    return _DEVICE_TYPES[tensor.placement.kind], tensor.placement.ordinal


def to_capsule(
    tensor: Tensor,
    device: Device,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule of host memory.

    Parameters
    ----------
    tensor, device
        What to export, and where it is.
    stream
        None: work of a device runs in order, and host memory has no streams.
    max_version
        The newest DLPack that the consumer reads. Before 1.0 a capsule cannot say that memory is read-only, so it gets
        a copy.
    dl_device
        Where the consumer wants the elements; None is where they are.
    copy
        True: always. False: never. None: where memory cannot be lent.

    Raises
    ------
    ExchangeError
        The consumer asks for another device than the CPU, for a stream, or for no copy where one is needed. Also a
        BufferError.
    DeviceLostError
        The device is lost.
    """
    if stream is not None:
        raise ExchangeError(f"__dlpack__ takes no stream, got {stream!r}; host memory has none, leave it out")
    wanted = device_of(tensor) if dl_device is None else tuple(dl_device)
    if wanted != CPU:
        raise ExchangeError(
            f"__dlpack__ exports host memory, device (1, 0), got a request for {wanted} by an array on {device}; "
            "ask for a copy with np.from_dlpack(x, device='cpu'), or write x.to_numpy()"
        )
    host = _host_array(tensor, device, max_version is not None and max_version[0] >= 1, copy)
    capsule = host.__dlpack__(max_version=max_version)
    if tensor.dtype is bfloat16:
        _rename(_head_of(capsule), _BFLOAT16)
    return capsule


def _host_array(tensor: Tensor, device: Device, is_versioned: bool, copy: bool | None) -> NDArray[Any]:
    """Return the memory to export: lent where that is possible and allowed, else a copy."""
    is_here = device_of(tensor) == CPU
    if is_here and is_versioned and not copy:
        device.session.check_alive("__dlpack__")
        return np.asarray(_Lent(tensor))
    if copy is False:
        raise ExchangeError(
            "__dlpack__ with copy=False lends memory of the cpu device, read-only, to a consumer that reads DLPack 1.0 "
            f"(max_version), got an array on {device}{'' if is_versioned else ' and an older consumer'}; use copy=None"
        )
    host: NDArray[Any] = device.backend.download_to_host(tensor).to_numpy()
    return host


class _Lent:
    """Memory of a tensor of the cpu device as NumPy sees it: read-only, and the tensor lives as long as any view.

    It holds a handle of its own, so an assignment into the array finds its storage shared and writes elsewhere.
    """

    def __init__(self, tensor: Tensor) -> None:
        assert isinstance(tensor.storage, ArrayStorage)
        interface = tensor.storage.view(tensor.layout).__array_interface__
        self.tensor = tensor.view(tensor.layout)
        self.__array_interface__ = {**interface, "data": (interface["data"][0], True)}


def host_tensor(x: Any, *, may_move: bool, copy: bool | None) -> Tensor:
    """Return the array ``x`` of another library as a host tensor over its memory, to be uploaded at once.

    Parameters
    ----------
    x
        Anything with ``__dlpack__`` and ``__dlpack_device__``.
    may_move
        Whether an ``x`` outside of host memory may be asked for a copy there.
    copy
        What the caller was asked for; False is refused.

    Raises
    ------
    DTypeError
        ``x`` speaks no DLPack, or its dtype is none of wgtensor's.
    ExchangeError
        ``x`` is not in host memory and may not move, cannot be exported, or ``copy`` is False.
    """
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise DTypeError(f"from_dlpack takes an array with __dlpack__, got {type_name(x)}; use wt.asarray")
    if copy is False:
        raise ExchangeError(
            "from_dlpack with copy=False shares memory, got an array of another library, which may write into it, "
            "while wgtensor's arrays are values; use copy=None"
        )
    kind, number = x.__dlpack_device__()
    is_here = kind == CPU[0]
    if not (is_here or may_move):
        raise ExchangeError(
            f"from_dlpack without device= leaves data where it is, got an array on DLPack's device "
            f"{int(kind), number}, which is none of wgtensor's; name a device to copy it there"
        )
    return _imported(_Producer(x), None if is_here else "cpu")


def _imported(producer: _Producer, device: Any) -> Tensor:
    try:
        array = np.from_dlpack(producer, device=device)
    except (BufferError, RuntimeError) as cause:
        raise ExchangeError(
            f"from_dlpack cannot take this array of {producer.origin}, got {type(cause).__name__}: {cause}; "
            "convert its dtype, or move it to the CPU there"
        ) from cause
    return Tensor.from_numpy(array, bfloat16 if producer.has_bfloat16 else None)


class _Producer:
    """An array of another library as NumPy can read it: bfloat16 goes as uint16."""

    def __init__(self, x: Any) -> None:
        self._x = x
        self.origin = type(x).__module__.partition(".")[0]
        self.has_bfloat16 = False

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self._x.__dlpack__(**options)
        head = _head_of(capsule)
        if (head.code, head.bits) == _BFLOAT16:
            self.has_bfloat16 = True
            _rename(head, _UINT16)
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._x.__dlpack_device__()
        return kind, number


class _Head(ctypes.Structure):
    """The start of a DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    )


class _Versioned(ctypes.Structure):
    """The start of a DLManagedTensorVersioned; a DLManagedTensor begins with its DLTensor."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Head),
    )


_OFFSETS: Final = {b"dltensor": 0, b"dltensor_versioned": _Versioned.tensor.offset}
"""Where the DLTensor is, by the capsule's name."""

# Functions of their own: argument types set on ctypes.pythonapi's would be everybody's.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi),
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi),
)


def _head_of(capsule: Any) -> _Head:
    """Return the start of the DLTensor in a capsule that nobody has consumed."""
    for name, offset in _OFFSETS.items():
        if _is_valid(capsule, name):
            return _Head.from_address(_pointer(capsule, name) + offset)
    raise ExchangeError(f"from_dlpack needs an unused DLPack capsule from __dlpack__, got {capsule!r}")


def _rename(head: _Head, element: tuple[int, int]) -> None:
    head.code, head.bits = element
