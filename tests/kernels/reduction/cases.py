"""Reductions by NumPy in float64, and values of every dtype to reduce."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from kernels.executor import run_plan
from kernels.layouts import storage_size, viewed
from numpy.typing import NDArray

from wgtensor.tensor import DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.reduction import plan_reduce

__all__ = ["assert_reduces", "check", "expected", "reduced", "values"]

POSITIONS = ("argmax", "argmin")
EPS = float(np.finfo(np.float32).eps)
SLACK = 16
"""Roundings beyond log2 n: those of short blocks, and of joining lanes."""


def values(rng: np.random.Generator, dtype: DType, count: int, op: str = "sum") -> NDArray[Any]:
    """Return ``count`` elements with ties, both signs, and whole range for integers; near 1 for float products."""
    assert dtype.numpy is not None
    if dtype.kind == "b":
        return np.asarray(rng.random(count) < (0.9 if op == "all" else 0.1))
    if dtype.is_integer:
        info = np.iinfo(dtype.numpy)
        return np.asarray(rng.integers(info.min, info.max, count, dtype.numpy, endpoint=True))
    if dtype.is_complex:
        return np.asarray(_near_one(rng, count) * np.exp(2j * np.pi * rng.random(count)), np.complex64)
    if op == "prod":
        return np.asarray(_near_one(rng, count) * rng.choice([-1, 1], count), dtype.numpy)
    return np.round(rng.standard_normal(count), 2).astype(dtype.numpy)


def _near_one(rng: np.random.Generator, count: int) -> NDArray[Any]:
    """Return factors whose product stays in float16's range, however many there are."""
    return np.exp(rng.uniform(-0.01, 0.01, count))


def expected(op: str, array: NDArray[Any], axes: Sequence[int]) -> NDArray[Any]:
    """Return what NumPy gives, in float64 or complex128 for sums and products of floats."""
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    rows = array.transpose(*kept, *sorted(axes)).reshape(*(array.shape[axis] for axis in kept), -1)
    if op in ("sum", "prod"):
        wide = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}.get(array.dtype.kind, array.dtype)
        return np.asarray(getattr(np, op)(rows, axis=-1, dtype=wide))
    return np.asarray(getattr(np, op)(rows, axis=-1))


def reduced(
    op: str, dtype: DType, elements: NDArray[Any], layout: Layout, axes: Sequence[int], *, facts: AdapterFacts
) -> NDArray[Any]:
    """Run the planned reduction."""
    shape = [length for axis, length in enumerate(layout.shape) if axis not in axes]
    result = np.dtype(np.int32) if op in POSITIONS else dtype.numpy
    assert result is not None
    plan = plan_reduce(op, dtype, layout, axes, facts)
    data = run_plan(plan, [elements], math.prod(shape) * result.itemsize, facts)
    return np.frombuffer(data, result).reshape(shape)


def check(op: str, result: NDArray[Any], array: NDArray[Any], axes: Sequence[int]) -> None:
    """Assert that ``result`` is NumPy's: exactly, or for float sums and products within the stated bound."""
    wanted = expected(op, array, axes)
    if op not in ("sum", "prod") or array.dtype.kind in "iub":
        np.testing.assert_array_equal(result, wanted)
        return
    count = max(array.size // max(result.size, 1), 1)
    if op == "sum":
        scale = np.abs(array).sum(axis=tuple(axes), dtype=np.float64)
        bound = (math.log2(count) + SLACK) * EPS * scale
    else:  # one rounding a factor; four in a complex product
        bound = 4 * count * EPS * np.abs(wanted)
    rounding = 2.0**-11 * np.abs(wanted) + 2.0**-25 if result.dtype == np.float16 else 0.0
    wide = result.astype(wanted.dtype)
    error = np.abs(wide - wanted)
    assert np.all(error <= bound + rounding), f"error {error.max()}, allowed {np.max(bound)}"


def assert_reduces(
    op: str, dtype: DType, layout: Layout, axes: Sequence[int], *, facts: AdapterFacts, seed: int = 0
) -> None:
    """Run a reduction of random values and check it."""
    elements = values(np.random.default_rng(seed), dtype, storage_size(layout), op)
    check(op, reduced(op, dtype, elements, layout, axes, facts=facts), viewed(elements, layout), axes)
