"""The buffer pool: size classes, reuse, a byte budget and trimming.

Buffers come in four size classes per octave, so a tensor holds at most 1.25 times its bytes. A returned buffer carries
the number of the batch in which it was returned. A *device* result may take any entry, since queue order makes the
reuse safe; a *host* write takes only an entry that is older than the open batch, because a write overtakes recorded
work.

Together, live and waiting buffers never hold more than the live bytes did at their peak: before a new buffer is made,
waiting ones that would exceed it are given back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from wgtensor.errors import DeviceOutOfMemoryError
from wgtensor.tensor import Placement
from wgtensor.webgpu.counters import Counters
from wgtensor.webgpu.engine.base import Binding, BufferKind, Engine, Handle
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.storage import DeviceStorage

__all__ = ["BufferPool", "PoolStats", "size_class"]

_SMALLEST: Final = 256


def size_class(nbytes: int, limit: int) -> int:
    """Return the bytes of the buffer that holds ``nbytes``: the next of four classes per octave.

    Examples
    --------
    >>> [size_class(n, 1 << 30) for n in (1, 1025, 5 << 20, (5 << 20) + 1)]
    [256, 1280, 5242880, 6291456]
    """
    step = max(_SMALLEST, 1 << max((nbytes - 1).bit_length() - 3, 0))
    rounded = -(-nbytes // step) * step
    return rounded if rounded <= limit else -(-nbytes // _SMALLEST) * _SMALLEST


@dataclass(frozen=True, slots=True)
class PoolStats:
    """Entries and bytes that wait for reuse; reuses, buffers made and buffers given back so far."""

    entries: int
    bytes: int
    reused: int
    made: int
    trimmed: int


class BufferPool:
    """Hands out storage with buffers of an engine, and takes the buffers back; callers hold the runtime's lock.

    Parameters
    ----------
    engine
        Makes and releases the buffers.
    counters
        Where live, pool and peak bytes are kept.
    budget
        Most bytes to hold, or None for no limit but the driver's.
    facts
        The adapter's buffer and binding limits.
    placement
        The one placement of this runtime's tensors.
    flush
        Called before giving up: submits and waits, so that the driver can reclaim what was given back.
    """

    def __init__(
        self,
        engine: Engine,
        counters: Counters,
        budget: int | None,
        facts: AdapterFacts,
        placement: Placement,
        flush: Callable[[], None],
    ) -> None:
        self.budget = budget
        self.returns: deque[tuple[Binding, int]] = deque()
        self.batch = 1
        self._engine = engine
        self._counters = counters
        self._buffer_limit = facts.buffer_limit
        self._binding_limit = facts.binding_limit
        self.placement = placement
        self._flush = flush
        self._classes: dict[int, int] = {}
        # Every buffer that was made and not given back: a storage in a reference cycle must not take its buffer along.
        self._handles: set[Handle] = set()
        self._waiting: dict[int, list[tuple[Binding, int]]] = {}
        self._live_peak = 0
        self._reused = self._made = self._trimmed = 0

    def allocate(self, nbytes: int, for_host_write: bool = False) -> DeviceStorage:
        """Return storage with a buffer (none for 0 bytes); its contents are arbitrary."""
        storage = DeviceStorage(self, nbytes)
        if nbytes:
            self.attach(storage, for_host_write)
        return storage

    def attach(self, storage: DeviceStorage, for_host_write: bool = False) -> Binding:
        """Give a promised storage its buffer, unless it has one, and return the binding.

        Raises
        ------
        DeviceOutOfMemoryError
            The budget or the driver does not allow it, even after trimming.
        """
        if storage.bound is not None:
            return storage.bound
        if self.returns:
            self.drain()
        capacity = self._classes.get(storage.nbytes)
        if capacity is None:
            capacity = self._classes[storage.nbytes] = size_class(storage.nbytes, self._buffer_limit)
        counters = self._counters
        waiting = self._waiting.get(capacity)
        if waiting and not (for_host_write and waiting[0][1] >= self.batch):
            bound = (waiting.pop(0) if for_host_write else waiting.pop())[0]
            counters.pool_bytes -= capacity
            self._reused += 1
        else:
            bound = (self._make(capacity), 0, min(capacity, self._binding_limit))
        counters.live_bytes = live = counters.live_bytes + capacity
        self._live_peak = max(self._live_peak, live)
        storage.capacity = capacity
        storage.bound = bound
        return bound

    def stats(self) -> PoolStats:
        """Return what waits and what happened."""
        self.drain()
        entries = sum(len(waiting) for waiting in self._waiting.values())
        return PoolStats(entries, self._counters.pool_bytes, self._reused, self._made, self._trimmed)

    def trim(self, keep_bytes: int = 0) -> None:
        """Give waiting buffers back to the driver, largest first, until at most ``keep_bytes`` wait."""
        self.drain()
        for capacity in sorted(self._waiting, reverse=True):
            waiting = self._waiting[capacity]
            while waiting and self._counters.pool_bytes > keep_bytes:
                self._release(waiting.pop(0)[0][0])
                self._counters.pool_bytes -= capacity
                self._trimmed += 1

    def reset_peak(self) -> None:
        """Start peaks anew from what is live now; waiting buffers are given back."""
        self.trim()
        self._live_peak = self._counters.peak_bytes = self._counters.live_bytes

    def drain(self) -> None:
        """Take in the buffers of storage that was dropped since the last call."""
        returns, waiting, counters = self.returns, self._waiting, self._counters
        while returns:
            bound, capacity = returns.popleft()
            kept = waiting.get(capacity)
            if kept is None:
                kept = waiting[capacity] = []
            kept.append((bound, self.batch))
            counters.live_bytes -= capacity
            counters.pool_bytes += capacity

    def _make(self, capacity: int) -> Handle:
        live = self._counters.live_bytes
        allowed = max(self._live_peak, live + capacity)
        if live + capacity + self._counters.pool_bytes > allowed:
            self.trim(allowed - live - capacity)
        if self._over_budget(capacity):
            self.trim()
            self._flush()
            self.trim()
        if self._over_budget(capacity):
            raise DeviceOutOfMemoryError(self._refusal(capacity))
        handle = self._create(capacity)
        self._handles.add(handle)
        self._made += 1
        held = live + capacity + self._counters.pool_bytes
        self._counters.peak_bytes = max(self._counters.peak_bytes, held)
        return handle

    def _release(self, handle: Handle) -> None:
        self._handles.discard(handle)
        self._engine.release(handle)

    def _over_budget(self, capacity: int) -> bool:
        counters = self._counters
        return self.budget is not None and counters.live_bytes + counters.pool_bytes + capacity > self.budget

    def _create(self, capacity: int) -> Handle:
        try:
            return self._engine.buffer(capacity, BufferKind.STORAGE)
        except DeviceOutOfMemoryError:
            self.trim()
            self._flush()
            return self._engine.buffer(capacity, BufferKind.STORAGE)

    def _refusal(self, capacity: int) -> str:
        return (
            f"allocation of {capacity} bytes exceeds the byte budget: {self._counters.live_bytes} of {self.budget} "
            "bytes are held by live tensors; drop some, work in smaller pieces (einsum: memory_limit), "
            "or raise WGTENSOR_MEMORY_LIMIT"
        )
