"""From the operands of a public elementwise function to one operation on tensors, and back to an array."""

from __future__ import annotations

from typing import Any

from wgtensor.array import dispatch
from wgtensor.array.array import Array
from wgtensor.array.operators import Lowering, Operand, device_of, operand_of
from wgtensor.array.refusals import type_name
from wgtensor.errors import DTypeError

__all__ = ["binary", "required_array", "unary", "unary_of_inexact"]


def required_array(name: str, x: Any) -> Array:
    """Return ``x`` if it is an array.

    Raises
    ------
    DTypeError
        It is something else.
    """
    if isinstance(x, Array):
        return x
    raise DTypeError(f"{name} takes a wgtensor array, got {type_name(x)}; make one with wt.asarray")


def unary(name: str, x: Array, lower: Lowering = dispatch.apply) -> Array:
    """Run operation ``name`` on an array."""
    device = required_array(name, x)._device
    return Array(lower(device.session, name, (x._tensor,)), device)


def unary_of_inexact(name: str, x: Array) -> Array:
    """Run operation ``name`` on floats and complex numbers; integers, which it would not change, stay."""
    return required_array(name, x).__pos__() if x.dtype.is_integer else unary(name, x)


def binary(name: str, x1: Operand, x2: Operand, lower: Lowering = dispatch.apply, **attributes: Any) -> Array:
    """Run operation ``name`` on two arrays, or an array and a Python number, broadcast and promoted."""
    device = x1._device if type(x1) is Array else device_of(name, x1, x2)
    operands = (operand_of(name, x1, device), operand_of(name, x2, device))
    return Array(lower(device.session, name, operands, **attributes), device)
