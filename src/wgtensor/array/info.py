"""What there is: devices, and dtypes and capabilities of each, as the standard's inspection asks."""

from __future__ import annotations

from typing import Final

from wgtensor.array.data_type_functions import KINDS
from wgtensor.array.devices import Device, DeviceLike, as_device, default_device, devices
from wgtensor.array.support import available_dtypes
from wgtensor.errors import ValidationError
from wgtensor.tensor import DType, as_dtype, bfloat16, float16

__all__ = ["NamespaceInfo", "__array_namespace_info__"]

_MOST_AXES: Final = 64
"""NumPy's limit, which downloads meet."""
_DEFAULTS: Final = {
    "real floating": "float32",
    "complex floating": "complex64",
    "integral": "int32",
    "indexing": "int32",
}
_BEYOND_THE_STANDARD: Final = (bfloat16, float16)


class NamespaceInfo:
    """The standard's inspection of this namespace; made by ``wt.__array_namespace_info__()``.

    Examples
    --------
    >>> info = __array_namespace_info__()
    >>> info.default_dtypes(device="cpu")["integral"]
    wgtensor.int32
    >>> sorted(info.dtypes(device="cpu", kind="complex floating"))
    ['complex128', 'complex64']
    """

    __slots__ = ()

    def capabilities(self) -> dict[str, bool | int | None]:
        """Return whether boolean indexing and shapes that depend on data work, and the most axes of an array."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": _MOST_AXES}

    def default_device(self) -> Device:
        """Return the device of new arrays."""
        return default_device()

    def default_dtypes(self, *, device: DeviceLike = None) -> dict[str, DType]:
        """Return the default dtype by kind: the same on every device, which is checked to exist."""
        as_device(device)
        return {kind: as_dtype(name) for kind, name in _DEFAULTS.items()}

    def devices(self) -> tuple[Device, ...]:
        """Return the devices of this machine."""
        return tuple(devices())

    def dtypes(self, *, device: DeviceLike = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """Return the standard's dtypes in which a device computes, by name; float16 and bfloat16 are beyond it.

        Parameters
        ----------
        device
            A device, its name, or None for the current one; it is opened.
        kind
            One of the kinds that :func:`wgtensor.isdtype` knows, several of them, or None for all.

        Raises
        ------
        ValidationError
            There is no such device or kind.
        """
        kinds = "".join(_letters(each) for each in (kind if isinstance(kind, tuple) else (kind,)))
        return {
            dtype.name: dtype
            for dtype in available_dtypes(as_device(device))
            if dtype.kind in kinds and dtype not in _BEYOND_THE_STANDARD
        }


def _letters(kind: str | None) -> str:
    if kind is None:
        return "biufc"
    if kind not in KINDS:
        raise ValidationError(f"dtypes needs a kind among {', '.join(KINDS)}, got {kind!r}")
    return KINDS[kind]


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """Return the standard's inspection of this namespace: devices, dtypes, capabilities."""
    return NamespaceInfo()
