"""Bind groups of the native engine, kept by what they bind.

Pooled buffers come back, so the same few groups are bound again and again, and making one costs half of a dispatch. A
group keeps its buffers alive; so all are dropped once a buffer that some group binds was given back, when there are
too many, and when a batch was refused, which one of them may have caused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wgtensor.webgpu.engine.base import Binding
from wgtensor.webgpu.engine.guard import refuse_dispatch
from wgtensor.webgpu.engine.native_library import lib
from wgtensor.webgpu.engine.native_objects import Layout

__all__ = ["BindGroups"]

_KEPT: Final = 2048
_create_group = lib.wgpuDeviceCreateBindGroup
_release_group = lib.wgpuBindGroupRelease


class BindGroups:
    """The groups of one device; used by the recording thread alone, but ``stale`` may be set by any.

    Attributes
    ----------
    found
        Group by (layout, bytes of the ring, binding, binding, ...).
    stale
        Whether a buffer that some group binds was given back: ``drop`` must come before the next look.
    """

    __slots__ = ("_device", "found", "stale")

    def __init__(self, device: Any) -> None:
        self._device: Final = device
        self.found: dict[tuple[Any, ...], Any] = {}
        self.stale = False

    def make(self, layout: Layout, size: int, bindings: Sequence[Binding]) -> Any:
        """Make and keep the group of some bindings and ``size`` bytes of the ring.

        Raises
        ------
        ValidationError
            A buffer was released or is another engine's, or a range is empty: what the driver would not survive.
        """
        try:
            for entry, (buffer, offset, nbytes) in zip(layout.bound, bindings, strict=False):
                if nbytes <= 0:
                    raise ValueError
                entry.buffer = buffer.raw
                entry.offset = offset
                entry.size = nbytes
                buffer.grouped = True
        except (TypeError, ValueError, AttributeError, OverflowError):
            refuse_dispatch(layout.count, bindings, bytes(size), (1, 1, 1))
        layout.bound[-1].size = size
        if len(self.found) >= _KEPT:
            self.drop()
        group = self.found[layout, size, *bindings] = _create_group(self._device, layout.descriptor)
        return group

    def drop(self) -> None:
        """Give all groups back; a pass keeps those alive that it uses."""
        self.stale = False
        while self.found:
            _release_group(self.found.popitem()[1])

    def abandon(self) -> None:
        """Forget the groups without a call to the driver, in a forked child."""
        self.found.clear()
