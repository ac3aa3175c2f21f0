"""From a public function to the tensor level: one device, tensors in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wgtensor.array.arguments import type_name
from wgtensor.array.array import Array
from wgtensor.array.devices import Device
from wgtensor.array.operators import Lowering, device_of, operand_of
from wgtensor.array.refusals import in_parts
from wgtensor.errors import DTypeError, UnsupportedError

__all__ = ["call", "call_on", "required_array", "tensors_of"]


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


def call(name: str, lower: Lowering, x: Array, *arguments: Any) -> Array:
    """Return ``lower(session, tensor, *arguments)`` as an array of ``x``'s device; ``name`` is for error texts."""
    device = required_array(name, x).device
    try:
        return Array(lower(device.session, x.tensor, *arguments), device)
    except UnsupportedError as error:
        raise in_parts(name, error) from None


def call_on(name: str, lower: Lowering, operands: tuple[Any, ...], *arguments: Any) -> Array:
    """Return ``lower(session, *tensors, *arguments)`` of several arrays and numbers on one device."""
    device = device_of(name, *operands)
    try:
        return Array(lower(device.session, *tensors_of(name, operands, device), *arguments), device)
    except UnsupportedError as error:
        raise in_parts(name, error) from None


def tensors_of(name: str, operands: Sequence[Any], device: Device) -> tuple[Any, ...]:
    """Return arrays as tensors of ``device``, numbers as they are."""
    return tuple(operand_of(name, each, device) for each in operands)
