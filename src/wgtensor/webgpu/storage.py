"""Device storage: one buffer of one runtime, shared by the views on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wgtensor.errors import RuntimeStateError
from wgtensor.tensor import Placement, Tensor
from wgtensor.webgpu.engine.base import Binding

if TYPE_CHECKING:
    from wgtensor.webgpu.pool import BufferPool
    from wgtensor.webgpu.window import FusionWindow

__all__ = ["DeviceStorage", "Poison", "device_storage"]


class Poison:
    """Stands in a storage's ``window`` once its batch was dropped: the value was never computed."""

    __slots__ = ("error",)

    def __init__(self, error: str) -> None:
        self.error: Final = error


class DeviceStorage:
    """One buffer, or the promise of one.

    Attributes
    ----------
    pool
        Where the buffer comes from and returns to; one pool per runtime.
    nbytes
        Bytes of the elements.
    window, slot
        The fusion window in which the value is pending, and its number there; None once it is stored; a
        :class:`Poison` if its batch was dropped.
    bound
        The whole buffer (up to the adapter's binding limit) as an engine binding; None while pending, and for empty
        tensors.
    capacity
        Bytes of the buffer, its size class; set together with ``bound``.
    launch
        Number of the launch that wrote the value, for ``History``; 0 for uploads.
    """

    __slots__ = ("__weakref__", "bound", "capacity", "launch", "nbytes", "pool", "slot", "window")

    def __init__(self, pool: BufferPool, nbytes: int, window: FusionWindow | None = None, slot: int = 0) -> None:
        self.pool: Final = pool
        self.nbytes: Final = nbytes
        self.window: FusionWindow | Poison | None = window
        self.slot: Final = slot
        self.bound: Binding | None = None
        self.capacity: int
        self.launch = 0

    def __del__(self) -> None:
        # A finalizer may run on any thread at any time, so it only appends; the pool drains the queue.
        if getattr(self, "bound", None) is not None:  # absent where an interrupt hit the constructor
            self.pool.returns.append((self.bound, self.capacity))  # type: ignore[arg-type]  # it is there

    def __reduce__(self) -> str:
        raise RuntimeStateError(
            f"a tensor on {self.placement} belongs to its runtime and cannot be pickled or deep-copied; "
            "call download_to_host first"
        )

    @property
    def placement(self) -> Placement:
        """The one placement of the runtime's tensors."""
        return self.pool.placement

    @property
    def handle(self) -> Any:
        """The engine's buffer of a stored value."""
        assert self.bound is not None
        return self.bound[0]


def device_storage(tensor: Tensor) -> DeviceStorage:
    """Return the storage of a tensor that was checked to live on a WebGPU device."""
    storage = tensor.storage
    assert isinstance(storage, DeviceStorage)
    return storage
