"""Numbers of Python's or NumPy's as operands: data of rank 0 that takes the dtype of the tensors beside it."""

from __future__ import annotations

from typing import Any, Final

from wgtensor.errors import DTypeError
from wgtensor.rules import Operation, fitting_number
from wgtensor.tensor import DType, Shape, Tensor

__all__ = ["Scalar", "as_scalars", "plain_scalar"]

_PLAIN: Final = {(float, "f"), (float, "c"), (complex, "c"), (int, "i"), (int, "f"), (int, "c")}
"""Types of numbers, and the kinds of the dtypes that hold them (ints: within 32 bits)."""


class Scalar:
    """A Python number with the dtype that its operation gives it; has a shape and a dtype as tensors do."""

    __slots__ = ("dtype", "value")

    shape: Shape = ()

    def __init__(self, value: complex, dtype: DType) -> None:
        self.value: Final = value
        self.dtype: Final = dtype


def as_scalars(operation: Operation, operands: tuple[Any, ...]) -> list[Tensor | Scalar]:
    """Return ``operands`` with each number, of Python's or NumPy's, as a :class:`Scalar`.

    Raises
    ------
    DTypeError
        No operand is a tensor, or a number's kind does not fit (a float beside integers, a complex beside floats).
    ValidationError
        An int does not fit the integer dtype.
    """
    for operand in operands:
        if not isinstance(operand, Tensor):
            return _convert(operation, operands)
    return list(operands)


def _convert(operation: Operation, operands: tuple[Any, ...]) -> list[Tensor | Scalar]:
    dtypes = [each.dtype for each in operands if isinstance(each, Tensor)]
    if operation.name == "select":
        dtypes = [each.dtype for each in operands[1:] if isinstance(each, Tensor)]
    if not dtypes:
        raise DTypeError(f"{operation.name} needs at least one tensor to take the dtype from, got only numbers")
    return [each if isinstance(each, Tensor) else _to_scalar(operation.name, each, dtypes[0]) for each in operands]


def plain_scalar(value: Any, dtype: DType) -> Scalar | None:
    """Return ``value`` as a scalar of a 32-bit or wider ``dtype`` if that needs no checks, else None."""
    kind = type(value)
    if (kind, dtype.kind) not in _PLAIN or (kind is int and not -0x80000000 <= value <= 0x7FFFFFFF):
        return None
    return Scalar(value, dtype)


def _to_scalar(name: str, value: Any, dtype: DType) -> Scalar:
    """Return ``value`` as a scalar of ``dtype``; see :func:`as_scalars` for what is refused."""
    return Scalar(fitting_number(name, value, dtype), dtype)
