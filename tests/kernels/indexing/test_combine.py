"""Scatter in the modes that combine: exact where the mode is, and the same bits whatever the order of the updates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.executor import SOFTWARE, run_plan
from kernels.indexing.cases import Case, lying, random_case
from numpy.typing import NDArray

from wgtensor.tensor import Layout, as_dtype, float32, int32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.indexing import plan_scatter

FLOATS = ["float32", "float16", "complex64"]
ORDERED = ["float32", "float16", "int32", "uint32"]
COMBINED = {"add": np.add, "min": np.minimum, "max": np.maximum}


def scattered(
    x: NDArray[Any], starts: NDArray[Any], updates: NDArray[Any], case: Case, mode: str, facts: AdapterFacts = SOFTWARE
) -> NDArray[Any]:
    """Run a scatter of plain operands."""
    layouts = [Layout.contiguous(each.shape) for each in (x, starts, updates)]
    plan = plan_scatter(as_dtype(x.dtype), layouts[0], int32, layouts[1], layouts[2], case.scatter(mode), facts)
    return np.frombuffer(run_plan(plan, [x, starts, updates], x.nbytes, facts), x.dtype).reshape(x.shape)


def into(x: Any, targets: Any, updates: Any, mode: str = "add", dtype: str = "float32") -> NDArray[Any]:
    """Run a scatter of scalars into a vector."""
    x, updates = np.array(x, dtype), np.array(updates, dtype)
    starts = np.array(targets, np.int32)[:, None]
    return scattered(x, starts, updates, Case(x.shape, (1,), (0,), (0,), (), 1, starts), mode)


def same_bits(actual: NDArray[Any], expected: Any) -> None:
    """Assert equality of every bit."""
    wanted = np.asarray(expected, actual.dtype)
    bits = f"u{min(actual.itemsize, 4)}"
    np.testing.assert_array_equal(actual.view(bits), wanted.view(bits))


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("dtype", ORDERED)
def test_random_extremes(rng: np.random.Generator, dtype: str, mode: str) -> None:
    for number in range(12):
        case = random_case(rng, 1 + number % 5)
        shapes = case.shape, case.positions().shape
        x, updates = (
            rng.integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0] for shape in shapes
        )
        expected = x.copy()
        with np.errstate(invalid="ignore"):
            COMBINED[mode].at(expected.reshape(-1), case.positions().reshape(-1), updates.reshape(-1))
        (source, layout), (starts, starts_layout), (data, data_layout) = (
            lying(rng, each) for each in (x, case.starts, updates)
        )
        plan = plan_scatter(as_dtype(dtype), layout, int32, starts_layout, data_layout, case.scatter(mode), SOFTWARE)
        assert len(plan.steps) == 3
        result = np.frombuffer(run_plan(plan, [source, starts, data], x.nbytes, SOFTWARE), dtype).reshape(x.shape)
        np.testing.assert_array_equal(result, expected)
        untouched = ~np.isin(np.arange(x.size), case.positions())
        same_bits(result.reshape(-1)[untouched], x.reshape(-1)[untouched])


def test_extremes_tell_the_zeros_apart() -> None:
    same_bits(into([0.0, -0.0], [0, 1], [-0.0, 0.0], "min"), [-0.0, -0.0])
    same_bits(into([0.0, -0.0], [0, 1], [-0.0, 0.0], "max"), [0.0, 0.0])


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_integer_sums_wrap(rng: np.random.Generator, dtype: str) -> None:
    info = np.iinfo(dtype)
    for rank in (1, 2, 3):
        case = random_case(rng, rank)
        x, updates = (
            rng.integers(info.min, info.max, shape, dtype, endpoint=True)
            for shape in (case.shape, case.positions().shape)
        )
        expected = x.copy()
        np.add.at(expected.reshape(-1), case.positions().reshape(-1), updates.reshape(-1))
        np.testing.assert_array_equal(scattered(x, case.starts, updates, case, "add"), expected)


def plain_floats(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return floats whose sums float64 holds exactly: few bits, exponents near each other."""
    numbers = np.ldexp(rng.integers(-2047, 2048, (*shape, 2)).astype(np.float64), rng.integers(-8, 4, (*shape, 2)))
    if dtype == "complex64":
        return (numbers[..., 0] + 1j * numbers[..., 1]).astype(dtype)
    return numbers[..., 0].astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_sums_are_rounded_once(rng: np.random.Generator, dtype: str) -> None:
    """Where fixed point cuts nothing, the result is the exact sum to nearest even; float64 gives it."""
    exact = np.complex128 if dtype == "complex64" else np.float64
    for number in range(16):
        case = random_case(rng, 1 + number % 5)
        x, updates = plain_floats(rng, dtype, case.shape), plain_floats(rng, dtype, case.positions().shape)
        (source, layout), (starts, starts_layout), (data, data_layout) = (
            lying(rng, each) for each in (x, case.starts, updates)
        )
        config = case.scatter("add")
        plan = plan_scatter(as_dtype(dtype), layout, int32, starts_layout, data_layout, config, SOFTWARE)
        assert len(plan.steps) == 4
        result = np.frombuffer(run_plan(plan, [source, starts, data], x.nbytes, SOFTWARE), dtype)
        expected = x.astype(exact).reshape(-1)
        np.add.at(expected, case.positions().reshape(-1), updates.astype(exact).reshape(-1))
        np.testing.assert_array_equal(result, expected.astype(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_order_of_updates_changes_no_bit(rng: np.random.Generator, dtype: str) -> None:
    targets = rng.integers(0, 7, 3000)
    numbers = rng.standard_normal((3000, 2)) * np.exp(rng.normal(0, 2, (3000, 1)))
    updates = (
        (numbers[:, 0] + 1j * numbers[:, 1]).astype(dtype) if dtype == "complex64" else numbers[:, 0].astype(dtype)
    )
    order = rng.permutation(3000)
    first = into(np.zeros(7), targets, updates, dtype=dtype)
    same_bits(into(np.zeros(7), targets[order], updates[order], dtype=dtype), first)
    exact = np.zeros(7, np.complex128 if dtype == "complex64" else np.float64)
    np.add.at(exact, targets, updates)
    magnitudes = np.zeros(7)
    np.add.at(magnitudes, targets, np.abs(updates).astype(np.float64))
    # One rounding, and 3000 cuts 27 bits below a largest summand's last one: under an ulp of the sum of magnitudes.
    assert np.all(np.abs(first - exact) <= magnitudes * np.finfo(dtype).eps)


def test_sums_of_very_different_numbers_stay_within_the_bound(rng: np.random.Generator) -> None:
    """Summands below the last bit of the fixed-point number are lost: n of them lose less than n ulp."""
    updates = np.ldexp(rng.uniform(-1, 1, 2000), rng.integers(-140, 120, 2000)).astype(np.float32)
    result = into([1.0], np.zeros(2000, np.int32), updates)
    exact = 1 + updates.astype(np.float64).sum()
    assert abs(result[0] - exact) <= np.finfo(np.float32).eps * (1 + np.abs(updates).astype(np.float64).sum())


TINY, LARGEST, INF, NAN = 1.401298464324817e-45, 3.4028234663852886e38, np.inf, np.nan
SUMS = {
    "denormals count": ([0, TINY], [0, 0, 1], [TINY, TINY, 5 * TINY], [2 * TINY, 6 * TINY]),
    "normals meet in a denormal": ([1.5e-38], [0], [-1.4999e-38], [np.float32(1.5e-38) - np.float32(1.4999e-38)]),
    "denormals make a normal": ([0], [0, 0], [1.1e-38, 1.1e-38], [2 * np.float32(1.1e-38)]),
    "zeros": ([0.0, -0.0, -0.0, -0.0], [0, 1, 2], [-0.0, -0.0, 0.0], [0.0, -0.0, 0.0, -0.0]),
    "cancellation gives +0": ([-1, 3], [0, 1], [1, -3], [0.0, 0.0]),
    "overflow": ([LARGEST], [0], [LARGEST], [INF]),
    "rounding up to infinity": ([LARGEST, -LARGEST], [0, 1], [2.0**103, -(2.0**103)], [INF, -INF]),
    "no overflow on the way": ([LARGEST], [0, 0, 0], [LARGEST, LARGEST, -LARGEST], [INF]),
    "nor in between": ([LARGEST], [0, 0], [LARGEST, -LARGEST], [LARGEST]),
    "infinities": ([1, INF, -INF, 2], [0, 1, 2, 3, 3], [INF, 5, -INF, -INF, 3], [INF, INF, -INF, -INF]),
    "opposite infinities": ([INF, 0], [0, 1, 1], [-INF, INF, -INF], [NAN, NAN]),
    "nan wins": ([NAN, 1, INF], [0, 1, 2], [1, NAN, NAN], [NAN, NAN, NAN]),
    "ties go to even": ([2.0**24, 2.0**24 + 2], [0, 1], [1, 1], [2.0**24, 2.0**24 + 4]),
    "a tie is broken far below": ([2.0**24], [0, 0], [1, 2.0**-30], [2.0**24 + 2]),
}


@pytest.mark.parametrize("name", SUMS)
def test_special_sums(name: str) -> None:
    x, targets, updates, expected = SUMS[name]
    result = into(x, targets, updates)
    np.testing.assert_array_equal(result, np.array(expected, np.float32))
    np.testing.assert_array_equal(np.signbit(result[result == 0]), np.signbit(np.array(expected)[result == 0]))


def test_half_sums_overflow_and_keep_denormals() -> None:
    same_bits(into([60000, 0], [0, 1], [60000, 6e-8], dtype="float16"), np.array([np.inf, 6e-8], np.float16))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode", COMBINED)
def test_untouched_elements_keep_every_bit(dtype: str, mode: str) -> None:
    bits = np.array([0x7FC12345, 0xFFC00001, 0x80000000, 0x00000001, 0xFF800000, 0x3F800000], np.uint32).view(
        np.float32
    )
    if dtype == "float16":
        bits = np.array([0x7E01, 0xFE21, 0x8000, 0x0001, 0xFC00, 0x3C00, 0x0400], np.uint16).view(np.float16)
    same_bits(into(bits, [5], [0.0], "max" if mode == "max" else mode, dtype)[:5], bits[:5])


def test_a_hot_element_takes_more_updates_than_a_loop_may_have() -> None:
    count = 70_001
    ones = np.ones(count, np.float32)
    assert into([0.5, 0], np.arange(count) % 2, ones).tolist() == [35001.5, 35000]
    assert into([5, 0], np.zeros(count), np.arange(count), "max", "int32").tolist() == [count - 1, 0]


def test_more_than_65535_workgroups(rng: np.random.Generator) -> None:
    small = AdapterFacts(SOFTWARE.adapter_class, workgroups=3)
    targets = rng.integers(0, 3000, (5000, 1), np.int32)
    case = Case((3000,), (1,), (0,), (0,), (), 1, targets)
    x, updates = np.zeros(3000, np.float32), np.ones(5000, np.float32)
    result = scattered(x, targets, updates, case, "add", small)
    np.testing.assert_array_equal(result, np.bincount(targets[:, 0], minlength=3000))


def test_no_step_loops_over_updates() -> None:
    layouts = Layout.contiguous((10,)), Layout.contiguous((10**7, 1)), Layout.contiguous((10**7,))
    case = Case((10,), (1,), (0,), (0,), (), 1, np.zeros((1, 1), np.int32))
    plan = plan_scatter(float32, layouts[0], int32, layouts[1], layouts[2], case.scatter("add"), SOFTWARE)
    assert max(step.loop_iterations for step in plan.steps) == 1
