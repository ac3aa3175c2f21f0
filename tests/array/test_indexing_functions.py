"""``take`` and ``take_along_axis`` against NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from wgtensor.array import Array, Device
from wgtensor.array.indexing_functions import take, take_along_axis
from wgtensor.cpu import CpuBackend
from wgtensor.errors import DTypeError, IndexRuleError, ValidationError

Place = Callable[..., Array]


def floats(shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return different numbers."""
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def positions(shape: tuple[int, ...], length: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return positions within an axis, some from its end."""
    return np.random.default_rng(0).integers(-length, length, shape).astype(np.int32)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [0, 1, -1, -3])
def test_take(place: Place, layout: str, axis: int) -> None:
    array = floats((3, 4, 5))
    for shape in [(7,), (0,), (), (2, 3)]:
        index = positions(shape, array.shape[axis])
        result = take(place(array, layout), place(index), axis=axis)
        np.testing.assert_array_equal(result.to_numpy(), np.take(array, index, axis), strict=True)


def test_take_without_axis(place: Place) -> None:
    array, index = floats((5,)), positions((4,), 5)
    np.testing.assert_array_equal(take(place(array), place(index)).to_numpy(), array[index])
    with pytest.raises(ValidationError, match=re.escape("take needs an axis for an array of shape (1, 5)")):
        take(place(array[None]), place(index))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(6,), (3, 5), (2, 3, 4), (2, 1, 3, 2)])
def test_take_along_axis(place: Place, layout: str, shape: tuple[int, ...]) -> None:
    array = floats(shape)
    for axis in range(-1, len(shape)):
        for length in (0, 1, 7):
            wanted = list(shape)
            wanted[axis] = length
            index = positions(tuple(wanted), shape[axis])
            result = take_along_axis(place(array, layout), place(index), axis=axis)
            np.testing.assert_array_equal(result.to_numpy(), np.take_along_axis(array, index, axis), strict=True)


@given(st.data())
@settings(max_examples=30)
def test_take_along_axis_broadcasts_the_other_axes(device: Device, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)))
    axis = data.draw(st.integers(0, len(shape) - 1))
    x_shape, index_shape = ([data.draw(st.sampled_from([1, n])) for n in shape] for _ in range(2))
    x_shape[axis], index_shape[axis] = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))
    array, index = floats(tuple(x_shape)), positions(tuple(index_shape), x_shape[axis])
    bench = Bench(device.backend, device.session)
    result = take_along_axis(Array(bench.up(array), device), Array(bench.up(index), device), axis=axis)
    np.testing.assert_array_equal(result.to_numpy(), np.take_along_axis(array, index, axis), strict=True)


def test_take_along_axis_reads_back_a_sort(place: Place) -> None:
    array = np.random.default_rng(1).permutation(60).astype(np.float32).reshape(3, 4, 5)
    for axis in range(3):
        order = np.argsort(array, axis).astype(np.int32)
        result = take_along_axis(place(array), place(order), axis=axis)
        np.testing.assert_array_equal(result.to_numpy(), np.sort(array, axis))


def test_positions_out_of_range_select_an_edge(place: Place) -> None:
    array, index = floats((2, 3)), np.array([[5, -9, 2**31 - 1]], np.int32)
    assert take_along_axis(place(array), place(index)).to_numpy().tolist() == [[2, 0, 2], [5, 3, 5]]
    assert take(place(array), place(index[0]), axis=1).to_numpy().tolist() == [[2, 0, 2], [5, 3, 5]]


def test_narrow_positions_on_a_long_axis() -> None:
    cpu = Device("cpu", CpuBackend())
    bench = Bench(cpu.backend, cpu.session)
    array, index = floats((2, 300)), np.array([[200], [255]], np.uint8)
    result = take_along_axis(Array(bench.up(array), cpu), Array(bench.up(index), cpu))
    np.testing.assert_array_equal(result.to_numpy(), np.take_along_axis(array, index.astype(np.int64), 1))


def test_take_along_axis_is_at_most_four_dispatches(device: Device, place: Place) -> None:
    x, index = place(floats((4, 5, 6))), place(positions((4, 2, 6), 5))
    device.backend.synchronize()
    before = device.backend.runtime.counters.dispatches
    take_along_axis(x, index, axis=1).to_numpy()
    # The cpu runs each elementwise operation by itself.
    assert device.backend.runtime.counters.dispatches - before <= (4 if device.kind == "webgpu" else 14)


@pytest.mark.parametrize("function", [take, take_along_axis])
def test_bad_operands(place: Place, function: Callable[..., Any]) -> None:
    x, index = place(floats((2, 3))), place(np.zeros((1, 1), np.int32))
    with pytest.raises(DTypeError, match=r"needs integer indices, got float32; convert with indices\.astype"):
        function(x, x, axis=0)
    with pytest.raises(DTypeError, match=r"takes a wgtensor array, got list; make one with wt\.asarray"):
        function(x, [0], axis=0)
    with pytest.raises(DTypeError, match="takes a wgtensor array, got float"):
        function(1.0, index, axis=0)
    with pytest.raises(ValidationError, match="needs an axis within -2 to 1, got 2"):
        function(x, index, axis=2)
    with pytest.raises(IndexRuleError, match="no positions on an axis of length 0"):
        function(place(np.zeros((0, 1), np.float32)), index, axis=0)


def test_take_along_axis_needs_shapes_that_fit(place: Place) -> None:
    x = place(floats((2, 3)))
    with pytest.raises(ValidationError, match=re.escape("needs indices of rank 2, got shape (3,)")):
        take_along_axis(x, place(np.zeros(3, np.int32)))
    with pytest.raises(ValidationError, match=re.escape("take_along_axis needs shapes that broadcast")):
        take_along_axis(x, place(np.zeros((3, 3), np.int32)))
