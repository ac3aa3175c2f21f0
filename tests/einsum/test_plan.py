"""Facts of a plan against independent counts, and what a plan may ask of a session."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import opt_einsum
import pytest
from einsum.cases import Case, cases, paths
from einsum.ledger import LedgerSession
from hypothesis import given, settings
from hypothesis import strategies as st

from wgtensor.contract import DotGeneralConfig
from wgtensor.einsum import einsum, plan_einsum
from wgtensor.errors import ValidationError


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ab,bc,cd->ad", [(2, 3), (3, 4), (4, 5)]),
        ("ia,ib,ic->abc", [(5, 2), (5, 3), (5, 4)]),
        ("abc,bcd,cde,dea->", [(2, 3, 4), (3, 4, 5), (4, 5, 6), (5, 6, 2)]),
        ("i,j->ij", [(3,), (4,)]),
    ],
)
def test_flops_are_opt_einsums(equation: str, shapes: Any) -> None:
    path, info = opt_einsum.contract_path(equation, *shapes, shapes=True, optimize="optimal")
    left, right = equation.split("->")
    assert plan_einsum(left.split(","), right, shapes, path).flops == info.opt_cost


def test_facts_by_hand() -> None:
    plan = plan_einsum(["ab", "bc", "cd"], "ad", [(2, 3), (3, 4), (4, 5)], [(0, 1), (0, 1)], itemsize=4)
    assert plan.flops == 2 * 2 * 3 * 4 + 2 * 2 * 4 * 5
    assert plan.largest_bytes == 2 * 5 * 4
    operands = 6 + 12 + 20
    assert plan.peak_bytes == (operands + 2 * 4 + 2 * 5) * 4
    assert (plan.steps, plan.slices, plan.chunks) == (2, 1, {})


@settings(max_examples=150, deadline=None)
@given(case=cases(max_operands=5, ellipses=False), data=st.data())
def test_measured_costs_are_the_planned_ones(case: Case, data: st.DataObject) -> None:
    path = data.draw(paths(len(case.arrays)))
    left, arrow, right = case.equation.partition("->")
    output = right if arrow else [each for each in sorted(set(left) - {","}) if left.count(each) == 1]
    plan = plan_einsum(left.split(","), output, [array.shape for array in case.arrays], path, itemsize=8)
    with LedgerSession() as session:
        result = plan.execute(session, [session.take(array) for array in case.arrays])
        np.testing.assert_array_equal(session.array(result), case.expected())
        assert session.peak_bytes == plan.peak_bytes
        assert session.flops == plan.flops
        assert session.largest_step == plan.largest_bytes


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_one_operation_a_step_and_no_copies(case: Case) -> None:
    with LedgerSession() as session:
        einsum(case.equation, *map(session.take, case.arrays))
    views = {"transpose", "broadcast_in_dim", "extract_diagonal", "reshape"}
    assert set(session.operations) <= views | {"reduce_sum", "mul", "dot_general"}


def test_private_labels_are_summed_before_the_contraction() -> None:
    with LedgerSession() as session:
        einsum("abx,bcy->ac", session.take(np.ones((2, 3, 50))), session.take(np.ones((3, 4, 50))))
    assert session.operations == ["reduce_sum", "reduce_sum", "dot_general"]


def test_intermediates_lie_as_their_consumer_sums_them() -> None:
    """``ab,bcd->acd`` is laid out with c, d innermost, as ``cde`` sums them; no operand is permuted for it."""
    with LedgerSession() as session:
        operands = [session.take(np.ones(shape)) for shape in ((2, 3), (4, 5, 3), (4, 5, 6))]
        einsum("ab,cdb,cde->ae", *operands, optimize=[(0, 1), (0, 1)])
    assert session.operations == ["dot_general", "dot_general"]
    assert session.configs[1] == DotGeneralConfig((1, 2), (0, 1))


def test_plans_are_cached() -> None:
    arguments = (["ab", "bc"], "ac", [[2, 3], [3, 4]])
    assert plan_einsum(*arguments) is plan_einsum(*arguments)
    assert plan_einsum(*arguments) is not plan_einsum(*arguments, itemsize=8)


def test_leading_einsum_path_and_lists() -> None:
    arguments = (["ab", "bc", "cd"], "ad", [(2, 3), (3, 4), (4, 5)])
    plain = plan_einsum(*arguments, [(1, 2), (0, 1)])
    assert plan_einsum(*arguments, ["einsum_path", (1, 2), (0, 1)]) is plain
    assert plan_einsum(*arguments, [[1, 2], [0, 1]]) is plain


def test_optimizer_objects() -> None:
    arguments = (["ab", "bc", "cd"], "ad", [(2, 3), (3, 4), (4, 5)])
    plan = plan_einsum(*arguments, opt_einsum.DynamicProgramming())
    assert plan.flops == plan_einsum(*arguments, "optimal").flops


def test_plan_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValidationError, match=r"one label per axis, got 2 labels for operand 1 of shape \(3, 4, 5\)"):
        plan_einsum(["ab", "bc"], "ac", [(2, 3), (3, 4, 5)])
    with pytest.raises(ValidationError, match="one shape per operand and at least one, got 1 for 2"):
        plan_einsum(["ab", "bc"], "ac", [(2, 3)])
    with pytest.raises(ValidationError, match="at least one, got 0 for 0"):
        plan_einsum([], "", [])
    with pytest.raises(ValidationError, match="distinct output labels"):
        plan_einsum(["ab"], "aa", [(2, 3)])


class _NullSession:
    """Returns its operand: what is left is einsum's own time."""

    def __getattr__(self, name: str) -> Any:
        return lambda first, *rest: first


def test_own_time_per_step() -> None:
    """Far above what it takes (about 1 microsecond), so that only a change of order fails."""
    count = 400
    plan = plan_einsum([(k, k + 1) for k in range(count)], (0, count), [(2, 2)] * count, False)
    session: Any = _NullSession()
    operands: Any = [object()] * count
    times = []
    for _ in range(20):
        start = time.perf_counter()
        plan.execute(session, operands)
        times.append(time.perf_counter() - start)
    assert min(times) / count < 10e-6
