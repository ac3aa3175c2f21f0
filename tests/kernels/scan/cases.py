"""Scans by NumPy in float64, and values of every dtype to scan."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from kernels.executor import run_plan
from kernels.layouts import storage_size, viewed
from kernels.reduction.cases import values
from numpy.typing import NDArray

from wgtensor.tensor import DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.scan import plan_scan

__all__ = ["assert_scans", "check", "expected", "scanned"]

EPS = float(np.finfo(np.float32).eps)
SLACK = 24
"""Roundings beyond log2 n: those of fours, of blocks, and of joining shares."""
UFUNCS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def expected(op: str, x: NDArray[Any], axis: int, exclusive: bool, reverse: bool) -> NDArray[Any]:
    """Return what NumPy gives, in float64 or complex128 for sums and products of floats."""
    lines = np.moveaxis(x, axis, -1)[..., :: -1 if reverse else 1]
    wide = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}.get(x.dtype.kind, x.dtype)
    if exclusive:
        first = np.full((*lines.shape[:-1], 1), _identity(op, x.dtype), x.dtype)
        lines = np.concatenate([first, lines[..., :-1]], -1)
    result = UFUNCS[op].accumulate(lines, axis=-1, dtype=wide)
    return np.moveaxis(result[..., :: -1 if reverse else 1], -1, axis)


def _identity(op: str, dtype: np.dtype[Any]) -> Any:
    if op in ("sum", "prod"):
        return int(op == "prod")
    if dtype.kind == "f":
        return -np.inf if op == "max" else np.inf
    return np.iinfo(dtype).min if op == "max" else np.iinfo(dtype).max


def scanned(
    op: str,
    dtype: DType,
    elements: NDArray[Any],
    layout: Layout,
    axis: int,
    *,
    facts: AdapterFacts,
    exclusive: bool = False,
    reverse: bool = False,
) -> NDArray[Any]:
    """Run the planned scan."""
    plan = plan_scan(op, dtype, layout, axis, facts, exclusive=exclusive, reverse=reverse)
    data = run_plan(plan, [elements], layout.size * dtype.itemsize, facts)
    return np.frombuffer(data, dtype.numpy).reshape(layout.shape)


def check(
    op: str, result: NDArray[Any], x: NDArray[Any], axis: int, exclusive: bool = False, reverse: bool = False
) -> None:
    """Assert that ``result`` is NumPy's: exactly, or for float sums and products within a bound of their roundings."""
    wanted = expected(op, x, axis, exclusive, reverse)
    if op not in ("sum", "prod") or x.dtype.kind in "iu":
        np.testing.assert_array_equal(result, wanted)
        return
    if op == "sum":
        magnitudes = expected("sum", np.abs(x).astype(np.float64), axis, exclusive, reverse)
        bound = (math.log2(x.shape[axis]) + SLACK) * EPS * magnitudes
    else:  # one rounding a factor; four in a complex product
        bound = 4 * x.shape[axis] * EPS * np.abs(wanted)
    error = np.abs(result.astype(wanted.dtype) - wanted)
    assert np.all(error <= bound), f"error {error.max()}, allowed {np.max(bound)}"


def assert_scans(
    op: str,
    dtype: DType,
    layout: Layout,
    axis: int,
    *,
    facts: AdapterFacts,
    exclusive: bool = False,
    reverse: bool = False,
) -> None:
    """Run a scan of random values and check it."""
    elements = values(np.random.default_rng(layout.size), dtype, storage_size(layout), op)
    result = scanned(op, dtype, elements, layout, axis, facts=facts, exclusive=exclusive, reverse=reverse)
    check(op, result, viewed(elements, layout), axis, exclusive, reverse)
