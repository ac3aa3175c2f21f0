"""Arrays of other libraries, taken in."""

from __future__ import annotations

from typing import Any

from wgtensor.array.arguments import require_copy
from wgtensor.array.array import Array
from wgtensor.array.devices import Device, DeviceLike, as_device
from wgtensor.array.host_values import converted
from wgtensor.array.support import require_dtype
from wgtensor.errors import ExchangeError
from wgtensor.interop.dlpack import host_tensor
from wgtensor.tensor import DType, Tensor

__all__ = ["from_dlpack", "uploaded"]


def from_dlpack(x: Any, /, *, device: DeviceLike = None, copy: bool | None = None) -> Array:
    """Return an array with the values of ``x``, taken over DLPack.

    Parameters
    ----------
    x
        Any array with ``__dlpack__`` and ``__dlpack_device__``: NumPy, PyTorch, CuPy, wgtensor ... in any layout and of
        any dtype that wgtensor has.
    device
        Where the result will be. None leaves the data where it is, as the standard says: an array in host memory comes
        to the cpu device, a wgtensor array stays on its own.
    copy
        True copies, None copies where it must. False is for wgtensor arrays that stay where they are: memory of another
        library is always copied, since its owner may write into it, and arrays are values.

    Returns
    -------
    Array
        Of the shape and dtype of ``x``.

    Raises
    ------
    DTypeError
        ``x`` speaks no DLPack, its dtype is none of wgtensor's, or ``copy`` is neither True, False nor None.
    ExchangeError
        The data is on a device that is none of wgtensor's and ``device`` is None, it cannot be exported, or ``copy``
        is False where a copy is needed. Also a BufferError.
    UnsupportedError
        ``device`` does not compute in that dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from_dlpack(np.arange(3, dtype=np.int32)[::-1])
    Array([2, 1, 0], dtype=int32, device='cpu')
    """
    require_copy("from_dlpack", copy)
    if isinstance(x, Array):
        return _taken(x, x.device if device is None else as_device(device), copy)
    host = host_tensor(x, may_move=device is not None, copy=copy)
    return uploaded("from_dlpack", host, as_device("cpu" if device is None else device))


def _taken(x: Array, target: Device, copy: bool | None) -> Array:
    """Return a wgtensor array as a value of ``target``."""
    if target is x.device:
        tensor = x.device.session.to_contiguous(x.tensor) if copy else x.tensor.view(x.tensor.layout)
        return Array(tensor, target)
    if copy is False:
        raise ExchangeError(
            f"from_dlpack with copy=False needs an array of the device asked for, got {x.device} for {target}; "
            "use copy=None"
        )
    return x.to_device(target)


def uploaded(name: str, host: Tensor, device: Device, dtype: DType | None = None) -> Array:
    """Return a host tensor as an array of ``device``, in ``dtype`` if that is given; ``name`` is for error texts.

    Raises
    ------
    UnsupportedError
        ``device`` does not compute in the dtype.
    DTypeError
        The values are complex and ``dtype`` is real.
    """
    target = dtype or host.dtype
    require_dtype(name, device, target)
    return Array(device.backend.upload_host_tensor(converted(name, host, target)), device)
