"""The native engine with a clock: every dispatch runs in a compute pass of its own, between two timestamps.

Slower to record and for the device, so it is opened only on request (``EngineRequest.timestamps``).
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import unpack
from typing import Any

from wgtensor.webgpu.engine.base import Binding, EngineFacts, Ticket
from wgtensor.webgpu.engine.native import NativeEngine
from wgtensor.webgpu.engine.native_library import Events, ffi, lib
from wgtensor.webgpu.engine.native_reads import NativePending

__all__ = ["TimedNativeEngine"]

DISPATCHES = 1024
"""Dispatches timed in one go: two queries each, of at most 4096 in a set."""

KEPT_TICKETS = 64
"""Tickets whose times are kept until somebody asks."""


class TimedNativeEngine(NativeEngine):
    """A ``NativeEngine`` whose ``timestamps`` tells."""

    def __init__(self, device: Any, facts: EngineFacts, events: Events) -> None:
        super().__init__(device, facts, events)
        queries = ffi.new("WGPUQuerySetDescriptor *")
        queries.type, queries.count = lib.WGPUQueryType_Timestamp, 2 * DISPATCHES
        self._queries = lib.wgpuDeviceCreateQuerySet(device, queries)
        usage = lib.WGPUBufferUsage_QueryResolve | lib.WGPUBufferUsage_CopySrc
        self._resolved = self.new_buffer(16 * DISPATCHES, usage)
        self._period = lib.wgpuQueueGetTimestampPeriod(self._queue)
        self._stamps = ffi.new("WGPUPassTimestampWrites *")
        self._stamps.querySet = self._queries
        self._timed_pass = ffi.new("WGPUComputePassDescriptor *")
        self._timed_pass.timestampWrites = self._stamps
        self._timed = 0
        self._open_reads: list[NativePending] = []
        self._reads: dict[Ticket, list[NativePending]] = {}

    def dispatch(self, pipeline: Any, bindings: Sequence[Binding], params: bytes, groups: tuple[int, int, int]) -> None:
        """Record one dispatch in a pass of its own."""
        if self._timed == DISPATCHES:
            self._flush()
        super().dispatch(pipeline, bindings, params, groups)
        self._end_pass()

    def submit(self) -> Ticket:
        """Submit, and keep the times under the ticket."""
        ticket = super().submit()
        if self._open_reads:
            self._reads[ticket], self._open_reads = self._open_reads, []
            while len(self._reads) > KEPT_TICKETS:
                self.timestamps(next(iter(self._reads)))
        return ticket

    def timestamps(self, ticket: Ticket) -> Sequence[tuple[int, int]]:
        """Return start and end of each dispatch of a ticket in nanoseconds, once; waits for it."""
        ticks: list[int] = []
        for read in self._reads.pop(ticket, []):
            raw = read.result()
            ticks += unpack(f"<{len(raw) // 8}Q", raw)
        times = [round(tick * self._period) for tick in ticks]
        return list(zip(times[::2], times[1::2], strict=True))

    def _begin_pass(self) -> Any:
        self._stamps.beginningOfPassWriteIndex = 2 * self._timed
        self._stamps.endOfPassWriteIndex = 2 * self._timed + 1
        self._timed += 1
        encoder = self._encoder if self._encoder is not None else self._open_encoder()
        self._pass = lib.wgpuCommandEncoderBeginComputePass(encoder, self._timed_pass)
        return self._pass

    def _flush(self) -> bool:
        count, self._timed = self._timed, 0
        if count and self._encoder is not None:
            lib.wgpuCommandEncoderResolveQuerySet(self._encoder, self._queries, 0, 2 * count, self._resolved, 0)
        submitted = super()._flush()
        if submitted and count:
            self._open_reads.append(self.staging.copy_out(self._resolved, 0, 16 * count))
        return submitted

    def __del__(self) -> None:
        super().__del__()
        if not self._forked:
            lib.wgpuBufferRelease(self._resolved)
            lib.wgpuQuerySetRelease(self._queries)
