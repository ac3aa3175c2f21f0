"""Checks of axes and lengths that several shape rules share."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from wgtensor.errors import ValidationError
from wgtensor.tensor import Shape, checked_size

__all__ = [
    "as_integer",
    "as_integers",
    "checked_shape",
    "is_integer",
    "normalize_axis",
    "require_axes",
    "require_per_axis",
]


def as_integer(value: Any) -> int:
    """Return ``value``, an integer (Python's, NumPy's or alike), as an int; raise TypeError for a bool and others."""
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{value!r} is no integer")
    return index(value)


def as_integers(name: str, role: str, values: Any) -> tuple[int, ...]:
    """Return ``values`` as a tuple of int; raise ValidationError unless they are a sequence of integers."""
    try:
        return tuple([value if type(value) is int else as_integer(value) for value in values])
    except TypeError:
        raise ValidationError(f"{name} needs a sequence of integers as {role}, got {values!r}") from None


def is_integer(value: Any) -> bool:
    """Return whether ``value`` counts as an integer; a bool does not."""
    try:
        as_integer(value)
    except TypeError:
        return False
    return True


def _require_integers(name: str, role: str, values: Sequence[Any]) -> None:
    """Raise unless every value is an integer."""
    if not all(is_integer(value) for value in values):
        raise ValidationError(f"{name} needs integers as {role}, got {values}")


def require_axes(name: str, role: str, axes: Sequence[int], rank: int) -> None:
    """Raise unless ``axes`` are distinct integers within 0 to ``rank - 1``."""
    _require_integers(name, role, axes)
    if any(not 0 <= axis < rank for axis in axes):
        allowed = f"within 0 to {rank - 1}" if rank else "of a rank-0 tensor, which has none"
        raise ValidationError(f"{name} needs {role} {allowed}, got {tuple(axes)}")
    if len(set(axes)) != len(axes):
        raise ValidationError(f"{name} needs distinct {role}, got {tuple(axes)}")


def normalize_axis(name: str, axis: int, rank: int) -> int:
    """Return ``axis`` within 0 to ``rank - 1``; negative axes count from the end."""
    if not is_integer(axis) or not -rank <= axis < rank:
        raise ValidationError(f"{name} needs an axis within {-rank} to {rank - 1}, got {axis}")
    return axis % rank


def require_per_axis(name: str, role: str, values: Sequence[int], shape: Shape) -> None:
    """Raise unless ``values`` holds one integer for each axis of ``shape``."""
    _require_integers(name, role, values)
    if len(values) != len(shape):
        raise ValidationError(
            f"{name} needs one of {role} per axis of shape {shape}, got {len(values)}: {tuple(values)}"
        )


def checked_shape(name: str, shape: Sequence[int]) -> Shape:
    """Return ``shape`` as a tuple of int, after checking its lengths and its element count."""
    _require_integers(name, "lengths", shape)
    lengths = tuple(int(length) for length in shape)
    try:
        checked_size(lengths)
    except ValidationError as error:
        raise ValidationError(f"{name}: {error}") from None
    return lengths
