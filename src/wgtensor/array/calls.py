"""From a public function to the tensor level: one device, tensors in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from wgtensor.array.array import Array
from wgtensor.array.devices import Device
from wgtensor.array.elementwise import required_array
from wgtensor.array.operators import device_of, operand_of
from wgtensor.tensor import Tensor

__all__ = ["call", "call_on", "tensors_of"]

Lowering: TypeAlias = Callable[..., Tensor]


def call(name: str, lower: Lowering, x: Array, *arguments: Any) -> Array:
    """Return ``lower(session, tensor, *arguments)`` as an array of ``x``'s device; ``name`` is for error texts."""
    device = required_array(name, x).device
    return Array(lower(device.session, x.tensor, *arguments), device)


def call_on(name: str, lower: Lowering, operands: tuple[Any, ...], *arguments: Any) -> Array:
    """Return ``lower(session, *tensors, *arguments)`` of several arrays and numbers on one device."""
    device = device_of(name, *operands)
    return Array(lower(device.session, *tensors_of(name, operands, device), *arguments), device)


def tensors_of(name: str, operands: Sequence[Any], device: Device) -> tuple[Any, ...]:
    """Return arrays as tensors of ``device``, numbers as they are."""
    return tuple(operand_of(name, each, device) for each in operands)
