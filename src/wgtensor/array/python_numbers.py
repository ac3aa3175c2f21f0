"""Python numbers beside arrays: their kind, the default dtype of a kind, and whether a number fits an array's dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wgtensor.array.arguments import type_name
from wgtensor.errors import DTypeError
from wgtensor.rules import fitting_number
from wgtensor.tensor import DType, bool_, complex64, complex128, float32, int32

__all__ = ["beside", "default_of_kind", "default_of_numbers", "fitting", "is_number", "kind_of_number", "plain"]

_DEFAULTS: Final = {"b": bool_, "i": int32, "u": int32, "f": float32, "c": complex64}
_KINDS: Final = {bool: "b", int: "i", float: "f", complex: "c"}
_TAKES: Final = {"b": "b", "i": "bi", "u": "bi", "f": "bifc", "c": "bifc"}
"""Kinds of the Python numbers that a dtype's kind takes beside it; the complex ones make floats complex."""
_COMPLEX_OF: Final = {"float16": complex64, "float32": complex64, "float64": complex128}


def is_number(value: Any) -> bool:
    """Return whether ``value`` is a Python or NumPy number, which takes the dtype of the arrays beside it."""
    return isinstance(value, (*_KINDS, np.generic))


def default_of_kind(kind: str) -> DType:
    """Return the default dtype of a kind letter: bool, int32, float32 or complex64."""
    return _DEFAULTS[kind]


def default_of_numbers(operation: str, numbers: Sequence[Any]) -> DType:
    """Return the default dtype that holds all of some Python numbers: bool, int32, float32 or complex64.

    Raises
    ------
    DTypeError
        One of them is no number.
    """
    kinds = [kind_of_number(operation, number) for number in numbers]
    return _DEFAULTS[max(kinds, key="biufc".index)]


def plain(number: Any) -> Any:
    """Return a NumPy number as Python's, anything else as it is."""
    return number.item() if isinstance(number, np.generic) else number


def kind_of_number(operation: str, number: Any) -> str:
    """Return the kind letter of a Python or NumPy number: ``"b"``, ``"i"``, ``"f"`` or ``"c"``.

    Raises
    ------
    DTypeError
        It is none.
    """
    value = plain(number)
    for python_type, kind in _KINDS.items():
        if isinstance(value, python_type):
            return kind
    raise DTypeError(f"{operation} takes Python numbers, got {number!r} of type {type_name(number)}")


def beside(operation: str, number: Any, dtype: DType) -> DType:
    """Return the dtype in which an array and a Python number meet: the array's, or complex of its precision.

    Raises
    ------
    DTypeError
        The number's kind does not fit: a float beside integers, an int beside bools.
    """
    kind = kind_of_number(operation, number)
    meets = _COMPLEX_OF.get(dtype.name) if kind == "c" and dtype.is_float else dtype
    if meets is None or kind not in _TAKES[dtype.kind]:
        raise _unfit(operation, number, dtype)
    return meets


def fitting(operation: str, number: Any, dtype: DType) -> Any:
    """Return ``number`` as Python's, if an array of ``dtype`` takes its kind and value.

    Raises
    ------
    DTypeError
        Its kind does not fit: a float beside integers, a complex number beside floats, an int beside bools.
    ValidationError
        An int outside the dtype.
    """
    try:
        return fitting_number(operation, number, dtype)
    except DTypeError as error:
        raise _unfit(operation, number, dtype) from error


def _unfit(operation: str, number: Any, dtype: DType) -> DTypeError:
    default = _DEFAULTS[kind_of_number(operation, number)]
    return DTypeError(
        f"{operation} takes numbers that fit the dtype {dtype}, got {number!r}; "
        f"convert the array with x.astype(wt.{default})"
    )
