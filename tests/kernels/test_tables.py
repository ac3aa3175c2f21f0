"""Two-level tables and walks give the offset of every position."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wgtensor.webgpu.kernels.tables import TABLE, Walk, join_tables, plan_walk, split_length, two_level_table

Array: TypeAlias = NDArray[Any]
AXES = st.lists(st.tuples(st.integers(1, 9), st.integers(-50, 50)), max_size=7)


def offsets(lengths: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    grid = np.zeros(lengths, np.int64)
    for axis, stride in enumerate(strides):
        shape = [-1 if each == axis else 1 for each in range(len(lengths))]
        grid += np.arange(lengths[axis]).reshape(shape) * stride
    return grid.ravel()


def walked(walk: Walk, operand: int, count: int, tables: tuple[Array, ...]) -> Array:
    """Do what the WGSL does, in 32 bits."""
    q, r = np.divmod(np.arange(count), walk.inner)
    base, outer, step = walk.operands[operand]
    if walk.form == TABLE:
        total = base + tables[0][outer + q].astype(np.int64) + tables[0][step + r]
    else:
        total = base + q * outer + r * step
    return np.asarray(total, np.int64).astype(np.uint32)


@settings(deadline=None)
@given(AXES, st.integers(0, 99))
def test_two_level_table(axes: list[tuple[int, int]], offset: int) -> None:
    lengths, strides = tuple(n for n, _ in axes), tuple(s for _, s in axes)
    high, low, inner = two_level_table(lengths, strides, offset)
    q, r = np.divmod(np.arange(math.prod(lengths)), inner)
    np.testing.assert_array_equal(high[q] + low[r], (offsets(lengths, strides) + offset).astype(np.uint32))
    assert (len(high), len(low)) == (-(-math.prod(lengths) // inner), inner)


@settings(deadline=None)
@given(AXES, st.sampled_from([None, TABLE]))
def test_walk_of_two_operands(axes: list[tuple[int, int]], form: str | None) -> None:
    lengths, strides = tuple(n for n, _ in axes), tuple(s for _, s in axes)
    doubled = tuple(2 * s for s in strides)
    walks = [plan_walk(lengths, (strides, doubled), (3, 5), form=form) for _ in range(2)]
    (_, walk), tables = join_tables(walks)
    count = math.prod(lengths)
    for operand, (stride, base) in enumerate(((strides, 3), (doubled, 5))):
        expected = (offsets(lengths, stride) + base).astype(np.uint32)
        np.testing.assert_array_equal(walked(walk, operand, count, tables), expected)


@pytest.mark.parametrize("lengths", [(2,) * 20, (1 << 20,), (3, 1 << 18), (12, 12, 12, 12, 12)])
def test_tables_stay_near_the_square_root(lengths: tuple[int, ...]) -> None:
    size, inner = math.prod(lengths), split_length(lengths)
    assert -(-size // inner) + inner <= 3 * math.isqrt(size)
