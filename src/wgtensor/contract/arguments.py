"""Checks of the kind of an argument, before any rule looks at its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from wgtensor.contract.configs import CompareDirection
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules.axes import as_integer, is_integer

__all__ = ["direction_of", "instance_of", "integer", "tuple_of"]

C = TypeVar("C")


def integer(value: Any) -> Any:
    """Return an integer (NumPy's too) as an int, and anything else as it is: the rules refuse it."""
    return as_integer(value) if is_integer(value) else value


def tuple_of(kind: type[C], name: str, values: Sequence[C]) -> tuple[C, ...]:
    """Return ``values`` as a tuple, or raise DTypeError unless it is a sequence of ``kind``."""
    try:
        items = tuple(values)
    except TypeError:
        raise DTypeError(f"{name} takes a sequence of {kind.__name__}, got {values!r}") from None
    return tuple([instance_of(kind, name, item) for item in items])


def instance_of(kind: type[C], name: str, value: C) -> C:
    """Return ``value``, or raise DTypeError unless it is a ``kind``."""
    if not isinstance(value, kind):
        raise DTypeError(f"{name} takes a {kind.__name__}, got {value!r}")
    return value


def direction_of(value: CompareDirection | str) -> CompareDirection:
    """Return the direction, from itself or its value, or raise ValidationError."""
    try:
        return CompareDirection(value)
    except ValueError:
        names = ", ".join(f"CompareDirection.{each.name} ({each.value!r})" for each in CompareDirection)
        raise ValidationError(f"compare takes one of {names}, got {value!r}") from None
