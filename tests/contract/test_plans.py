"""Fusion plans and configs: validated when they are made, frozen, hashable, and telling."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from wgtensor.contract import (
    BroadcastInDim,
    CacheStats,
    CompareDirection,
    DotGeneralAccumulation,
    DotGeneralConfig,
    DotGeneralPrepareRequest,
    ElementwiseFusionPlan,
    FusionOp,
    GatherConfig,
    GroupedGemmJob,
    PadConfig,
    ScatterConfig,
    SliceConfig,
    TensorSignature,
)
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import Tensor, as_dtype, bool_, float32


def test_values_are_numbered_inputs_first() -> None:
    plan = ElementwiseFusionPlan("float32", 3, ops=[("mul", (0, 1)), ("add", (3, 2))], outputs=[4, 3])
    assert plan.value_dtypes == (float32,) * 5
    assert plan.ops == (FusionOp("mul", (0, 1)), FusionOp("add", (3, 2)))
    assert plan.outputs == (4, 3)
    assert repr(plan) == "ElementwiseFusionPlan(float32, 3 inputs, [v3=mul(0, 1), v4=add(3, 2)] -> (4, 3))"


def test_dtypes_follow_the_rules() -> None:
    plan = ElementwiseFusionPlan(
        "complex64", 2, input_dtypes=["complex64", "bool"],
        ops=[("abs", (0,)), ("isnan", (0,)), ("logical_and", (1, 3)), ("cast", (2,), as_dtype("int32"))], outputs=[5],
    )  # fmt: skip
    assert [str(dtype) for dtype in plan.value_dtypes] == ["complex64", "bool", "float32", "bool", "bool", "int32"]


PLAN_FAULTS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"input_count": 0}, ValidationError, "ElementwiseFusionPlan needs at least one input, got 0"),
    ({"outputs": []}, ValidationError, "needs outputs among 0 to 2, got ()"),
    ({"outputs": [3]}, ValidationError, "needs outputs among 0 to 2, got (3,)"),
    ({"ops": [("add", (0,))]}, ValidationError, "add takes 2 operands in a plan, got (0,)"),
    ({"ops": [("add", (0, 2))]}, ValidationError, "add as value 2 of a plan may use values 0 to 1, got (0, 2)"),
    ({"ops": [("add", (0, -1))]}, ValidationError, "may use values 0 to 1, got (0, -1)"),
    ({"ops": [("reduce_sum", (0,))]}, ValidationError, "takes elementwise operations, got 'reduce_sum'"),
    ({"ops": [("nothing", (0,))]}, ValidationError, "takes elementwise operations, got 'nothing'"),
    ({"ops": [("compare", (0, 1))]}, ValidationError, "compare in a plan needs a CompareDirection, got None"),
    ({"ops": [("cast", (0,))]}, DTypeError, "cast in a plan needs a DType, got None"),
    ({"ops": [("logical_not", (0,))]}, DTypeError, "logical_not takes bool tensors, got float32"),
    ({"ops": ["add"]}, ValidationError, "takes ops as (name, operand ids)"),
    ({"input_views": [None]}, ValidationError, "needs one view and one dtype per input, got 1 views and 2 dtypes"),
    ({"input_dtypes": ["bool"]}, ValidationError, "got 2 views and 1 dtypes for 2 inputs"),
    ({"dtype": "float31"}, DTypeError, "wgtensor has no dtype 'float31'"),
]


@pytest.mark.parametrize(("change", "error", "text"), PLAN_FAULTS)
def test_faulty_plans_are_refused_when_they_are_made(change: dict[str, Any], error: type[Exception], text: str) -> None:
    good: dict[str, Any] = {"dtype": "float32", "input_count": 2, "ops": [("add", (0, 1))], "outputs": [2]}
    ElementwiseFusionPlan(**good)
    with pytest.raises(error, match=re.escape(text)):
        ElementwiseFusionPlan(**{**good, **change})


def test_equal_plans_are_one_key() -> None:
    def plan(**change: Any) -> ElementwiseFusionPlan:
        return ElementwiseFusionPlan(
            **{"dtype": "int32", "input_count": 1, "ops": [("neg", [0])], "outputs": [1], **change}
        )

    assert plan() == plan()
    assert hash(plan()) == hash(plan())
    assert plan() != plan(outputs=[0])
    assert plan() != plan(dtype="float32")
    assert plan() != plan(input_views=[BroadcastInDim((2,), ())])
    assert plan() != "a plan"


def test_configs_are_frozen_and_take_lists() -> None:
    config = DotGeneralConfig([1], [0])
    assert config == DotGeneralConfig((1,), (0,))
    assert hash(config) == hash(DotGeneralConfig((1,), (0,)))
    with pytest.raises(AttributeError):
        config.lhs_batch_dims = (1,)  # type: ignore[misc]


HALVES: Any = (2.5,)
HALF: Any = [0.5]
WRONG: Any = None
FRACTIONS: Any = [1.5]
LETTERS: Any = ["a"]
CONFIG_FAULTS: list[tuple[Any, str]] = [
    (
        lambda: DotGeneralConfig(WRONG, [0]),
        "DotGeneralConfig needs a sequence of integers as lhs_contracting_dims, got None",
    ),
    (lambda: DotGeneralConfig(FRACTIONS, [0]), "DotGeneralConfig needs a sequence of integers as lhs_contracting_dims"),
    (lambda: SliceConfig(LETTERS, [1]), "SliceConfig needs a sequence of integers as starts, got ['a']"),
    (
        lambda: GatherConfig([0], WRONG, [0], 0, [1]),
        "GatherConfig needs a sequence of integers as collapsed_slice_dims",
    ),
    (lambda: SliceConfig(WRONG, [1]), "SliceConfig needs a sequence of integers as starts, got None"),
    (lambda: SliceConfig([True], [1]), "SliceConfig needs a sequence of integers as starts, got [True]"),
    (lambda: PadConfig(WRONG, [1]), "PadConfig needs a sequence of integers as low, got None"),
    (lambda: GatherConfig([0], [], [0], WRONG, [1]), "GatherConfig needs an integer as index_vector_dim, got None"),
    (lambda: GroupedGemmJob(0, 0, 0, 1, WRONG, 1), "GroupedGemmJob needs an integer as contracted, got None"),
    (
        lambda: DotGeneralAccumulation(1, 0, WRONG),
        "DotGeneralAccumulation needs bools as lhs_conj and rhs_conj, got None",
    ),
    (lambda: BroadcastInDim(WRONG, (0,)), "BroadcastInDim needs a sequence of integers as shape, got None"),
    (
        lambda: TensorSignature(float32, HALVES),
        "TensorSignature needs a sequence of integers as fixed lengths, got [2.5]",
    ),
    (lambda: TensorSignature(float32, (2,), WRONG, WRONG), "TensorSignature needs a sequence of integers as offset"),
    (
        lambda: ElementwiseFusionPlan("float32", WRONG),
        "ElementwiseFusionPlan needs a sequence of integers as input_count",
    ),
    (lambda: ElementwiseFusionPlan("float32", 1, outputs=HALF), "needs a sequence of integers as outputs, got [0.5]"),
    (lambda: ElementwiseFusionPlan("float32", 1, ops=WRONG), "ElementwiseFusionPlan needs a sequence as ops, got None"),
    (
        lambda: ElementwiseFusionPlan("float32", 2, ops=[("add", (0.5, 1))], outputs=[2]),
        "takes ops as (name, operand ids) or (name, operand ids, attribute), got ('add', (0.5, 1))",
    ),
    (
        lambda: ElementwiseFusionPlan("float32", 2, ops=[("add", (0, 1), "x")], outputs=[2]),
        "add in a plan takes no attribute, got 'x'",
    ),
    (lambda: ScatterConfig([], [0], [0], 1, "mul"), "ScatterConfig needs mode add, set, min or max, got 'mul'"),
]


@pytest.mark.parametrize(("make", "text"), CONFIG_FAULTS)
def test_faulty_configs_are_refused_when_they_are_made(make: Any, text: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(text)):
        make()


def test_a_request_takes_a_config_and_signatures() -> None:
    with pytest.raises(DTypeError, match="config of DotGeneralPrepareRequest takes a DotGeneralConfig, got None"):
        DotGeneralPrepareRequest(WRONG, WRONG, WRONG)


def test_defaults() -> None:
    assert SliceConfig([0, 1], [2, 3]).strides == (1, 1)
    assert PadConfig([0, 1], [2, 3]).interior == (0, 0)
    assert DotGeneralAccumulation() == DotGeneralAccumulation(1, 0, False, False)
    assert CompareDirection("ne") is CompareDirection.NE


def test_signatures_tell_everything_but_the_data() -> None:
    tensor = Tensor.from_numpy(np.zeros((2, 3), bool).T)
    signature = TensorSignature.of(tensor)
    assert signature == TensorSignature(bool_, (3, 2), (1, 3), 0)
    assert signature.layout() == tensor.layout
    assert TensorSignature(float32, ("n", 3, "m")).symbolic_axes == (0, 2)
    assert TensorSignature(float32, (2, 3)).layout().is_contiguous


def test_cache_stats_add_up() -> None:
    parts = {"plans": CacheStats(2, 100, 5, 2, 1, 3), "pipelines": CacheStats(1, 50, 0, 1, 0, 3)}
    total = CacheStats.total(parts)
    assert (total.entries, total.bytes, total.hits, total.misses, total.evictions, total.clears) == (3, 150, 5, 3, 1, 3)
    assert total.by_kind == parts
    assert CacheStats.total({}) == CacheStats()
