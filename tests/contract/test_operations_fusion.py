"""Fused plans give the very same bits as their operations one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, Bench, f32, values

from wgtensor.contract import BroadcastInDim, CompareDirection, ElementwiseFusionPlan
from wgtensor.errors import ValidationError
from wgtensor.tensor import as_dtype


def test_a_plan_with_several_outputs_matches_its_operations(bench: Bench) -> None:
    ops = [("mul", (0, 1)), ("add", (2, 0)), ("exp", (1,)), ("sub", (3, 4)), ("maximum", (5, 0))]
    plan = ElementwiseFusionPlan("float32", 2, ops=ops, outputs=[3, 6, 0])
    for layout in LAYOUTS:
        x, y = (bench.up(values("float32", (3, 5), seed), layout) for seed in (1, 2))
        s = bench.session
        total = s.add(s.mul(x, y), x)
        expected = [total, s.maximum(s.sub(total, s.exp(y)), x), x]
        for got, want in zip(s.execute_elementwise_fusion([x, y], plan), expected, strict=True):
            np.testing.assert_array_equal(bench.down(got), bench.down(want))


def test_algebra_is_not_folded(bench: Bench) -> None:
    """``(x + y) - x`` rounds twice, and ``x * 0`` of an infinity is NaN."""
    x, y, zero = f32([1e8, np.inf]), f32([1, 1]), f32([0, 0])
    plan = ElementwiseFusionPlan("float32", 3, ops=[("add", (0, 1)), ("sub", (3, 0)), ("mul", (0, 2))], outputs=[4, 5])
    difference, product = bench.session.execute_elementwise_fusion([bench.up(each) for each in (x, y, zero)], plan)
    np.testing.assert_array_equal(bench.down(difference), [0, np.nan])
    np.testing.assert_array_equal(bench.down(product), [0, np.nan])


def test_broadcast_views_and_mixed_dtypes(bench: Bench) -> None:
    plan = ElementwiseFusionPlan(
        "float32", 2, input_views=[None, BroadcastInDim((2, 3), (1,))],
        ops=[("compare", (0, 1), CompareDirection.LT), ("select", (2, 0, 1)), ("cast", (3,), as_dtype("int32"))],
        outputs=[2, 4],
    )  # fmt: skip
    x, row = f32([[1, 5, 3], [4, 2, 6]]), f32([3, 3, 3])
    smaller, least = bench.session.execute_elementwise_fusion([bench.up(x), bench.up(row)], plan)
    np.testing.assert_array_equal(bench.down(smaller), x < row)
    np.testing.assert_array_equal(bench.down(least), np.minimum(x, row).astype(np.int32))
    assert bench.down(least).dtype == np.int32


def test_empty_tensors(bench: Bench) -> None:
    plan = ElementwiseFusionPlan("float32", 1, ops=[("neg", (0,))], outputs=[1])
    (result,) = bench.session.execute_elementwise_fusion([bench.up(np.zeros((0, 3), np.float32))], plan)
    assert result.shape == (0, 3)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([np.zeros(2, np.float32)], "needs 2 inputs for its plan, got 1"),
        ([np.zeros(2, np.float32), np.zeros(2, np.int32)], "needs input 1 as float32, got int32"),
        ([np.zeros(2, np.float32), np.zeros(3, np.float32)], r"add needs equal shapes .*, got \(2,\) and \(3,\)"),
    ],
)
def test_inputs_that_do_not_fit_the_plan(bench: Bench, inputs: list[Any], message: str) -> None:
    plan = ElementwiseFusionPlan("float32", 2, ops=[("add", (0, 1))], outputs=[2])
    tensors = [bench.up(each) for each in inputs]
    with pytest.raises(ValidationError, match=message):
        bench.session.execute_elementwise_fusion(tensors, plan)


def test_broadcast_multiply_is_an_outer_product(bench: Bench) -> None:
    x, y = values("float32", (3,), 1, special=False), values("float32", (4,), 2, special=False)
    result = bench.session.execute_broadcast_multiply(bench.up(x), (3, 4), (0,), bench.up(y), (3, 4), (1,))
    np.testing.assert_array_equal(bench.down(result), x[:, None] * y)
