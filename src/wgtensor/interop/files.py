"""Arrays in files: NumPy's ``.npy`` and ``.npz``, without pickle.

NumPy reads these files and writes files that :func:`load` reads. It has no bfloat16: such arrays are stored as records
with one uint16 field, whose name is the dtype's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import IO, Any, Final, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.devices import Device, DeviceLike, as_device
from wgtensor.array.dtypes import optional_dtype_of
from wgtensor.errors import ValidationError
from wgtensor.interop.exchange import uploaded
from wgtensor.tensor import DType, DTypeLike, Tensor, bfloat16

__all__ = ["File", "load", "save", "savez"]

File: TypeAlias = str | os.PathLike[str] | IO[bytes]
"""A path, or a file that is open for bytes."""

_BFLOAT16: Final = np.dtype([("bfloat16", "<u2")])
_RESERVED: Final = frozenset({"file", "allow_pickle"})
"""Names that NumPy's ``savez`` takes for parameters."""


def save(file: File, x: Array) -> None:
    """Write an array to a ``.npy`` file; waits for the device.

    Parameters
    ----------
    file
        Path (``.npy`` is appended where it lacks), or a file open for writing bytes.
    x
        Array of any shape, dtype and device.

    Raises
    ------
    DTypeError
        ``x`` is no wgtensor array.

    Examples
    --------
    >>> import io
    >>> from wgtensor.interop.exchange import from_dlpack
    >>> file = io.BytesIO()
    >>> save(file, from_dlpack(np.float32([1, 2])))
    >>> _ = file.seek(0)
    >>> load(file, device="cpu")
    Array([1., 2.], dtype=float32, device='cpu')
    """
    np.save(file, _storable("save", x), allow_pickle=False)


def savez(file: File, /, *args: Array, **arrays: Array) -> None:
    """Write several arrays to one uncompressed ``.npz`` file; waits for their devices.

    Parameters
    ----------
    file
        Path (``.npz`` is appended where it lacks), or a file open for writing bytes.
    *args
        Arrays that are stored as ``arr_0``, ``arr_1`` ...
    **arrays
        Arrays that are stored by name.

    Raises
    ------
    DTypeError
        Something is no wgtensor array.
    ValidationError
        A name is given twice, or is one that NumPy's format function keeps for itself.
    """
    named = {f"arr_{number}": x for number, x in enumerate(args)}
    taken = sorted((named.keys() | _RESERVED) & arrays.keys())
    if taken:
        raise ValidationError(f"savez needs names that are free, got {', '.join(taken)}; choose others")
    stored = {name: _storable(f"savez of {name}", x) for name, x in {**named, **arrays}.items()}
    np.savez(file, **stored)  # type: ignore[arg-type]  # NumPy's stub takes any name for allow_pickle


def load(file: File, *, device: DeviceLike = None, dtype: DTypeLike | None = None) -> Array | dict[str, Array]:
    """Read a ``.npy`` or ``.npz`` file onto a device.

    Parameters
    ----------
    file
        Path, or a file open for reading bytes that can seek.
    device
        Where the arrays will be; the current device by default.
    dtype
        What the values become, converted on the host as ``wt.asarray`` does; by default they keep the stored dtype.

    Returns
    -------
    Array or dict of Array
        One array, or those of an ``.npz`` file by name.

    Raises
    ------
    ValidationError
        The file is in another format, or would need pickle.
    DTypeError
        Elements are of a dtype that wgtensor does not have (text, records ...), or complex and ``dtype`` is real.
    UnsupportedError
        The device does not compute in ``dtype``, or in a stored one.
    OSError
        There is no such file, or it cannot be read.
    """
    target, wanted = as_device(device), optional_dtype_of(dtype)
    content = _without_pickle(lambda: np.load(file, allow_pickle=False))
    if isinstance(content, np.ndarray):
        return _loaded(content, target, wanted)
    with content:
        return {name: _loaded(_without_pickle(partial(content.get, name)), target, wanted) for name in content.files}


def _without_pickle(read: Callable[[], Any]) -> Any:
    """Return what ``read`` returns; NumPy's refusals become sentences."""
    try:
        return read()
    except (BadZipFile, EOFError, ValueError) as cause:
        raise ValidationError(
            f"load reads .npy and .npz files without pickle, got one that NumPy refuses: {cause}"
        ) from cause


def _storable(operation: str, x: Array) -> NDArray[Any]:
    """Return an array's values as NumPy stores them."""
    host = required_array(operation, x).to_numpy()
    return host.view(_BFLOAT16) if x.dtype is bfloat16 else host


def _loaded(stored: Any, device: Device, dtype: DType | None) -> Array:
    """Return stored values as an array of ``device``, in ``dtype`` if that is given."""
    if not isinstance(stored, np.ndarray):
        raise ValidationError("load reads archives of .npy files, got one with other members; read it with zipfile")
    if stored.dtype == _BFLOAT16:
        return uploaded("load", Tensor.from_numpy(stored.view(np.uint16), bfloat16), device, dtype)
    return uploaded("load", Tensor.from_numpy(stored), device, dtype)
