"""Equal products at listed starts, as grouped products take them, on every kind of tile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kernels.contraction.executor import DISCRETE, MATMUL, PLAIN, execute, random_array, subgroup_facts

from wgtensor.tensor import Layout, uint32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.contraction import ContractionProblem, plan_contraction
from wgtensor.webgpu.kernels.contraction.variant import Tile

STAGED = Tile("workgroup", 4, 4, 32, 16, 32, 8)
SIZES = {
    # (rows, depth, columns), unit of the starts, steps of the plan on a software adapter
    "odd": ((5, 7, 9), 1, 1),
    "vectors": ((16, 8, 36), 4, 1),
    "vectors at odd starts": ((16, 8, 36), 1, 1),
    "both copied": ((130, 3, 129), 1, 3),
    "split depth": ((2, 5000, 3), 1, 2),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["registers", "subgroups", "staged"])
def test_products_at_starts(rng: np.random.Generator, kind: str, size: str) -> None:
    (m, k, n), unit, steps = SIZES[size]
    facts = {"registers": PLAIN, "staged": DISCRETE}.get(kind) or subgroup_facts()
    lhs, rhs = (random_array(rng, (length + 40,), "uint32") for length in (m * k, k * n))
    starts = tuple(
        (unit * int(a), unit * int(b), 4 * i * m * n) for i, (a, b) in enumerate(rng.integers(0, 10, (3, 2)))
    )
    left, right, result = (Layout.contiguous(shape) for shape in ((m, k), (k, n), (m, n)))
    problem = ContractionProblem(uint32, left, right, MATMUL, result, beta=1, starts=starts)
    plan = plan_contraction(problem, facts, STAGED if kind == "staged" else None)
    plan.check(facts)
    assert kind == "staged" or len(plan.steps) == steps
    out = random_array(rng, (12 * m * n,), "uint32")
    expected = out.copy()
    for a, b, c in starts:
        product = lhs[a : a + m * k].reshape(m, k) @ rhs[b : b + k * n].reshape(k, n)
        expected[c : c + m * n] += product.reshape(-1)
    np.testing.assert_array_equal(execute(plan, [lhs, rhs], out), expected)


@pytest.mark.parametrize("facts", [PLAIN, replace(DISCRETE, workgroups=100)], ids=["software", "few workgroups"])
def test_very_many_starts(facts: AdapterFacts) -> None:
    count, block = 20_000, Layout.contiguous((1, 1))
    starts = tuple((i % 7, i % 5, count - 1 - i) for i in range(count))
    plan = plan_contraction(ContractionProblem(uint32, block, block, MATMUL, block, starts=starts), facts)
    plan.check(facts)
    lhs, rhs = np.arange(1, 8, dtype=np.uint32), np.arange(10, 15, dtype=np.uint32)
    expected = np.array([lhs[a] * rhs[b] for a, b, _ in starts], np.uint32)[::-1]
    np.testing.assert_array_equal(execute(plan, [lhs, rhs], np.zeros(count, np.uint32)), expected)
