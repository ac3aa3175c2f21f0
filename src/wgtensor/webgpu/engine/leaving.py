"""The end of the process: drivers stay loaded until it is over.

A device that Python leaves behind still has threads of the driver. The libraries that loaded the driver unload it when
the process ends, and a thread that wakes up just then runs unmapped code. NVIDIA's did so at the end of 7 of 14 test
runs (a core dump shows a driver thread waking from a timed wait while exit() runs), and of none of 8 with this module.
"""

from __future__ import annotations

import atexit
import ctypes
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

__all__ = ["keep_drivers_loaded"]

_MAPS = Path("/proc/self/maps")


@cache
def keep_drivers_loaded() -> None:
    """See to it, once per process, that no library is unloaded after Python has ended. For Linux; no-op elsewhere."""
    if _MAPS.exists():
        atexit.register(_pin_libraries)


def _pin_libraries() -> None:
    """Pin every library that is loaded now."""
    paths = {line.split(maxsplit=5)[-1] for line in _MAPS.read_text().splitlines()}
    for path in paths:
        if ".so" in path:
            with suppress(OSError):
                ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_NOLOAD | os.RTLD_NODELETE)
