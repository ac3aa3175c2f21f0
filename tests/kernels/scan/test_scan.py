"""Every scan of every dtype, along any axis of any layout, on kernels for both classes of adapter."""

from __future__ import annotations

import numpy as np
import pytest
from kernels.executor import DISCRETE, SOFTWARE, run_plan
from kernels.layouts import NAMED_LAYOUTS, random_layout, storage_size, viewed
from kernels.reduction.cases import values
from kernels.scan.cases import assert_scans, check, scanned

from wgtensor.errors import UnsupportedError
from wgtensor.tensor import DType, Layout, as_dtype, float32, float64
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.scan import is_one_line, plan_flat_nonzero, plan_scan

OPERATIONS = {
    "sum": ("float32", "int32", "uint32", "complex64"),
    "prod": ("float32", "int32", "uint32", "complex64"),
    "max": ("float32", "int32", "uint32"),
    "min": ("float32", "int32", "uint32"),
}
ROWS = [(op, as_dtype(name)) for op, names in OPERATIONS.items() for name in names]
EACH_ROW = pytest.mark.parametrize(("op", "dtype"), ROWS, ids=str)
CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])


@CLASSES
@EACH_ROW
def test_random_layouts_and_axes(op: str, dtype: DType, facts: AdapterFacts) -> None:
    rng = np.random.default_rng(1)
    for seed in range(16):
        layout = random_layout(rng, seed % 6 + 1)
        axis, exclusive, reverse = int(rng.integers(layout.ndim)), seed % 2 == 1, seed % 3 == 1
        assert_scans(op, dtype, layout, axis, facts=facts, exclusive=exclusive, reverse=reverse)


@CLASSES
@pytest.mark.parametrize("name", NAMED_LAYOUTS)
def test_every_axis(name: str, facts: AdapterFacts) -> None:
    layout = NAMED_LAYOUTS[name]
    for axis in range(layout.ndim):
        assert_scans("sum", float32, layout, axis, facts=facts, reverse=True)


@CLASSES
@EACH_ROW
@pytest.mark.parametrize(("shape", "axis"), [((3, 20_011), 1), ((20_012, 3), 0), ((20_011,), 0), ((3_001, 40), 0)])
def test_long_axes(shape: tuple[int, ...], axis: int, op: str, dtype: DType, facts: AdapterFacts) -> None:
    assert_scans(op, dtype, Layout.contiguous(shape), axis, facts=facts, exclusive=True)


@CLASSES
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((1 << 18, 4), 0), ((1 << 18, 4), 1), ((64, 16_384), 1), ((64, 16_384), 0), ((4, 1 << 18), 1), ((1 << 20,), 0)],
)
def test_large_sums(shape: tuple[int, ...], axis: int, facts: AdapterFacts) -> None:
    assert_scans("sum", float32, Layout.contiguous(shape), axis, facts=facts)


def test_a_line_of_16_million_is_accurate() -> None:
    x = np.random.default_rng(3).random((1 << 24) + 3, np.float32)
    result = scanned("sum", float32, x, Layout.contiguous(x.shape), 0, facts=SOFTWARE)
    check("sum", result, x, 0)


@CLASSES
def test_a_sum_of_positive_numbers_never_falls_within_a_share(facts: AdapterFacts) -> None:
    x = np.full(4_001, 0.1, np.float32)
    result = scanned("sum", float32, x, Layout.contiguous(x.shape), 0, facts=facts)
    assert np.all(np.diff(result) > 0)


def test_a_scan_is_the_same_each_time() -> None:
    x = values(np.random.default_rng(4), float32, 100_003)
    layout = Layout.contiguous(x.shape)
    assert len({scanned("sum", float32, x, layout, 0, facts=DISCRETE).tobytes() for _ in range(5)}) == 1


@CLASSES
@pytest.mark.parametrize("op", ["max", "min"])
def test_order_of_special_values(op: str, facts: AdapterFacts) -> None:
    specials = np.array([np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 1e-42, -1e-42, 1.0], np.float32)
    rng = np.random.default_rng(5)
    for length in (1, 5, 64, 4_099):
        x = rng.choice(specials, (40, length), p=[0.1, 0.1, 0.002, 0.002, 0.25, 0.25, 0.1, 0.1, 0.096])
        for axis in (0, 1):
            check(op, scanned(op, float32, x, Layout.contiguous(x.shape), axis, facts=facts), x, axis)


@CLASSES
def test_extrema_tell_zeros_apart(facts: AdapterFacts) -> None:
    x = np.array([-0.0, 0.0, -0.0, -0.0, 0.0], np.float32)
    layout = Layout.contiguous(x.shape)
    largest, smallest = (scanned(op, float32, x, layout, 0, facts=facts) for op in ("max", "min"))
    np.testing.assert_array_equal(np.signbit(largest), [True, False, False, False, False])
    np.testing.assert_array_equal(np.signbit(smallest), [True] * 5)


@CLASSES
def test_more_workgroups_than_one_dimension_holds(facts: AdapterFacts) -> None:
    small = AdapterFacts(facts.adapter_class, workgroups=9)
    layout = Layout.contiguous((9_000, 8))
    plan = plan_scan("sum", float32, layout, 1, small, exclusive=False, reverse=False)
    assert plan.steps[-1].grid[1] > 1
    assert_scans("sum", float32, layout, 1, facts=small)
    assert_scans("sum", float32, Layout.contiguous((90_000,)), 0, facts=small)


def test_missing_kernels_are_named() -> None:
    with pytest.raises(UnsupportedError, match="cumulative sum has no WebGPU kernel for float64"):
        plan_scan("sum", float64, Layout.contiguous((3,)), 0, SOFTWARE, exclusive=False, reverse=False)


LINES = {
    "short": Layout.contiguous((5,)),
    "one": Layout.contiguous(()),
    "offset": Layout((777,), (1,), 3),
    "reversed": Layout.contiguous((4, 10, 25)).reverse((0, 1, 2)),
    "steps": Layout((4_001,), (3,), 2),
    "repeated": Layout((65,), (0,), 1),
    "long": Layout.contiguous((50_001,)),
}


@CLASSES
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("name", LINES)
def test_positions_of_true(name: str, share: float, facts: AdapterFacts) -> None:
    layout = LINES[name]
    mask = np.random.default_rng(6).random(storage_size(layout)) < share
    found = np.flatnonzero(viewed(mask, layout))
    for count in {found.size, found.size // 3, min(found.size + 5, layout.size)}:
        data = run_plan(plan_flat_nonzero(layout, count, facts), [mask], 4 * count, facts)
        wanted = np.zeros(count, np.int32)
        wanted[: found.size] = found[:count]
        np.testing.assert_array_equal(np.frombuffer(data, np.int32), wanted)


def test_what_is_one_line() -> None:
    assert all(is_one_line(layout) for layout in LINES.values())
    assert not is_one_line(Layout.contiguous((3, 4)).permute((1, 0)))
    assert not is_one_line(Layout((3, 4), (5, 1)))
