"""The dtypes of wgtensor, as objects that exist on every machine.

What an adapter can compute in is a fact of the adapter; the dtype objects themselves are always there.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from wgtensor.errors import DTypeError

__all__ = [
    "ALL_DTYPES",
    "DType",
    "DTypeLike",
    "as_dtype",
    "bfloat16",
    "bool_",
    "complex64",
    "complex128",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class DType:
    """One element type: its name, kind and size, and its NumPy equivalent.

    Not constructed by users: take ``wgtensor.tensor.float32`` and its siblings, or ``as_dtype("float32")``.

    Attributes
    ----------
    name
        The Array API's name, for example ``"float32"``.
    kind
        NumPy's kind letter: ``"b"`` bool, ``"i"``, ``"u"``, ``"f"``, ``"c"``; ``"f"`` for bfloat16 too.
    itemsize
        Bytes of one element, as NumPy stores it.

    Examples
    --------
    >>> import numpy as np
    >>> float32.itemsize, np.dtype(float32) == np.float32
    (4, True)
    """

    __slots__ = (
        "is_complex",
        "is_float",
        "is_integer",
        "is_real_number",
        "itemsize",
        "kind",
        "name",
        "numpy",
    )

    def __init__(self, name: str, kind: str, itemsize: int, numpy: np.dtype[Any] | None) -> None:
        self.name: Final = name
        self.kind: Final = kind
        self.itemsize: Final = itemsize
        self.numpy: Final = numpy
        self.is_complex: Final = kind == "c"
        self.is_float: Final = kind == "f"
        self.is_integer: Final = kind in "iu"
        self.is_real_number: Final = kind in "iuf"

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype; what ``np.dtype(x)`` asks for before NumPy 2.4."""
        return self.__numpy_dtype__

    @property
    def __numpy_dtype__(self) -> np.dtype[Any]:
        """The NumPy dtype; what ``np.dtype(x)`` asks for.

        Raises
        ------
        DTypeError
            NumPy has no such dtype (bfloat16).
        """
        if self.numpy is None:
            raise DTypeError(f"NumPy has no dtype {self.name}; cast to float32 first")
        return self.numpy

    @property
    def real(self) -> DType:
        """The dtype of this dtype's real part: float32 for complex64, itself for the others."""
        return _REAL_OF.get(self.name, self)

    def __repr__(self) -> str:
        return f"wgtensor.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)


DTypeLike: TypeAlias = DType | str | type | np.dtype[Any]
"""What ``as_dtype`` takes: a DType, a name, a NumPy dtype or scalar type."""


def _of_numpy(scalar: type) -> DType:
    numpy = np.dtype(scalar)
    return DType(numpy.name, numpy.kind, numpy.itemsize, numpy)


bool_ = _of_numpy(np.bool_)
int8 = _of_numpy(np.int8)
int16 = _of_numpy(np.int16)
int32 = _of_numpy(np.int32)
int64 = _of_numpy(np.int64)
uint8 = _of_numpy(np.uint8)
uint16 = _of_numpy(np.uint16)
uint32 = _of_numpy(np.uint32)
uint64 = _of_numpy(np.uint64)
bfloat16 = DType("bfloat16", "f", 2, None)
float16 = _of_numpy(np.float16)
float32 = _of_numpy(np.float32)
float64 = _of_numpy(np.float64)
complex64 = _of_numpy(np.complex64)
complex128 = _of_numpy(np.complex128)

ALL_DTYPES: Final = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    bfloat16, float16, float32, float64, complex64, complex128,
)  # fmt: skip
_BY_NAME: Final = {dtype.name: dtype for dtype in ALL_DTYPES}
_REAL_OF: Final = {"complex64": float32, "complex128": float64}


def as_dtype(dtype: DTypeLike) -> DType:
    """Return the DType that ``dtype`` means.

    Raises
    ------
    DTypeError
        wgtensor has no such dtype.

    Examples
    --------
    >>> as_dtype("int32"), as_dtype(np.complex64)
    (wgtensor.int32, wgtensor.complex64)
    """
    if isinstance(dtype, DType):
        return dtype
    name = dtype if isinstance(dtype, str) and dtype in _BY_NAME else _numpy_name(dtype)
    if name not in _BY_NAME:
        raise DTypeError(f"wgtensor has no dtype {dtype!r}; it has {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def _numpy_name(dtype: Any) -> str:
    if dtype is None:  # NumPy's default, float64, is not meant
        return "None"
    try:
        return str(np.dtype(dtype).name)
    except (TypeError, ValueError):
        return repr(dtype)
