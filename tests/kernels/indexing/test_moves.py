"""Gather, scatter in mode set and dynamic update slice move every bit, from and to any layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.executor import SOFTWARE, run_plan
from kernels.indexing.cases import Case, lying, random_case
from numpy.typing import NDArray

from wgtensor.tensor import DType, Layout, as_dtype, bool_, complex128, float32, int32, uint8
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.indexing import plan_dynamic_update_slice, plan_gather, plan_scatter

BITS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}
BY_SIZE = pytest.mark.parametrize("itemsize", BITS)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def elements(rng: np.random.Generator, itemsize: int, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return elements of any bit pattern."""
    data = rng.integers(0, 256, (*shape, itemsize), np.uint8)
    return data.view(np.dtype(f"V{itemsize}")).reshape(shape).view(BITS[itemsize])


def gathered(rng: np.random.Generator, case: Case, itemsize: int, facts: AdapterFacts = SOFTWARE) -> None:
    """Run a gather of random bits and compare it."""
    x = elements(rng, itemsize, case.shape)
    expected = x.reshape(-1)[case.positions()]
    source, layout = lying(rng, x)
    starts, starts_layout = lying(rng, case.starts)
    index = as_dtype(starts.dtype)
    plan = plan_gather(as_dtype(x.dtype), layout, index, starts_layout, case.gather(), facts)
    assert len(plan.steps) == 1
    assert run_plan(plan, [source, starts], expected.nbytes, facts) == expected.tobytes()


@BY_SIZE
def test_random_gathers(rng: np.random.Generator, itemsize: int) -> None:
    for number in range(30):
        gathered(rng, random_case(rng, 1 + number % 6), itemsize)


def set_by_numpy(x: NDArray[Any], updates: NDArray[Any], case: Case) -> NDArray[Any]:
    """Return ``x`` after the updates, one after the other."""
    expected = x.copy().reshape(-1)
    for position, update in zip(case.positions().reshape(-1), updates.reshape(-1), strict=True):
        expected[position] = update
    return expected


@BY_SIZE
def test_random_scatters_in_mode_set(rng: np.random.Generator, itemsize: int) -> None:
    for number in range(30):
        case = random_case(rng, 1 + number % 5)
        x, updates = (elements(rng, itemsize, shape) for shape in (case.shape, case.positions().shape))
        (source, layout), (starts, starts_layout), (data, data_layout) = (
            lying(rng, each) for each in (x, case.starts, updates)
        )
        config, dtype = case.scatter("set"), as_dtype(x.dtype)
        plan = plan_scatter(dtype, layout, int32, starts_layout, data_layout, config, SOFTWARE)
        assert len(plan.steps) == 3
        result = run_plan(plan, [source, starts, data], x.nbytes, SOFTWARE)
        assert result == set_by_numpy(x, updates, case).tobytes(), case


@BY_SIZE
def test_random_update_slices(rng: np.random.Generator, itemsize: int) -> None:
    for number in range(20):
        rank = 1 + number % 6
        shape = tuple(int(n) for n in rng.integers(1, 7, rank))
        sizes = tuple(int(rng.integers(1, n + 1)) for n in shape)
        start = rng.integers(-3, 9, rank).astype(np.int32)
        x, update = elements(rng, itemsize, shape), elements(rng, itemsize, sizes)
        (source, layout), (data, data_layout), (starts, starts_layout) = (
            lying(rng, each) for each in (x, update, start)
        )
        corner = np.clip(start, 0, np.subtract(shape, sizes))
        expected = x.copy()
        expected[tuple(slice(first, first + size) for first, size in zip(corner, sizes, strict=True))] = update
        dtype = as_dtype(x.dtype)
        plan = plan_dynamic_update_slice(dtype, layout, data_layout, int32, starts_layout, SOFTWARE)
        assert run_plan(plan, [source, data, starts], x.nbytes, SOFTWARE) == expected.tobytes()


@pytest.mark.parametrize("index", INTEGERS)
def test_starts_of_every_integer_dtype(rng: np.random.Generator, index: str) -> None:
    info = np.iinfo(index)
    numbers = [info.min, info.max, 0, 1, 4, 5, 6, info.max // 2 + 1, min(info.max, 2**32), min(info.max, 2**32 + 3)]
    starts = np.array([*numbers, max(info.min, -1), max(info.min, -(2**32)), 3], index)[:, None]
    gathered(rng, Case((7, 3), (2, 3), (0,), (), (1, 2), 1, starts), 4)
    gathered(rng, Case((7,), (1,), (0,), (0,), (), 1, starts), 2)


def test_rows_are_moved_16_bytes_at_a_time(rng: np.random.Generator) -> None:
    for dtype, columns in ((bool_, 32), (float32, 8)):
        layout = Layout((9, columns), (2 * columns, 1), columns)
        case = Case((9, columns), (1, columns), (0,), (0,), (1,), 1, rng.integers(0, 9, (5, 1), np.int32))
        starts = Layout.contiguous((5, 1))
        plan = plan_gather(dtype, layout, int32, starts, case.gather(), SOFTWARE)
        assert plan.kernels[0].key[3] == 16
        plan = plan_scatter(
            dtype, layout, int32, starts, Layout.contiguous((5, columns)), case.scatter("set"), SOFTWARE
        )
        assert plan.steps[-1].kernel.key[3] == 16


def test_starts_that_cannot_move_a_window_are_not_read() -> None:
    case = Case((4, 5), (4, 5), (0, 1), (), (1, 2), 1, np.zeros((3, 2), np.int32))
    plan = plan_gather(float32, Layout.contiguous((4, 5)), int32, Layout.contiguous((3, 2)), case.gather(), SOFTWARE)
    assert [step.kernel.key[0] for step in plan.steps] == ["structural"]


def test_more_than_65535_workgroups(rng: np.random.Generator) -> None:
    small = AdapterFacts(SOFTWARE.adapter_class, workgroups=4)
    case = Case((100, 61), (1, 61), (0,), (0,), (1,), 1, rng.integers(-5, 110, (700, 1), np.int32))
    gathered(rng, case, 1, small)
    x, updates = elements(rng, 1, case.shape), elements(rng, 1, (700, 61))
    layouts = [Layout.contiguous(each.shape) for each in (x, case.starts, updates)]
    plan = plan_scatter(uint8, layouts[0], int32, layouts[1], layouts[2], case.scatter("set"), small)
    assert plan.steps[-1].grid == (3, 2, 1)
    assert run_plan(plan, [x, case.starts, updates], x.nbytes, small) == set_by_numpy(x, updates, case).tobytes()


def test_many_index_components(rng: np.random.Generator) -> None:
    """More components than the uniform holds."""
    shape = (2, 3, 1, 2, 2, 3, 2)
    starts = rng.integers(-1, 4, (11, 7), np.int32)
    gathered(rng, Case(shape, (1,) * 7, tuple(range(7)), tuple(range(7)), (), 1, starts), 4)


@pytest.mark.parametrize("dtype", [bool_, float32, complex128], ids=str)
def test_200_shapes_need_few_kernels(rng: np.random.Generator, dtype: DType) -> None:
    keys: dict[str, set[Any]] = {"gather": set(), "scatter": set()}
    for number in range(200):
        case = random_case(rng, 1 + number % 6)
        x, starts = Layout.contiguous(case.shape), Layout.contiguous(case.starts.shape)
        updates = Layout.contiguous(case.positions().shape)
        plans = {
            "gather": plan_gather(dtype, x, int32, starts, case.gather(), SOFTWARE),
            "scatter": plan_scatter(dtype, x, int32, starts, updates, case.scatter("set"), SOFTWARE),
        }
        for name, plan in plans.items():
            plan.check(SOFTWARE)
            keys[name] |= {kernel.key for kernel in plan.kernels if kernel.key[0] == "indexing"}
    assert 1 <= len(keys["gather"]) <= 6
    assert 2 <= len(keys["scatter"]) <= 8


def test_no_updates_copy() -> None:
    case = Case((4,), (1,), (0,), (0,), (), 1, np.zeros((0, 1), np.int32))
    plan = plan_scatter(
        float32,
        Layout.contiguous((4,)),
        int32,
        Layout.contiguous((0, 1)),
        Layout.contiguous((0,)),
        case.scatter("set"),
        SOFTWARE,
    )
    assert [step.kernel.key[0] for step in plan.steps] == ["structural"]
