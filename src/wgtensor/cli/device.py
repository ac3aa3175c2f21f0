"""The devices that the command line contracts on, behind one small seam."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from wgtensor.errors import ValidationError
from wgtensor.networks import NetworkInstance
from wgtensor.networks.paths import Path
from wgtensor.tensor import Tensor

__all__ = ["BackendDevice", "Counts", "Device", "open_device"]


@dataclass(frozen=True, slots=True)
class Counts:
    """What a device did since it was opened, and the most bytes it held since `Device.reset_peak`."""

    submits: int = 0
    compiled: int = 0
    peak_bytes: int = 0


class Device(Protocol):
    """A place where networks are contracted. Operands and results are opaque."""

    name: str
    adapter: str

    def upload(self, array: Any) -> Any:
        """Bring a NumPy array to the device."""

    def contract(self, instance: NetworkInstance, operands: Sequence[Any], path: Path, memory: int | None) -> Any:
        """Contract a network along a path; returns when the result is there."""

    def download(self, result: Any) -> Any:
        """Bring a result back as a NumPy array."""

    def reset_peak(self) -> None:
        """Start measuring the peak anew."""

    def counts(self) -> Counts:
        """Return the counters."""


class BackendDevice:
    """A backend of wgtensor as a `Device`.

    Parameters
    ----------
    name, adapter
        What the user calls it, and what it turned out to be.
    backend
        The owner that makes sessions.
    reset_peak
        Makes the runtime's peak start anew.
    """

    def __init__(self, name: str, adapter: str, backend: Any, reset_peak: Callable[[], None]) -> None:
        self.name = name
        self.adapter = adapter
        self.reset_peak = reset_peak
        self._backend = backend

    def upload(self, array: Any) -> Tensor:
        """Bring a NumPy array to the device."""
        tensor: Tensor = self._backend.upload_host_tensor(Tensor.from_numpy(array))
        return tensor

    def contract(self, instance: NetworkInstance, operands: Sequence[Any], path: Path, memory: int | None) -> Tensor:
        """Contract a network in a session of its own, and wait for the device."""
        from wgtensor.einsum import einsum  # noqa: PLC0415 - commands that compute nothing start without it

        number = {label: index for index, label in enumerate(instance.sizes)}
        arguments: list[Any] = []
        for operand, labels in zip(operands, instance.inputs, strict=True):
            arguments += [operand, [number[label] for label in labels]]
        arguments.append([number[label] for label in instance.output])
        with self._backend.session() as session:
            result: Tensor = einsum(*arguments, optimize=path, memory_limit=memory, session=session)
        self._backend.synchronize()
        return result

    def download(self, result: Tensor) -> Any:
        """Bring a result back as a NumPy array."""
        return self._backend.download_to_host(result).to_numpy()

    def counts(self) -> Counts:
        """Return the runtime's counters."""
        counters = self._backend.runtime.counters
        return Counts(counters.submits, counters.pipelines_compiled, counters.peak_bytes)


def open_device(name: str) -> Device:
    """Open a device by its name.

    Parameters
    ----------
    name
        ``webgpu`` for the best adapter, ``webgpu:N`` for row N of ``wgtensor info``, or ``cpu``.

    Raises
    ------
    ValidationError
        There is no such kind of device.
    AdapterNotFoundError
        There is no adapter that could be used, or not in this row. Nothing falls back to the cpu.
    """
    match = re.fullmatch(r"(cpu)|webgpu(?::(\d+))?", name)
    if match is None:
        raise ValidationError(f"--device must be webgpu, webgpu:N (row N of `wgtensor info`) or cpu, got {name!r}")
    if match[1]:
        return _open_cpu()
    return _open_webgpu(None if match[2] is None else int(match[2]))


def _open_cpu() -> Device:
    from wgtensor.cpu import CpuBackend  # noqa: PLC0415 - only what is used

    backend = CpuBackend()
    runtime = backend.runtime
    return BackendDevice("cpu", runtime.adapter_info["device"], backend, runtime.counters.reset_peak)


def _open_webgpu(row: int | None) -> Device:
    from wgtensor.webgpu import WebGpuBackend, WebGpuRuntime  # noqa: PLC0415 - loads the drivers

    if row is None:
        backend = WebGpuBackend.new_default()
    else:
        backend = WebGpuBackend.from_runtime(WebGpuRuntime.from_adapter_row(row))
    runtime = backend.runtime
    adapter = f"{runtime.adapter_info['device']}, {runtime.adapter_info['backend_type']}"
    return BackendDevice(f"webgpu:{runtime.device_ordinal}", adapter, backend, runtime.reset_peak)
