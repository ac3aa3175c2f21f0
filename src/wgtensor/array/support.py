"""What a device computes in: the dtypes of its arrays, as its backend tells."""

from __future__ import annotations

from typing import Final

from wgtensor.array.devices import Device
from wgtensor.errors import UnsupportedError
from wgtensor.tensor import DType, float32

__all__ = ["available_dtypes", "require_dtype"]

_WAYS_OUT: Final = {
    "astype": "write x.astype(wt.{near}), or x.to_device('cpu') first",
    "from_dlpack": "write wt.asarray(x, dtype=wt.{near}), or device='cpu'",
    "to_device": "convert first, with x.astype(wt.{near})",
}
"""What to write in functions that take no ``dtype=``, or no ``device=``."""


def available_dtypes(device: Device) -> tuple[DType, ...]:
    """Return the dtypes that arrays of ``device`` may have: those in which it computes. Opens the device."""
    return device.backend.computed_dtypes()


def require_dtype(name: str, device: Device, dtype: DType) -> None:
    """Raise unless arrays of ``device`` may have ``dtype``.

    Raises
    ------
    UnsupportedError
        They may not; the text names the adapter and what to write.
    """
    available = available_dtypes(device)
    if dtype in available:
        return
    near = next((each for each in available[::-1] if each.kind == dtype.kind), float32)
    adapter = device.backend.runtime.adapter_info.get("device", device.name)
    way_out = _WAYS_OUT.get(name, "write dtype=wt.{near}, or device='cpu'").format(near=near)
    raise UnsupportedError(
        f"{name} of {dtype} is not available on {device} ({adapter}), which computes in "
        f"{', '.join(each.name for each in available)}; {way_out}"
    )
