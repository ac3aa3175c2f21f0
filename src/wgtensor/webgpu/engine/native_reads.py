"""Reads of the native engine: mapped in place where the adapter allows it, through staging buffers elsewhere.

A mapped buffer must not take part in a submit (wgpu-native would end the process), so whatever is still
mapped is detached before the next one: taken if it is there, else copied to staging ahead of the new work.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from wgtensor.errors import BackendSourceError
from wgtensor.webgpu.engine.interrupts import raise_deferred
from wgtensor.webgpu.engine.native_library import Events, ffi, lib, map_callback
from wgtensor.webgpu.engine.waiting import until

if TYPE_CHECKING:
    from wgtensor.webgpu.engine.native import NativeEngine
    from wgtensor.webgpu.engine.native_objects import Buffer

__all__ = ["NativePending", "Staging"]

CHUNK = 16 << 20
"""Largest staging buffer: a longer read is copied out chunk by chunk while later chunks still travel."""

SMALLEST = 4096
KEPT_BYTES = 64 << 20
"""Bytes of free staging buffers that are kept for the next read."""


class _Mapping(NamedTuple):
    """A mapping in flight: ``start`` is where its bytes begin in the buffer, ``size`` how many are wanted."""

    number: int
    raw: Any
    base: int
    start: int
    size: int
    capacity: int
    """Size of the staging buffer, or 0 if the storage buffer itself is mapped."""
    index: Any
    """Submission to wait for, or NULL for the newest."""


class NativePending:
    """A read in flight; see ``wgtensor.webgpu.engine.base.Pending``."""

    __slots__ = ("_bytes", "_mappings", "_nbytes", "_staging")

    def __init__(self, staging: Staging, nbytes: int, mappings: list[_Mapping]) -> None:
        self._staging = staging
        self._nbytes = nbytes
        self._mappings = mappings
        self._bytes: bytearray | None = None

    def __del__(self) -> None:
        if getattr(self, "_bytes", b"") is None:
            # Any thread, any time: only leave a note for the engine's next submit or write.
            self._staging.dropped.append(self._mappings)

    @property
    def ready(self) -> bool:
        """Whether ``result`` would return at once."""
        return self._bytes is not None or self._staging.arrived(self._mappings)

    def result(self) -> bytearray:
        """Block until the bytes are there and return them."""
        if self._bytes is None:
            self._bytes = self._staging.collect(self._mappings, self._nbytes)
            self._staging.forget(self)
        return self._bytes

    def __await__(self) -> Generator[Any, None, bytearray]:
        """Wait without blocking the event loop."""
        yield from until(lambda: self.ready).__await__()
        return self.result()

    def detach(self) -> None:
        """Stop using the storage buffer: take the bytes if they are there, else stage them."""
        if self.ready:
            self.result()
        else:
            self._mappings = self._staging.restage(self._mappings[0])
            self._staging.forget(self)

    def give_up(self) -> None:
        """Give the mapped buffers back uncollected: the device is being closed."""
        mappings, self._mappings = self._mappings, []
        self._staging.dropped.append(mappings)

    def maps(self, raw: Any) -> bool:
        """Whether this read has mapped the buffer ``raw``."""
        return any(mapping.raw == raw for mapping in self._mappings)


class Staging:
    """Mappings in flight and the staging buffers of one engine."""

    def __init__(self, engine: NativeEngine, device: Any, events: Events) -> None:
        self._engine = engine
        self._device = device
        self._events = events
        self._info = map_callback(events)
        self._numbers = count(1)
        self._in_place: list[NativePending] = []
        self.dropped: list[list[_Mapping]] = []
        self._free: dict[int, list[Any]] = {}
        self._kept = 0

    def read(self, source: Buffer, offset: int, nbytes: int) -> NativePending:
        """Start reading; everything recorded before has been submitted."""
        if not source.mappable:
            return self.copy_out(source.raw, offset, nbytes)
        self.detach(source.raw)
        lib.wgpuBufferAddRef(source.raw)
        mappings: list[_Mapping] = []
        pending = NativePending(self, nbytes, mappings)
        self._map(mappings, source.raw, offset, nbytes)
        self._in_place.append(pending)
        return pending

    def copy_out(self, raw: Any, offset: int, nbytes: int) -> NativePending:
        """Start reading through staging buffers."""
        return NativePending(self, nbytes, self._stage(raw, offset, nbytes))

    def detach(self, raw: Any = None) -> None:
        """Free storage buffers (or only ``raw``) from their mappings, before a submit, a write or a mapping."""
        for pending in tuple(self._in_place):
            if raw is None or pending.maps(raw):
                pending.detach()
        while self.dropped:
            for mapping in self.dropped.pop():
                self._give_back(mapping)

    def forget(self, pending: NativePending) -> None:
        """Drop a read that has been collected."""
        if pending in self._in_place:
            self._in_place.remove(pending)

    def close(self) -> None:
        """Give every buffer back; what has not been collected is lost with the device."""
        for pending in self._in_place:
            pending.give_up()
        self._in_place.clear()
        self.detach()
        for free in self._free.values():
            for raw in free:
                lib.wgpuBufferRelease(raw)
        self._free.clear()

    def arrived(self, mappings: list[_Mapping]) -> bool:
        """Whether all of the mappings are complete; never blocks."""
        if not self._engine.unusable:
            lib.wgpuDevicePoll(self._device, False, ffi.NULL)
        mapped = self._events.mapped
        return all(mapping.number in mapped for mapping in mappings)

    def collect(self, mappings: list[_Mapping], nbytes: int) -> bytearray:
        """Block for each mapping in turn, copy its bytes out, give its buffer back and take it off the list."""
        if self._engine.unusable:
            self._engine._refuse()
        whole = len(mappings) == 1
        out = bytearray() if whole else bytearray(nbytes)
        at = 0
        while mappings:
            arrived = self._arrived_bytes(mappings[0])
            if whole:
                out = bytearray(arrived)
            else:
                out[at : at + len(arrived)] = arrived
                at += len(arrived)
            # Unmapped while it is still listed: a buffer that stays mapped would end the process at a submit.
            self._unmap(mappings[0])
            self._release(mappings.pop(0))
        return out

    def restage(self, mapping: _Mapping) -> list[_Mapping]:
        """Cancel a mapping in place and copy the same bytes to staging instead."""
        lib.wgpuBufferUnmap(mapping.raw)
        staged = self._stage(mapping.raw, mapping.start, mapping.size)
        lib.wgpuBufferRelease(mapping.raw)
        return staged

    def _arrived_bytes(self, mapping: _Mapping) -> memoryview:
        """Block until a mapping is complete and return a view of its bytes, valid until it is given back."""
        mapped = self._events.mapped
        # Polled in any case: the range of a buffer that was lost meanwhile ends the process.
        lib.wgpuDevicePoll(self._device, mapping.number not in mapped, mapping.index)
        if self._engine.unusable:
            self._engine._refuse()
        raise_deferred()
        if mapped.get(mapping.number) != lib.WGPUMapAsyncStatus_Success:
            cause = RuntimeError(f"mapping ended with status {mapped.get(mapping.number)}")
            raise BackendSourceError(f"reading a buffer failed: {cause}") from cause
        skip = mapping.start - mapping.base
        size = (skip + mapping.size + 3) & ~3
        address = lib.wgpuBufferGetConstMappedRange(mapping.raw, mapping.base, size)
        return memoryview(ffi.buffer(ffi.cast("char *", address) + skip, mapping.size))

    def _map(
        self, into: list[_Mapping], raw: Any, start: int, size: int, capacity: int = 0, index: Any = ffi.NULL
    ) -> None:
        """Start a mapping, noted in ``into`` first: one that nobody knows of would end the process at a submit."""
        base = start & ~7  # a mapping begins at a multiple of 8
        number = next(self._numbers)
        self._info.userdata2 = ffi.cast("void *", number)
        length = (start - base + size + 3) & ~3
        into.append(_Mapping(number, raw, base, start, size, capacity, index))
        lib.wgpuBufferMapAsync(raw, lib.WGPUMapMode_Read, base, length, self._info[0])

    def _stage(self, raw: Any, offset: int, nbytes: int) -> list[_Mapping]:
        """Copy a range to staging buffers, one submission a chunk, and map each."""
        mappings: list[_Mapping] = []
        for start in range(0, nbytes, CHUNK):
            size = min(CHUNK, nbytes - start)
            capacity = max(SMALLEST, 1 << (size - 1).bit_length())
            staging = self._take_free(capacity)
            encoder = lib.wgpuDeviceCreateCommandEncoder(self._device, ffi.NULL)
            lib.wgpuCommandEncoderCopyBufferToBuffer(encoder, raw, offset + start, staging, 0, (size + 3) & ~3)
            errors = self._events.errors
            if not self._engine.submit_encoder(encoder, known := len(errors)):
                lib.wgpuBufferRelease(staging)
                cause = RuntimeError("\n".join(errors[known:]))
                del errors[known:]
                raise BackendSourceError(f"reading a buffer failed: {cause}") from cause
            index = ffi.new("WGPUSubmissionIndex *", self._engine._index[0])
            self._map(mappings, staging, 0, size, capacity, index)
        return mappings

    def _take_free(self, capacity: int) -> Any:
        free = self._free.get(capacity)
        if free:
            self._kept -= capacity
            return free.pop()
        return self._engine.new_buffer(capacity, lib.WGPUBufferUsage_MapRead | lib.WGPUBufferUsage_CopyDst)

    def _give_back(self, mapping: _Mapping) -> None:
        self._unmap(mapping)
        self._release(mapping)

    def _unmap(self, mapping: _Mapping) -> None:
        status = self._events.mapped.pop(mapping.number, lib.WGPUMapAsyncStatus_Success)
        if status == lib.WGPUMapAsyncStatus_Success:
            lib.wgpuBufferUnmap(mapping.raw)

    def _release(self, mapping: _Mapping) -> None:
        """Keep a staging buffer for the next read, release a storage buffer."""
        if mapping.capacity and self._kept + mapping.capacity <= KEPT_BYTES:
            self._free.setdefault(mapping.capacity, []).append(mapping.raw)
            self._kept += mapping.capacity
        else:
            lib.wgpuBufferRelease(mapping.raw)
