"""Copies move every bit of every dtype, from any layout, into contiguous and strided places."""

from __future__ import annotations

import numpy as np
import pytest
from kernels.executor import DISCRETE, SOFTWARE, run_plan
from kernels.layouts import NAMED_LAYOUTS, random_bits, random_layout, storage_size, viewed

from wgtensor.errors import ValidationError
from wgtensor.tensor import ALL_DTYPES, DType, Layout, bool_, float16, float32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.plan import Role
from wgtensor.webgpu.kernels.structural import is_plain_copy, plan_copy, plan_copy_into

CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])
BY_SIZE = [dtype for dtype in ALL_DTYPES if dtype.name in {"bool", "float16", "float32", "complex64", "complex128"}]


def copied(dtype: DType, layout: Layout, facts: AdapterFacts, seed: int = 0) -> tuple[bytes, bytes]:
    elements = random_bits(np.random.default_rng(seed), dtype, storage_size(layout))
    expected = viewed(elements, layout).tobytes()
    return run_plan(plan_copy(dtype, layout, facts), [elements], len(expected), facts), expected


@CLASSES
@pytest.mark.parametrize("dtype", BY_SIZE, ids=str)
@pytest.mark.parametrize("name", NAMED_LAYOUTS)
def test_named_layout(name: str, dtype: DType, facts: AdapterFacts) -> None:
    result, expected = copied(dtype, NAMED_LAYOUTS[name], facts)
    assert result == expected


@CLASSES
@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_random_layouts(dtype: DType, facts: AdapterFacts) -> None:
    rng = np.random.default_rng(1)
    for seed in range(12):
        layout = random_layout(rng, seed % 6 + 1)
        result, expected = copied(dtype, layout, facts, seed)
        assert result == expected, layout


@pytest.mark.parametrize("dtype", BY_SIZE, ids=str)
def test_200_shapes_need_few_kernels(dtype: DType) -> None:
    rng = np.random.default_rng(2)
    for facts in (SOFTWARE, DISCRETE):
        plans = [plan_copy(dtype, random_layout(rng, 1 + i % 6, 40), facts) for i in range(200)]
        assert 2 <= len({kernel.key for plan in plans for kernel in plan.kernels}) <= 8


def test_transposes_are_tiled_where_it_pays() -> None:
    layout = Layout.contiguous((64, 64)).permute((1, 0))
    names = [plan_copy(float32, layout, facts).steps[0].kernel.key[1] for facts in (SOFTWARE, DISCRETE)]
    assert names == ["transpose_registers", "transpose_tile"]


@pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])
def test_reversed_bits_are_tiled_too(facts: AdapterFacts) -> None:
    names = {kernel.key[1] for kernel in plan_copy(float32, NAMED_LAYOUTS["bits reversed"], facts).kernels}
    assert names < {"transpose_registers", "transpose_tile"}


def test_rows_are_moved_16_bytes_at_a_time() -> None:
    keys = [plan_copy(dtype, Layout((6, 16), (32, 1), 16), SOFTWARE).kernels[0].key for dtype in (bool_, float32)]
    assert keys[0] == keys[1] == ("structural", "gather", 16, "affine", False)


def test_more_than_65535_workgroups() -> None:
    small = AdapterFacts(SOFTWARE.adapter_class, workgroups=5)
    layout = Layout.contiguous((173, 211)).permute((1, 0))
    plan = plan_copy(float32, layout, small)
    assert plan.steps[0].grid[2] > 1
    result, expected = copied(float32, layout, small)
    assert result == expected


def test_an_empty_copy_has_no_steps() -> None:
    assert plan_copy(float32, Layout.contiguous((3, 0)), SOFTWARE).steps == ()


@pytest.mark.parametrize(
    ("dtype", "layout", "plain"),
    [
        (float32, Layout((4,), (1,), 5), True),
        (float16, Layout((4,), (1,), 5), False),
        (float16, Layout((4, 1, 3), (3, 77, 1), 6), True),
        (float32, Layout((4,), (2,)), False),
    ],
)
def test_plain_copies_are_recognised(dtype: DType, layout: Layout, plain: bool) -> None:
    assert is_plain_copy(dtype, layout) is plain


TARGETS = {
    "rows": Layout((5, 6), (11, 1), 2),
    "columns": Layout((5, 6), (1, 7), 3),
    "reversed": Layout((5, 6), (-6, -1), 30),
    "steps": Layout((5, 6), (26, 3), 1),
    "one run": Layout((5, 6), (6, 1), 5),
    "aligned": Layout((5, 8), (16, 1), 16),
    "rank 3": Layout((3, 5, 7), (1, 32, 4), 9),
    "table": Layout((2, 3, 2, 3, 2, 5), (1, 500, 6, 24, 3, 90), 1),
}


@pytest.mark.parametrize("dtype", BY_SIZE, ids=str)
@pytest.mark.parametrize("name", TARGETS)
def test_copy_into_leaves_the_rest(name: str, dtype: DType) -> None:
    target = TARGETS[name]
    rng = np.random.default_rng(3)
    sources = [Layout.contiguous(target.shape), Layout.contiguous(target.shape).reverse((0,))]
    for source in sources:
        elements = random_bits(rng, dtype, storage_size(source))
        expected = np.full((storage_size(target), dtype.itemsize), 0xFF, np.uint8)
        positions = viewed(np.arange(len(expected)), target)
        expected[positions] = viewed(elements, source)
        plan = plan_copy_into(dtype, source, target, SOFTWARE)
        assert run_plan(plan, [elements], expected.nbytes, SOFTWARE) == expected.tobytes()


def test_copy_into_names_its_operand() -> None:
    layout = Layout.contiguous((4,))
    bindings = plan_copy_into(float32, layout, layout, SOFTWARE, operand=2).steps[0].bindings
    assert [(each.role, each.index) for each in bindings] == [(Role.OPERAND, 2), (Role.OUTPUT, 0)]


def test_copy_into_refuses_an_overlapping_target() -> None:
    with pytest.raises(ValidationError, match="needs a target that holds each element once"):
        plan_copy_into(float32, Layout.contiguous((4, 4)), Layout((4, 4), (1, 1)), SOFTWARE)


def test_copy_into_refuses_another_shape() -> None:
    with pytest.raises(ValidationError, match=r"copy_into needs equal shapes, got \(4,\) into \(5,\)"):
        plan_copy_into(float32, Layout.contiguous((4,)), Layout.contiguous((5,)), SOFTWARE)
