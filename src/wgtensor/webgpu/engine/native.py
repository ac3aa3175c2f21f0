"""The engine over wgpu-native's C library: a few microseconds of Python per dispatch.

One compute pass per batch stays open and is ended only for copies and fills. The numbers of all dispatches
travel in one uniform ring, addressed by a dynamic offset and written once, before the batch is submitted: a
queue write takes effect after everything submitted earlier, so one ring serves every batch.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Sequence
from typing import Any

from wgtensor.errors import BackendSourceError, DeviceLostError, DeviceOutOfMemoryError
from wgtensor.webgpu.engine import native_library
from wgtensor.webgpu.engine.base import (
    PARAMS_LIMIT,
    Binding,
    BufferKind,
    EngineFacts,
    EngineRequest,
    Ticket,
)
from wgtensor.webgpu.engine.fill import fill_parts, fill_source
from wgtensor.webgpu.engine.guard import (
    DRIVER_LOCK,
    FORKED,
    GROUPS_LIMIT,
    Guarded,
    check_live,
    check_process,
    check_range,
    check_size,
    refuse_dispatch,
)
from wgtensor.webgpu.engine.native_groups import BindGroups
from wgtensor.webgpu.engine.native_library import Events, ffi, lib
from wgtensor.webgpu.engine.native_objects import Buffer, Layout, MappableBuffer, Pipeline
from wgtensor.webgpu.engine.native_reads import NativePending, Staging
from wgtensor.webgpu.engine.waiting import until

__all__ = ["NativeEngine"]

RING_BYTES = 1 << 19
"""Size of the uniform ring: 2048 dispatches at 256 bytes; a fuller batch is submitted in parts."""

WRITE_BYTES = 64 << 20
"""Host bytes that may wait in the queue's staging memory before an empty submit lets it go."""

_STORAGE = BufferKind.STORAGE
_TENSOR = lib.WGPUBufferUsage_Storage | lib.WGPUBufferUsage_CopySrc | lib.WGPUBufferUsage_CopyDst

# Cached here: an attribute of ``lib`` costs as much as the call itself.
_set_group = lib.wgpuComputePassEncoderSetBindGroup
_set_pipeline = lib.wgpuComputePassEncoderSetPipeline
_dispatch = lib.wgpuComputePassEncoderDispatchWorkgroups
_create_buffer = lib.wgpuDeviceCreateBuffer
_release_buffer = lib.wgpuBufferRelease
_poll = lib.wgpuDevicePoll


class NativeEngine(Guarded):
    """A device and its queue through wgpu-native; see ``wgtensor.webgpu.engine.base`` for the contract."""

    def __init__(self, device: Any, facts: EngineFacts, events: Events) -> None:
        super().__init__()
        self.facts = facts
        self._device = device
        self._events = events
        self._queue = lib.wgpuDeviceGetQueue(device)
        self._closed = False
        self._encoder: Any = None
        self._pass: Any = None
        self._current: Any = None
        self._ticket = 0
        self._index = ffi.new("WGPUSubmissionIndex *")
        self._submitted: deque[tuple[Ticket, int]] = deque()
        self._done = native_library.done_callback(events)
        self._errors: list[str] = []
        self._written = 0
        self._layouts: dict[tuple[int, int], Layout] = {}
        self._groups = BindGroups(device)
        self._fill: Pipeline | None = None
        maps = facts.maps_storage
        self._storage_class = MappableBuffer if maps else Buffer
        self._storage_usage = _TENSOR | (lib.WGPUBufferUsage_MapRead if maps else 0)
        self._descriptor = ffi.new("WGPUBufferDescriptor *")
        self._max_buffer = facts.limits["max-buffer-size"]
        self._commands = ffi.new("WGPUCommandBuffer[1]")
        self._dynamic = ffi.new("uint32_t[1]")
        self._ring_mask = facts.limits["min-uniform-buffer-offset-alignment"] - 1
        self._ring_used = 0
        self._ring_bytes = memoryview(bytearray(RING_BYTES))
        self._ring_host = ffi.from_buffer(self._ring_bytes)
        self._ring = self.new_buffer(RING_BYTES, lib.WGPUBufferUsage_Uniform | lib.WGPUBufferUsage_CopyDst)
        self.staging = Staging(self, device, events)

    @classmethod
    def open(cls, request: EngineRequest) -> NativeEngine:
        """Make a device with the requested features and all limits of the adapter."""
        check_process()
        if request.timestamps and cls is NativeEngine:
            from wgtensor.webgpu.engine.native_timed import TimedNativeEngine  # noqa: PLC0415 - derives from us

            return TimedNativeEngine.open(request)
        events = Events()
        try:
            with DRIVER_LOCK:
                device = native_library.request_device(request.adapter, request.features, events)
        except RuntimeError as error:
            name = request.adapter.info.get("device", "the adapter")
            raise BackendSourceError(f"opening a device on {name} failed: {error}") from error
        limits = dict(request.adapter.limits)
        facts = EngineFacts(
            name="native",
            adapter_info={key: str(value) for key, value in request.adapter.info.items()},
            limits=limits,
            features=request.features,
            maps_storage="mappable-primary-buffers" in request.features,
            offset_alignment=limits["min-storage-buffer-offset-alignment"],
            checked=request.checked,
        )
        return cls(device, facts, events)

    @classmethod
    async def open_async(cls, request: EngineRequest) -> NativeEngine:
        """Awaitable twin of ``open``."""
        return await asyncio.to_thread(cls.open, request)

    @property
    def lost(self) -> str | None:  # type: ignore[override]  # Guarded's attribute: here callbacks set it
        """Why the device is lost, or None."""
        return self._events.lost

    # Buffers

    def buffer(self, nbytes: int, kind: BufferKind = BufferKind.STORAGE) -> Buffer:
        """Make a buffer; raises ``DeviceOutOfMemoryError`` if the driver refuses."""
        if nbytes <= 0 or nbytes & 3:
            check_size("buffer", nbytes)
        if kind is _STORAGE:
            return self._storage_class(self.new_buffer(nbytes, self._storage_usage), nbytes)
        return Buffer(self.new_buffer(nbytes, _TENSOR), nbytes)

    def new_buffer(self, nbytes: int, usage: int) -> Any:
        """Make a raw buffer of any usage."""
        events = self._events
        if events.lost is not None:
            self._refuse()
        if self._groups.stale:
            self._groups.drop()
        if nbytes > self._max_buffer:
            raise DeviceOutOfMemoryError(
                f"buffer needs at most {self._max_buffer} bytes on this adapter, got {nbytes}; split it"
            )
        before = len(events.errors)
        self._descriptor.size = nbytes
        self._descriptor.usage = usage
        raw = _create_buffer(self._device, self._descriptor)
        if len(events.errors) == before:
            return raw
        # The handle is invalid and would poison whatever uses it.
        _release_buffer(raw)
        message = events.errors.pop()
        self._refuse_if_lost()
        cause = MemoryError(message)
        raise DeviceOutOfMemoryError(f"the driver refused a buffer of {nbytes} bytes: {message}") from cause

    def release(self, handle: Buffer) -> None:
        """Give a buffer back; any thread."""
        raw, handle.raw = handle.raw, None
        check_live("release", raw)
        if not self._forked:
            self._groups.stale = self._groups.stale or handle.grouped
            _release_buffer(raw)

    # Pipelines

    def pipeline(self, wgsl: str, reads: int, writes: int) -> Pipeline:
        """Compile ``wgsl``; raises ``BackendSourceError`` with the compiler's message."""
        if self.unusable:
            self._refuse()
        layout = self._layouts.get((reads, writes))
        if layout is None:
            layout = self._layouts[reads, writes] = Layout(self._device, reads, writes, self._ring)
        errors = self._events.errors
        before = len(errors)
        module = native_library.shader_module(self._device, wgsl, self.facts.checked)
        raw = None
        if len(errors) == before:
            raw = native_library.compute_pipeline(self._device, module, layout.pipeline_layout)
        lib.wgpuShaderModuleRelease(module)
        if len(errors) == before:
            return Pipeline(raw, layout)
        message = "\n".join(errors[before:])
        del errors[before:]
        if raw is not None:
            lib.wgpuComputePipelineRelease(raw)
        self._refuse_if_lost()
        raise BackendSourceError(f"a kernel does not compile: {message}") from RuntimeError(message)

    # Recording

    def dispatch(
        self, pipeline: Pipeline, bindings: Sequence[Binding], params: bytes, groups: tuple[int, int, int]
    ) -> None:
        """Record one dispatch. The hot path: flat on purpose."""
        layout = pipeline.layout
        x, y, z = groups
        size = len(params)
        start = self._ring_used
        if (
            not (0 < x <= GROUPS_LIMIT and 0 < y <= GROUPS_LIMIT and 0 < z <= GROUPS_LIMIT)
            or not 16 <= size <= PARAMS_LIMIT
            or size & 15
            or len(bindings) != layout.count
        ):
            refuse_dispatch(layout.count, bindings, params, groups)
        if start > RING_BYTES - PARAMS_LIMIT:
            self._flush()
            start = 0
        kept = self._groups
        if kept.stale:
            kept.drop()
        try:
            group = kept.found.get((layout, size, *bindings)) or kept.make(layout, size, bindings)
        except TypeError:  # not hashable: nothing that this engine made
            refuse_dispatch(layout.count, bindings, params, groups)
        target = self._pass
        if target is None:
            target = self._begin_pass()
        if pipeline is not self._current:
            _set_pipeline(target, pipeline.raw)
            self._current = pipeline
        self._ring_bytes[start : start + size] = params
        self._dynamic[0] = start
        self._ring_used = (start + size + self._ring_mask) & ~self._ring_mask
        _set_group(target, 0, group, 1, self._dynamic)
        _dispatch(target, x, y, z)

    def copy(self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, nbytes: int) -> None:
        """Record a copy between two different buffers."""
        check_range("copy", source_offset, nbytes, source.nbytes)
        check_range("copy", target_offset, nbytes, target.nbytes)
        check_live("copy", source.raw, target.raw)
        lib.wgpuCommandEncoderCopyBufferToBuffer(
            self._outside_pass(), source.raw, source_offset, target.raw, target_offset, nbytes
        )

    def fill(self, target: Buffer, offset: int, nbytes: int, word: int) -> None:
        """Record a fill with a 32-bit word; zero is the driver's own clear."""
        check_range("fill", offset, nbytes, target.nbytes)
        check_live("fill", target.raw)
        if word == 0:
            lib.wgpuCommandEncoderClearBuffer(self._outside_pass(), target.raw, offset, nbytes)
            return
        if self._fill is None:
            self._fill = self.pipeline(fill_source(), 0, 1)
        for part in fill_parts(offset, nbytes, word, self.facts):
            self.dispatch(self._fill, [(target, part.offset, part.nbytes)], part.params, part.groups)

    def _open_encoder(self) -> Any:
        if self.unusable:
            self._refuse()
        self._encoder = lib.wgpuDeviceCreateCommandEncoder(self._device, ffi.NULL)
        return self._encoder

    def _begin_pass(self) -> Any:
        encoder = self._encoder if self._encoder is not None else self._open_encoder()
        self._pass = lib.wgpuCommandEncoderBeginComputePass(encoder, ffi.NULL)
        return self._pass

    def _end_pass(self) -> None:
        if self._pass is not None:
            lib.wgpuComputePassEncoderEnd(self._pass)
            lib.wgpuComputePassEncoderRelease(self._pass)
            self._pass = self._current = None

    def _outside_pass(self) -> Any:
        self._end_pass()
        return self._encoder if self._encoder is not None else self._open_encoder()

    # The queue

    def write(self, target: Buffer, offset: int, data: Any) -> None:
        """Write host bytes, ahead of everything recorded since the last submit."""
        if self.unusable:
            self._refuse()
        host = ffi.from_buffer(data)
        nbytes = len(host)
        check_range("write", offset, (nbytes + 3) & ~3, target.nbytes)
        check_live("write", target.raw)
        self.staging.detach()
        whole = nbytes & ~3
        for start in range(0, whole, WRITE_BYTES):
            self._write_part(target.raw, offset + start, host + start, min(WRITE_BYTES, whole - start))
        if nbytes & 3:
            tail = ffi.new("char[4]", bytes(ffi.buffer(host + whole, nbytes & 3)))
            self._write_part(target.raw, offset + whole, tail, 4)

    def _write_part(self, raw: Any, offset: int, host: Any, nbytes: int) -> None:
        lib.wgpuQueueWriteBuffer(self._queue, raw, offset, host, nbytes)
        self._written += nbytes
        if self._written >= WRITE_BYTES:
            # Pending writes are let go by a submit, even an empty one; the open batch is not touched. Waiting
            # for the one before bounds the bytes on their way.
            self._refuse_if_lost()
            previous = ffi.new("WGPUSubmissionIndex *", self._index[0])
            self._submit_commands(0)
            _poll(self._device, True, previous)

    def submit(self) -> Ticket:
        """Submit the open batch and pending writes, if any, and return the newest ticket."""
        if self._encoder is None and not self._written:
            if self.unusable:
                self._refuse()
            return self._ticket
        self._flush()
        self._ticket += 1
        self._submitted.append((self._ticket, self._index[0]))
        while self._submitted[0][0] <= self._events.finished:
            self._submitted.popleft()
        self._done.userdata2 = ffi.cast("void *", self._ticket)
        lib.wgpuQueueOnSubmittedWorkDone(self._queue, self._done[0])
        return self._ticket

    def _flush(self) -> bool:
        """Hand the open batch to the queue and tell whether it went there: not if its recording failed."""
        try:
            self._refuse_if_lost()
            self.staging.detach()
        except DeviceLostError:
            self._drop_batch()
            raise
        self._end_pass()
        if self._groups.stale:
            self._groups.drop()
        encoder, used = self._encoder, self._ring_used
        self._encoder, self._ring_used = None, 0
        if used:
            lib.wgpuQueueWriteBuffer(self._queue, self._ring, 0, self._ring_host, used)
        if encoder is not None and self.submit_encoder(encoder):
            return True
        self._take_errors()
        self._submit_commands(0)
        return False

    def submit_encoder(self, encoder: Any, known: int = 0) -> bool:
        """Finish an encoder and submit its commands, unless more than the ``known`` errors were reported."""
        commands = self._commands[0] = lib.wgpuCommandEncoderFinish(encoder, ffi.NULL)
        lib.wgpuCommandEncoderRelease(encoder)
        failed = len(self._events.errors) > known or self._events.lost is not None
        if not failed:
            self._submit_commands(1)
        lib.wgpuCommandBufferRelease(commands)
        if failed:
            self._groups.drop()  # one of them may be what the driver refused
            self._refuse_if_lost()
        return not failed

    def _refuse_if_lost(self) -> None:
        """Let the driver tell of a loss, which it does only when polled, and raise it."""
        if not self.unusable:
            _poll(self._device, False, ffi.NULL)
        if self.unusable:
            self._refuse()

    def _submit_commands(self, count: int) -> None:
        self._index[0] = lib.wgpuQueueSubmitForIndex(self._queue, count, self._commands)
        self._written = 0

    def _drop_batch(self) -> None:
        self._end_pass()
        if self._encoder is not None:
            lib.wgpuCommandEncoderRelease(self._encoder)
            self._encoder = None
        self._ring_used = 0

    def _take_errors(self) -> None:
        self._errors += self._events.errors
        self._events.errors.clear()

    def finished(self) -> Ticket:
        """Newest ticket whose work is done; never blocks; any thread."""
        if not (self._forked or self._closed):
            _poll(self._device, False, ffi.NULL)
        return self._events.finished

    def wait(self, ticket: Ticket) -> None:
        """Block until ``ticket`` is done."""
        if self.unusable:
            self._refuse()
        index = self._index_of(ticket)
        if index is not None:
            _poll(self._device, True, index)
        self._refuse_if_lost()

    async def wait_async(self, ticket: Ticket) -> None:
        """Awaitable twin of ``wait``."""
        newest = min(ticket, self._ticket)
        await until(lambda: self.unusable or self.finished() >= newest)
        self.wait(newest)

    def _index_of(self, ticket: Ticket) -> Any:
        """Return the submission to wait for, or None if the ticket is done."""
        if ticket > self._events.finished:
            for number, index in self._submitted:
                if number >= ticket:
                    return ffi.new("WGPUSubmissionIndex *", index)
        return None

    def read(self, source: Buffer, offset: int, nbytes: int) -> NativePending:
        """Submit, then start reading."""
        if self.unusable:
            self._refuse()
        check_range("read", offset, (nbytes + 3) & ~3, source.nbytes)
        check_live("read", source.raw)
        self.submit()
        return self.staging.read(source, offset, nbytes)

    def timestamps(self, ticket: Ticket) -> Sequence[tuple[int, int]]:
        """Return nothing: this device was opened without ``EngineRequest.timestamps``."""
        return ()

    def errors(self) -> list[str]:
        """Return and clear the captured errors."""
        if self._encoder is None:
            self._take_errors()
        taken, self._errors = self._errors, []
        return taken

    def _abandon(self) -> None:
        super()._abandon()
        self._events.lost = FORKED  # one flag to check on the hot path; ``_refuse`` tells the two apart
        self._groups.abandon()
        self._encoder = self._pass = None

    def close(self) -> None:
        """Destroy the device. Idempotent."""
        if self._closed or self._forked:
            return
        self._closed = True
        self._drop_batch()
        self._groups.drop()
        self.staging.close()
        lib.wgpuDeviceDestroy(self._device)
        self._events.lost = self._events.lost or "closed"

    def __del__(self) -> None:
        # Only here, when no thread can be polling: the handles of the device itself.
        if self._forked or sys.is_finalizing():
            return
        self.close()
        self.staging.close()
        for layout in self._layouts.values():
            lib.wgpuPipelineLayoutRelease(layout.pipeline_layout)
            lib.wgpuBindGroupLayoutRelease(layout.raw)
        _release_buffer(self._ring)
        lib.wgpuQueueRelease(self._queue)
        lib.wgpuDeviceRelease(self._device)
