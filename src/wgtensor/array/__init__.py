"""Arrays on any device, by the Python Array API standard: one module per chapter of it.

Functions there hold signature, documentation and one call; what they do to tensors is in ``dispatch``, ``creation``,
``shaping``, ``contraction`` and ``indexing``, on contract operations only. Users import everything from ``wgtensor``.
"""

import sys
from types import ModuleType
from typing import Any, NoReturn

from wgtensor.array.array import Array
from wgtensor.array.devices import Device, default_device, device, devices, synchronize
from wgtensor.errors import DTypeError


class _Package(ModuleType):
    """Says what to call instead, since NumPy's users write ``array(...)``."""

    def __call__(self, *arguments: Any, **named: Any) -> NoReturn:
        raise DTypeError("wgtensor.array is a package, got a call of it; write wt.asarray(...)")


sys.modules[__name__].__class__ = _Package

__all__ = ["Array", "Device", "default_device", "device", "devices", "synchronize"]
