"""The engine over wgpu-py's public interface: slower, and works wherever wgpu does.

Bind groups are expensive here, so they are cached by what they bind and dropped with their buffers. Each
submit carries a fence, four bytes that are copied and mapped: wgpu-py tells of finished work in no other way.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Generator, Sequence
from typing import Any, NoReturn

import wgpu

from wgtensor.errors import BackendSourceError, DeviceOutOfMemoryError
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
    Guarded,
    check_dispatch,
    check_live,
    check_process,
    check_range,
    check_size,
)
from wgtensor.webgpu.engine.waiting import until

__all__ = ["PortableEngine"]

RING_BYTES = 1 << 18
WRITE_BYTES = 64 << 20
GROUPS_KEPT = 4096
"""Bind groups in the cache before it is emptied."""

_ANY_USE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
_STAGING = wgpu.BufferUsage.MAP_READ | wgpu.BufferUsage.COPY_DST


class _Buffer:
    """A device buffer, None once released, and the cache keys of the bind groups that hold it."""

    __slots__ = ("groups", "nbytes", "raw")

    def __init__(self, raw: Any, nbytes: int) -> None:
        self.raw = raw
        self.nbytes = nbytes
        self.groups: list[Any] = []


class _Pipeline:
    """A compute pipeline with its bind group layout and number of storage bindings."""

    __slots__ = ("count", "layout", "raw")

    def __init__(self, raw: Any, layout: Any, count: int) -> None:
        self.raw = raw
        self.layout = layout
        self.count = count


class _Pending:
    """A read in flight: a staging buffer that is being mapped."""

    def __init__(self, engine: PortableEngine, staging: Any, nbytes: int) -> None:
        self._engine = engine
        self._staging = staging
        self._nbytes = nbytes
        self._bytes: bytearray | None = None
        self._promise = staging.map_async(wgpu.MapMode.READ)

    @property
    def ready(self) -> bool:
        """Whether ``result`` would return at once."""
        return self._bytes is not None or _settled(self._promise)

    def result(self) -> bytearray:
        """Block until the bytes are there and return them."""
        if self._bytes is None:
            if self._engine.unusable:
                self._engine._refuse()
            try:
                self._promise.sync_wait()
                arrived = bytearray(self._staging.read_mapped(copy=False))
                self._staging.unmap()
            except Exception as error:
                self._engine._refuse_after(error, "reading a buffer")
            del arrived[self._nbytes :]
            self._bytes = arrived
        return self._bytes

    def __await__(self) -> Generator[Any, None, bytearray]:
        """Wait without blocking the event loop."""
        yield from until(lambda: self.ready).__await__()
        return self.result()


class PortableEngine(Guarded):
    """A device and its queue through wgpu-py; see ``wgtensor.webgpu.engine.base`` for the contract."""

    def __init__(self, device: Any, facts: EngineFacts) -> None:
        super().__init__()
        self.facts = facts
        self.device = device
        self._queue = device.queue
        self._encoder: Any = None
        self._pass: Any = None
        self._ticket = 0
        self._finished = 0
        self._fences: deque[tuple[Ticket, _Pending]] = deque()
        self._fence_lock = threading.Lock()
        self._errors: list[str] = []
        self._failed = False
        self._written = 0
        self._layouts: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._groups: dict[Any, Any] = {}
        self._fill: _Pipeline | None = None
        self._ring = device.create_buffer(size=RING_BYTES, usage=wgpu.BufferUsage.UNIFORM | _ANY_USE)
        self._ring_mask = facts.limits["min-uniform-buffer-offset-alignment"] - 1
        self._ring_bytes = bytearray(RING_BYTES)
        self._ring_used = 0

    @classmethod
    def open(cls, request: EngineRequest) -> PortableEngine:
        """Make a device with the requested features and all limits of the adapter."""
        check_process()
        adapter = request.adapter
        try:
            with DRIVER_LOCK:
                device = adapter.request_device_sync(required_features=sorted(request.features))
        except Exception as error:
            name = adapter.info.get("device", "the adapter")
            raise BackendSourceError(f"opening a device on {name} failed: {error}") from error
        return cls.from_device(device)

    @classmethod
    def from_device(cls, device: Any) -> PortableEngine:
        """Work on a device that another wgpu program made; its buffers and ours can be used together."""
        check_process()
        info, limits = device.adapter.info, dict(device.limits)
        facts = EngineFacts(
            name="portable",
            adapter_info={key: str(value) for key, value in info.items()},
            limits=limits,
            features=frozenset(device.features),
            offset_alignment=limits["min-storage-buffer-offset-alignment"],
            checked=True,
        )
        return cls(device, facts)

    @classmethod
    async def open_async(cls, request: EngineRequest) -> PortableEngine:
        """Awaitable twin of ``open``."""
        return await asyncio.to_thread(cls.open, request)

    # Buffers and pipelines

    def buffer(self, nbytes: int, kind: BufferKind = BufferKind.STORAGE) -> _Buffer:
        """Make a buffer; raises ``DeviceOutOfMemoryError`` if the driver refuses."""
        check_size("buffer", nbytes)
        if self.unusable:
            self._refuse()
        return _Buffer(self._new_buffer(nbytes, _ANY_USE), nbytes)

    def _new_buffer(self, nbytes: int, usage: int) -> Any:
        try:
            return self.device.create_buffer(size=nbytes, usage=usage)
        except wgpu.GPUError as error:
            self._note_loss(error)
            if self.unusable:
                self._refuse()
            raise DeviceOutOfMemoryError(f"the driver refused a buffer of {nbytes} bytes: {error}") from error

    def release(self, handle: _Buffer) -> None:
        """Give a buffer back; any thread."""
        check_live("release", handle.raw)
        # Not destroyed: recorded work may still use it, wgpu frees it after that.
        handle.raw = None
        for key in handle.groups:
            self._groups.pop(key, None)

    def pipeline(self, wgsl: str, reads: int, writes: int) -> _Pipeline:
        """Compile ``wgsl``; raises ``BackendSourceError`` with the compiler's message."""
        if self.unusable:
            self._refuse()
        try:
            group_layout, layout = self._layout(reads, writes)
            module = self.device.create_shader_module(code=wgsl)
            raw = self.device.create_compute_pipeline(layout=layout, compute={"module": module, "entry_point": "main"})
        except Exception as error:
            self._refuse_after(error, "compiling a kernel")
        return _Pipeline(raw, group_layout, reads + writes)

    def _layout(self, reads: int, writes: int) -> tuple[Any, Any]:
        known = self._layouts.get((reads, writes))
        if known is None:
            kinds = ["read-only-storage"] * reads + ["storage"] * writes
            buffers = [{"type": kind} for kind in kinds] + [{"type": "uniform", "has_dynamic_offset": True}]
            group_layout = self.device.create_bind_group_layout(
                entries=[
                    {"binding": i, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": buffer}
                    for i, buffer in enumerate(buffers)
                ]
            )
            layout = self.device.create_pipeline_layout(bind_group_layouts=[group_layout])
            known = self._layouts[reads, writes] = group_layout, layout
        return known

    # Recording

    def dispatch(
        self, pipeline: _Pipeline, bindings: Sequence[Binding], params: bytes, groups: tuple[int, int, int]
    ) -> None:
        """Record one dispatch."""
        check_dispatch(pipeline.count, bindings, params, groups)
        if self.unusable:
            self._refuse()
        if self._ring_used > RING_BYTES - PARAMS_LIMIT:
            self._flush()
        try:
            group = self._group(pipeline, tuple(bindings), len(params))
        except wgpu.GPUError as error:
            self._fail(error)
            return
        if self._pass is None:
            self._pass = self._open_encoder().begin_compute_pass()
        start, end = self._ring_used, self._ring_used + len(params)
        self._ring_bytes[start:end] = params
        self._ring_used = (end + self._ring_mask) & ~self._ring_mask
        self._pass.set_pipeline(pipeline.raw)
        self._pass.set_bind_group(0, group, [start], 0, 1)
        self._pass.dispatch_workgroups(*groups)

    def _group(self, pipeline: _Pipeline, bindings: tuple[Binding, ...], size: int) -> Any:
        key = (pipeline.layout, bindings, size)
        group = self._groups.get(key)
        if group is None:
            ranges = [
                *((buffer.raw, start, nbytes) for buffer, start, nbytes in bindings),
                (self._ring, 0, size),
            ]
            group = self.device.create_bind_group(
                layout=pipeline.layout,
                entries=[
                    {"binding": i, "resource": {"buffer": raw, "offset": start, "size": nbytes}}
                    for i, (raw, start, nbytes) in enumerate(ranges)
                ],
            )
            if len(self._groups) >= GROUPS_KEPT:
                self._groups.clear()
            self._groups[key] = group
            for buffer, _, _ in bindings:
                buffer.groups.append(key)
        return group

    def copy(self, source: _Buffer, source_offset: int, target: _Buffer, target_offset: int, nbytes: int) -> None:
        """Record a copy between two different buffers."""
        check_range("copy", source_offset, nbytes, source.nbytes)
        check_range("copy", target_offset, nbytes, target.nbytes)
        check_live("copy", source.raw, target.raw)
        self._outside_pass().copy_buffer_to_buffer(source.raw, source_offset, target.raw, target_offset, nbytes)

    def fill(self, target: _Buffer, offset: int, nbytes: int, word: int) -> None:
        """Record a fill with a 32-bit word."""
        check_range("fill", offset, nbytes, target.nbytes)
        check_live("fill", target.raw)
        if word == 0:
            self._outside_pass().clear_buffer(target.raw, offset, nbytes)
            return
        if self._fill is None:
            self._fill = self.pipeline(fill_source(), 0, 1)
        for part in fill_parts(offset, nbytes, word, self.facts):
            self.dispatch(self._fill, [(target, part.offset, part.nbytes)], part.params, part.groups)

    def _open_encoder(self) -> Any:
        if self.unusable:
            self._refuse()
        if self._encoder is None:
            self._encoder = self.device.create_command_encoder()
        return self._encoder

    def _outside_pass(self) -> Any:
        encoder = self._open_encoder()
        if self._pass is not None:
            self._pass.end()
            self._pass = None
        return encoder

    def _fail(self, error: Exception) -> None:
        """Note an error of the open batch, which is then dropped at its submit."""
        self._open_encoder()
        self._failed = True
        self._errors.append(str(error))
        self._note_loss(error)

    # The queue

    def write(self, target: _Buffer, offset: int, data: Any) -> None:
        """Write host bytes, ahead of everything recorded since the last submit."""
        if self.unusable:
            self._refuse()
        host = memoryview(data).cast("B")
        whole = host.nbytes & ~3
        check_range("write", offset, (host.nbytes + 3) & ~3, target.nbytes)
        check_live("write", target.raw)
        for start in range(0, whole, WRITE_BYTES):
            self._write_part(target.raw, offset + start, host[start : min(start + WRITE_BYTES, whole)])
        if whole < host.nbytes:
            self._write_part(target.raw, offset + whole, memoryview(bytes(host[whole:]).ljust(4, b"\0")))

    def _write_part(self, raw: Any, offset: int, part: memoryview) -> None:
        try:
            self._queue.write_buffer(raw, offset, part)
        except wgpu.GPUError as error:
            self._refuse_after(error, "writing a buffer")
        self._written += part.nbytes
        if self._written >= WRITE_BYTES:
            # Pending writes are let go by a submit, even an empty one; the open batch is not touched.
            self._queue.submit([])
            self._written = 0

    def submit(self) -> Ticket:
        """Submit the open batch and pending writes, if any, and return the newest ticket."""
        if self.unusable:
            self._refuse()
        if self._encoder is not None or self._written:
            fence = self._new_buffer(4, _STAGING)
            self._flush(fence)
            self._ticket += 1
            self._fences.append((self._ticket, _Pending(self, fence, 4)))
        return self._ticket

    def _flush(self, fence: Any = None) -> None:
        """Hand the open batch to the queue, or drop it if its recording failed; then the fence, if any."""
        encoder = self._outside_pass()
        failed, used = self._failed, self._ring_used
        self._encoder, self._failed, self._ring_used, self._written = None, False, 0, 0
        commands = []
        try:
            if used:
                self._queue.write_buffer(self._ring, 0, self._ring_bytes, 0, used)
            if not failed:
                commands.append(encoder.finish())
        except wgpu.GPUError as error:
            self._errors.append(str(error))
            self._note_loss(error)
            if self.unusable:
                self._refuse()
        if fence is not None:
            tail = self.device.create_command_encoder()
            tail.copy_buffer_to_buffer(self._ring, 0, fence, 0, 4)
            commands.append(tail.finish())
        self._queue.submit(commands)

    def finished(self) -> Ticket:
        """Newest ticket whose work is done; never blocks; any thread."""
        if self.unusable:
            return self._finished
        with self._fence_lock:
            while self._fences and self._fences[0][1].ready:
                ticket, fence = self._fences.popleft()
                fence.result()
                self._finished = ticket
        return self._finished

    def wait(self, ticket: Ticket) -> None:
        """Block until ``ticket`` is done."""
        if self.unusable:
            self._refuse()
        for number, fence in tuple(self._fences):
            if number <= ticket:
                fence.result()
        self.finished()

    async def wait_async(self, ticket: Ticket) -> None:
        """Awaitable twin of ``wait``."""
        for number, fence in tuple(self._fences):
            if number <= ticket:
                await fence
        self.finished()

    def read(self, source: _Buffer, offset: int, nbytes: int) -> _Pending:
        """Submit, then start reading through a staging buffer."""
        if self.unusable:
            self._refuse()
        padded = (nbytes + 3) & ~3
        check_range("read", offset, padded, source.nbytes)
        check_live("read", source.raw)
        self.submit()
        staging = self._new_buffer(padded, _STAGING)
        encoder = self.device.create_command_encoder()
        encoder.copy_buffer_to_buffer(source.raw, offset, staging, 0, padded)
        self._queue.submit([encoder.finish()])
        return _Pending(self, staging, nbytes)

    def timestamps(self, ticket: Ticket) -> Sequence[tuple[int, int]]:
        """Empty: wgpu-py does not tell how long a timestamp's tick is."""
        return ()

    def errors(self) -> list[str]:
        """Return and clear the captured errors."""
        taken, self._errors = self._errors, []
        return taken

    def close(self) -> None:
        """Destroy the device. Idempotent."""
        if self.lost is None and not self._forked:
            self.lost = "closed"
            self._encoder = self._pass = None
            self.device.destroy()

    def _note_loss(self, error: Exception) -> None:
        if "lost" in str(error).lower():
            self.lost = self.lost or str(error)

    def _refuse_after(self, error: Exception, doing: str) -> NoReturn:
        """Raise the typed error for one that wgpu-py raised."""
        self._note_loss(error)
        if self.unusable:
            self._refuse()
        raise BackendSourceError(f"{doing} failed: {error}") from error


def _settled(promise: Any) -> bool:
    # wgpu-py has no public way to ask without waiting.
    return bool(promise._state != "pending")
