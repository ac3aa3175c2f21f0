"""What every engine checks before it calls the driver.

wgpu-native ends the process on a binding of size 0, on a stale handle and on a submit to a lost device, and a
forked child hangs at its first wait. So these are refused here, in Python, with a typed error.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any, NoReturn
from weakref import WeakSet

from wgtensor.errors import DeviceLostError, RuntimeStateError, ValidationError
from wgtensor.webgpu.engine.base import PARAMS_LIMIT
from wgtensor.webgpu.engine.leaving import keep_drivers_loaded

__all__ = [
    "DRIVER_LOCK",
    "FORKED",
    "GROUPS_LIMIT",
    "Guarded",
    "check_dispatch",
    "check_live",
    "check_process",
    "check_range",
    "check_size",
    "inherited",
    "mark_opened",
    "refuse_dispatch",
]

GROUPS_LIMIT = 65_535
"""Workgroups in one dimension, on every adapter."""

FORKED = (
    "this GPU runtime was opened before os.fork() and would hang in the child; start the process with "
    "multiprocessing's 'spawn' method and open a runtime there"
)


class Guarded:
    """An engine that can become unusable: lost, closed, or inherited by a forked child."""

    lost: str | None = None
    """Why the device is lost, or None."""

    def __init__(self) -> None:
        mark_opened()
        self._forked = False
        _OPEN.add(self)

    @property
    def unusable(self) -> bool:
        """Whether the device is lost, closed or inherited by a fork."""
        return self._forked or self.lost is not None

    def _refuse(self) -> NoReturn:
        """Raise the reason for which this engine cannot be used."""
        if self._forked:
            raise RuntimeStateError(FORKED)
        raise DeviceLostError(
            f"the GPU device is lost ({self.lost}); its tensors are gone, open a new runtime to go on"
        )

    def _abandon(self) -> None:
        """Note that this process is a forked child, where the driver's threads are gone."""
        self._forked = True


DRIVER_LOCK = threading.Lock()
"""Held while adapters are listed and devices made: drivers crash when two threads load them at once."""

_OPEN: WeakSet[Guarded] = WeakSet()
_opened = False
_inherited = False


def inherited() -> bool:
    """Whether this is a child forked from a process that had used a driver."""
    return _inherited


def check_process() -> None:
    """Raise ``RuntimeStateError`` in a forked child, as ``inherited`` tells."""
    if _inherited:
        raise RuntimeStateError(FORKED)


def mark_opened() -> None:
    """Note that this process has used a driver, which a forked child must not go on with."""
    global _opened  # noqa: PLW0603 - the process itself is the state
    _opened = True
    keep_drivers_loaded()


def check_size(operation: str, nbytes: int, multiple: int = 4) -> None:
    """Refuse sizes that the driver would not survive: below one, or not a multiple."""
    if nbytes <= 0 or nbytes % multiple:
        raise ValidationError(
            f"{operation} needs a size above zero and a multiple of {multiple} bytes, got {nbytes}; "
            "empty tensors have no buffer"
        )


def check_range(operation: str, offset: int, nbytes: int, capacity: int) -> None:
    """Refuse a range outside a buffer, or one not in whole 32-bit words."""
    check_size(operation, nbytes)
    if offset < 0 or offset % 4 or offset + nbytes > capacity:
        raise ValidationError(
            f"{operation} needs an offset that is a multiple of 4 and a range inside the buffer's {capacity} "
            f"bytes, got {nbytes} bytes at {offset}"
        )


def check_live(operation: str, *raw: Any) -> None:
    """Refuse released handles, and the same buffer twice."""
    if None in raw or len({id(handle) for handle in raw}) < len(raw):
        raise ValidationError(f"{operation} needs live and different buffers, got one released or one twice")


def check_dispatch(slots: int, bindings: Sequence[Any], params: bytes, groups: tuple[int, int, int]) -> None:
    """Refuse a dispatch that the driver would not survive."""
    if (
        not all(1 <= count <= GROUPS_LIMIT for count in groups)
        or not 16 <= len(params) <= PARAMS_LIMIT
        or len(params) % 16
        or len(bindings) != slots
        or not all(buffer.raw is not None and offset >= 0 and nbytes > 0 for buffer, offset, nbytes in bindings)
    ):
        refuse_dispatch(slots, bindings, params, groups)


def refuse_dispatch(slots: int, bindings: Sequence[Any], params: bytes, groups: tuple[int, int, int]) -> NoReturn:
    """Raise the ``ValidationError`` that says what is wrong with a dispatch."""
    size = len(params)
    if not all(1 <= count <= GROUPS_LIMIT for count in groups):
        rule = f"between 1 and {GROUPS_LIMIT} workgroups in each dimension, got {tuple(groups)}; split the grid"
    elif not 16 <= size <= PARAMS_LIMIT or size % 16:
        rule = f"params of 16 to {PARAMS_LIMIT} bytes in multiples of 16, got {size}; pad them"
    elif len(bindings) != slots:
        rule = f"{slots} bindings, as its pipeline was made with, got {len(bindings)}"
    else:
        rule = "live buffers and sizes above zero; a released or foreign handle or an empty range was bound"
    raise ValidationError(f"dispatch needs {rule}")


def _after_fork_in_child() -> None:
    global _inherited  # noqa: PLW0603 - the process itself is the state
    _inherited = _opened
    for engine in tuple(_OPEN):
        engine._abandon()


os.register_at_fork(after_in_child=_after_fork_in_child)
