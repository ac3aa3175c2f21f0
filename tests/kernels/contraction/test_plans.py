"""What the planner promises without a device: kernels, limits, cost."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.errors import UnsupportedError
from wgtensor.tensor import Layout, complex64, float16, float32, int32
from wgtensor.webgpu.facts import AdapterClass, AdapterFacts
from wgtensor.webgpu.kernels.contraction import ContractionProblem, flops, plan_contraction
from wgtensor.webgpu.kernels.contraction.depth import split_depth
from wgtensor.webgpu.kernels.contraction.problem import AxisGroup
from wgtensor.webgpu.kernels.contraction.tables import Tables, offsets, split_period
from wgtensor.webgpu.kernels.plan import Role

SUBGROUP = AdapterFacts(AdapterClass.SOFTWARE, subgroup_size=8)
PLAIN = AdapterFacts(AdapterClass.SOFTWARE)
DISCRETE = AdapterFacts(AdapterClass.DISCRETE, workgroup_storage=48 << 10, workgroup_invocations=1024)
BASELINE = AdapterFacts(AdapterClass.INTEGRATED)
ALL_FACTS = [SUBGROUP, PLAIN, DISCRETE, BASELINE]
MATMUL = DotGeneralConfig((1,), (0,))


def matmul(rows: int, depth: int, cols: int, dtype: Any = float32) -> ContractionProblem:
    return ContractionProblem(dtype, Layout.contiguous((rows, depth)), Layout.contiguous((depth, cols)), MATMUL)


def random_problems(seed: int) -> list[ContractionProblem]:
    """200 products, batched or not, of extents up to 2000 spread evenly over the scale."""
    rng = np.random.default_rng(seed)
    problems = []
    for rows, depth, cols in np.exp(rng.uniform(0, np.log(2000), (200, 3))).round().astype(int).tolist():
        batch = int(rng.choice([1, 1, 3]))
        lhs, rhs = Layout.contiguous((batch, rows, depth)), Layout.contiguous((batch, depth, cols))
        problems.append(ContractionProblem(float32, lhs, rhs, DotGeneralConfig((2,), (1,), (0,), (0,))))
    return problems


@pytest.mark.parametrize("facts", ALL_FACTS, ids=["subgroup", "plain", "discrete", "baseline"])
def test_random_shapes_share_few_kernels(facts: AdapterFacts) -> None:
    keys = {kernel.key for problem in random_problems(1) for kernel in plan_contraction(problem, facts).kernels}
    again = {kernel.key for problem in random_problems(1) for kernel in plan_contraction(problem, facts).kernels}
    assert 2 <= len(keys) <= 24
    assert again == keys


def test_equal_keys_mean_equal_wgsl() -> None:
    known: dict[object, str] = {}
    for problem in random_problems(2)[:60]:
        for kernel in plan_contraction(problem, SUBGROUP).kernels:
            wgsl = kernel.render()
            assert known.setdefault(kernel.key, wgsl) == wgsl
            assert "enable subgroups" not in wgsl


@pytest.mark.parametrize("facts", ALL_FACTS, ids=["subgroup", "plain", "discrete", "baseline"])
@pytest.mark.parametrize(
    "size", [(1, 1, 1), (1, 10**8, 1), (16, 65_536, 16), (4, 4, 1 << 24), (30_000, 2, 701), (1, 3, 70_000)]
)
def test_plans_respect_the_limits(facts: AdapterFacts, size: tuple[int, int, int]) -> None:
    for dtype in (float32, float16, complex64, int32):
        plan_contraction(matmul(*size, dtype), facts).check(facts)


def test_batches_beyond_a_grid_dimension() -> None:
    batch, config = 1_000_000, DotGeneralConfig((2,), (1,), (0,), (0,))
    problem = ContractionProblem(float32, Layout.contiguous((batch, 33, 2)), Layout.contiguous((batch, 2, 40)), config)
    for facts in ALL_FACTS:
        plan_contraction(problem, facts).check(facts)


def test_software_adapters_get_no_workgroup_memory_and_others_do() -> None:
    for facts in (SUBGROUP, PLAIN):
        assert all("var<workgroup>" not in k.render() for k in plan_contraction(matmul(512, 512, 512), facts).kernels)
    assert any("var<workgroup>" in k.render() for k in plan_contraction(matmul(512, 512, 512), DISCRETE).kernels)


def test_only_scalar_operands_with_much_use_are_packed() -> None:
    def packs(problem: ContractionProblem) -> int:
        return sum(step.kernel.key[1][0] == "pack" for step in plan_contraction(problem, SUBGROUP).steps)  # type: ignore[index]

    assert packs(matmul(512, 512, 512)) == 0
    assert packs(matmul(511, 513, 509)) == 2
    assert packs(matmul(511, 513, 64)) == 0
    transposed = Layout.contiguous((512, 512)).permute((1, 0))
    assert packs(ContractionProblem(float32, transposed, transposed, MATMUL)) == 0


def test_few_results_of_a_long_depth_are_split() -> None:
    assert len(plan_contraction(matmul(1, 1_000_000, 1), SUBGROUP).steps) == 2
    assert len(plan_contraction(matmul(512, 512, 512), SUBGROUP).steps) == 1


def test_plans_write_the_output_last_and_empty_results_have_no_steps() -> None:
    for problem in random_problems(3)[:50]:
        assert plan_contraction(problem, DISCRETE).steps[-1].bindings[-1].role is Role.OUTPUT
    assert plan_contraction(matmul(0, 5, 6), PLAIN).steps == ()
    assert plan_contraction(matmul(5, 0, 6), PLAIN).steps != ()


def test_scratch_memory_stays_within_a_binding() -> None:
    small = AdapterFacts(AdapterClass.SOFTWARE, binding_limit=1 << 16)
    assert plan_contraction(matmul(511, 513, 509), small).workspaces == ()
    with pytest.raises(UnsupportedError, match="contract slices"):
        plan_contraction(matmul(300, 5, 301, float16), small)


def test_flops() -> None:
    assert flops(matmul(3, 5, 7)) == 2 * 3 * 5 * 7
    assert flops(matmul(3, 5, 7, complex64)) == 8 * 3 * 5 * 7


def test_planning_takes_few_milliseconds() -> None:
    problems = random_problems(4)
    start = time.process_time()
    for problem in problems:
        plan_contraction(problem, SUBGROUP)
    # About 0.4 ms on an idle core; the bound leaves room for a loaded machine.
    assert (time.process_time() - start) / len(problems) < 5e-3


@pytest.mark.parametrize("lengths", [(100_000,), (3, 9001), (64, 3, 5, 70), (2,) * 15, (7, 4999, 2), (12,)])
def test_two_level_tables_give_every_offset(lengths: tuple[int, ...]) -> None:
    strides = tuple(int(s) for s in np.random.default_rng(0).integers(-50, 50, len(lengths)))
    tables = Tables(two_level=True)
    period, high, low, _ = tables.segment(lengths, strides)
    words, index = tables.words(), np.arange(int(np.prod(lengths)))
    got = words[high + index // period] + words[low + index % period]
    assert np.array_equal(got, offsets(lengths, strides).astype(np.uint32))


def test_periods_keep_vectors_whole() -> None:
    assert split_period((40_000,), 200) == 200
    assert split_period((40_000, 3), 173) % 4 == 0


@pytest.mark.parametrize("target", [4, 16, 60, 1000, 10**6])
def test_parts_of_a_depth_cover_it_once(target: int) -> None:
    group = AxisGroup((5, 7, 12), ((1000, 90, 2), (-3, 40, 500)))
    depth = split_depth(group, target)
    for tensor in (0, 1):
        walk = offsets(depth.axes.lengths, depth.axes.strides[tensor])
        got = np.concatenate([part[tensor] + walk[: part[2]] for part in depth.parts])
        assert np.array_equal(got, offsets(group.lengths, group.strides[tensor]))
    assert depth.longest <= target
