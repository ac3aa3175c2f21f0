"""Operands of a network: filled from a seed, scaled so that the result can be told from zero.

A network of normal tensors contracts to numbers far outside float32; where they underflow to exactly 0,
every wrong answer looks right. So each tensor is multiplied by one common factor that makes the largest
magnitude of the result 1. Networks of constants are what they are, and are not scaled.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.networks.constants import constant
from wgtensor.networks.instance import NetworkInstance
from wgtensor.networks.paths import Path
from wgtensor.networks.reference import contract_network

__all__ = ["FilledNetwork", "fill_network", "fill_operands"]

Array = NDArray[Any]


@dataclass(frozen=True)
class FilledNetwork:
    """Operands and what they contract to.

    Attributes
    ----------
    operands
        One float64 or complex128 array a tensor.
    reference
        The result in the same precision.
    scale
        The factor that each operand was multiplied by.
    """

    operands: list[Array]
    reference: Array
    scale: float


def fill_operands(instance: NetworkInstance, seed: int = 0, *, is_complex: bool | None = None) -> list[Array]:
    """Fill the operands without scaling them.

    Parameters
    ----------
    seed
        Of the one generator that fills the random tensors in order.
    is_complex
        Complex values; by default, what the instance's dtype says. Random complex numbers have a standard
        normal real and imaginary part.
    """
    rng = np.random.default_rng(seed)
    complex_values = instance.is_complex if is_complex is None else is_complex
    dtype = np.complex128 if complex_values else np.float64

    def values(name: str, shape: tuple[int, ...]) -> Array:
        if name != "normal":
            return constant(name, shape).astype(dtype)
        real = rng.standard_normal(shape)
        return real + 1j * rng.standard_normal(shape) if complex_values else real

    return [values(name, shape) for name, shape in zip(instance.fills, instance.shapes, strict=True)]


def fill_network(
    instance: NetworkInstance, path: Path, seed: int = 0, *, is_complex: bool | None = None
) -> FilledNetwork:
    """Fill the operands, and scale them so that the largest magnitude of the result is 1.

    Networks of constants are not scaled. The scale is found by contracting the network once in double
    precision, so the reference result costs nothing more.
    """
    operands = fill_operands(instance, seed, is_complex=is_complex)
    mantissa, exponent = contract_network(operands, instance.inputs, instance.output, path)
    if instance.is_exact or not mantissa.any():
        return FilledNetwork(operands, mantissa * 2.0**exponent, 1.0)
    scale = 2.0 ** (-exponent / instance.num_tensors)
    return FilledNetwork([operand * scale for operand in operands], mantissa, scale)
