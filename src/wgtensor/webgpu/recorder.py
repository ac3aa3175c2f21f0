"""The recorder: one open batch per runtime, fusion windows before it, launch plans in it.

Operations of sessions and arrays arrive in program order. Elementwise ones wait in windows; everything else first
closes the windows that it depends on and is then recorded into the engine's open batch. A batch is submitted after a
bounded number of dispatches or amount of work, on reads, on ``synchronize`` and when a session closes. Callers hold
``lock``.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wgtensor.errors import BackendSourceError, DeviceLostError, UnsupportedError
from wgtensor.tensor import DType, Shape, Tensor
from wgtensor.webgpu.counters import Counters
from wgtensor.webgpu.engine.base import Engine
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernel_cache import CompiledPlan, KernelCache
from wgtensor.webgpu.kernels.elementwise.geometry import with_scalars
from wgtensor.webgpu.kernels.elementwise.rows import ROWS, FusedRow
from wgtensor.webgpu.pool import BufferPool
from wgtensor.webgpu.prologue import WindowReduction
from wgtensor.webgpu.storage import DeviceStorage, Poison
from wgtensor.webgpu.window import (
    SCALAR,
    VALUE,
    FusionWindow,
    names_of,
    operations,
    partition,
    scalar_bytes,
    sub_window,
)

__all__ = ["Recorder", "WindowLimits", "too_large"]

_MOST_DISPATCHES: Final = 128
_MOST_WORK: Final = {True: 1 << 30, False: 1 << 34}
"""Work units (multiply-adds, element visits) of one submit on software adapters and on others: well under a second."""
_MOST_WEIGHT: Final = 24
_MOST_SCALARS: Final = 24
_MOST_LEAVES: Final = 16
"""More would only make kernels dearer to compile: some adapters bind a million buffers."""
_BIG_RESULT: Final = 1 << 20
# A leaf that only its window holds: the window's list, its slot key, the loop variable and getrefcount's argument.
_WINDOW_ONLY: Final = 4


Batch: TypeAlias = list[tuple[str | list[int], Sequence["weakref.ref[DeviceStorage]"]]]
"""What the open batch holds: each entry's name, or its window's key, and its results."""


def too_large(operation: str, nbytes: int, limit: int) -> UnsupportedError:
    """Return the error of a tensor that no kernel can bind."""
    return UnsupportedError(
        f"{operation} needs tensors of at most {limit} bytes on this adapter (max-storage-buffer-binding-size), "
        f"got one of {nbytes}; work on slices of it (upload them one by one, or copy rows out with to_contiguous)"
    )


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """When a window closes by itself.

    Attributes
    ----------
    weight
        Weighted operations; 1 closes after each.
    leaves, scalars
        Stored operands and host numbers.
    buffers
        Storage buffers of one kernel; what is more is cut in program order.
    """

    weight: int
    leaves: int
    scalars: int
    buffers: int

    @staticmethod
    def of(facts: AdapterFacts) -> WindowLimits:
        """Return the limits of an adapter; ``WGTENSOR_FUSE=0`` makes every window hold one operation."""
        weight = _MOST_WEIGHT if os.environ.get("WGTENSOR_FUSE", "1") != "0" else 1
        leaves = max(3, min(_MOST_LEAVES, facts.storage_buffers // 2))
        return WindowLimits(weight, leaves, _MOST_SCALARS, facts.storage_buffers)


class Recorder:
    """Windows, the open batch, and what must happen when it is submitted.

    Parameters
    ----------
    engine, pool, kernels, counters, facts
        The runtime's parts.
    """

    def __init__(
        self,
        engine: Engine,
        pool: BufferPool,
        kernels: KernelCache,
        counters: Counters,
        facts: AdapterFacts,
    ) -> None:
        self.lock: Final = threading.RLock()
        self.lost: str | None = None
        self.limits = WindowLimits.of(facts)
        self._engine: Final = engine
        self._pool: Final = pool
        self._kernels: Final = kernels
        self._counters: Final = counters
        self._facts: Final = facts
        self._binding_limit: Final = facts.binding_limit
        self._windows: dict[Shape, FusionWindow] = {}
        self._batch: Batch = []
        self._dispatches = 0
        self._work = 0
        self._most_work: Final = _MOST_WORK[facts.software]
        self._ticket = 0

    def settle(self, storage: DeviceStorage) -> None:
        """Make a storage's value real: close the window that it waits in.

        Raises
        ------
        BackendSourceError
            The batch that made the value was dropped.
        """
        window = storage.window
        if window is None:
            return
        if isinstance(window, Poison):
            raise BackendSourceError(f"this tensor was never computed: {window.error}") from RuntimeError(window.error)
        self.close(window)

    # Elementwise operations

    def join(self, row: FusedRow, operands: Sequence[Any], shape: Shape) -> Tensor:
        """Record one checked elementwise operation and return its pending result.

        ``operands`` are tensors of ``shape`` (any view) and scalars (objects with ``value`` and ``dtype``).
        """
        window = self._windows.get(shape) or self._open_window(shape)
        limits = self.limits
        if window.weight and (
            window.weight + row.weight > limits.weight or len(window.scalars) + row.arity > limits.scalars
        ):
            return self._rejoin(window, row, operands)
        codes = [row.number]
        layout = window.layout
        for operand in operands:
            if type(operand) is not Tensor:
                codes.append(self._scalar_code(window, operand))
                continue
            storage: Any = operand.storage
            view = operand.layout
            if storage.window is not None:
                if storage.window is window and view is layout:
                    codes.append(3 * storage.slot + VALUE)
                    continue
                self.settle(storage)
                if self._windows.get(shape) is not window:
                    return self.join(row, operands, shape)
            slot = window.leaf_slots.get(storage if view is layout else (storage, view))
            if slot is None:
                if storage.nbytes > self._binding_limit:
                    raise too_large(ROWS[row.number].lowering, storage.nbytes, self._binding_limit)
                if len(window.leaves) >= limits.leaves and window.results:
                    return self._rejoin(window, row, operands)
                slot = window.add_leaf(storage, view, operand.dtype)
            codes.append(3 * slot)
        storage = DeviceStorage(self._pool, window.size * row.itemsize, window, len(window.results))
        window.results.append(weakref.ref(storage))
        window.key += codes
        window.weight += row.weight
        result = Tensor(row.result, layout, storage)
        if window.weight >= limits.weight or (storage.nbytes >= _BIG_RESULT and self._hoards(window, storage.nbytes)):
            self.close(window)
        return result

    def _open_window(self, shape: Shape) -> FusionWindow:
        window = self._windows[shape] = FusionWindow(shape)
        return window

    def _rejoin(self, window: FusionWindow, row: FusedRow, operands: Sequence[Any]) -> Tensor:
        """Close a full window and record the operation into a new one."""
        self.close(window)
        return self.join(row, operands, window.shape)

    def _scalar_code(self, window: FusionWindow, scalar: Any) -> int:
        key = (id(scalar.value), scalar.dtype)
        slot = window.scalar_slots.get(key)
        if slot is None:
            slot = window.scalar_slots[key] = len(window.scalars)
            window.scalars.append((scalar.value, scalar.dtype))
        return 3 * slot + SCALAR

    def _hoards(self, window: FusionWindow, nbytes: int) -> bool:
        """Whether leaves that nobody else holds reach one result's ``nbytes``."""
        held = 0
        for storage in window.leaves:
            if sys.getrefcount(storage) <= _WINDOW_ONLY:
                held += storage.nbytes
        return held >= nbytes

    def reduce_at_close(self, window: FusionWindow, reduction: WindowReduction, nbytes: int) -> DeviceStorage:
        """Let a checked reduction wait for the close of ``window``, and return its pending result of ``nbytes``.

        Until then ``window`` holds its leaves, so one reduction of a runtime waits at most, and the next elementwise
        operation of the same shape closes its window.
        """
        for other in [each for each in self._windows.values() if each.reduction is not None]:
            self.close(other)
        output = DeviceStorage(self._pool, nbytes, window, len(window.results))
        window.results.append(weakref.ref(output))
        window.reduction = reduction
        window.weight = max(window.weight, self.limits.weight)
        return output

    # Closing windows

    def close(self, window: FusionWindow) -> None:
        """Run what a window recorded, writing the results that are still held."""
        del self._windows[window.shape]
        live = [storage for ref in window.results if (storage := ref()) is not None]
        if not live:
            return
        try:
            self._run(window, live)
        except Exception as error:
            self._poison([weakref.ref(storage) for storage in live], f"{names_of(window.key)}: {error}")
            raise

    def close_all(self) -> None:
        """Close every window."""
        while self._windows:
            self.close(next(iter(self._windows.values())))

    def close_readers(self, storage: DeviceStorage) -> None:
        """Close the windows that read ``storage``, before it is written."""
        for window in list(self._windows.values()):
            if any(leaf is storage for leaf in window.leaves):
                self.close(window)

    def _run(self, window: FusionWindow, live: list[DeviceStorage]) -> None:
        """Record a window, and its reduction if the result of that, the window's last, is held."""
        reduction = window.reduction
        if reduction is None or live[-1].slot < len(window.results) - 1:
            self._run_window(window, live)
            return
        *written, output = live
        slots = tuple([storage.slot for storage in written])
        build = partial(reduction.plan_with, window, slots, self._facts, self.limits.buffers)
        compiled = self._kernels.plan(reduction.key_with(window, slots), build)
        if compiled.launches:
            scalars = b"".join([scalar_bytes(*scalar) for scalar in window.scalars])
            self._launch_pending(compiled, window.leaves, output, written, scalars)
            return
        nbytes = window.size * reduction.dtype.itemsize
        held = {storage.slot: storage for storage in written}
        operand = held.setdefault(reduction.slot, DeviceStorage(self._pool, nbytes, slot=reduction.slot))
        self._run_window(window, list(held.values()))
        compiled = self._kernels.plan(reduction.key, partial(reduction.plan, self._facts))
        self._launch_pending(compiled, [operand], output)

    def _launch_pending(
        self,
        compiled: CompiledPlan,
        operands: Sequence[DeviceStorage],
        output: DeviceStorage,
        written: Sequence[DeviceStorage] = (),
        scalars: bytes = b"",
    ) -> None:
        """Launch a plan whose results are pending, so have no buffers yet."""
        for storage in (output, *written):
            self._pool.attach(storage)
        self.launch(compiled, operands, output, written, scalars)
        for storage in (output, *written):
            storage.window = None

    def _run_window(self, window: FusionWindow, live: list[DeviceStorage]) -> None:
        held = {storage.slot: storage for storage in live}
        if len(window.leaves) + len(live) < self.limits.buffers:
            self._dispatch_window(window, held)
            return
        dtypes = [ROWS[number].result for number, _ in operations(window.key)]
        values: dict[int, tuple[DeviceStorage, DType]] = {}
        for first, end, written in partition(window, set(held), self.limits.buffers):
            results = {
                slot: held.get(slot) or DeviceStorage(self._pool, window.size * dtypes[slot].itemsize)
                for slot in written
            }
            part = sub_window(window, first, end, values)
            part.results = [weakref.ref(storage) for storage in results.values()]
            self._dispatch_window(part, {slot - first: storage for slot, storage in results.items()})
            values.update((slot, (storage, dtypes[slot])) for slot, storage in results.items())

    def _dispatch_window(self, window: FusionWindow, results: dict[int, DeviceStorage]) -> None:
        """Record one kernel that runs ``window`` and writes ``results`` by slot."""
        pipeline, placed = self._kernels.window(window, tuple(results))
        bindings = [storage.bound for storage in window.leaves]
        if placed.table is not None:
            bindings.append(placed.table.bound)
        attach = self._pool.attach
        bindings += [attach(storage) for storage in results.values()]
        params = placed.params
        if window.scalars:
            params = placed.geometry.params(b"".join([scalar_bytes(*scalar) for scalar in window.scalars]))
        self._engine.dispatch(pipeline, bindings, params, placed.grid)  # type: ignore[arg-type]
        for storage in results.values():
            storage.window = None
        self._recorded(window.key, window.results, window.size * window.weight)

    # Launch plans

    def launch(
        self,
        compiled: CompiledPlan,
        operands: Sequence[DeviceStorage],
        output: DeviceStorage,
        written: Sequence[DeviceStorage] = (),
        scalars: bytes = b"",
    ) -> None:
        """Record the steps of a compiled plan; operands are settled, ``output`` and ``written`` have their buffers.

        ``scalars`` take their place in the first step's parameters, which are those of a window.
        """
        plan = compiled.plan
        if not plan.steps:
            return
        scratch = [self._pool.allocate(nbytes) for nbytes in plan.workspaces]
        buffers = (operands, (output, *written), compiled.tables, scratch)  # in the order of ROLES
        for pipeline, places, params, grid in compiled.launches:
            bindings = []
            for role, index, offset, nbytes in places:
                bound: Any = buffers[role][index].bound
                if offset or nbytes is not None:
                    bound = (bound[0], offset, nbytes or bound[2] - offset)
                bindings.append(bound)
            self._engine.dispatch(pipeline, bindings, with_scalars(params, scalars), grid)
            scalars = b""
        self._recorded(plan.name, [weakref.ref(each) for each in buffers[1]], plan.work, len(plan.steps))

    def copy(self, source: DeviceStorage, start: int, target: DeviceStorage, at: int, nbytes: int) -> None:
        """Record a plain copy of ``nbytes`` (rounded up to words) from byte ``start`` to byte ``at``."""
        self._engine.copy(source.handle, start, target.handle, at, -(-nbytes // 4) * 4)
        self._recorded("copy", [weakref.ref(target)], nbytes, dispatches=0)

    # The batch

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

    def flush(self) -> int:
        """Close all windows and submit."""
        self.close_all()
        return self.submit()

    def synchronize(self) -> None:
        """Close all windows, submit, and block until everything is done."""
        ticket = self.flush()
        self._engine.wait(ticket)

    def read(self, storage: DeviceStorage, offset: int, nbytes: int) -> bytearray:
        """Return bytes of a settled storage; the one place through which the host reads device memory."""
        self.flush()
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
                "make a new WebGpuRuntime and upload again"
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
