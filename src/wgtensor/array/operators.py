"""Operators of arrays: each is one session operation on promoted, broadcast operands.

:class:`Operators` holds an array's two slots and Python's operator methods; :class:`wgtensor.array.Array` adds the
rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Self, TypeAlias, TypeVar

import numpy as np

from wgtensor.array import contraction, dispatch
from wgtensor.array.arguments import type_name
from wgtensor.array.devices import Device
from wgtensor.array.python_numbers import is_number, plain
from wgtensor.array.refusals import spoken
from wgtensor.errors import DeviceLostError, DTypeError, ValidationError, WgTensorError
from wgtensor.tensor import Tensor

__all__ = ["Lowering", "Operand", "Operators", "device_of", "operand_of", "replace_tensor"]

_SYMBOLS: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "pow": "**",
    "matmul": "@",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "shift_left": "<<",
    "shift_right": ">>",
}
"""Operators that have an augmented assignment, by operation."""

Operand: TypeAlias = Any
"""An array or a Python number, as elementwise functions and operators take them."""


def device_of(name: str, *operands: Operand) -> Device:
    """Return the one device of the arrays among ``operands``; ``name`` is the public one, for error texts.

    Raises
    ------
    DTypeError
        None is an array.
    ValidationError
        They are on several devices.
    """
    device: Device | None = None
    for each in operands:
        if isinstance(each, Operators):
            if device is not None and each._device is not device:
                raise _several_devices(name, device, each._device)
            device = each._device
    if device is None:
        raise DTypeError(
            f"{name} takes at least one wgtensor array, got {', '.join(map(type_name, operands))}; "
            "make one with wt.asarray"
        )
    return device


def operand_of(name: str, value: Operand, device: Device) -> Any:
    """Return what a session takes for an operand beside an array on ``device``: a tensor or a Python number.

    Raises
    ------
    DTypeError
        It is neither an array nor a number.
    ValidationError
        It is an array of another device.
    """
    if isinstance(value, Operators):
        if value._device is not device:
            raise _several_devices(name, device, value._device)
        return value._tensor
    if is_number(value):
        return plain(value)
    raise DTypeError(f"{name} takes wgtensor arrays and Python numbers, got {type_name(value)}; {_way_out(value)}")


def _way_out(value: Any) -> str:
    """Return what to do with an operand that is neither an array nor a number."""
    if value is None:
        return "ask for None with `x is None`"
    if isinstance(value, list | tuple) or hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return "bring it to the device with wt.asarray"
    return "there is nothing else that an array holds or is compared with"


def _several_devices(name: str, first: Device, second: Device) -> WgTensorError:
    for device in (first, second):
        if device.is_lost:
            return DeviceLostError(
                f"{name} needs arrays that exist, got one of a device {device} that was lost; make it anew"
            )
    return ValidationError(
        f"{name} needs arrays of one device, got {first} and {second}; data never moves silently, "
        f"bring one over with x.to_device('{first}')"
    )


def _is_foreign(value: Any) -> bool:
    """Return whether another array library's type may know what to do."""
    return (
        not isinstance(value, Operators)
        and hasattr(type(value), "__array_namespace__")
        and not isinstance(value, np.ndarray | np.generic)
    )


A = TypeVar("A", bound="Operators")

Lowering: TypeAlias = Callable[..., Tensor]
"""A function of a session and tensors that returns a tensor; of an operator ``lower(session, name, operands)``."""

# The methods' types are spelled out below, since an alias would bind A once for all of them.


def _binary(name: str, lower: Lowering = dispatch.apply) -> Callable[[A, Operand], A]:
    """Return the operator method that runs operation ``name``."""
    public = spoken(name)

    def operator(self: A, other: Operand) -> A:
        device = self._device
        kind = type(other)
        if kind is type(self) and other._device is device:
            operand = other._tensor
        elif kind is float or kind is int:
            operand = other
        elif _is_foreign(other):
            return NotImplemented  # type: ignore[no-any-return]  # Python asks the other operand
        else:
            operand = operand_of(public, other, device)
        return type(self)(lower(device.session, name, (self._tensor, operand)), device)

    return operator


def _reflected(name: str, lower: Lowering = dispatch.apply) -> Callable[[A, Operand], A]:
    """Return the method of an operator whose left operand is no array."""
    public = spoken(name)

    def operator(self: A, other: Operand) -> A:
        if _is_foreign(other):
            return NotImplemented  # type: ignore[no-any-return]  # Python asks the other operand
        device = self._device
        return type(self)(lower(device.session, name, (operand_of(public, other, device), self._tensor)), device)

    return operator


def _in_place(name: str, lower: Lowering = dispatch.apply) -> Callable[[A, Operand], A]:
    """Return the method of an augmented assignment: the array keeps its shape and dtype."""
    public = spoken(name)

    def operator(self: A, other: Operand) -> A:
        if _is_foreign(other):
            return NotImplemented  # type: ignore[no-any-return]  # Python asks the other operand
        held = self._tensor
        result = lower(self._device.session, name, (held, operand_of(public, other, self._device)))
        if result.shape != held.shape or result.dtype is not held.dtype:
            raise (ValidationError if result.shape != held.shape else DTypeError)(
                f"{public} in place needs a result of {held.dtype} and shape {held.shape}, got {result.dtype} and "
                f"{result.shape}; write x = x {_SYMBOLS[name]} ... instead"
            )
        self._tensor = result
        return self

    return operator


def _unary(name: str, lower: Lowering = dispatch.apply) -> Callable[[A], A]:
    """Return the operator method that runs operation ``name`` on one array."""

    def operator(self: A) -> A:
        return type(self)(lower(self._device.session, name, (self._tensor,)), self._device)

    return operator


def _methods(
    name: str, lower: Lowering = dispatch.apply
) -> tuple[Callable[[A, Operand], A], Callable[[A, Operand], A], Callable[[A, Operand], A]]:
    return _binary(name, lower), _reflected(name, lower), _in_place(name, lower)


class Operators:
    """The two slots of an array, its tensor and its device, and the operators on it."""

    __slots__ = ("__weakref__", "_device", "_tensor")

    def __init__(self, tensor: Tensor, device: Device) -> None:
        self._tensor = tensor
        self._device = device

    __add__, __radd__, __iadd__ = _methods("add")
    __sub__, __rsub__, __isub__ = _methods("sub")
    __mul__, __rmul__, __imul__ = _methods("mul")
    __truediv__, __rtruediv__, __itruediv__ = _methods("divide", dispatch.divide)
    __floordiv__, __rfloordiv__, __ifloordiv__ = _methods("floor_divide")
    __mod__, __rmod__, __imod__ = _methods("remainder")
    __pow__, __rpow__, __ipow__ = _methods("pow")
    __matmul__, __rmatmul__, __imatmul__ = _methods("matmul", contraction.matmul)
    __and__, __rand__, __iand__ = _methods("bitwise_and", dispatch.bitwise)
    __or__, __ror__, __ior__ = _methods("bitwise_or", dispatch.bitwise)
    __xor__, __rxor__, __ixor__ = _methods("bitwise_xor", dispatch.bitwise)
    __lshift__, __rlshift__, __ilshift__ = _methods("shift_left")
    __rshift__, __rrshift__, __irshift__ = _methods("shift_right")
    __eq__ = _binary("equal", dispatch.compare)  # type: ignore[assignment]  # arrays compare by element
    __ne__ = _binary("not_equal", dispatch.compare)  # type: ignore[assignment]  # arrays compare by element
    __lt__ = _binary("less", dispatch.compare)
    __le__ = _binary("less_equal", dispatch.compare)
    __gt__ = _binary("greater", dispatch.compare)
    __ge__ = _binary("greater_equal", dispatch.compare)
    __hash__ = None  # type: ignore[assignment]  # nor can they be keys

    __neg__ = _unary("neg")
    __abs__ = _unary("abs")
    __invert__ = _unary("bitwise_not", dispatch.bitwise)

    def __pos__(self) -> Self:
        return type(self)(self._tensor, self._device)

    @property
    def tensor(self) -> Tensor:
        """The contract's immutable handle on the elements."""
        return self._tensor

    @property
    def device(self) -> Device:
        """Where the array is."""
        return self._device


def replace_tensor(array: Operators, tensor: Tensor) -> None:
    """Make ``tensor`` the value of ``array``: what assignment does where it does not write in place."""
    array._tensor = tensor
