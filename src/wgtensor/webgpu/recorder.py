"""The recorder: fusion windows and launch plans, before the open batch of a runtime.

Operations of sessions and arrays arrive in program order. Elementwise ones wait in windows; everything else first
closes the windows that it depends on and is then recorded into the open batch. Callers hold ``lock``.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from wgtensor.errors import BackendSourceError, DeviceOutOfMemoryError, UnsupportedError
from wgtensor.tensor import DType, Shape, Tensor
from wgtensor.webgpu.batch import BatchQueue
from wgtensor.webgpu.counters import Counters
from wgtensor.webgpu.engine.base import Engine
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.history import History, Launch
from wgtensor.webgpu.kernel_cache import CompiledPlan, KernelCache
from wgtensor.webgpu.kernels.elementwise.geometry import with_scalars
from wgtensor.webgpu.kernels.elementwise.rows import ROWS, FusedRow
from wgtensor.webgpu.pool import BufferPool
from wgtensor.webgpu.prologue import WindowReduction
from wgtensor.webgpu.storage import DeviceStorage, Poison
from wgtensor.webgpu.window import (
    SCALAR,
    VALUE,
    Closed,
    FusionWindow,
    names_of,
    operations,
    partition,
    scalar_bytes,
    sub_window,
)

__all__ = ["Recorder", "WindowLimits", "too_large"]

_MOST_WEIGHT: Final = 24
_MOST_SCALARS: Final = 24
_MOST_LEAVES: Final = 16
"""More would only make kernels dearer to compile: some adapters bind a million buffers."""
_BIG_RESULT: Final = 1 << 20
# A leaf that only its window holds: the window's list, its slot key, the loop variable and getrefcount's argument.
_WINDOW_ONLY: Final = 4


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


class Recorder(BatchQueue):
    """Windows and launch plans on their way into the open batch.

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
        super().__init__(engine, pool, counters, facts)
        self.limits = WindowLimits.of(facts)
        self.history: Final = History()
        self._kernels: Final = kernels
        self._facts: Final = facts
        self._binding_limit: Final = facts.binding_limit
        self._windows: dict[Shape, FusionWindow] = {}
        self._stalled: list[FusionWindow] = []

    def settle(self, storage: DeviceStorage, why: Closed = Closed.NEEDED) -> None:
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
        self.close(window, why)

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
                    self.close(window, Closed.FULL)  # it may hold numbers of this operation
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
        if window.weight >= limits.weight:
            self.close(window, Closed.FULL)
        elif storage.nbytes >= _BIG_RESULT and self._hoards(window, storage.nbytes):
            self.close(window, Closed.MEMORY)
        return result

    def _open_window(self, shape: Shape) -> FusionWindow:
        window = self._windows[shape] = FusionWindow(shape)
        return window

    def _rejoin(self, window: FusionWindow, row: FusedRow, operands: Sequence[Any]) -> Tensor:
        """Close a full window, or one that a reduction ends, and record the operation into a new one."""
        self.close(window, Closed.FULL if window.reduction is None else Closed.ENDED)
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
            self.close(other, Closed.DISPLACED)
        output = DeviceStorage(self._pool, nbytes, window, len(window.results))
        window.results.append(weakref.ref(output))
        window.reduction = reduction
        window.weight = max(window.weight, self.limits.weight)
        return output

    # Closing windows

    def close(self, window: FusionWindow, why: Closed) -> None:
        """Run what a window recorded, writing the results that are still held.

        Where memory does not suffice, they keep waiting, and run when one of them is needed again.
        """
        if self._windows.get(window.shape) is window:
            del self._windows[window.shape]
        window.closed = why
        live = window.pending()
        if not live:
            return
        try:
            self._run(window, live)
        except DeviceOutOfMemoryError:
            if window not in self._stalled:
                self._stalled.append(window)
            raise
        except BaseException as error:
            self._poison(window.pending(), f"{names_of(window.key)}: {str(error) or type(error).__name__}")
            raise

    def recover(self) -> None:
        """Go on after something stopped a call halfway: windows may be half recorded, so their results are given up."""
        windows, self._windows = self._windows, {}
        for window in windows.values():
            self._poison(window.pending(), f"{names_of(window.key)}: interrupted while it was recorded")
        super().recover()

    def close_all(self) -> None:
        """Close every window; those that ran out of memory keep waiting, unless nobody does for them."""
        if self._stalled:
            self._stalled = [window for window in self._stalled if window.pending()]
        while self._windows:
            self.close(next(iter(self._windows.values())), Closed.ASKED)

    def close_readers(self, storage: DeviceStorage) -> None:
        """Close the windows that read ``storage``, before it is written."""
        for window in [*self._windows.values(), *self._stalled]:
            if any(leaf is storage for leaf in window.leaves):
                self.close(window, Closed.OVERWRITTEN)

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
            self._launch_pending(compiled, window.leaves, output, window, written)
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
        window: FusionWindow | None = None,
        written: Sequence[DeviceStorage] = (),
    ) -> None:
        """Launch a plan whose results are pending, so have no buffers yet."""
        for storage in (output, *written):
            self._pool.attach(storage)
        self.launch(compiled, operands, output, window, written)
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
            part.closed = window.closed
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
        self._engine.dispatch(pipeline, bindings, params, placed.grid)  # type: ignore[arg-type]  # settled leaves are bound
        for storage in results.values():
            storage.window = None
        self.history.note("", window, 1, window.leaves, results.values())
        self._recorded(window.key, window.results, window.size * window.weight)

    # Launch plans

    def launch(
        self,
        compiled: CompiledPlan,
        operands: Sequence[DeviceStorage],
        output: DeviceStorage,
        window: FusionWindow | None = None,
        written: Sequence[DeviceStorage] = (),
    ) -> None:
        """Record the steps of a compiled plan; operands are settled, ``output`` and ``written`` have their buffers.

        Where the first step runs a ``window`` too, the window's numbers take their place in its parameters.
        """
        plan = compiled.plan
        if not plan.steps:
            return
        scalars = b"" if window is None else b"".join([scalar_bytes(*scalar) for scalar in window.scalars])
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
        self.history.note(plan.name, window, len(plan.steps), operands, buffers[1])
        self._recorded(plan.name, [weakref.ref(each) for each in buffers[1]], plan.work, len(plan.steps))

    def copy(self, source: DeviceStorage, start: int, target: DeviceStorage, at: int, nbytes: int) -> None:
        """Record a plain copy of ``nbytes`` (rounded up to words) from byte ``start`` to byte ``at``."""
        self._engine.copy(source.handle, start, target.handle, at, -(-nbytes // 4) * 4)
        self.history.note("copy", None, 0, (source,), (target,))
        self._recorded("copy", [weakref.ref(target)], nbytes, dispatches=0)

    # What happened

    def waiting(self, storage: DeviceStorage) -> list[str]:
        """Return the operations of the window in which a value waits, in order; none if it is stored."""
        window = storage.window
        if not isinstance(window, FusionWindow):
            return []
        ends = [] if window.reduction is None else [window.reduction.name]
        return names_of(window.key).split() + ends

    def behind(self, storage: DeviceStorage) -> list[Launch]:
        """Return the launches that led to a value, or to the operands of the window in which it waits, oldest first."""
        window = storage.window
        return self.history.behind(window.leaves if isinstance(window, FusionWindow) else [storage])

    # Reads

    def flush(self) -> int:
        """Close all windows and submit."""
        self.close_all()
        return self.submit()

    def synchronize(self) -> None:
        """Close all windows, submit, and block until everything is done."""
        ticket = self.flush()
        self._engine.wait(ticket)

    def read(self, storage: DeviceStorage, offset: int, nbytes: int) -> bytearray:
        """Return bytes of a settled storage, after everything recorded so far."""
        self.flush()
        return self._read(storage, offset, nbytes)
