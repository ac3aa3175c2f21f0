"""Devices: where arrays are and compute. ``cpu`` is the NumPy reference backend, ``webgpu:N`` the N-th adapter.

A device opens its backend at first use. Arrays compute in the ambient session that the backend's runtime owns, so
their work stays in order with that of an open session.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial
from types import ModuleType
from typing import Any, Final, Protocol, TypeAlias

from wgtensor.contract import TensorBackend
from wgtensor.contract.session import SessionBase
from wgtensor.errors import AdapterNotFoundError, ValidationError

__all__ = [
    "Device",
    "DeviceBackend",
    "DeviceLike",
    "as_device",
    "default_device",
    "device",
    "devices",
    "set_default_device",
    "synchronize",
]

_lock: Final = threading.RLock()
_chosen: ContextVar[Device | None] = ContextVar("wgtensor_device", default=None)
_known: dict[str, Device] = {}


class DeviceBackend(TensorBackend, Protocol):
    """What a device holds: the owner of a runtime that has an ambient session."""

    @property
    def runtime(self) -> Any:
        """The runtime; its facts and counters differ between backends, so the contract has no protocol of it."""


class Device:
    """A place for arrays; made by :func:`devices`, or around a backend of one's own.

    A device equals itself and its full name (``x.device == "webgpu:0"``), and hashes as that. The short ``"webgpu"`` is
    a ``kind``.

    Parameters
    ----------
    name
        What users write and read: ``"cpu"``, ``"webgpu:0"``.
    backend
        The owner, or a function that makes it at first use.

    Examples
    --------
    >>> as_device("cpu")
    Device('cpu')
    """

    __slots__ = ("_backend", "_open", "_session", "name")

    def __init__(self, name: str, backend: DeviceBackend | Callable[[], DeviceBackend]) -> None:
        self.name: Final = name
        self._open: Callable[[], DeviceBackend] | None = backend if callable(backend) else None
        self._backend: DeviceBackend | None = None if callable(backend) else backend
        self._session: SessionBase | None = None

    @property
    def backend(self) -> DeviceBackend:
        """The backend (``WebGpuBackend`` or ``CpuBackend``); opened at first use.

        Raises
        ------
        AdapterNotFoundError, BackendSourceError
            It cannot be opened.
        """
        if self._backend is not None:
            return self._backend
        with _lock:
            if self._backend is None and self._open is not None:
                self._backend = self._open()
        assert self._backend is not None, "a device has a backend, or a function that makes it"
        return self._backend

    @property
    def session(self) -> SessionBase:
        """The ambient session in which arrays of this device compute."""
        if self._session is None:
            ambient: SessionBase = self.backend.runtime.domain.ambient_session()
            self._session = ambient
        return self._session

    @property
    def is_lost(self) -> bool:
        """Whether the device was opened and is gone: its arrays are lost, a new array opens it anew."""
        return self._backend is not None and self._backend.runtime.lost is not None

    @property
    def kind(self) -> str:
        """``"cpu"`` or ``"webgpu"``."""
        return self.name.partition(":")[0]

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Device({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_device, (self.name,)


DeviceLike: TypeAlias = Device | str | None
"""What ``device=`` takes: a device, its name (``"webgpu"`` is the best adapter), or None for the current one."""


def devices() -> list[Device]:
    """Return the devices of this machine, best first; the cpu is last and always there. Opens none.

    Examples
    --------
    >>> devices()[-1]
    Device('cpu')
    """
    with _lock:
        return [_device(name) for name in [*_adapter_names(), "cpu"]]


def default_device() -> Device:
    """Return the device of new arrays.

    It is that of the innermost ``with wt.device(...)``; else that of :func:`set_default_device`; else the one that the
    environment variable ``WGTENSOR_DEVICE`` names (``cpu``, ``webgpu:1``); else the best of this machine.

    Raises
    ------
    ValidationError
        ``WGTENSOR_DEVICE`` names no device of this machine.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return _alive(chosen)
    with _lock:
        if "default" not in _known:
            _known["default"] = _preferred() or _best()
        return _alive(_known["default"])


def set_default_device(device: DeviceLike) -> None:
    """Set the device of new arrays for the whole program, wherever no ``with wt.device(...)`` says another.

    Parameters
    ----------
    device
        Device or name; None goes back to ``WGTENSOR_DEVICE``, or the best device of this machine.

    Raises
    ------
    ValidationError
        There is no such device.

    Examples
    --------
    >>> set_default_device("cpu")
    >>> default_device()
    Device('cpu')
    >>> set_default_device(None)
    """
    found = None if device is None else as_device(device)
    with _lock:
        if found is None:
            _known.pop("default", None)
        else:
            _known["default"] = found


def device(device: DeviceLike) -> AbstractContextManager[Device]:
    """Make ``device`` the device of the arrays created in a ``with`` block; per thread and task.

    Without ``with`` this sets nothing: see :func:`set_default_device`.

    Returns
    -------
    context manager
        It yields the device.

    Raises
    ------
    ValidationError
        There is no such device.

    Examples
    --------
    >>> with device("cpu") as cpu:
    ...     default_device() is cpu
    True
    """
    return _chosen_within(as_device(device))


@contextmanager
def _chosen_within(found: Device) -> Iterator[Device]:
    token = _chosen.set(found)
    try:
        yield found
    finally:
        _chosen.reset(token)


def as_device(which: DeviceLike) -> Device:
    """Return the device that ``which`` means.

    Raises
    ------
    ValidationError
        There is no such device; the text lists those that there are.
    """
    if which is None:
        return default_device()
    if isinstance(which, Device):
        return _alive(which)
    with _lock:
        name = _name_of(which)
        names = _adapter_names() if name != "cpu" else []
        if name == "webgpu" and names:
            name = names[0]
        if name != "cpu" and name not in names:
            raise ValidationError(f"device needs one of {', '.join([*names, 'cpu'])}, got {which!r}")
        return _device(name)


def _name_of(which: Any) -> str:
    """Return the name that was given for a device."""
    if isinstance(which, str):
        return which
    way_out = "; write device='cpu'" if isinstance(which, ModuleType) else " or a name such as 'cpu', 'webgpu'"
    raise ValidationError(f"device needs a Device{way_out}, got {which!r}")


def synchronize(device: DeviceLike = None) -> None:
    """Block until everything recorded on a device is done, the current one by default.

    Examples
    --------
    >>> synchronize("cpu")
    """
    as_device(device).backend.synchronize()


def _alive(found: Device) -> Device:
    """Return ``found``, or a new device of its name if it was lost and this module opened it."""
    if found.is_lost and _known.get(found.name) is found:
        with _lock:
            return _device(found.name)
    return found


def _preferred() -> Device | None:
    """Return the device that the environment names."""
    name = os.environ.get("WGTENSOR_DEVICE")
    try:
        return as_device(name) if name else None
    except ValidationError as error:
        raise ValidationError(f"WGTENSOR_DEVICE: {error}") from None


def _best() -> Device:
    names = _adapter_names()
    if names:
        return _device(names[0])
    warnings.warn(
        "no adapter that could be used was found, arrays compute on the cpu with NumPy; "
        "`wgtensor info` says what to install",
        RuntimeWarning,
        stacklevel=4,
    )
    return _device("cpu")


def _device(name: str) -> Device:
    """Return the device of a name that is there: the known one unless it is lost."""
    known = _known.get(name)
    if known is not None and not known.is_lost:
        return known
    opened = Device(name, _open_cpu if name == "cpu" else partial(_open_webgpu, int(name.partition(":")[2])))
    if known is not None and _known.get("default") is known:
        _known["default"] = opened
    _known[name] = opened
    return opened


def _adapter_names() -> list[str]:
    from wgtensor.webgpu.adapters import list_adapters  # noqa: PLC0415 - loads the drivers

    try:
        return [f"webgpu:{row.index}" for row in list_adapters() if row.taken]
    except AdapterNotFoundError:
        return []


def _open_cpu() -> DeviceBackend:
    from wgtensor.cpu import CpuBackend  # noqa: PLC0415 - only what is used

    return CpuBackend()


def _open_webgpu(row: int) -> DeviceBackend:
    from wgtensor.webgpu import WebGpuBackend, WebGpuRuntime  # noqa: PLC0415 - loads the drivers

    return WebGpuBackend.from_runtime(WebGpuRuntime.from_adapter_row(row))
