"""Checks of the kind of an argument, before any rule looks at its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from wgtensor.contract.configs import CompareDirection
from wgtensor.errors import ValidationError

__all__ = ["direction_of", "instance_of", "integers"]

C = TypeVar("C")


def integers(name: str, role: str, values: Sequence[int]) -> tuple[int, ...]:
    """Return ``values`` as a tuple, or raise ValidationError; the rules check its elements."""
    try:
        return tuple(values)
    except TypeError:
        raise ValidationError(f"{name} needs a sequence of integers as {role}, got {values!r}") from None


def instance_of(kind: type[C], name: str, value: C) -> C:
    """Return ``value``, or raise ValidationError unless it is a ``kind``."""
    if not isinstance(value, kind):
        raise ValidationError(f"{name} takes a {kind.__name__}, got {value!r}")
    return value


def direction_of(value: CompareDirection | str) -> CompareDirection:
    """Return the direction, from itself or its value, or raise ValidationError."""
    try:
        return CompareDirection(value)
    except ValueError:
        raise ValidationError(f"compare takes a CompareDirection, got {value!r}") from None
