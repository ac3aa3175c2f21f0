"""Checks of arguments that no array is: integers, ``copy``, and the name of a type that does not fit."""

from __future__ import annotations

from typing import Any

from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules.axes import as_integer

__all__ = ["integer_of", "require_copy", "type_name"]


def type_name(value: Any) -> str:
    """Return the name of a value's type, with its module unless it is Python's own."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def integer_of(name: str, role: str, value: Any) -> int:
    """Return the argument ``role`` of function ``name``, an integer of Python's or NumPy's, as an int.

    Raises
    ------
    ValidationError
        It is no integer; a bool is none.
    """
    try:
        return as_integer(value)
    except TypeError as cause:
        raise ValidationError(f"{name} needs an integer as {role}, got {value!r}") from cause


def require_copy(name: str, copy: Any) -> None:
    """Raise unless ``copy`` is True, False or None.

    Raises
    ------
    DTypeError
        It is something else.
    """
    if copy is not None and not isinstance(copy, bool):
        raise DTypeError(f"{name} needs True, False or None as copy, got {copy!r}")
