"""The open batch of a runtime, and the queue that it is submitted to.

Recorded work is submitted after a bounded number of dispatches or amount of work, and whenever somebody asks. A batch
that the driver refuses is dropped: its results are poisoned, and the error names its operations. Callers hold ``lock``.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wgtensor.errors import BackendSourceError, DeviceLostError
from wgtensor.webgpu.counters import Counters
from wgtensor.webgpu.engine.base import Engine
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.pool import BufferPool
from wgtensor.webgpu.storage import DeviceStorage, Poison
from wgtensor.webgpu.window import names_of

__all__ = ["BatchQueue"]

_MOST_DISPATCHES: Final = 128
_MOST_WORK: Final = {True: 1 << 30, False: 1 << 34}
"""Work units (multiply-adds, element visits) of one submit on software adapters and on others: well under a second."""

Batch: TypeAlias = list[tuple[str | list[int], Sequence["weakref.ref[DeviceStorage]"]]]
"""What the open batch holds: each entry's name, or its window's key, and its results."""


class BatchQueue:
    """The open batch, and what must happen when it is submitted.

    Attributes
    ----------
    lock
        Held by callers.
    lost
        Why the device is lost, or None.

    Parameters
    ----------
    engine, pool, counters, facts
        The runtime's parts.
    """

    def __init__(self, engine: Engine, pool: BufferPool, counters: Counters, facts: AdapterFacts) -> None:
        self.lock: Final = threading.RLock()
        self.lost: str | None = None
        self._engine: Final = engine
        self._pool: Final = pool
        self._counters: Final = counters
        self._batch: Batch = []
        self._dispatches = 0
        self._work = 0
        self._most_work: Final = _MOST_WORK[facts.software]
        self._ticket = 0

    def _recorded(
        self,
        name: str | list[int],
        results: Sequence[weakref.ref[DeviceStorage]],
        work: int,
        dispatches: int = 1,
    ) -> None:
        self._batch.append((name, results))
        self._counters.dispatches += dispatches
        self._dispatches += dispatches
        self._work += work
        if self._dispatches >= _MOST_DISPATCHES or self._work >= self._most_work:
            self.submit()

    def submit(self) -> int:
        """Submit the open batch and return its ticket.

        Raises
        ------
        DeviceLostError
            The device is lost; sticky.
        BackendSourceError
            The batch was refused and dropped: its results are poisoned, the text names its operations.
        """
        self.check_alive("submit")
        batch, self._batch = self._batch, []
        self._dispatches = self._work = 0
        self._pool.drain()
        self._pool.batch += 1
        try:
            ticket = self._engine.submit()
        except DeviceLostError as error:
            self.lost = str(error)
            raise
        if ticket != self._ticket:
            self._ticket = ticket
            self._counters.submits += 1
        errors = self._engine.errors()
        if errors:
            self._drop(batch, errors)
        return ticket

    def _read(self, storage: DeviceStorage, offset: int, nbytes: int) -> bytearray:
        """Return bytes of a settled storage; the one place through which the host reads device memory."""
        self._counters.host_reads += 1
        self._counters.bytes_down += nbytes
        try:
            return self._engine.read(storage.handle, offset, nbytes).result()
        except DeviceLostError as error:
            self.lost = str(error)
            raise

    def write(self, storage: DeviceStorage, data: NDArray[np.uint8]) -> None:
        """Write host bytes to storage that no recorded work uses (allocated ``for_host_write``)."""
        self.check_alive("upload_host_tensor")
        self._counters.bytes_up += data.nbytes
        self._engine.write(storage.handle, 0, data)

    def check_alive(self, operation: str) -> None:
        """Raise ``DeviceLostError`` once the device is known to be lost."""
        if self.lost is None and self._engine.lost is not None:
            self.lost = self._engine.lost
        if self.lost is not None:
            raise DeviceLostError(
                f"{operation} needs a working device, but it is lost ({self.lost}); "
                "make a new WebGpuRuntime (the next new array opens its device anew) and upload again"
            )

    def _drop(self, batch: Batch, errors: list[str]) -> None:
        """Poison the results of a refused batch and raise the error that names its operations."""
        names = [entry if isinstance(entry, str) else names_of(entry) for entry, _ in batch]
        text = f"a batch was refused and dropped; it held {', '.join(dict.fromkeys(names))}: {errors[0]}"
        self._poison([ref for _, refs in batch for ref in refs], text)
        raise BackendSourceError(text) from RuntimeError("\n".join(errors))

    def _poison(self, refs: Iterable[weakref.ref[DeviceStorage]], text: str) -> None:
        poison = Poison(text)
        for ref in refs:
            storage = ref()
            if storage is not None:
                storage.window = poison
