"""Shares cover every step once, stay within loop limits, and keep the chain of roundings short."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.executor import DISCRETE, SOFTWARE

from wgtensor.tensor import Layout, float32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.reduction import plan_reduce
from wgtensor.webgpu.kernels.reduction.problem import Access, Problem
from wgtensor.webgpu.kernels.reduction.strategy import Share, plan_join, plan_share

CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])
LANES = 4
STATED_CHAIN = 320


def shared(shape: tuple[int, int], axis: int, facts: AdapterFacts) -> tuple[Share, Access]:
    problem = Problem.of(Layout.contiguous(shape), (axis,))
    access = problem.access(LANES)
    return plan_share(problem, access, LANES, facts), access


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 20_000), st.sampled_from([0, 1]), st.sampled_from([SOFTWARE, DISCRETE]))
def test_every_step_is_taken_once(short: int, long: int, axis: int, facts: AdapterFacts) -> None:
    share, access = shared((long, short) if axis == 0 else (short, long), axis, facts)
    per_turn = LANES if access is Access.GENERAL else 1
    shares = np.arange(share.splits * share.team)[:, None]
    turns = np.arange(share.span * per_turn)[None, :]
    group, place = np.divmod(shares, share.interleave)
    steps = group * share.interleave * share.span * per_turn + place + turns * share.interleave
    taken = np.sort(steps[steps < share.steps])
    np.testing.assert_array_equal(taken, np.arange(share.steps))


def chain(share: Share, facts: AdapterFacts) -> int:
    """Return the roundings, one after another, on the way of an element into a sum."""
    join = plan_join(share.units, share.splits, facts)
    loops = [(share.span, share.block), (join.turns, join.block)]
    trees = math.log2(LANES) + math.log2(share.team) + (8 if join.team else 0)
    return sum(block + -(-turns // block) for turns, block in loops) + int(trees)


@CLASSES
@pytest.mark.parametrize("axis", [0, 1])
def test_the_chain_of_roundings_is_short(axis: int, facts: AdapterFacts) -> None:
    for log_short in range(0, 13, 3):
        for log_long in range(1, 27 - log_short):
            lengths = (1 << log_long) + 1, 1 << log_short
            share, _ = shared(lengths if axis == 0 else lengths[::-1], axis, facts)
            assert chain(share, facts) <= STATED_CHAIN


@CLASSES
@pytest.mark.parametrize(
    "shape", [(1 << 26, 1), (1, 1 << 26), (1 << 20, 64), (64, 1 << 20), (3, 1 << 24), ((1 << 24) + 1, 3)]
)
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_limits_hold_for_large_shapes(shape: tuple[int, int], axes: tuple[int, ...], facts: AdapterFacts) -> None:
    for layout in (Layout.contiguous(shape), Layout.contiguous(shape).reverse((0, 1))):
        plan = plan_reduce("sum", float32, layout, axes, facts)
        plan.check(facts)
        assert sum(plan.workspaces) <= 1 << 25


def test_long_sums_keep_a_software_adapter_busy() -> None:
    plan = plan_reduce("sum", float32, Layout.contiguous((1 << 24,)), (0,), SOFTWARE)
    assert plan.steps[0].grid[0] >= 64


def test_few_long_rows_are_shared_by_teams_on_a_gpu() -> None:
    share, access = shared((4, 1 << 20), 1, DISCRETE)
    assert (access, share.team) == (Access.ROWS, 256)
    assert share.workgroups(256) >= 128


def test_short_rows_take_few_invocations_each() -> None:
    share, _ = shared((1 << 20, 4), 1, DISCRETE)
    assert (share.team, share.splits) == (1, 1)


@CLASSES
def test_rows_of_a_few_thousand_take_one_pass(facts: AdapterFacts) -> None:
    for rows in (1, 32, 5000):
        assert len(plan_reduce("sum", float32, Layout.contiguous((rows, 4096)), (1,), facts).steps) == 1
