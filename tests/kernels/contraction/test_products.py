"""Matrix products of all sizes and tiles, against NumPy in double precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from kernels.contraction.executor import (
    DISCRETE,
    PLAIN,
    check,
    contract,
    contract_into,
    random_array,
    subgroup_facts,
)

from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.contraction.variant import Tile

FACTS: dict[str, Callable[[], AdapterFacts]] = {
    "subgroup": subgroup_facts,
    "plain": lambda: PLAIN,
    "discrete": lambda: DISCRETE,
}
SIZES = [
    (1, 1, 1), (1, 5, 7), (2, 64, 9), (3, 3, 3), (4, 4, 4), (4, 36, 1), (8, 8, 32), (17, 1, 29),
    (33, 35, 37), (40, 128, 260), (64, 64, 300), (127, 129, 131), (132, 13, 256),
]  # fmt: skip
SMALL_STAGED = Tile("workgroup", 4, 4, 32, 16, 32, 8)
"""A staged tile whose kernels compile quickly on a software driver; the shipped ones differ in numbers only."""
SHIPPED_STAGED = [
    Tile("workgroup", 4, 4, 64, 32, 32, 16),
    Tile("workgroup", 8, 8, 64, 64, 64, 8),  # shipped with a depth of 16, which takes a software driver long to compile
    Tile("workgroup", 8, 16, 128, 128, 128, 8),
]


@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("size", SIZES)
def test_matmul(rng: np.random.Generator, size: tuple[int, int, int], facts: str) -> None:
    rows, depth, cols = size
    tile = SMALL_STAGED if facts == "discrete" and min(rows, cols) >= 16 else None
    lhs, rhs = random_array(rng, (rows, depth), "float32"), random_array(rng, (depth, cols), "float32")
    check(lhs, rhs, facts=FACTS[facts](), tile=tile)


@pytest.mark.parametrize("facts", ["subgroup", "plain"])
def test_every_small_size(rng: np.random.Generator, facts: str) -> None:
    for number in range(40):
        rows, depth, cols = (int(n) for n in rng.integers(1, 41, 3))
        lhs = random_array(rng, (rows, depth), "float32")
        if number % 2:
            check(lhs, random_array(rng, (cols, depth), "float32").T, facts=FACTS[facts]())
        else:
            check(lhs, random_array(rng, (depth, cols), "float32"), facts=FACTS[facts]())


def test_large_odd_matmul(rng: np.random.Generator) -> None:
    check(random_array(rng, (511, 513), "float32"), random_array(rng, (513, 509), "float32"), facts=subgroup_facts())


@pytest.mark.parametrize("tile", SHIPPED_STAGED, ids=lambda tile: f"{tile.block_rows}x{tile.block_cols}")
def test_shipped_staged_tiles(rng: np.random.Generator, tile: Tile) -> None:
    lhs, rhs = random_array(rng, (133, 52), "float32"), random_array(rng, (52, 140), "float32")
    check(lhs, rhs, facts=DISCRETE, tile=tile)


@pytest.mark.parametrize("entries", [1, 2, 4])
def test_subgroup_tiles(rng: np.random.Generator, entries: int) -> None:
    size = subgroup_facts().subgroup_size
    assert size >= 4, "the test adapter needs subgroups"
    tile = Tile("broadcast", entries * size, 4, size)
    for lhs in (random_array(rng, (37, 44), "float32"), random_array(rng, (44, 36), "float32").T):
        check(lhs, random_array(rng, (44, 52), "float32"), facts=subgroup_facts(), tile=tile)


@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("shape", [(70, 16, 16, 16), (5, 33, 40, 35), (3, 1, 9, 50), (1, 2, 3, 4)])
def test_batches(rng: np.random.Generator, shape: tuple[int, ...], facts: str) -> None:
    batch, rows, depth, cols = shape
    lhs, rhs = random_array(rng, (batch, rows, depth), "float32"), random_array(rng, (depth, batch, cols), "float32")
    tile = SMALL_STAGED if facts == "discrete" and rows >= 16 else None
    check(lhs, rhs, DotGeneralConfig((2,), (0,), (0,), (1,)), FACTS[facts](), tile)


@pytest.mark.parametrize("facts", FACTS)
def test_folded_grids(rng: np.random.Generator, facts: str) -> None:
    few = replace(FACTS[facts](), workgroups=20)
    config = DotGeneralConfig((2,), (1,), (0,), (0,))
    tile = SMALL_STAGED if facts == "discrete" else None
    for shape in ((30, 21, 6, 70), (170, 5, 9, 7)):
        batch, rows, depth, cols = shape
        lhs, rhs = random_array(rng, (batch, rows, depth), "int32"), random_array(rng, (batch, depth, cols), "int32")
        check(lhs, rhs, config, few, tile)
        # A tile that is made twice would be added twice.
        out = random_array(rng, (batch, rows, cols), "int32")
        got = contract_into(out, lhs, rhs, config, few, tile=tile, alpha=1, beta=1).view
        assert np.array_equal(got, out + np.matmul(lhs, rhs))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_special_values_stay_in_their_row_and_column(rng: np.random.Generator, value: float) -> None:
    lhs, rhs = random_array(rng, (35, 37), "float32"), random_array(rng, (37, 41), "float32")
    lhs[34, 36], rhs[36, 40] = value, value
    got = contract(lhs, rhs, DotGeneralConfig((1,), (0,)), subgroup_facts())
    with np.errstate(invalid="ignore"):
        want = lhs.astype(np.float64) @ rhs.astype(np.float64)
    assert np.array_equal(np.isnan(got), np.isnan(want))
    assert np.array_equal(np.isposinf(got), np.isposinf(want))
    assert np.array_equal(np.isfinite(got), np.isfinite(want))


def test_same_inputs_same_bits(rng: np.random.Generator) -> None:
    lhs, rhs = random_array(rng, (19, 70_001), "float32"), random_array(rng, (70_001, 3), "float32")
    first = contract(lhs, rhs, DotGeneralConfig((1,), (0,)), PLAIN)
    assert first.tobytes() == contract(lhs, rhs, DotGeneralConfig((1,), (0,)), PLAIN).tobytes()
