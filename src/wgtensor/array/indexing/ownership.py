"""Who else shows the storage of an array: the rule that lets an assignment write in place.

Tensors are immutable handles, and arrays are values. An assignment may write into an array's storage only if no other
tensor shows it: neither a second array or a session's user that holds the same tensor, nor a view.
"""

from __future__ import annotations

import sys
from typing import Final

import numpy as np

from wgtensor.array.devices import Device
from wgtensor.array.operators import Operators
from wgtensor.tensor import Tensor

__all__ = ["is_alone", "own"]


def is_alone(array: Operators) -> bool:
    """Return whether no other tensor shows the storage of ``array``; in doubt, False.

    Pending work that reads the storage runs first, since it holds it too. The caller must not hold the array's tensor,
    its storage or a view of it in a variable.
    """
    array._device.session.run_readers(array._tensor)
    return _references(array) == _ALONE


def own(array: Operators) -> Tensor:
    """Return the tensor of ``array``, copied first unless it is alone and shows each element once."""
    if not is_alone(array) or array._tensor.layout.overlaps_itself():
        array._tensor = array._device.session.to_contiguous(array._tensor)
    return array._tensor


def _references(array: Operators) -> tuple[int, int]:
    """Return how many references the interpreter counts to the array's tensor and to its storage."""
    return sys.getrefcount(array._tensor), sys.getrefcount(array._tensor.storage)


# Versions of Python count the references of a call differently, so what "alone" means is measured where it is asked.
_ALONE: Final = _references(Operators(Tensor.from_numpy(np.zeros(1, np.float32)), Device("none", None)))
