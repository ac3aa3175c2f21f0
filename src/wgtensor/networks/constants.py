"""Named constant tensors that a network file may ask for by name instead of holding their data.

``not_equal`` is the constraint matrix of graph colouring. The rest make random quantum circuits [1]_:
``ket0`` opens and closes a qubit line, ``sqrt_x``, ``sqrt_y`` and ``sqrt_w`` turn one qubit (rows are the
gate's output), and ``cz``, being diagonal, is the 2 x 2 matrix of its phases.

References
----------
.. [1] F. Arute et al., "Quantum supremacy using a programmable superconducting processor", Nature 574 (2019).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wgtensor.errors import ValidationError

__all__ = ["CONSTANTS", "Constant", "check_constant", "constant"]

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Constant:
    """How a named tensor is made, and which shapes it exists in."""

    rule: str
    fits: Callable[[Shape], bool]
    make: Callable[[Shape], NDArray[np.complex128] | NDArray[np.float64]]
    is_complex: bool = False


def _fixed(values: object) -> Constant:
    array = np.asarray(values)
    array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    array.setflags(write=False)
    return Constant(
        f"shape {array.shape}", lambda shape: shape == array.shape, lambda _: array, array.dtype.kind == "c"
    )


_ROOT_HALF = np.sqrt(0.5)
_ROOT_I = np.sqrt(1j)

CONSTANTS: Mapping[str, Constant] = {
    "not_equal": Constant(
        "a square matrix",
        lambda shape: len(shape) == 2 and shape[0] == shape[1],
        lambda shape: 1.0 - np.eye(shape[0]),
    ),
    "ket0": _fixed([1.0, 0.0]),
    "sqrt_x": _fixed(_ROOT_HALF * np.array([[1, -1j], [-1j, 1]])),
    "sqrt_y": _fixed(_ROOT_HALF * np.array([[1.0, -1.0], [1.0, 1.0]])),
    "sqrt_w": _fixed(_ROOT_HALF * np.array([[1, -_ROOT_I], [np.conj(_ROOT_I), 1]])),
    "cz": _fixed([[1.0, 1.0], [1.0, -1.0]]),
}


def check_constant(name: str, shape: Shape) -> None:
    """Refuse a constant that there is not, without making it.

    Raises
    ------
    ValidationError
        There is no such constant, or it does not exist in this shape.
    """
    if name not in CONSTANTS:
        raise ValidationError(f"unknown fill {name!r}; known are normal, {', '.join(CONSTANTS)}")
    if not CONSTANTS[name].fits(shape):
        raise ValidationError(f"fill {name!r} needs {CONSTANTS[name].rule}, got {shape}")


def constant(name: str, shape: Shape) -> NDArray[np.complex128] | NDArray[np.float64]:
    """Make the constant ``name`` in the given shape; raises as `check_constant` does."""
    check_constant(name, shape)
    return CONSTANTS[name].make(shape)
