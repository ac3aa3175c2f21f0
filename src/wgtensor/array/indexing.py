"""Indexing of one tensor."""

from __future__ import annotations

from typing import Any

from wgtensor.array.devices import Device
from wgtensor.tensor import Tensor

__all__ = ["get", "put"]


def get(device: Device, x: Tensor, key: Any) -> Tensor:
    """Return what ``key`` selects."""
    raise NotImplementedError


def put(device: Device, array: Any, key: Any, value: Any) -> Tensor:
    """Return the tensor of ``array`` with what ``key`` selects set to ``value``."""
    raise NotImplementedError
