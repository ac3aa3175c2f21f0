"""Creation functions of the standard. New arrays are made on their device; defaults are float32, int32, complex64.

``device`` is a device, its name, or None for the current one (:func:`wgtensor.default_device`); of functions that take
an array, that array's. ``dtype`` is a dtype, its name, NumPy's dtype or scalar type, or one of Python's ``bool``,
``int``, ``float`` and ``complex``, which mean the default dtypes. All raise UnsupportedError for a dtype that the
device does not compute in, ValidationError for shapes and devices that do not exist, DTypeError for what is no number
and no dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from wgtensor.array import creation
from wgtensor.array.arguments import integer_of, require_copy, type_name
from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.data_type_functions import astype
from wgtensor.array.devices import Device, DeviceLike, as_device
from wgtensor.array.dtypes import dtype_of, optional_dtype_of
from wgtensor.array.host_values import host_tensor
from wgtensor.array.manipulation_functions import stack
from wgtensor.array.operators import device_of
from wgtensor.array.refusals import in_parts, speaking_of
from wgtensor.array.shaping import shape_of
from wgtensor.errors import UnsupportedError, ValidationError
from wgtensor.interop.exchange import from_dlpack
from wgtensor.tensor import MOST_AXES, DType, DTypeLike, Tensor, float32

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
) -> Array:
    """Return the numbers from ``start`` to before ``stop``, ``step`` apart.

    Parameters
    ----------
    start, stop, step
        Numbers; ``arange(n)`` counts from 0 to before ``n``.
    dtype
        Integer or real float; by default float32 if a number is a float, else int32.
    device
        Where; see the module.

    Raises
    ------
    ValidationError
        The step is 0, or the numbers do not fit the dtype.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.arange(2, 11, 3).tolist()
    [2, 5, 8]
    """
    where = as_device(device)
    first, end = (0, start) if stop is None else (start, stop)
    return _made("arange", where, creation.arange, first, end, step, dtype)


def asarray(
    obj: Any,  # whatever holds numbers, also of other libraries
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    copy: bool | None = None,
) -> Array:
    """Return an array of the values of ``obj``.

    Parameters
    ----------
    obj
        Python numbers and nested lists or tuples of them, which take the default dtype of their kind; NumPy arrays and
        scalars and whatever has ``__array__``, ``__dlpack__`` or the buffer protocol, which keep theirs; arrays, and
        nested lists of arrays of one shape, which are stacked on their device.
    dtype
        Dtype of the result. Python ints must fit it; arrays are converted as :func:`wgtensor.astype` does.
    device
        Where; by default where an array is, else the current device.
    copy
        True copies always, False never (so only an array that has dtype and device already is taken), None if needed.

    Raises
    ------
    DTypeError
        Something in ``obj`` is no number; complex values for a real dtype.
    ValidationError
        Nested lists of different lengths, an int outside of the dtype, or a copy is needed and ``copy`` is False.
    UnsupportedError
        The device does not compute in the dtype: nothing is narrowed silently.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.asarray([[1, 2], [3, 4]]).dtype
    wgtensor.int32
    """
    target = optional_dtype_of(dtype)
    require_copy("asarray", copy)
    if isinstance(obj, Array):
        return _converted(obj, target, obj.device if device is None else as_device(device), copy)
    if copy is False:
        raise ValidationError(f"asarray with copy=False takes arrays, got {type_name(obj)}; its values must move")
    if _begins_with_array(obj):
        return asarray(_stacked(obj), dtype=target, device=device)
    where = as_device(device)
    return Array(where.backend.upload_host_tensor(host_tensor(obj, target, where)), where)


def _begins_with_array(obj: Any) -> bool:
    """Return whether the first element of nested lists is an array."""
    for _ in range(MOST_AXES + 1):
        if not isinstance(obj, tuple | list) or not obj:
            return isinstance(obj, Array)
        obj = obj[0]
    raise ValidationError(f"asarray takes lists nested at most {MOST_AXES} deep, got one nested deeper, or in itself")


def _stacked(obj: Any) -> Array:
    """Return nested lists of arrays as one array, joined on their device."""
    return stack([_stacked(each) if isinstance(each, tuple | list) else each for each in obj])


def _converted(x: Array, dtype: DType | None, device: Device, copy: bool | None) -> Array:
    """Return an array in a dtype on a device; itself where nothing changes and ``copy`` allows it."""
    changes = (dtype is not None and dtype is not x.dtype) or device is not x.device
    if changes and copy is False:
        raise ValidationError(
            f"asarray with copy=False needs dtype and device as they are, got {x.dtype} on {x.device} to "
            f"{dtype or x.dtype} on {device}; use copy=None"
        )
    return astype(x, dtype or x.dtype, copy=bool(copy), device=device)


def empty(shape: int | tuple[int, ...], *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Return an array of values that mean nothing; they are zeros, so no other program's data shows.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.empty((2, 3)).shape
    (2, 3)
    """
    return _constant("empty", shape, False, dtype, device)


def empty_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Return :func:`empty` in the shape, dtype and on the device of ``x``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.empty_like(wt.asarray([1, 2])).dtype
    wgtensor.int32
    """
    return _constant_like("empty_like", x, False, dtype, device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
) -> Array:
    """Return a matrix with ones on diagonal ``k`` (above the main one if positive) and zeros elsewhere.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.eye(2, 3, k=1).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    where = as_device(device)
    rows = integer_of("eye", "n_rows", n_rows)
    columns = rows if n_cols is None else integer_of("eye", "n_cols", n_cols)
    target = float32 if dtype is None else dtype_of(dtype)
    return _made("eye", where, creation.eye, shape_of("eye", (rows, columns)), integer_of("eye", "k", k), target)


def full(
    shape: int | tuple[int, ...],
    fill_value: complex,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
) -> Array:
    """Return an array of ``shape`` full of one number, in the default dtype of its kind.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.full((2, 2), 7).tolist()
    [[7, 7], [7, 7]]
    """
    where = as_device(device)
    return _filled("full", where, shape, fill_value, dtype)


def full_like(x: Array, /, fill_value: complex, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Return :func:`full` in the shape, dtype and on the device of ``x``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.full_like(wt.asarray([1, 2]), 7).tolist()
    [7, 7]
    """
    return _constant_like("full_like", x, fill_value, dtype, device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    endpoint: bool = True,
) -> Array:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``, which is the last one if ``endpoint``.

    Both ends are exact. The dtype is float32, complex64 for complex ends, or the float or complex ``dtype`` given.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    where = as_device(device)
    count = integer_of("linspace", "num", num)
    return _made("linspace", where, creation.linspace, start, stop, count, dtype, bool(endpoint))


def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """Return coordinate grids: array ``i`` along axis ``i``, as views of one shape.

    Parameters
    ----------
    *arrays
        Of one axis each, of any lengths, and of one dtype.
    indexing
        ``"ij"`` for matrix order; ``"xy"`` swaps the first two axes.

    Raises
    ------
    ValidationError
        An array does not have one axis; another ``indexing``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> x, y = wt.meshgrid(wt.arange(3), wt.arange(2))
    >>> x.tolist(), y.tolist()
    ([[0, 1, 2], [0, 1, 2]], [[0, 0, 0], [1, 1, 1]])
    """
    if indexing not in ("xy", "ij"):
        raise ValidationError(f"meshgrid needs indexing 'xy' or 'ij', got {indexing!r}")
    if not arrays:
        return ()
    device = device_of("meshgrid", *arrays)
    if any(required_array("meshgrid", each).ndim != 1 for each in arrays):
        raise ValidationError(f"meshgrid needs arrays of one axis, got shapes {[each.shape for each in arrays]}")
    order = list(range(len(arrays)))
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    shape = tuple(arrays[i].size for i in order)
    session = device.session
    return tuple(
        Array(session.broadcast_in_dim(each.tensor, shape, (order.index(i),)), device) for i, each in enumerate(arrays)
    )


def ones(shape: int | tuple[int, ...], *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Return an array of ones.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.ones((2, 2)).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _constant("ones", shape, True, dtype, device)


def ones_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Return ones in the shape, dtype and on the device of ``x``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.ones_like(wt.asarray([3, 4])).tolist()
    [1, 1]
    """
    return _constant_like("ones_like", x, True, dtype, device)


def tril(x: Array, /, *, k: int = 0) -> Array:
    """Return ``x`` with zeros above diagonal ``k`` of its last two axes, of which it needs two.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.tril(wt.ones((2, 2))).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _triangle("tril", x, k)


def triu(x: Array, /, *, k: int = 0) -> Array:
    """Return ``x`` with zeros below diagonal ``k`` of its last two axes, of which it needs two.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.triu(wt.ones((2, 2)), k=1).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    return _triangle("triu", x, k)


def zeros(shape: int | tuple[int, ...], *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Return an array of zeros.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.zeros(3, dtype=wt.int32).tolist()
    [0, 0, 0]
    """
    return _constant("zeros", shape, False, dtype, device)


def zeros_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike = None) -> Array:
    """Return zeros in the shape, dtype and on the device of ``x``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.zeros_like(wt.asarray([3, 4])).tolist()
    [0, 0]
    """
    return _constant_like("zeros_like", x, False, dtype, device)


def _constant(name: str, shape: Any, value: bool, dtype: DTypeLike | None, device: DeviceLike) -> Array:
    """Return False or True, 0 or 1 in every other dtype."""
    return _filled(name, as_device(device), shape, value, float32 if dtype is None else dtype)


def _constant_like(name: str, x: Array, value: complex, dtype: DTypeLike | None, device: DeviceLike) -> Array:
    where = required_array(name, x).device if device is None else as_device(device)
    return _filled(name, where, x.shape, value, x.dtype if dtype is None else dtype)


def _filled(name: str, device: Device, shape: Any, value: complex, dtype: DTypeLike | None) -> Array:
    return _made(name, device, partial(creation.full, name), shape_of(name, shape), value, dtype)


def _made(name: str, device: Device, make: Callable[..., Tensor], *arguments: Any) -> Array:
    """Return ``make(device, *arguments)`` as an array; ``name`` is for error texts."""
    try:
        return Array(make(device, *arguments), device)
    except UnsupportedError as error:
        raise in_parts(name, error, "make it in parts") from None


def _triangle(name: str, x: Array, k: int) -> Array:
    if required_array(name, x).ndim < 2:
        raise ValidationError(f"{name} needs at least two axes, got shape {x.shape}")
    with speaking_of(name):
        return Array(getattr(x.device.session, name)(x.tensor, integer_of(name, "k", k)), x.device)
