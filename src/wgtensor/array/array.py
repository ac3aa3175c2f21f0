"""The array: a value on a device, with the operators of Python and the methods of the Array API."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn

from numpy.typing import NDArray

from wgtensor.array import indexing, shaping
from wgtensor.array.devices import DeviceLike, as_device
from wgtensor.array.display import flat_values, html_of, summary_of, text_of
from wgtensor.array.dtypes import dtype_of
from wgtensor.array.hints import missing_method
from wgtensor.array.operators import Operators
from wgtensor.array.refusals import in_parts
from wgtensor.array.support import require_dtype
from wgtensor.errors import DTypeError, UnsupportedError, ValidationError
from wgtensor.interop import dlpack
from wgtensor.tensor import DType, DTypeLike, Shape, Tensor

__all__ = ["Array"]

_VERSIONS: Final = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class Array(Operators):
    """An n-dimensional array on a device; follows the Python Array API standard, 2025.12.

    Made by the creation functions (``wt.asarray``, ``wt.zeros`` ...) and by computing. Work is recorded and runs
    later, in order; ``x.to_numpy()``, ``float(x)`` and ``print(x)`` wait for it. Arrays are values: assignment into
    one (``x[...] = v``) never changes another.

    Attributes
    ----------
    shape, ndim, size
        Lengths of the axes, their number, and the element count.
    dtype, itemsize, nbytes
        The element type, its bytes, and the bytes of all elements.
    device
        Where it is.
    T, mT
        The transpose of a matrix; of the last two axes.
    tensor
        The contract's handle, for sessions and einsum plans.

    Examples
    --------
    >>> import wgtensor as wt
    >>> x = wt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> (x * x + 1).to_numpy().tolist()
    [[2.0, 5.0], [10.0, 17.0]]
    """

    __slots__ = ()

    __array_ufunc__: Final = None
    """NumPy's functions and operators do not take device arrays."""

    # What it is

    @property
    def shape(self) -> Shape:
        """Lengths of the axes."""
        return self._tensor.shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._tensor.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._tensor.shape)

    @property
    def size(self) -> int:
        """Element count."""
        return self._tensor.layout.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._tensor.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._tensor.nbytes

    @property
    def T(self) -> Array:  # noqa: N802 - the standard's name
        """The transpose of a matrix, a view.

        Raises
        ------
        ValidationError
            The array does not have two axes.
        """
        if self.ndim != 2:
            way_out = "use mT, or wt.permute_dims" if self.ndim > 2 else "add axes with None, as in x[None, :]"
            raise ValidationError(f"T needs two axes, got shape {self.shape}; {way_out}")
        return self.mT

    @property
    def mT(self) -> Array:  # noqa: N802 - the standard's name
        """The transpose of the last two axes, a view.

        Raises
        ------
        ValidationError
            The array has fewer than two axes.
        """
        return self._of(shaping.swap_last(self._device.session, self._tensor, "mT"))

    # Indexing: views where they are possible

    def __getitem__(self, key: Any) -> Array:
        """Return the elements that ``key`` selects.

        Parameters
        ----------
        key
            Ints, slices, ``...``, None, bool arrays and integer arrays, with the meaning that NumPy gives them. The
            first four give a view. Integers in an array are not checked, since that would read the device: those out of
            range select the first or the last position. A bool array reads one number, how many are True.

        Raises
        ------
        IndexRuleError
            Too many indices, several ellipses, an int out of range, a mask of another shape, or no index at all.
        """
        try:
            return self._of(indexing.get(self._device, self._tensor, key))
        except UnsupportedError as error:
            raise in_parts("indexing", error) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set the elements that ``key`` selects; no other array changes.

        Parameters
        ----------
        key
            As for reading. Of equal positions in integer arrays, the last one wins.
        value
            Array or number that broadcasts to what ``key`` selects and converts to this dtype. A bool array reads how
            many are True only if the value differs between them.

        Raises
        ------
        IndexRuleError
            ``key`` does not fit.
        DTypeError, ValidationError
            ``value`` does not convert, does not broadcast, or is on another device.
        """
        try:
            indexing.put(self, key, value)
        except UnsupportedError as error:
            raise in_parts("assignment", error) from None

    def __len__(self) -> int:
        if not self.shape:
            raise DTypeError("len needs at least one axis, got an array of shape ()")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        """Return whether an element equals ``value``, as ``bool(wt.any(x == value))``; reads it from the device."""
        equal = (self == value).tensor
        return bool(self._of(self._device.session.reduce_any(equal, tuple(range(equal.ndim)))))

    # Shapes and dtypes

    def astype(self, dtype: DTypeLike, *, copy: bool = True) -> Array:
        """Return the values in another dtype; see ``wt.astype``.

        Examples
        --------
        >>> import wgtensor as wt
        >>> wt.asarray([1.5, -2.5]).astype(wt.int32).tolist()
        [1, -2]
        """
        target = dtype_of(dtype)
        require_dtype("astype", self._device, target)
        return self._of(shaping.astype(self._device.session, self._tensor, target, copy))

    def reshape(self, *shape: Any, copy: bool | None = None) -> Array:
        """Return the elements in row-major order under another shape (one length may be -1); see ``wt.reshape``.

        Examples
        --------
        >>> import wgtensor as wt
        >>> wt.asarray([1, 2, 3, 4]).reshape(2, -1).tolist()
        [[1, 2], [3, 4]]
        """
        lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        return self._of(shaping.reshape(self._device.session, self._tensor, lengths, copy))

    def transpose(self, *axes: Any) -> Array:
        """Return the view with axes in another order, reversed by default; see ``wt.permute_dims``.

        Examples
        --------
        >>> import wgtensor as wt
        >>> wt.zeros((2, 3, 4)).transpose(2, 0, 1).shape
        (4, 2, 3)
        """
        order: Any = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes
        order = order or tuple(range(self.ndim))[::-1]
        return self._of(shaping.permute(self._device.session, self._tensor, order, "transpose"))

    # Moving data, each explicit

    def to_device(self, device: DeviceLike, /, *, stream: None = None) -> Array:
        """Return the array on another device; itself if it is there.

        Raises
        ------
        ValidationError
            There is no such device, or ``stream`` is given.
        UnsupportedError
            The device does not compute in the dtype.

        Examples
        --------
        >>> import wgtensor as wt
        >>> wt.asarray([1, 2]).to_device("cpu").device
        Device('cpu')
        """
        if stream is not None:
            raise ValidationError(f"to_device takes no stream, got {stream!r}; work of a device runs in order")
        target = as_device(device)
        if target is self._device:
            return self
        require_dtype("to_device", target, self.dtype)
        host = self._device.backend.download_to_host(self._tensor)
        return Array(target.backend.upload_host_tensor(host), target)

    def to_numpy(self) -> NDArray[Any]:
        """Return the values as a NumPy array of its own; waits for the device. bfloat16 comes as uint16.

        Examples
        --------
        >>> import wgtensor as wt
        >>> wt.asarray([1, 2]).to_numpy().tolist()
        [1, 2]
        """
        host: NDArray[Any] = self._device.backend.download_to_host(self._tensor).to_numpy()
        return host

    def item(self) -> bool | int | float | complex:
        """Return the only element as a Python number; reads it from the device.

        Raises
        ------
        ValidationError
            The array has another number of elements than one.

        Examples
        --------
        >>> import wgtensor as wt
        >>> wt.asarray([4]).item()
        4
        """
        if self.size != 1:
            raise ValidationError(f"item needs an array of one element, got shape {self.shape}; use to_numpy()")
        number: bool | int | float | complex = flat_values(self._tensor, self._device).item()
        return number

    def tolist(self) -> Any:
        """Return the values as nested lists of Python numbers.

        Examples
        --------
        >>> import wgtensor as wt
        >>> wt.asarray([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return flat_values(self._tensor, self._device).reshape(self.shape).tolist()

    def __bool__(self) -> bool:
        return bool(self._only("bool"))

    def __int__(self) -> int:
        return int(self._only("int"))  # type: ignore[arg-type]  # of complex: Python's own TypeError

    def __float__(self) -> float:
        return float(self._only("float"))  # type: ignore[arg-type]  # of complex: Python's own TypeError

    def __complex__(self) -> complex:
        return complex(self._only("complex"))

    def __index__(self) -> int:
        if not self.dtype.is_integer:
            raise DTypeError(f"index() needs an integer array of shape (), got {self.dtype}; convert it with int(x)")
        number = self._only("index")
        assert isinstance(number, int)
        return number

    def _only(self, name: str) -> bool | int | float | complex:
        if self.shape != ():
            raise ValidationError(
                f"{name}() needs an array of shape (), got {self.shape}; "
                "use wt.any, wt.all, or an index that selects one element"
            )
        return self.item()

    # What others ask for

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """Return the namespace of array functions, ``wgtensor`` itself."""
        import wgtensor  # noqa: PLC0415 - the package imports this module

        if api_version not in (None, *_VERSIONS):
            raise ValidationError(f"__array_namespace__ knows {', '.join(_VERSIONS)}, got {api_version!r}")
        return wgtensor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise DTypeError(
            f"an array on {self._device} does not become a NumPy array silently, since data would move; "
            "write x.to_numpy()"
        )

    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule of host memory: the cpu device lends its own read-only, others copy on request.

        See ``wgtensor.interop.dlpack`` for parameters and errors.
        """
        return dlpack.to_capsule(
            self._tensor, self._device, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's (device type, number): (15, N) for ``webgpu:N``, (1, 0) for the cpu."""
        return dlpack.device_of(self._tensor)

    def __copy__(self) -> Array:
        """Return the same value; a handle of its own, so that assignment finds the storage shared and copies."""
        return self._of(self._tensor.view(self._tensor.layout))

    def __deepcopy__(self, memo: object) -> Array:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _unpickled, (self.to_numpy(), self.dtype, self._device.name)

    def __repr__(self) -> str:
        return summary_of(self)

    def __str__(self) -> str:
        return text_of(self)

    def __format__(self, spec: str) -> str:
        """Format the only element by ``spec``; without one, any array as ``str`` does."""
        if spec and self.shape != ():
            raise ValidationError(
                f"a format such as {spec!r} needs an array of shape (), got {self.shape}; write wt.round(x), or str(x) "
                "within np.printoptions(precision=...)"
            )
        return format(self.item(), spec) if spec else str(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    if not TYPE_CHECKING:  # a type checker tells what there is

        def __getattr__(self, name: str) -> NoReturn:
            error = missing_method(name)
            error.name, error.obj = name, self
            raise error

    def _of(self, tensor: Tensor) -> Array:
        """Return another array of this device."""
        return Array(tensor, self._device)


def _unpickled(values: NDArray[Any], dtype: DType, device: str) -> Array:
    try:
        target = as_device(device)
    except ValidationError as cause:
        raise ValidationError(
            f"an array pickled on {device} needs that device, which is not here ({cause}); there, pickle "
            "x.to_device('cpu'), or use wt.save, since wt.load takes a device"
        ) from cause
    return Array(target.backend.upload_host_tensor(Tensor.from_numpy(values, dtype)), target)
