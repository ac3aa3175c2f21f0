"""Dtypes as users of arrays write them."""

from __future__ import annotations

from typing import Any, Final

from wgtensor.array.python_numbers import default_of_kind
from wgtensor.errors import DTypeError
from wgtensor.tensor import ALL_DTYPES, DType, as_dtype

__all__ = ["dtype_of", "optional_dtype_of"]

_BY_NAME: Final = {dtype.name: dtype for dtype in ALL_DTYPES}
_BUILTIN_KINDS: Final[dict[Any, str]] = {bool: "b", int: "i", float: "f", complex: "c"}


def dtype_of(dtype: Any) -> DType:
    """Return the dtype that an argument means: a dtype, its full name, or NumPy's dtype or scalar type.

    Python's ``bool``, ``int``, ``float`` and ``complex`` mean the default dtypes bool, int32, float32 and complex64, as
    NumPy's defaults are meant there. NumPy's other names ('f', 'float', '<i4') are refused: 'float' has 64 bits there.

    Raises
    ------
    DTypeError
        wgtensor has no such dtype, or it goes by another name.

    Examples
    --------
    >>> dtype_of("int32"), dtype_of(float)
    (wgtensor.int32, wgtensor.float32)
    """
    if isinstance(dtype, str):
        if dtype not in _BY_NAME:
            raise DTypeError(f"wgtensor has no dtype {dtype!r}; it has {', '.join(_BY_NAME)}")
        return _BY_NAME[dtype]
    if isinstance(dtype, type) and dtype in _BUILTIN_KINDS:
        return default_of_kind(_BUILTIN_KINDS[dtype])
    return as_dtype(dtype)


def optional_dtype_of(dtype: Any) -> DType | None:
    """Return None for None, else what :func:`dtype_of` does."""
    return None if dtype is None else dtype_of(dtype)
