"""Device storage: one buffer of one runtime, shared by the views on it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from wgtensor.tensor import Placement
from wgtensor.webgpu.engine.base import Binding, Handle

if TYPE_CHECKING:
    from wgtensor.webgpu.window import FusionWindow

__all__ = ["POISONED", "DeviceStorage", "Poison"]


class Poison:
    """Stands in a storage's ``window`` once its batch was dropped; the storage's ``error`` says why."""

    __slots__ = ()


POISONED: Final = Poison()


class DeviceStorage:
    """One buffer, or the promise of one.

    Attributes
    ----------
    bound
        The whole buffer (up to the adapter's binding limit) as an engine binding; None while the value is pending in a window, and for empty tensors.
    nbytes
        Bytes of the elements.
    capacity
        Bytes of the buffer: its size class.
    window
        The fusion window in which the value is pending; None once it is stored; ``POISONED`` if its batch was dropped.
    slot
        The value's number in that window.
    error
        Why the storage is poisoned.
    """

    __slots__ = ("__weakref__", "_returns", "bound", "capacity", "error", "nbytes", "placement", "slot", "window")

    def __init__(self, placement: Placement, nbytes: int, returns: deque[tuple[Handle, int]]) -> None:
        self.placement: Final = placement
        self.nbytes: Final = nbytes
        self.capacity = 0
        self.bound: Binding | None = None
        self.window: FusionWindow | Poison | None = None
        self.slot = 0
        self.error: str | None = None
        self._returns = returns

    def __del__(self) -> None:
        # A finalizer may run on any thread at any time, so it only appends; the pool drains the queue.
        if self.bound is not None:
            self._returns.append((self.bound[0], self.capacity))

    @property
    def handle(self) -> Any:
        """The engine's buffer of a stored value."""
        assert self.bound is not None
        return self.bound[0]
