"""Who else shows the storage of an array: the rule that lets an assignment write in place.

Tensors are immutable handles, and arrays are values. An assignment may write into an array's storage only if no other
tensor shows it: neither a second array or a session's user that holds the same tensor, nor a view.
"""

from __future__ import annotations

import sys
from typing import Final

import numpy as np

from wgtensor.array.devices import as_device
from wgtensor.array.operators import Operators, replace_tensor
from wgtensor.tensor import Tensor

__all__ = ["is_alone", "own"]


def is_alone(array: Operators) -> bool:
    """Return whether no other tensor shows the storage of ``array``; in doubt, False.

    Pending work that reads the storage runs first, since it holds it too. The caller must not hold the array's tensor,
    its storage or a view of it in a variable.
    """
    array.device.session.run_readers(array.tensor)
    return _references(array) == _ALONE


def own(array: Operators) -> Tensor:
    """Return the tensor of ``array``, copied first unless it is alone and shows each element once."""
    if not is_alone(array) or array.tensor.layout.overlaps_itself():
        replace_tensor(array, array.device.session.to_contiguous(array.tensor))
    return array.tensor


def _references(array: Operators) -> tuple[int, int]:
    """Return how many references the interpreter counts to the array's tensor and to its storage."""
    return sys.getrefcount(array.tensor), sys.getrefcount(array.tensor.storage)


# Versions of Python count the references of a call differently, so what "alone" means is measured where it is asked.
_ALONE: Final = _references(Operators(Tensor.from_numpy(np.zeros(1, np.float32)), as_device("cpu")))
