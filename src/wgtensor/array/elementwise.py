"""From the operands of a public elementwise function to one operation on tensors, and back to an array."""

from __future__ import annotations

from wgtensor.array import dispatch
from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.operators import Lowering, Operand, device_of, operand_of
from wgtensor.array.refusals import spoken

__all__ = ["binary", "unary", "unary_of_inexact"]


def unary(name: str, x: Array, lower: Lowering = dispatch.apply) -> Array:
    """Run operation ``name`` on an array."""
    device = required_array(spoken(name), x).device
    return Array(lower(device.session, name, (x.tensor,)), device)


def unary_of_inexact(name: str, x: Array) -> Array:
    """Run operation ``name`` on floats and complex numbers; integers, which it would not change, stay."""
    return required_array(name, x).__pos__() if x.dtype.is_integer else unary(name, x)


def binary(name: str, x1: Operand, x2: Operand, lower: Lowering = dispatch.apply) -> Array:
    """Run operation ``name`` on two arrays, or an array and a Python number, broadcast and promoted."""
    public = spoken(name)
    device = x1.device if type(x1) is Array else device_of(public, x1, x2)
    operands = (operand_of(public, x1, device), operand_of(public, x2, device))
    return Array(lower(device.session, name, operands), device)
