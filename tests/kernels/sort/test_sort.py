"""Sorts and searches against NumPy's stable sorts, along any axis of any layout; plans within their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.executor import DISCRETE, SOFTWARE, run_plan
from kernels.layouts import NAMED_LAYOUTS, random_layout, storage_size, viewed
from numpy.typing import NDArray

from wgtensor.errors import UnsupportedError
from wgtensor.tensor import Layout, as_dtype, float16, float32, float64
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.sort import plan_search, plan_sort

DTYPES = ["float32", "int32", "uint32", "float16", "bool"]
CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])
DIRECTIONS = pytest.mark.parametrize("descending", [False, True])


def values(rng: np.random.Generator, name: str, count: int) -> NDArray[Any]:
    """Return few different elements, so that many are equal; NaN of both signs, infinities and both zeros."""
    if name == "bool":
        return rng.random(count) < 0.5
    if name in ("int32", "uint32"):
        info = np.iinfo(name)
        return rng.choice(np.array([info.min, info.min + 1, 0, 1, 2, 7, info.max - 1, info.max], name), count)
    return rng.choice(np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 2.5, 6e-8, -6e-8], name), count)


def order(x: NDArray[Any], axis: int, descending: bool) -> NDArray[Any]:
    """Return the stable order, by NumPy on numbers that can be negated."""
    wide = x.astype(np.float64)  # holds every element exactly
    return np.argsort(-wide if descending else wide, axis=axis, kind="stable")  # NaN comes last whatever its sign


def run(
    elements: NDArray[Any], layout: Layout, axis: int, facts: AdapterFacts, *, descending: bool, positions: bool
) -> NDArray[Any]:
    """Return positions, or the bits of elements."""
    dtype = as_dtype(elements.dtype)
    plan = plan_sort(dtype, layout, axis, facts, descending=descending, positions=positions)
    data = run_plan(plan, [elements], 4 * layout.size, facts)
    return np.frombuffer(data, np.int32 if positions else np.uint32).reshape(layout.shape)


def assert_sorts(name: str, layout: Layout, axis: int, descending: bool, facts: AdapterFacts) -> None:
    """Check positions and, for elements of whole words, that their bits arrive."""
    elements = values(np.random.default_rng(layout.size), name, storage_size(layout))
    x = viewed(elements, layout)
    wanted = order(x, axis, descending)
    found = run(elements, layout, axis, facts, descending=descending, positions=True)
    np.testing.assert_array_equal(found, wanted)
    if x.itemsize == 4:
        moved = run(elements, layout, axis, facts, descending=descending, positions=False)
        np.testing.assert_array_equal(moved, np.take_along_axis(x.view(np.uint32), wanted, axis))


@CLASSES
@DIRECTIONS
@pytest.mark.parametrize("name", DTYPES)
def test_random_layouts_and_axes(name: str, descending: bool, facts: AdapterFacts) -> None:
    rng = np.random.default_rng(1)
    for seed in range(18):
        layout = random_layout(rng, seed % 6 + 1, 40 if seed % 6 < 3 else 9)
        assert_sorts(name, layout, int(rng.integers(layout.ndim)), descending, facts)


@pytest.mark.parametrize("name", NAMED_LAYOUTS)
def test_every_axis(name: str) -> None:
    layout = NAMED_LAYOUTS[name]
    for axis in range(layout.ndim):
        assert_sorts("float32", layout, axis, True, DISCRETE)


@CLASSES
@DIRECTIONS
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 16, 17, 31, 33, 127, 129, 1_000, 2_047, 2_048, 2_049, 4_096, 9_999])
def test_lengths_around_those_of_runs(length: int, descending: bool, facts: AdapterFacts) -> None:
    assert_sorts("int32", Layout.contiguous((3, length)), 1, descending, facts)
    assert_sorts("float32", Layout.contiguous((length, 2)), 0, descending, facts)


@CLASSES
def test_many_different_keys(facts: AdapterFacts) -> None:
    x = np.random.default_rng(2).permutation(1 << 18).astype(np.uint32)
    result = run(x, Layout.contiguous(x.shape), 0, facts, descending=False, positions=False)
    np.testing.assert_array_equal(result, np.sort(x))


@CLASSES
def test_lines_that_are_sorted_already(facts: AdapterFacts) -> None:
    x = np.arange(5_000, dtype=np.int32)
    layout = Layout.contiguous(x.shape)
    for descending, wanted in ((False, x), (True, x[::-1])):
        positions = run(x, layout, 0, facts, descending=descending, positions=True)
        np.testing.assert_array_equal(positions, wanted)


def planned(shape: tuple[int, ...], axis: int, facts: AdapterFacts = SOFTWARE, *, positions: bool = True) -> LaunchPlan:
    plan = plan_sort(float32, Layout.contiguous(shape), axis, facts, descending=False, positions=positions)
    plan.check(facts)
    return plan


DISPATCHES = [(0, 0, 0), (1, 2, 2), (8, 2, 2), (9, 3, 2), (17, 4, 2), (2_048, 10, 2), (2_049, 11, 3), (1 << 20, 19, 11)]


@pytest.mark.parametrize(("length", "software", "discrete"), DISPATCHES)
def test_one_dispatch_for_each_doubling(length: int, software: int, discrete: int) -> None:
    for positions in (False, True):
        assert len(planned((3, length), 1, SOFTWARE, positions=positions).steps) == software
        assert len(planned((3, length), 1, DISCRETE, positions=positions).steps) == discrete


@CLASSES
@pytest.mark.parametrize("shape", [(1 << 26, 1), (1, 1 << 26), (1 << 20, 64), (3, 1 << 24)])
def test_limits_hold_for_large_shapes(shape: tuple[int, int], facts: AdapterFacts) -> None:
    for axis in (0, 1):
        plan = planned(shape, axis, facts)
        assert max(plan.workspaces) == 4 * shape[0] * shape[1]
        assert max(step.loop_iterations for step in plan.steps) <= 96


def test_200_shapes_need_at_most_8_kernels() -> None:
    rng = np.random.default_rng(3)
    keys = set()
    for seed in range(200):
        layout = random_layout(rng, seed % 6 + 1, 60 if seed % 6 < 3 else 12)
        for positions in (False, True):
            plan = plan_sort(
                float32, layout, int(rng.integers(layout.ndim)), SOFTWARE, descending=False, positions=positions
            )
            keys |= {kernel.key for kernel in plan.kernels}
    assert 4 <= len(keys) <= 8


@CLASSES
def test_more_workgroups_than_one_dimension_holds(facts: AdapterFacts) -> None:
    small = AdapterFacts(facts.adapter_class, workgroups=11)
    x = values(np.random.default_rng(4), "int32", 300_000).reshape(1_000, 300)
    plan = planned(x.shape, 1, small)
    assert all(step.grid[1] > 1 for step in plan.steps)
    found = run(x, Layout.contiguous(x.shape), 1, small, descending=False, positions=True)
    np.testing.assert_array_equal(found, np.argsort(x, axis=1, kind="stable"))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", DTYPES)
def test_searches(name: str, side: Any) -> None:
    rng = np.random.default_rng(5)
    for seed, length in enumerate((1, 2, 37, 1_000)):
        ordered, layout = np.sort(values(rng, name, length)), random_layout(rng, seed + 1)
        elements = values(rng, name, storage_size(layout))
        # Backwards in storage, and every other element.
        storage = np.zeros(2 * length, ordered.dtype)
        storage[::2] = ordered[::-1]
        line = Layout((length,), (-2,), 2 * length - 2)
        plan = plan_search(as_dtype(name), line, layout, SOFTWARE, right=side == "right")
        assert len(plan.steps) == 1
        found = np.frombuffer(run_plan(plan, [storage, elements], 4 * layout.size, SOFTWARE), np.int32)
        x = viewed(elements, layout)
        np.testing.assert_array_equal(found.reshape(x.shape), np.searchsorted(ordered, x, side))


def test_missing_kernels_are_named() -> None:
    line = Layout.contiguous((3,))
    with pytest.raises(UnsupportedError, match="argsort has no WebGPU kernel for float64"):
        plan_sort(float64, line, 0, SOFTWARE, descending=False, positions=True)
    with pytest.raises(UnsupportedError, match="sort has no WebGPU kernel for float16"):
        plan_sort(float16, line, 0, SOFTWARE, descending=False, positions=False)
    with pytest.raises(UnsupportedError, match="searchsorted has no WebGPU kernel for float64"):
        plan_search(float64, line, line, SOFTWARE, right=False)
