"""Device storage: one buffer of one runtime, shared by the views on it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from wgtensor.tensor import Placement
from wgtensor.webgpu.engine.base import Handle

if TYPE_CHECKING:
    from wgtensor.webgpu.window import FusionWindow

__all__ = ["POISONED", "DeviceStorage"]


class _Poison:
    """Stands in a storage's ``window`` once its batch was dropped; ``error`` says why."""

    __slots__ = ()


POISONED = _Poison()


class DeviceStorage:
    """One buffer, or the promise of one.

    Attributes
    ----------
    handle
        The engine's buffer; None while the value is pending in a window, and for empty tensors.
    nbytes
        Bytes of the elements.
    capacity
        Bytes of the buffer: the size class.
    window
        The fusion window in which the value is pending; None once it is stored; ``POISONED`` if its batch was dropped.
    slot
        The value's number in that window.
    error
        Why the storage is poisoned.
    """

    __slots__ = ("__weakref__", "_returns", "capacity", "error", "handle", "nbytes", "placement", "slot", "window")

    def __init__(self, placement: Placement, nbytes: int, returns: deque[tuple[Handle, int]]) -> None:
        self.placement = placement
        self.nbytes = nbytes
        self.capacity = 0
        self.handle: Handle = None
        self.window: FusionWindow | _Poison | None = None
        self.slot = 0
        self.error: str | None = None
        self._returns = returns

    def __del__(self) -> None:
        # A finalizer may run on any thread at any time, so it only appends; the pool drains the queue.
        if self.handle is not None:
            self._returns.append((self.handle, self.capacity))

    def binding(self, limit: int) -> tuple[Any, int, int]:
        """Return the whole buffer as an engine binding, capped at the adapter's binding limit."""
        return self.handle, 0, min(self.capacity, limit)
