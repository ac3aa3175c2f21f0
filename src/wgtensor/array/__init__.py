"""Arrays on any device, by the Python Array API standard: one module per chapter of it.

Functions there hold signature, documentation and one call; what they do to tensors is in ``dispatch``, ``creation``,
``shaping``, ``contraction`` and ``indexing``, on contract operations only. Users import everything from ``wgtensor``.
"""

from wgtensor.array.array import Array
from wgtensor.array.devices import Device, default_device, device, devices, synchronize

__all__ = ["Array", "Device", "default_device", "device", "devices", "synchronize"]
