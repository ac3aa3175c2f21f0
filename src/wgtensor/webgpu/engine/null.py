"""An engine that records and counts and computes nothing: for tests of what is launched, without a device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from wgtensor.errors import DeviceOutOfMemoryError
from wgtensor.webgpu.engine.base import Binding, BufferKind, EngineFacts, EngineRequest, Ticket
from wgtensor.webgpu.engine.guard import (
    Guarded,
    check_dispatch,
    check_live,
    check_process,
    check_range,
    check_size,
)

__all__ = ["NullEngine"]

_NULL_INFO: Mapping[str, str] = {
    "vendor": "",
    "device": "null",
    "description": "computes nothing",
    "adapter_type": "CPU",
    "backend_type": "Null",
    "architecture": "",
}

_NULL_LIMITS: Mapping[str, int] = {
    "max-buffer-size": 1 << 30,
    "max-storage-buffer-binding-size": 128 << 20,
    "max-storage-buffers-per-shader-stage": 8,
    "max-uniform-buffer-binding-size": 64 << 10,
    "max-compute-invocations-per-workgroup": 256,
    "max-compute-workgroup-size-x": 256,
    "max-compute-workgroup-size-y": 256,
    "max-compute-workgroup-size-z": 64,
    "max-compute-workgroup-storage-size": 16 << 10,
    "max-compute-workgroups-per-dimension": 65_535,
    "min-storage-buffer-offset-alignment": 256,
    "min-uniform-buffer-offset-alignment": 256,
}
"""WebGPU's guaranteed limits, for a request without an adapter."""


class _Buffer:
    __slots__ = ("nbytes", "raw")

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.raw: object | None = object()


class _Pending:
    """Zeros, at once."""

    ready = True

    def __init__(self, nbytes: int) -> None:
        self._bytes = bytearray(nbytes)

    def result(self) -> bytearray:
        """Return the zeros."""
        return self._bytes

    def __await__(self) -> Generator[Any, None, bytearray]:
        """Return the zeros."""
        return self._bytes
        yield


class NullEngine(Guarded):
    """Counts what it is told to do.

    Attributes
    ----------
    counts
        Calls by method name, ``"bytes_written"``, ``"bytes_read"``, ``"bytes_copied"``, ``"bytes_filled"``
        and ``"live_bytes"`` of buffers that are not released.
    dispatches
        The (pipeline, bindings, params, groups) of every dispatch, in order.
    """

    def __init__(self, facts: EngineFacts) -> None:
        super().__init__()
        self.facts = facts
        self.counts: Counter[str] = Counter()
        self.dispatches: list[tuple[tuple[str, int, int], tuple[Binding, ...], bytes, tuple[int, int, int]]] = []
        self._ticket = 0
        self._open = False

    @classmethod
    def open(cls, request: EngineRequest) -> NullEngine:
        """Open with the adapter's facts, or with WebGPU's guaranteed limits if there is no adapter."""
        check_process()
        adapter = request.adapter
        info = _NULL_INFO if adapter is None else {key: str(value) for key, value in adapter.info.items()}
        limits = _NULL_LIMITS if adapter is None else dict(adapter.limits)
        alignment = limits["min-storage-buffer-offset-alignment"]
        return cls(
            EngineFacts("null", info, limits, request.features, offset_alignment=alignment, checked=request.checked)
        )

    @classmethod
    async def open_async(cls, request: EngineRequest) -> NullEngine:
        """Awaitable twin of ``open``."""
        return cls.open(request)

    def _record(self, name: str) -> None:
        if self.unusable:
            self._refuse()
        self._open = True
        self.counts[name] += 1

    def buffer(self, nbytes: int, kind: BufferKind = BufferKind.STORAGE) -> _Buffer:
        """Count a buffer."""
        check_size("buffer", nbytes)
        if self.unusable:
            self._refuse()
        if nbytes > self.facts.limits["max-buffer-size"]:
            raise DeviceOutOfMemoryError(f"the driver refused a buffer of {nbytes} bytes; split it")
        self.counts["buffer"] += 1
        self.counts["live_bytes"] += nbytes
        return _Buffer(nbytes)

    def release(self, handle: _Buffer) -> None:
        """Count a release."""
        check_live("release", handle.raw)
        handle.raw = None
        self.counts["release"] += 1
        self.counts["live_bytes"] -= handle.nbytes

    def pipeline(self, wgsl: str, reads: int, writes: int) -> tuple[str, int, int]:
        """Return the source itself; nothing is compiled."""
        if self.unusable:
            self._refuse()
        self.counts["pipeline"] += 1
        return wgsl, reads, writes

    def dispatch(
        self,
        pipeline: tuple[str, int, int],
        bindings: Sequence[Binding],
        params: bytes,
        groups: tuple[int, int, int],
    ) -> None:
        """Record a dispatch in ``dispatches``."""
        check_dispatch(pipeline[1] + pipeline[2], bindings, params, groups)
        self._record("dispatch")
        self.dispatches.append((pipeline, tuple(bindings), bytes(params), groups))

    def copy(self, source: _Buffer, source_offset: int, target: _Buffer, target_offset: int, nbytes: int) -> None:
        """Count a copy."""
        check_range("copy", source_offset, nbytes, source.nbytes)
        check_range("copy", target_offset, nbytes, target.nbytes)
        check_live("copy", source.raw, target.raw)
        self._record("copy")
        self.counts["bytes_copied"] += nbytes

    def fill(self, target: _Buffer, offset: int, nbytes: int, word: int) -> None:
        """Count a fill."""
        check_range("fill", offset, nbytes, target.nbytes)
        check_live("fill", target.raw)
        self._record("fill")
        self.counts["bytes_filled"] += nbytes

    def write(self, target: _Buffer, offset: int, data: Any) -> None:
        """Count a write."""
        nbytes = memoryview(data).nbytes
        check_range("write", offset, (nbytes + 3) & ~3, target.nbytes)
        check_live("write", target.raw)
        self._record("write")
        self.counts["bytes_written"] += nbytes

    def submit(self) -> Ticket:
        """Count a submit, if anything was recorded."""
        if self.unusable:
            self._refuse()
        if self._open:
            self._open = False
            self._ticket += 1
            self.counts["submit"] += 1
        return self._ticket

    def finished(self) -> Ticket:
        """Everything is finished at once."""
        return self._ticket

    def wait(self, ticket: Ticket) -> None:
        """Return at once."""
        if self.unusable:
            self._refuse()

    async def wait_async(self, ticket: Ticket) -> None:
        """Return at once."""
        self.wait(ticket)

    def read(self, source: _Buffer, offset: int, nbytes: int) -> _Pending:
        """Count a read of zeros."""
        check_range("read", offset, (nbytes + 3) & ~3, source.nbytes)
        check_live("read", source.raw)
        self.submit()
        self.counts["read"] += 1
        self.counts["bytes_read"] += nbytes
        return _Pending(nbytes)

    def timestamps(self, ticket: Ticket) -> Sequence[tuple[int, int]]:
        """Return nothing: nothing ran."""
        return ()

    def errors(self) -> list[str]:
        """Return nothing: nothing can fail."""
        return []

    def close(self) -> None:
        """Lose the device."""
        self.lost = self.lost or "closed"
