"""A first pass that computes its operand, on the shares of every adapter class: the bits of a stored operand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernels.executor import DISCRETE, SOFTWARE, run_plan

from wgtensor.tensor import Layout, float32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.elementwise import ElementwiseKernel, KernelOp, plan_geometry
from wgtensor.webgpu.kernels.reduction import Prologue, plan_reduce, plan_reduce_window

CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])


def product(shape: tuple[int, ...], facts: AdapterFacts) -> Prologue:
    """Return the window ``x * y`` of two row-major leaves."""
    geometry = plan_geometry(shape, [Layout.contiguous(shape)] * 2, facts.workgroups)
    ops = (KernelOp("mul", "float32", (0, 1)),)
    kernel = ElementwiseKernel(geometry.form, geometry.classes, ("float32",) * 2, (), ops, (2,))
    return Prologue(kernel, geometry)


@CLASSES
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((4, 5000), (1,)),
        ((4, 5003), (1,)),
        ((700, 12), (0,)),
        ((700, 13), (0,)),
        ((5, 30, 16), (0, 2)),
        ((70_001,), (0,)),
    ],
    ids=str,
)
def test_shares_and_bits_are_those_of_a_stored_operand(
    shape: tuple[int, ...], axes: tuple[int, ...], facts: AdapterFacts, rng: np.random.Generator
) -> None:
    x, y = rng.standard_normal((2, *shape), np.float32)
    layout = Layout.contiguous(shape)
    nbytes = 4 * layout.size // math.prod(shape[axis] for axis in axes)
    for op in ("sum", "max", "argmax"):
        stored = plan_reduce(op, float32, layout, axes, facts)
        computed = plan_reduce_window(op, float32, layout, axes, facts, product(shape, facts))
        assert [(each.grid, each.loop_iterations) for each in computed.steps] == [
            (each.grid, each.loop_iterations) for each in stored.steps
        ]
        assert run_plan(computed, [x, y], nbytes, facts) == run_plan(stored, [x * y], nbytes, facts)


@CLASSES
def test_teams_and_splits_are_among_the_cases(facts: AdapterFacts) -> None:
    plan = plan_reduce_window("sum", float32, Layout.contiguous((4, 5000)), (1,), facts, product((4, 5000), facts))
    wgsl = plan.steps[0].kernel.render()
    assert ("workgroupBarrier" in wgsl) is not facts.software
    assert len(plan.steps) == (2 if facts.software else 1)
