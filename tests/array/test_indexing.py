"""Indexing and assignment against NumPy: random keys over random shapes, every dtype, every device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from contract.harness import LAYOUTS, Bench, values
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wgtensor.array import Array, Device
from wgtensor.cpu import CpuBackend

Place = Callable[..., Array]

_EXAMPLES: Final = settings(max_examples=60)
_LENGTHS: Final = st.sampled_from([0, 1, 2, 3, 5])
_SHAPES: Final = st.lists(_LENGTHS, max_size=4).map(tuple)


def up(device: Device, array: Any, layout: str = "plain") -> Array:
    """Return an array on the device that lies there as ``layout`` says."""
    return Array(Bench(device.backend, device.session).up(array, layout), device)


def brought(device: Device, key: Any) -> Any:
    """Return a key of NumPy with its arrays on the device."""
    if isinstance(key, tuple):
        return tuple(brought(device, item) for item in key)
    return up(device, key) if isinstance(key, np.ndarray) else key


def numbered(shape: tuple[int, ...], dtype: Any = np.float32) -> NDArray[Any]:
    """Return different numbers, so that no element can be taken for another."""
    return np.arange(1, 1 + int(np.prod(shape)), dtype=dtype).reshape(shape)


def check_get(device: Device, array: NDArray[Any], key: Any, layout: str = "plain") -> None:
    result = up(device, array, layout)[brought(device, key)]
    np.testing.assert_array_equal(result.to_numpy(), array[key], strict=True)


def check_put(
    device: Device, array: NDArray[Any], key: Any, value: Any, layout: str = "plain", shared: bool = False
) -> None:
    x, expected = up(device, array, layout), array.copy()
    before = x[...] if shared else up(device, array)
    x[brought(device, key)] = up(device, value) if isinstance(value, np.ndarray) else value
    if isinstance(value, np.ndarray):  # NumPy drops leading axes of length 1 too, but not down to no axis.
        value = value.reshape(value.shape[max(value.ndim - np.ndim(array[key]), 0) :])
    expected[key] = value
    np.testing.assert_array_equal(x.to_numpy(), expected, strict=True)
    np.testing.assert_array_equal(before.to_numpy(), array, strict=True)


# Random keys


def slices(length: int) -> st.SearchStrategy[slice]:
    """Slices with any step, within and out of the axis."""
    bounds = st.none() | st.integers(-length - 3, length + 3)
    return st.builds(slice, bounds, bounds, st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3]))


def axis_items(length: int) -> st.SearchStrategy[Any]:
    """Basic items for an axis."""
    return slices(length) | (st.integers(-length, length - 1) if length else st.nothing())


@st.composite
def index_arrays(draw: st.DrawFn, length: int, batch: tuple[int, ...]) -> NDArray[Any]:
    """Integers within an axis, of a shape that broadcasts to ``batch``."""
    lengths = [draw(st.sampled_from([1, n])) if n else n for n in batch]
    shape = tuple(lengths[draw(st.integers(0, sum(np.cumprod([n == 1 for n in lengths])))) :])
    dtype = draw(st.sampled_from([np.int32, np.uint32]))
    low = -length if dtype is np.int32 else 0
    numbers = st.integers(low, length - 1) if length else st.just(0)
    size = int(np.prod(shape))
    return np.array(draw(st.lists(numbers, min_size=size, max_size=size)), dtype).reshape(shape)


@st.composite
def masks(draw: st.DrawFn, shape: tuple[int, ...]) -> NDArray[Any]:
    """Bools of a shape."""
    size = int(np.prod(shape))
    return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool).reshape(shape)


def spans(length: int) -> st.SearchStrategy[tuple[int, int]]:
    """Pairs of a first position and an end."""
    return st.tuples(st.integers(0, length), st.integers(0, length)).map(lambda pair: (min(pair), max(pair)))


@st.composite
def keys(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """Keys of every kind: basic items, with either integer arrays or one bool array among them."""
    mode = draw(st.sampled_from(["basic", "integers", "mask"]))
    batch = draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=2).map(tuple))
    items: list[Any] = []
    for length in shape:
        array = [index_arrays(length, batch)] if mode == "integers" and (length or 0 in batch) else []
        items.append(draw(st.one_of([axis_items(length), *array, *array])))
    if mode == "mask":
        first, end = draw(spans(len(shape)))
        items[first:end] = [draw(masks(shape[first:end]))]
    first, end = draw(spans(len(items)))
    items[first:end] = [...] if draw(st.booleans()) else items[first:end]
    del items[draw(st.sampled_from([len(items), first + 1])) :]
    for _ in range(draw(st.integers(0, 2))):
        items.insert(draw(st.integers(0, len(items))), None)
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


@st.composite
def broadcastable(draw: st.DrawFn, shape: tuple[int, ...]) -> NDArray[Any]:
    """Values that broadcast to a shape, also from one with more axes of length 1."""
    lengths = [draw(st.sampled_from([1, n, n])) for n in shape]
    ones = sum(np.cumprod([n == 1 for n in lengths]))
    lengths = [1] * draw(st.integers(0, 1)) + lengths[draw(st.integers(0, ones)) :]
    return -numbered(tuple(lengths))


@given(st.data())
@_EXAMPLES
def test_get_by_random_keys(device: Device, data: st.DataObject) -> None:
    array = numbered(data.draw(_SHAPES))
    check_get(device, array, data.draw(keys(array.shape)), data.draw(st.sampled_from(LAYOUTS)))


@given(st.data())
@_EXAMPLES
def test_put_by_random_keys(device: Device, data: st.DataObject) -> None:
    array = numbered(data.draw(_SHAPES))
    key = data.draw(keys(array.shape))
    value = data.draw(st.sampled_from([-1, -2.5]) | broadcastable(array[key].shape))
    check_put(device, array, key, value, data.draw(st.sampled_from(LAYOUTS)), data.draw(st.booleans()))


# What random keys seldom or never hit


@pytest.mark.parametrize("key", [(slice(None), 1), (..., slice(None, None, -2)), None, (0, None, ..., -1), (), ...])
def test_basic_keys_give_views_without_work(device: Device, key: Any) -> None:
    x = up(device, numbered((2, 3, 4)))
    before = device.backend.runtime.counters.dispatches
    view = x[key]
    assert device.backend.runtime.counters.dispatches == before
    assert view.tensor.storage is x.tensor.storage


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mask_with_integer_arrays_and_ints(device: Device, layout: str) -> None:
    array, mask = numbered((3, 2, 4)), np.array([[True, False], [False, True], [True, False]])
    rows, one = np.array([0, -1, 2], np.int32), np.array([1], np.int32)
    beside: list[Any] = [(mask, rows), (mask, one), (mask, 2), (mask[:, 0], slice(None), 1)]
    for key in [*beside, (0, slice(None), mask[0].repeat(2))]:
        check_get(device, array, key, layout)
        check_put(device, array, key, -numbered(array[key].shape), layout)
        check_put(device, array, key, 0, layout)


@pytest.mark.parametrize("flag", [True, False])
def test_masks_of_shape_0(device: Device, flag: bool) -> None:
    for shape in [(), (3,), (0, 2)]:
        check_get(device, numbered(shape), np.array(flag))
        check_put(device, numbered(shape), np.array(flag), -1)
        check_put(device, numbered(shape), np.array(flag), -numbered((1, *shape)))


def test_integer_arrays_of_shape_0_stay_on_the_device(device: Device) -> None:
    array, index = numbered((3, 4)), np.array(-2, np.int32)
    reads = device.backend.runtime.counters.host_reads
    x = up(device, array)
    row, element = x[up(device, index)], x[up(device, index), up(device, index)]
    assert device.backend.runtime.counters.host_reads == reads
    np.testing.assert_array_equal(row.to_numpy(), array[-2], strict=True)
    np.testing.assert_array_equal(element.to_numpy(), array[-2, -2])
    np.testing.assert_array_equal(x[up(device, index) : 3, 1].to_numpy(), array[1:3, 1], strict=True)


def test_positions_out_of_range_select_an_edge(device: Device) -> None:
    array = numbered((4,))
    found = up(device, array)[up(device, np.array([-100, -5, 4, 2**31 - 1, -(2**31)], np.int32))]
    np.testing.assert_array_equal(found.to_numpy(), array[[0, 0, 3, 3, 0]])
    unsigned = up(device, array)[up(device, np.array([4, 2**32 - 1], np.uint32))]
    np.testing.assert_array_equal(unsigned.to_numpy(), array[[3, 3]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "uint64"])
def test_index_arrays_of_widths_that_only_the_cpu_has(dtype: str) -> None:
    cpu, array = Device("cpu", CpuBackend()), numbered((300, 2))
    check_get(cpu, array, (np.array([0, 127, 3], dtype), np.array([1, 0, 1], np.int64)))
    if np.dtype(dtype).kind == "i":
        check_get(cpu, array, np.array([-1, -128], dtype))


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint32", "float16", "float32", "complex64", "int8", "float64"])
def test_every_dtype(device: Device, computes: Callable[[Any], bool], dtype: str) -> None:
    array = values(dtype, (5, 7), 1)
    rows, mask = np.array([3, -1, 0], np.int32), np.arange(35).reshape(5, 7) % 3 == 0
    for key in [(slice(None, None, -2), 3), rows, mask]:
        check_get(device, array, key)
    if computes(dtype):
        for key in [(slice(1, 4), slice(None, None, -1)), rows, (slice(None), rows), mask, mask[:, 0]]:
            check_put(device, array, key, values(dtype, array[key].shape, 2))
            check_put(device, array, key, array.flat[0].item())


def test_assigned_bits_survive(device: Device) -> None:
    array = np.array([0.0, -0.0, np.nan, np.inf], np.float32)
    x = up(device, np.zeros(8, np.float32))
    x[::2] = up(device, array)
    x[up(device, np.array([1, 3, 5, 7], np.int32))] = up(device, array)
    assert x.to_numpy().view(np.uint32).tolist() == array.repeat(2).view(np.uint32).tolist()


def test_last_of_equal_positions_wins(device: Device) -> None:
    index = np.random.default_rng(0).integers(0, 5, 1000).astype(np.int32)
    check_put(device, numbered((5, 3)), index, -numbered((1000, 3)))


@pytest.mark.parametrize(
    ("to", "source"),
    [(np.s_[1:], np.s_[:-1]), (np.s_[:-1], np.s_[1:]), (np.s_[::-1], np.s_[:]), (np.s_[::2], np.s_[:3])],
)
def test_overlapping_assignment_copies_first(device: Device, to: slice, source: slice) -> None:
    array, x = numbered((6,)), up(device, numbered((6,)))
    expected = array.copy()
    expected[to] = array[source]
    x[to] = x[source]
    np.testing.assert_array_equal(x.to_numpy(), expected)


def test_assignment_of_an_array_to_itself(device: Device) -> None:
    array = numbered((4, 3))
    x = up(device, array)
    x[::-1] = x
    np.testing.assert_array_equal(x.to_numpy(), array[::-1])
    x[...] = x
    np.testing.assert_array_equal(x.to_numpy(), array[::-1])


def test_index_arrays_and_values_that_show_the_array(device: Device) -> None:
    array = np.array([3, 0, 2, 1], np.int32)
    x = up(device, array)
    x[x] = x
    expected = array.copy()
    expected[array] = array
    np.testing.assert_array_equal(x.to_numpy(), expected)
    x[x > 1] = x[0]
    np.testing.assert_array_equal(x.to_numpy(), np.where(expected > 1, expected[0], expected))


def test_values_convert_to_the_dtype(device: Device) -> None:
    x = up(device, np.zeros(3, np.complex64))
    x[0], x[1], x[2:] = 1, up(device, np.float32(2.5)), up(device, np.array([3], np.int32))
    np.testing.assert_array_equal(x.to_numpy(), np.array([1, 2.5, 3], np.complex64))
    y = up(device, np.zeros(2, np.int32))
    y[0], y[1:] = True, up(device, np.array([7], np.uint32))
    assert y.to_numpy().tolist() == [1, 7]


def test_augmented_assignment(device: Device) -> None:
    array = numbered((3, 4))
    x = up(device, array)
    x[1] += 1
    x[:, ::2] *= x[:, 1::2]
    x[up(device, np.array([0, 0, 2], np.int32))] -= 1
    array[1] += 1
    array[:, ::2] *= array[:, 1::2].copy()
    array[np.array([0, 0, 2])] -= 1
    np.testing.assert_array_equal(x.to_numpy(), array)


def test_iteration_walks_the_first_axis(device: Device) -> None:
    array = numbered((3, 2))
    assert [row.to_numpy().tolist() for row in up(device, array)] == array.tolist()


def test_masks_of_length_zero_select_nothing(place: Place) -> None:
    """A mask may have length 0 where the array has another one, by the standard."""
    x = values("float32", (3, 4))
    for shape, selected in (((0,), (0, 4)), ((0, 4), (0,)), ((3, 0), (0,)), ((0, 0), (0,))):
        array, mask = place(x), place(np.zeros(shape, np.bool_))
        assert array[mask].shape == selected
        array[mask] = 5.0
        array[mask] = place(np.zeros(selected, np.float32))
        np.testing.assert_array_equal(array.to_numpy(), x)
