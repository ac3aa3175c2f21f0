"""Plans of scans: dispatches, limits, kernels for many shapes; shares cover every step once and keep chains short."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.executor import DISCRETE, SOFTWARE
from kernels.layouts import random_layout

from wgtensor.tensor import Layout, float32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.scan import plan_flat_nonzero, plan_scan
from wgtensor.webgpu.kernels.scan.lines import Lines
from wgtensor.webgpu.kernels.scan.strategy import LANES, Share, plan_share

CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])
STATED_CHAIN = 384


def planned(layout: Layout, axis: int, facts: AdapterFacts) -> LaunchPlan:
    plan = plan_scan("sum", float32, layout, axis, facts, exclusive=False, reverse=False)
    plan.check(facts)
    return plan


@CLASSES
def test_one_dispatch_or_three(facts: AdapterFacts) -> None:
    assert len(planned(Layout.contiguous((100,)), 0, facts).steps) == 1
    assert len(planned(Layout.contiguous((1 << 20, 8)), 1, facts).steps) == 1
    assert len(planned(Layout.contiguous((1 << 24,)), 0, facts).steps) == 3
    assert len(planned(Layout.contiguous((1 << 20, 8)), 0, facts).steps) == 3
    assert planned(Layout.contiguous((3, 0)), 1, facts).steps == ()


@CLASSES
def test_two_dispatches_or_four_find_positions(facts: AdapterFacts) -> None:
    assert len(plan_flat_nonzero(Layout.contiguous((100,)), 10, facts).steps) == 2
    assert len(plan_flat_nonzero(Layout.contiguous((1 << 24,)), 10, facts).steps) == 4
    assert plan_flat_nonzero(Layout.contiguous((100,)), 0, facts).steps == ()


@CLASSES
@pytest.mark.parametrize(
    "shape", [(1 << 26, 1), (1, 1 << 26), (1 << 20, 64), (64, 1 << 20), (3, 1 << 24), ((1 << 24) + 1, 3), (1 << 30, 1)]
)
@pytest.mark.parametrize("axis", [0, 1])
def test_limits_hold_for_large_shapes(shape: tuple[int, int], axis: int, facts: AdapterFacts) -> None:
    for layout in (Layout.contiguous(shape), Layout.contiguous(shape).reverse((0, 1))):
        assert sum(planned(layout, axis, facts).workspaces) <= 1 << 25
    plan_flat_nonzero(Layout.contiguous((math.prod(shape),)), 5, facts).check(facts)


@CLASSES
def test_200_shapes_need_at_most_8_kernels(facts: AdapterFacts) -> None:
    rng = np.random.default_rng(2)
    keys = set()
    for seed in range(200):
        layout = random_layout(rng, seed % 6 + 1, 60 if seed % 6 < 3 else 12)
        plan = planned(layout, int(rng.integers(layout.ndim)), facts)
        keys |= {kernel.key for kernel in plan.kernels}
    assert 2 <= len(keys) <= 8


def shared(shape: tuple[int, int], axis: int, facts: AdapterFacts) -> Share:
    return plan_share(Lines.of(Layout.contiguous(shape), axis), facts)


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 200_000), st.sampled_from([0, 1]), st.sampled_from([SOFTWARE, DISCRETE]))
def test_every_step_is_walked_once(short: int, long: int, axis: int, facts: AdapterFacts) -> None:
    share = shared((long, short) if axis == 0 else (short, long), axis, facts)
    per_share = share.span * share.team * LANES
    assert (share.splits - 1) * per_share < share.steps <= share.splits * per_share


def chain(share: Share, facts: AdapterFacts) -> int:
    """Return the roundings, one after another, on the way of an element into a sum."""
    whole = plan_share(Lines.plain(share.lines, share.splits, share.across), facts, whole=True)
    return sum(
        LANES + math.ceil(math.log2(each.team)) + each.block + -(-each.span // each.block) + 2
        for each in (share, whole)
    )


@CLASSES
@pytest.mark.parametrize("axis", [0, 1])
def test_the_chain_of_roundings_is_short(axis: int, facts: AdapterFacts) -> None:
    for log_short in range(0, 13, 3):
        for log_long in range(1, 31 - log_short):
            lengths = (1 << log_long) + 1, 1 << log_short
            share = shared(lengths if axis == 0 else lengths[::-1], axis, facts)
            assert chain(share, facts) <= STATED_CHAIN


def test_long_lines_keep_a_software_adapter_busy() -> None:
    assert planned(Layout.contiguous((1 << 24,)), 0, SOFTWARE).steps[0].grid[0] >= 64


def test_lines_are_walked_side_by_side_on_a_gpu() -> None:
    assert shared((4, 1 << 20), 1, DISCRETE).team == 256
    columns = shared((1 << 20, 64), 0, DISCRETE)
    assert (columns.team, columns.across) == (1, True)
    assert shared((1 << 20, 4), 1, DISCRETE).team == 1
