"""Operands of the probes: ranges of 40,000 samples each, and special values, by kind of dtype."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.tensor import DType

__all__ = ["SAMPLES", "bits", "draw", "near_one", "powers", "shifts"]

Array = NDArray[Any]

SAMPLES: Final = 40_000
"""Samples of each range."""

_FLOAT_RANGES: Final = ((-1e-3, 1e-3), (0.5, 2.0), (-10.0, 10.0), (-110.0, 90.0), (-1e5, 1e5))
_COMPLEX_RANGES: Final[dict[str, Callable[[np.random.Generator], Array]]] = {
    "square of 1": lambda rng: _square(rng, 1),
    "square of 95": lambda rng: _square(rng, 95),
    "whole plane": lambda rng: _polar(rng, -30, 37),
    "near the axes": lambda rng: _axes(rng, -5, 1),
    "near 1": lambda rng: 1 + _polar(rng, -7, -1),
    "near the unit circle": lambda rng: _polar(rng, 0, 0) * (1 + _axes(rng, -7, -1)),
}
_SPECIAL_PARTS: Final = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan)
_SPECIALS: Final = (*_SPECIAL_PARTS, 2.0, 3.0, -3.0, 1e-40, -1e-40, 88.8, -104.0, 2.0**24, 8388607.5, -(2.0**31), 1e30)


def draw(rng: np.random.Generator, dtype: DType, count: int) -> tuple[Array, ...]:
    """Return ``count`` operands of one length: every range of the dtype, and every combination of special values."""
    ranges = [tuple(part(rng) for _ in range(count)) for part in _ranges(dtype)]
    columns = zip(*ranges, _combinations(_special_values(dtype), count), strict=True)
    with np.errstate(all="ignore"):  # of float16, where large numbers become infinite
        return tuple(np.concatenate([part.astype(dtype.numpy) for part in column]) for column in columns)


def bits(rng: np.random.Generator, dtype: DType) -> Array:
    """Return :data:`SAMPLES` real numbers whose bit patterns are uniform; of dtypes with few, every number."""
    if dtype.itemsize == 2:
        return np.arange(1 << 16, dtype=np.uint16).view(np.dtype(dtype))
    words = rng.integers(0, 256, (SAMPLES, dtype.itemsize), dtype=np.uint8)
    return words.view(np.dtype(dtype)).reshape(-1)


def near_one(rng: np.random.Generator, dtype: DType, shape: Sequence[int]) -> Array:
    """Return numbers of which a thousand have a product, and parts of it, in the range of float16."""
    values = np.exp(rng.normal(0, 0.02, shape))
    return np.asarray(values * np.exp(1j * rng.uniform(0, 6, shape)) if dtype.kind == "c" else values, dtype.numpy)


def powers(rng: np.random.Generator, dtype: DType) -> tuple[Array, Array]:
    """Return bases and exponents: of the ranges, and, for floats, such whose powers fill the dtype."""
    base, exponent = draw(rng, dtype, 2)
    if dtype.kind != "f":
        return base, exponent
    positive = np.abs(draw(rng, dtype, 1)[0]).astype(np.float64)
    limit = float(np.finfo(dtype.numpy).maxexp)
    with np.errstate(all="ignore"):
        filling = rng.uniform(-1.1 * limit, limit, positive.size) / np.log2(positive)
        bases, exponents = np.concatenate([base, positive]), np.concatenate([exponent, filling])
        return bases.astype(dtype.numpy), exponents.astype(dtype.numpy)


def shifts(rng: np.random.Generator, dtype: DType) -> tuple[Array, Array]:
    """Return integers, and amounts from below 0 to beyond the width."""
    low, width = (-3 if dtype.kind == "i" else 0), 8 * dtype.itemsize
    (x,) = draw(rng, dtype, 1)
    return x, rng.integers(low, width + 4, x.size).astype(dtype.numpy)


def _ranges(dtype: DType) -> list[Callable[[np.random.Generator], Array]]:
    if dtype.kind == "c":
        return list(_COMPLEX_RANGES.values())
    if dtype.kind == "b":
        return [lambda rng: rng.random(SAMPLES) < 0.5]
    if dtype.kind in "iu":
        return [lambda rng: bits(rng, dtype), lambda rng: rng.integers(0, 9, SAMPLES)]
    return [lambda rng: rng.permutation(bits(rng, dtype)), *(partial(_uniform, span) for span in _FLOAT_RANGES)]


def _uniform(span: tuple[float, float], rng: np.random.Generator) -> Array:
    return rng.uniform(*span, SAMPLES)


def _special_values(dtype: DType) -> Array:
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "c":
        return np.array([complex(re, im) for re in _SPECIAL_PARTS for im in _SPECIAL_PARTS])
    if dtype.kind == "f":
        return np.array(_SPECIALS)
    info = np.iinfo(dtype.numpy)
    return np.array(
        [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7, *([-1, -2, -7] if info.min else [])]
    )


def _combinations(values: Array, count: int) -> list[Array]:
    """Return ``count`` operands that together hold every pair of values (of three, every value beside a pair)."""
    if count == 1:
        return [values]
    left, right = (each.reshape(-1) for each in np.meshgrid(values, values))
    return [left, right, np.roll(left, 1)][:count]


def _square(rng: np.random.Generator, half: float) -> Array:
    real, imag = rng.uniform(-half, half, (2, SAMPLES))
    return np.asarray(real + 1j * imag)


def _polar(rng: np.random.Generator, low: float, high: float) -> Array:
    """Return points whose distances from 0 have uniform decimal logarithms."""
    return np.asarray(10 ** rng.uniform(low, high, SAMPLES) * np.exp(2j * np.pi * rng.random(SAMPLES)))


def _axes(rng: np.random.Generator, low: float, high: float) -> Array:
    """Return points with parts of independent magnitudes, so that many lie close to an axis."""
    real, imag = 10 ** rng.uniform(low, high, (2, SAMPLES)) * rng.choice([-1, 1], (2, SAMPLES))
    return np.asarray(real + 1j * imag)
