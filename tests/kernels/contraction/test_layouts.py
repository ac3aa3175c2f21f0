"""Any axis order, offset, stride sign and repetition: no operand is copied by the caller."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from kernels.contraction.executor import DISCRETE, PLAIN, check, random_array, subgroup_facts
from numpy.typing import NDArray

from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.webgpu.kernels.contraction.variant import Tile

Array = NDArray[Any]
ROLES_OF_LHS, ROLES_OF_RHS = "bmk", "bnk"


def random_view(rng: np.random.Generator, shape: list[int], dtype: str) -> Array:
    """Return a view into a larger buffer: axes in any memory order, cut, reversed or repeated."""
    memory = [int(axis) for axis in rng.permutation(len(shape))]
    margins = [int(rng.choice([0, 0, 0, 1, 4])) for _ in shape]
    lengths = [shape[axis] + margins[axis] for axis in memory]
    start, size = int(rng.choice([0, 0, 4, 3])), math.prod(lengths)
    view: Array = random_array(rng, (start + size + 5,), dtype)[start : start + size].reshape(lengths)
    view = view.transpose(np.argsort(memory))
    first = [margin if rng.random() < 0.5 else 0 for margin in margins]
    cuts: tuple[Any, ...] = tuple(slice(begin, begin + n) for begin, n in zip(first, shape, strict=True))
    view = view[(..., *cuts)]
    axis = int(rng.integers(max(len(shape), 1)))
    if shape and rng.random() < 0.3:
        view = np.flip(view, axis)
    if shape and rng.random() < 0.15:
        view = np.broadcast_to(view[(*[slice(None)] * axis, slice(0, 1))], shape)
    return view


def random_contraction(rng: np.random.Generator, dtype: str) -> tuple[Array, Array, DotGeneralConfig]:
    """Return a contraction of up to two axes of each role, in any order."""
    longest, unit = int(rng.choice([3, 9, 20])), int(rng.choice([1, 1, 4]))
    counts = {"b": int(rng.integers(2)), **{role: int(rng.integers(3)) for role in "mnk"}}
    lengths = {(r, i): unit * int(rng.integers(1, longest)) for r, count in counts.items() for i in range(count)}
    names = [[name for name in lengths if name[0] in roles] for roles in (ROLES_OF_LHS, ROLES_OF_RHS)]
    lhs, rhs = ([own[int(i)] for i in rng.permutation(len(own))] for own in names)
    depth, batch = ([name for name in lengths if name[0] == role] for role in "kb")
    config = DotGeneralConfig(
        *([own.index(name) for name in depth] for own in (lhs, rhs)),
        *([own.index(name) for name in batch] for own in (lhs, rhs)),
    )
    views = [random_view(rng, [lengths[name] for name in own], dtype) for own in (lhs, rhs)]
    return views[0], views[1], config


@pytest.mark.parametrize("dtype", ["float32", "complex64", "float16", "int32"])
def test_random_contractions(rng: np.random.Generator, dtype: str) -> None:
    facts = subgroup_facts()
    for _ in range(40):
        lhs, rhs, config = random_contraction(rng, dtype)
        check(lhs, rhs, config, facts)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "float16"])
def test_random_contractions_staged(rng: np.random.Generator, dtype: str) -> None:
    tile = Tile("workgroup", 4, 4, 32, 16, 32, 8)
    for _ in range(25):
        lhs, rhs, config = random_contraction(rng, dtype)
        check(lhs, rhs, config, DISCRETE, tile)


def test_two_qubit_gate_on_many_binary_axes(rng: np.random.Generator) -> None:
    state, gate = random_array(rng, (2,) * 20, "float32"), random_array(rng, (2, 2, 2, 2), "float32")
    for axes in ((3, 11), (18, 19), (0, 19)):
        check(state, gate, DotGeneralConfig(axes, (0, 1)), subgroup_facts())


def test_many_scattered_binary_axes(rng: np.random.Generator) -> None:
    lhs, rhs = random_array(rng, (2,) * 14, "complex64"), random_array(rng, (2,) * 12, "complex64")
    check(lhs, rhs, DotGeneralConfig((1, 3, 4, 8, 10, 13), (0, 9, 4, 2, 11, 7)), subgroup_facts())


def test_permuted_four_axes(rng: np.random.Generator) -> None:
    for lhs_axes, rhs_axes in (("abcd", "dbef"), ("bdac", "ebfd"), ("cdba", "fdbe")):
        lhs, rhs = (random_array(rng, (12,) * 4, "float32") for _ in range(2))
        common = "bd"
        config = DotGeneralConfig([lhs_axes.index(c) for c in common], [rhs_axes.index(c) for c in common])
        check(lhs, rhs, config, subgroup_facts())


def test_columns_beyond_a_table_of_one_level(rng: np.random.Generator) -> None:
    check(random_array(rng, (3, 5), "float32"), random_array(rng, (9001, 5), "float32").T, facts=PLAIN)
    lhs = random_array(rng, (4, 100, 3, 101), "float32").transpose(1, 0, 3, 2)
    check(lhs, random_array(rng, (4, 6), "float32"), DotGeneralConfig((1,), (0,)), subgroup_facts())


def test_repeated_operands(rng: np.random.Generator) -> None:
    row = np.broadcast_to(random_array(rng, (1, 24), "float32"), (20, 24))
    check(row, np.broadcast_to(random_array(rng, (1, 1), "float32"), (24, 40)), facts=subgroup_facts())


def test_outer_product_and_scalars(rng: np.random.Generator) -> None:
    check(random_array(rng, (13,), "float32"), random_array(rng, (7, 6), "float32"), DotGeneralConfig((), ()))
    check(random_array(rng, (), "float32"), random_array(rng, (), "float32"), DotGeneralConfig((), ()))
    lhs, rhs = random_array(rng, (5, 9), "float32"), random_array(rng, (5, 9), "float32")
    check(lhs, rhs, DotGeneralConfig((), (), (0, 1), (0, 1)))
