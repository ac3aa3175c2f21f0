"""The tensor handle: dtype, layout, placement and storage."""

from __future__ import annotations

from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wgtensor.errors import DTypeError, RuntimeStateError, UnsupportedError
from wgtensor.tensor.dtype import DType, as_dtype, bfloat16
from wgtensor.tensor.layout import Layout, Shape
from wgtensor.tensor.placement import HOST, Placement

__all__ = ["MOST_AXES", "ArrayStorage", "Storage", "Tensor"]

MOST_AXES: Final = 64
"""Axes that NumPy's arrays may have."""


class Storage(Protocol):
    """A flat run of elements that tensors (views) share."""

    @property
    def placement(self) -> Placement:
        """Where the elements are, and whose they are."""


class ArrayStorage:
    """Storage in a one-dimensional NumPy array: host tensors and those of the reference backend.

    Parameters
    ----------
    flat
        The elements, one-dimensional and gapless.
    placement
        ``HOST``, or the reference backend's placement.
    """

    __slots__ = ("flat", "placement")

    def __init__(self, flat: NDArray[Any], placement: Placement = HOST) -> None:
        self.flat: Final = flat
        self.placement: Final = placement

    def __reduce__(self) -> tuple[type[ArrayStorage], tuple[NDArray[Any]]]:
        if not self.placement.is_host:
            raise RuntimeStateError(
                f"a tensor on {self.placement} belongs to its runtime and cannot be pickled or deep-copied; "
                "call download_to_host first"
            )
        return ArrayStorage, (self.flat,)

    def view(self, layout: Layout) -> NDArray[Any]:
        """Return the NumPy view that ``layout`` describes; it shares memory."""
        if layout.size == 0:
            return np.empty(layout.shape, self.flat.dtype)
        if len(layout.shape) > MOST_AXES:
            raise UnsupportedError(f"NumPy arrays have at most {MOST_AXES} axes, got {layout.shape}; reshape it first")
        itemsize = self.flat.itemsize
        return np.ndarray(
            layout.shape,
            self.flat.dtype,
            self.flat.data,
            layout.offset * itemsize,
            [stride * itemsize for stride in layout.strides],
        )


class _OpenHandle:
    """A tensor while it is made, so that its attributes can be set."""

    __slots__ = ("__weakref__", "dtype", "layout", "shape", "storage")

    dtype: DType
    layout: Layout
    shape: Shape
    storage: Storage


class Tensor(_OpenHandle):
    """An immutable handle on strided elements, on the host or on a device.

    Views share storage. Made by :meth:`from_numpy`, by uploads and by session operations.

    Attributes
    ----------
    shape, ndim, size
        Lengths of the axes, their number, and the element count.
    dtype
        The element type.
    layout
        Shape, strides and offset, in elements.
    nbytes
        Bytes of the elements (``size * itemsize``), not of the storage behind a view.
    placement
        Where the elements are.
    storage
        The backend's storage; opaque to everyone else.

    Examples
    --------
    >>> x = Tensor.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> x.shape, x.dtype, str(x.placement)
    ((2, 3), wgtensor.float32, 'host')
    """

    __slots__ = ()

    def __new__(cls, dtype: DType, layout: Layout, storage: Storage) -> Self:  # noqa: D102 - the class says it
        # Every operation makes a tensor: plain stores and a change of class cost a third of object.__setattr__'s calls.
        made: Any = _OpenHandle()
        made.dtype = dtype
        made.layout = layout
        made.shape = layout.shape
        made.storage = storage
        made.__class__ = cls
        return made  # type: ignore[no-any-return]  # its class was just set

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tensor is immutable; {name} cannot be set, a session operation returns a new tensor")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tensor is immutable; {name} cannot be deleted")

    def __reduce__(self) -> tuple[type[Self], tuple[DType, Layout, Storage]]:
        return type(self), (self.dtype, self.layout, self.storage)

    @staticmethod
    def from_numpy(array: Any, dtype: DType | None = None) -> Tensor:
        """Return a host tensor that borrows ``array`` (a NumPy array or scalar), whatever its strides.

        Nothing is copied, so the caller must not write into the array until the tensor is uploaded. Only arrays
        that NumPy cannot walk in whole elements (unaligned fields, foreign byte order) are copied.

        Parameters
        ----------
        array
            NumPy array or scalar of a dtype that wgtensor has.
        dtype
            ``bfloat16`` to say that a uint16 array holds bfloat16 bits; else left out.

        Raises
        ------
        DTypeError
            wgtensor has no such dtype, or ``array`` is no NumPy array or scalar.
        """
        if not isinstance(array, np.ndarray | np.generic):
            raise DTypeError(
                f"Tensor.from_numpy takes a NumPy array or scalar, got {type(array).__name__}; call np.asarray first"
            )
        array = np.asarray(array)
        if dtype is bfloat16 and array.dtype == np.uint16:
            element = bfloat16
        else:
            element = as_dtype(array.dtype.newbyteorder("="))
        return Tensor(element, *_borrow(array))

    @property
    def placement(self) -> Placement:
        """Where the elements are."""
        return self.storage.placement

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Element count."""
        return self.layout.size

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.layout.size * self.dtype.itemsize

    def to_numpy(self) -> NDArray[Any]:
        """Return a host tensor's elements as a NumPy array that shares its memory (bfloat16 as uint16).

        Raises
        ------
        RuntimeStateError
            The tensor is on a device; data never moves silently.
        """
        if not (self.placement.is_host and isinstance(self.storage, ArrayStorage)):
            raise RuntimeStateError(
                f"to_numpy needs a host tensor, got one on {self.placement}; "
                "call download_to_host(tensor) on its session or backend first"
            )
        return self.storage.view(self.layout)

    def view(self, layout: Layout) -> Tensor:
        """Return a tensor over the same storage with another layout (for backends; not checked)."""
        return Tensor(self.dtype, layout, self.storage)

    def __bool__(self) -> bool:
        raise RuntimeStateError("a Tensor has no truth value; download it and ask NumPy")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise DTypeError(
            "a Tensor does not become a NumPy array silently; call tensor.to_numpy() on a host tensor, "
            "or download_to_host(tensor).to_numpy() on a device tensor"
        )

    def __repr__(self) -> str:
        return f"Tensor(shape={self.shape}, dtype={self.dtype}, placement={self.placement})"


def _borrow(array: NDArray[Any]) -> tuple[Layout, ArrayStorage]:
    """Express ``array`` as a layout over the flat span of memory that it touches."""
    itemsize = array.itemsize
    whole = array.dtype.isnative and array.flags.aligned and all(s % itemsize == 0 for s in array.strides)
    if not whole or array.size == 0:
        array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)
    strides = [stride // itemsize for stride in array.strides]
    reach = [(length - 1) * stride for length, stride in zip(array.shape, strides, strict=True)]
    if array.size == 0:
        return Layout.contiguous(array.shape), ArrayStorage(array.reshape(-1))
    low, high = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    first = array[(*(slice(-1, None) if r < 0 else slice(0, 1) for r in reach), ...)]
    flat = np.lib.stride_tricks.as_strided(first, (high - low + 1,), (itemsize,))
    return Layout(array.shape, strides, -low), ArrayStorage(flat)
