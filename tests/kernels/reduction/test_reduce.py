"""Every reduction of every dtype, over any axes of any layout, on kernels for both classes of adapter."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from kernels.executor import DISCRETE, SOFTWARE, run_plan
from kernels.layouts import NAMED_LAYOUTS, random_layout
from kernels.reduction.cases import assert_reduces, check, reduced, values

from wgtensor.errors import UnsupportedError, ValidationError
from wgtensor.tensor import DType, Layout, as_dtype, bool_, complex64, float16, float32, float64, int32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.reduction import plan_reduce

OPERATIONS = {
    "sum": ("float32", "int32", "uint32", "complex64", "float16"),
    "prod": ("float32", "int32", "uint32", "complex64", "float16"),
    "max": ("float32", "int32", "uint32", "float16"),
    "min": ("float32", "int32", "uint32", "float16"),
    "argmax": ("float32", "int32", "uint32", "float16", "bool"),
    "argmin": ("float32", "int32", "uint32", "float16", "bool"),
    "any": ("bool",),
    "all": ("bool",),
}
ROWS = [(op, as_dtype(name)) for op, names in OPERATIONS.items() for name in names]
EACH_ROW = pytest.mark.parametrize(("op", "dtype"), ROWS, ids=str)
CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])


def subsets(rank: int) -> list[tuple[int, ...]]:
    return [axes for count in range(1, rank + 1) for axes in combinations(range(rank), count)]


@CLASSES
@EACH_ROW
def test_random_layouts_and_axes(op: str, dtype: DType, facts: AdapterFacts) -> None:
    rng = np.random.default_rng(1)
    for seed in range(24):
        layout = random_layout(rng, seed % 6 + 1)
        choices = subsets(layout.ndim)
        assert_reduces(op, dtype, layout, choices[int(rng.integers(len(choices)))], facts=facts, seed=seed)


@CLASSES
@pytest.mark.parametrize("name", NAMED_LAYOUTS)
def test_every_subset_of_axes(name: str, facts: AdapterFacts) -> None:
    layout = NAMED_LAYOUTS[name]
    for axes in subsets(layout.ndim)[:40]:
        assert_reduces("sum", float32, layout, axes, facts=facts)
        assert_reduces("argmax", float32, layout, axes, facts=facts)


@CLASSES
@EACH_ROW
@pytest.mark.parametrize(
    ("shape", "axes"), [((3, 20_011), (1,)), ((20_012, 3), (0,)), ((70_001,), (0,)), ((9000, 4), (0,))]
)
def test_long_axes(shape: tuple[int, ...], axes: tuple[int, ...], op: str, dtype: DType, facts: AdapterFacts) -> None:
    assert_reduces(op, dtype, Layout.contiguous(shape), axes, facts=facts)


@CLASSES
@EACH_ROW
def test_200_shapes_need_at_most_8_kernels(op: str, dtype: DType, facts: AdapterFacts) -> None:
    rng = np.random.default_rng(2)
    keys = set()
    for seed in range(200):
        layout = random_layout(rng, seed % 6 + 1, 60 if seed % 6 < 3 else 12)
        choices = subsets(layout.ndim)
        plan = plan_reduce(op, dtype, layout, choices[int(rng.integers(len(choices)))], facts)
        plan.check(facts)
        keys |= {kernel.key for kernel in plan.kernels if kernel.key[0] == "reduction"}
    assert 3 <= len(keys) <= 8


@CLASSES
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((1 << 20, 4), (0,)), ((64, 65_536), (1,)), ((64, 65_536), (0,)), ((64, 65_536), (0, 1)), ((65_536, 64), (1,))],
)
def test_large_sums(shape: tuple[int, ...], axes: tuple[int, ...], facts: AdapterFacts) -> None:
    assert_reduces("sum", float32, Layout.contiguous(shape), axes, facts=facts)


def test_a_sum_of_16_million_is_accurate() -> None:
    array = np.random.default_rng(3).random((1 << 24) + 3, np.float32)
    check("sum", reduced("sum", float32, array, Layout.contiguous(array.shape), (0,), facts=SOFTWARE), array, (0,))


def test_a_sum_is_the_same_each_time() -> None:
    array = values(np.random.default_rng(4), float32, 100_003)
    results = {
        reduced("sum", float32, array, Layout.contiguous(array.shape), (0,), facts=DISCRETE).tobytes() for _ in range(5)
    }
    assert len(results) == 1


@CLASSES
@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize("op", ["max", "min", "argmax", "argmin"])
def test_order_of_special_values(op: str, name: str, facts: AdapterFacts) -> None:
    specials = np.array([np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 6e-8, -6e-8, 1.0], name)
    dtype, rng = as_dtype(name), np.random.default_rng(5)
    for length in (1, 2, 5, 64, 4099):
        array = rng.choice(specials, (40, length), p=[0.1, 0.1, 0.04, 0.01, 0.25, 0.25, 0.1, 0.1, 0.05])
        layout = Layout.contiguous(array.shape)
        check(op, reduced(op, dtype, array, layout, (1,), facts=facts), array, (1,))
        check(op, reduced(op, dtype, array, layout, (0,), facts=facts), array, (0,))


@CLASSES
def test_max_tells_zeros_apart(facts: AdapterFacts) -> None:
    array = np.array([[-0.0, 0.0, -0.0], [-0.0, -0.0, -0.0]], np.float32)
    layout = Layout.contiguous(array.shape)
    np.testing.assert_array_equal(np.signbit(reduced("max", float32, array, layout, (1,), facts=facts)), [False, True])
    np.testing.assert_array_equal(np.signbit(reduced("min", float32, array, layout, (1,), facts=facts)), [True, True])


@CLASSES
@pytest.mark.parametrize("name", ["float32", "float16", "complex64"])
@pytest.mark.parametrize("op", ["sum", "prod"])
def test_nan_and_infinity_reach_sums(op: str, name: str, facts: AdapterFacts) -> None:
    array = np.ones((4, 301), name)
    array[1, 77], array[2, 5], array[3, 300] = np.nan, np.inf, -np.inf
    result = reduced(op, as_dtype(name), array, Layout.contiguous(array.shape), (1,), facts=facts)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(np.isfinite(result), [True, False, False, False])
    np.testing.assert_array_equal(np.isnan(result)[:2], [False, True])
    if name != "complex64":
        np.testing.assert_array_equal(result[2:], [np.inf, -np.inf])


def test_float16_sums_overflow_to_infinity_only_at_the_end() -> None:
    array = np.full((3, 8), 60000, np.float16)
    array[0, 4:] *= -1
    array[1, 1:] = 0
    result = reduced("sum", float16, array, Layout.contiguous(array.shape), (1,), facts=SOFTWARE)
    np.testing.assert_array_equal(result, np.array([0, 60000, np.inf], np.float16))


def test_the_denormal_survives_max() -> None:
    array = np.full((5,), -1e-40, np.float32)
    array[3] = 1e-42
    assert reduced("max", float32, array, Layout.contiguous((5,)), (0,), facts=SOFTWARE) == np.float32(1e-42)


@pytest.mark.parametrize(("op", "identity"), [("sum", 0), ("prod", 1)])
def test_empty_axis_gives_the_identity(op: str, identity: int) -> None:
    for dtype in (float32, float16, int32, complex64):
        result = reduced(op, dtype, np.zeros(0, dtype.numpy), Layout.contiguous((5, 0)), (1,), facts=SOFTWARE)
        np.testing.assert_array_equal(result, np.full(5, identity, dtype.numpy))


@pytest.mark.parametrize(("op", "identity"), [("any", False), ("all", True)])
def test_empty_axis_of_bools(op: str, identity: bool) -> None:
    result = reduced(op, bool_, np.zeros(0, bool), Layout.contiguous((0, 7)), (0,), facts=SOFTWARE)
    np.testing.assert_array_equal(result, np.full(7, identity))


def test_nothing_to_reduce_into_has_no_steps() -> None:
    assert plan_reduce("max", float32, Layout.contiguous((0, 3)), (1,), SOFTWARE) == LaunchPlan("max", ())


def test_no_elements_have_no_maximum() -> None:
    with pytest.raises(ValidationError, match="argmax needs at least one element to reduce"):
        plan_reduce("argmax", float32, Layout.contiguous((3, 0)), (1,), SOFTWARE)


def test_missing_kernels_are_named() -> None:
    with pytest.raises(UnsupportedError, match="sum has no WebGPU kernel for float64"):
        plan_reduce("sum", float64, Layout.contiguous((3,)), (0,), SOFTWARE)


@pytest.mark.parametrize("op", ["sum", "argmax"])
def test_more_workgroups_than_one_dimension_holds(op: str) -> None:
    small: Any = AdapterFacts(DISCRETE.adapter_class, workgroups=5)
    array = values(np.random.default_rng(6), float32, 900 * 40).reshape(900, 40)
    layout = Layout.contiguous(array.shape)
    plan = plan_reduce(op, float32, layout, (1,), small)
    assert plan.steps[0].grid[1] > 1
    shape = np.float32 if op == "sum" else np.int32
    result = np.frombuffer(run_plan(plan, [array], 3600, small), shape)
    check(op, result, array, (1,))
