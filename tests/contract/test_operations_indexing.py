"""Slices, padding, joining, gather and scatter against loops that follow StableHLO's definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, Bench, c64, compare, dtypes_of_kind, f32, i32, values
from numpy.typing import NDArray

from wgtensor.contract import GatherConfig, PadConfig, ScatterConfig, SliceConfig
from wgtensor.cpu import CpuBackend
from wgtensor.errors import DTypeError, UnsupportedError

SLICES = [
    ((1, 0, 2), (4, 3, 5), (1, 1, 1)),
    ((0, 0, 0), (5, 4, 6), (2, 3, 4)),
    ((2, 2, 2), (2, 4, 6), (1, 1, 3)),
    ((4, 3, 5), (5, 4, 6), (7, 7, 7)),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("starts", "limits", "strides"), SLICES)
def test_slice_is_a_view(
    bench: Bench, starts: tuple[int, ...], limits: tuple[int, ...], strides: tuple[int, ...], layout: str
) -> None:
    x = values("float32", (5, 4, 6))
    operand = bench.up(x, layout)
    view = bench.session.slice(operand, SliceConfig(starts, limits, strides))
    assert view.storage is operand.storage
    picked = tuple(slice(*each) for each in zip(starts, limits, strides, strict=True))
    np.testing.assert_array_equal(bench.down(view), x[picked])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axes", [(), (0,), (1, 2), (2, 0, 1)])
def test_reverse_is_a_view(bench: Bench, axes: tuple[int, ...], layout: str) -> None:
    x = values("int32", (3, 4, 2))
    operand = bench.up(x, layout)
    view = bench.session.reverse(operand, axes)
    assert view.storage is operand.storage
    np.testing.assert_array_equal(bench.down(view), np.flip(x, axes))


def padded(x: NDArray[Any], value: Any, config: PadConfig) -> NDArray[Any]:
    steps = [between + 1 for between in config.interior or ()]
    shape = [
        low + max(0, (n - 1) * step + 1) + high
        for n, step, low, high in zip(x.shape, steps, config.low, config.high, strict=True)
    ]
    result = np.full(shape, value, x.dtype)
    for index in np.ndindex(*x.shape):
        target = tuple(low + i * step for i, step, low in zip(index, steps, config.low, strict=True))
        if all(0 <= t < n for t, n in zip(target, shape, strict=True)):
            result[target] = x[index]
    return result


PADS = [
    PadConfig([1, 2], [0, 3]),
    PadConfig([0, 0], [0, 0], [2, 1]),
    PadConfig([-1, 2], [1, -2]),
    PadConfig([-2, -1], [-1, 3], [1, 3]),
    PadConfig([-3, 0], [0, 0]),
    PadConfig([5, 0], [-6, 0], [0, 1]),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_pad_and_crop(bench: Bench, dtype: str) -> None:
    for config, layout in zip(PADS, (*LAYOUTS, *LAYOUTS), strict=False):
        x, value = values(dtype, (3, 4)), values(dtype, (), 5)
        bench.check("pad", x, expected=padded(x, 0, config), config=config, layout=layout)
        bench.check("pad", x, value=bench.up(value), expected=padded(x, value, config), config=config)


def test_pad_of_zero_lengths_and_with_infinities(bench: Bench) -> None:
    bench.check("pad", np.zeros(0, np.float32), config=PadConfig([2], [1], [3]), value=np.inf, expected=[np.inf] * 3)
    config = PadConfig([1], [1])
    bench.check("pad", f32([1]), config=config, value=-np.inf, expected=[-np.inf, 1, -np.inf])
    bench.check("pad", f32([1]), config=config, value=np.nan, expected=[np.nan, 1, np.nan])


def joined(bench: Bench, axis: int) -> Callable[..., Any]:
    return lambda *tensors: bench.session.concatenate(tensors, axis)


@pytest.mark.parametrize("dtype", DTYPES)
def test_concatenate_along_every_axis(bench: Bench, dtype: str) -> None:
    for axis, layout in ((0, "plain"), (1, "strided"), (2, "reversed"), (1, "transposed")):
        shapes = [[2, 3, 4] for _ in range(4)]
        for shape, length in zip(shapes, (2, 0, 1, 5), strict=True):
            shape[axis] = length
        arrays = [values(dtype, shape, seed) for seed, shape in enumerate(shapes)]
        expected = np.concatenate(arrays, axis)
        bench.check("concatenate", *arrays, expected=expected, layout=layout, call=joined(bench, axis))


def test_concatenate_one_and_many(bench: Bench) -> None:
    one = f32([1, 2])
    bench.check("concatenate", one, expected=one, call=joined(bench, 0))
    many = [np.full(n % 4, n, np.float32) for n in range(40)]
    bench.check("concatenate", *many, expected=np.concatenate(many), call=joined(bench, 0))


def start_of(starts: NDArray[Any], batch: Sequence[int], vector_axis: int) -> list[int]:
    if vector_axis == starts.ndim:
        return [int(starts[tuple(batch)])]
    index: list[Any] = list(batch)
    index.insert(vector_axis, slice(None))
    return [int(value) for value in starts[tuple(index)]]


def corner(index_map: Sequence[int], start: list[int], shape: Sequence[int], sizes: Sequence[int]) -> list[int]:
    full = [0] * len(shape)
    for axis, value in zip(index_map, start, strict=True):
        full[axis] = min(max(value, 0), shape[axis] - sizes[axis])
    return full


def gathered(x: NDArray[Any], starts: NDArray[Any], config: GatherConfig, shape: Sequence[int]) -> NDArray[Any]:
    result = np.zeros(shape, x.dtype)
    for index in np.ndindex(*shape):
        batch = [i for axis, i in enumerate(index) if axis not in config.offset_dims]
        within = iter([index[axis] for axis in config.offset_dims])
        offset = [0 if axis in config.collapsed_slice_dims else next(within) for axis in range(x.ndim)]
        start = start_of(starts, batch, config.index_vector_dim)
        base = corner(config.start_index_map, start, x.shape, config.slice_sizes)
        result[index] = x[tuple(b + o for b, o in zip(base, offset, strict=True))]
    return result


GATHERS = [
    # operand shape, starts shape, config, result shape
    ((5, 4), (3,), GatherConfig([1], [0], [0], 1, [1, 4]), (3, 4)),
    ((5, 4), (3, 2), GatherConfig([], [0, 1], [0, 1], 1, [1, 1]), (3,)),
    ((5, 4), (2, 3), GatherConfig([], [0, 1], [1, 0], 0, [1, 1]), (3,)),
    ((5, 4, 3), (2, 3, 1), GatherConfig([1, 3], [1], [1], 2, [2, 1, 3]), (2, 2, 3, 3)),
    ((5, 4, 3), (2, 2), GatherConfig([0, 1, 2], [], [2, 0], 1, [3, 4, 1]), (3, 4, 1, 2)),
    ((6,), (), GatherConfig([0], [], [0], 0, [2]), (2,)),
    ((6,), (0, 1), GatherConfig([1], [], [0], 1, [2]), (0, 2)),
    ((0, 4), (3, 1), GatherConfig([1, 2], [], [1], 1, [0, 2]), (3, 0, 2)),
    ((5,), (2, 0), GatherConfig([1], [], [], 1, [5]), (2, 5)),
    ((), (2, 0), GatherConfig([], [], [], 1, []), (2,)),
]
INDEX_DTYPES = dtypes_of_kind("iu")


@pytest.mark.parametrize("number", range(len(GATHERS)))
@pytest.mark.parametrize("dtype", DTYPES)
def test_gather(bench: Bench, dtype: str, number: int) -> None:
    operand, starts_shape, config, shape = GATHERS[number]
    x = values(dtype, operand, number)
    starts = np.random.default_rng(number).integers(-3, 9, starts_shape, np.int32)
    expected = gathered(x, np.asarray(starts), config, shape)
    bench.check(
        "gather", x, np.asarray(starts), expected=expected, config=config, layout=LAYOUTS[number % len(LAYOUTS)]
    )


@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_starts_of_every_integer_dtype_are_clamped_at_their_extremes(bench: Bench, index: str) -> None:
    info = np.iinfo(index)
    x, starts = np.arange(5, dtype=np.float32), np.array([info.min, 0, 2, 4, info.max], index)
    config = GatherConfig([1], [], [0], 1, [2])
    last = 3.0
    expected = [[0, 1], [0, 1], [2, 3], [last, 4], [last, 4]]
    bench.check("gather", x, starts, expected=f32(expected), config=config)
    bench.check("dynamic_slice", x, starts[-1:], sizes=(2,), expected=[3.0, 4.0])
    bench.check("dynamic_slice", x, starts[:1], sizes=(2,), expected=[0.0, 1.0])


def scattered(x: NDArray[Any], starts: NDArray[Any], updates: NDArray[Any], config: ScatterConfig) -> NDArray[Any]:
    result = x.astype(object)
    combine: dict[str, Callable[[Any, Any], Any]] = {
        "add": lambda a, b: a + b, "set": lambda a, b: b, "min": min, "max": max,
    }  # fmt: skip
    lengths = iter([updates.shape[axis] for axis in config.update_window_dims])
    sizes = [1 if axis in config.inserted_window_dims else next(lengths) for axis in range(x.ndim)]
    for index in np.ndindex(*updates.shape):
        batch = [i for axis, i in enumerate(index) if axis not in config.update_window_dims]
        within = iter([index[axis] for axis in config.update_window_dims])
        offset = [0 if axis in config.inserted_window_dims else next(within) for axis in range(x.ndim)]
        start = start_of(starts, batch, config.index_vector_dim)
        base = corner(config.scatter_dims_to_operand_dims, start, x.shape, sizes)
        target = tuple(b + o for b, o in zip(base, offset, strict=True))
        result[target] = combine[config.mode](result[target], updates.astype(object)[index])
    return result


SCATTERS = [
    # operand shape, starts shape, updates shape, window dims, inserted dims, mapped dims, index vector dim
    ((5, 4), (3,), (3, 4), [1], [0], [0], 1),
    ((5, 4), (7, 2), (7,), [], [0, 1], [0, 1], 1),
    ((5, 4), (2, 7), (7,), [], [0, 1], [1, 0], 0),
    ((5, 4, 3), (6, 1), (2, 6, 3), [0, 2], [1], [1], 1),
    ((4, 3), (5, 2), (2, 2, 5), [0, 1], [], [0, 1], 1),
    ((6,), (), (2,), [0], [], [0], 0),
    ((6,), (0, 1), (0, 2), [1], [], [0], 1),
    ((3, 0), (2, 1), (2, 1, 0), [1, 2], [], [0], 1),
    ((), (3, 0), (3,), [], [], [], 1),
]


@pytest.mark.parametrize("number", range(len(SCATTERS)))
@pytest.mark.parametrize("mode", ["add", "set", "min", "max"])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "int8", "uint64", "float16", "float64"])
def test_scatter_combines_in_row_major_order_of_the_updates(bench: Bench, dtype: str, mode: str, number: int) -> None:
    operand, starts_shape, updates_shape, window, inserted, mapped, vector_axis = SCATTERS[number]
    config = ScatterConfig(window, inserted, mapped, vector_axis, mode)
    rng = np.random.default_rng(number)
    # Small integers: sums are exact in every dtype, so their order does not matter.
    x, updates = rng.integers(0, 9, operand).astype(dtype), np.asarray(rng.integers(0, 9, updates_shape)).astype(dtype)
    starts = np.asarray(rng.integers(-2, 7, starts_shape, np.int32))
    expected = scattered(x, starts, updates, config).astype(dtype)
    layout = LAYOUTS[number % len(LAYOUTS)]
    if mode != "set" and dtype in ("int8", "uint64", "float64") and not isinstance(bench.backend, CpuBackend):
        with pytest.raises(UnsupportedError, match=rf"scatter of {dtype} is not .* in mode {mode}; it is for"):
            bench.session.scatter(bench.up(x), bench.up(starts), bench.up(updates), config)
        return
    bench.check("scatter", x, starts, updates, expected=expected, config=config, layout=layout)


@pytest.mark.parametrize("dtype", ["bool", "complex64"])
def test_scatter_sets_any_dtype(bench: Bench, dtype: str) -> None:
    x, updates = values(dtype, (5,)), values(dtype, (3,), 1)
    starts = np.array([[4], [0], [4]], np.int32)
    config = ScatterConfig([], [0], [0], 1, "set")
    expected = x.copy()
    expected[[0, 4]] = updates[[1, 2]]
    bench.check("scatter", x, starts, updates, expected=expected, config=config)


def test_scatter_adds_complex_and_leaves_the_operand(bench: Bench) -> None:
    operand = bench.up(np.zeros(2, np.complex64))
    starts, updates = bench.up(np.array([[0], [0], [1]], np.int32)), bench.up(c64([1j, 2, 3]))
    config = ScatterConfig([], [0], [0], 1)
    result = bench.session.scatter(operand, starts, updates, config)
    np.testing.assert_array_equal(bench.down(result), [2 + 1j, 3])
    np.testing.assert_array_equal(bench.down(operand), [0, 0])


def test_scatter_extrema_propagate_nan(bench: Bench) -> None:
    x, updates = f32([1, 2, np.nan]), f32([np.nan, 5, 0])
    starts = np.array([[0], [1], [2]], np.int32)
    for mode, middle in (("max", 5), ("min", 2)):
        config = ScatterConfig([], [0], [0], 1, mode)
        bench.check("scatter", x, starts, updates, expected=[np.nan, middle, np.nan], config=config)


STARTS = [(0, 0, 0), (1, 2, 3), (-5, 1, 9), (9, 9, 9)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dynamic_slice_and_update_clamp(bench: Bench, dtype: str) -> None:
    sizes = (2, 1, 3)
    for start, layout in zip(STARTS, LAYOUTS, strict=False):
        x, update = values(dtype, (4, 3, 5)), values(dtype, sizes, 1)
        base = corner((0, 1, 2), list(start), x.shape, sizes)
        window = tuple(slice(b, b + size) for b, size in zip(base, sizes, strict=True))
        starts = np.array(start, np.int32)
        bench.check("dynamic_slice", x, starts, sizes=sizes, expected=x[window], layout=layout)
        expected = x.copy()
        expected[window] = update
        bench.check("dynamic_update_slice", x, update, starts, expected=expected, layout=layout)


def test_dynamic_slices_of_rank_zero_and_of_nothing(bench: Bench) -> None:
    none = np.zeros(0, np.int32)
    bench.check("dynamic_slice", np.asarray(np.float32(7)), none, sizes=(), expected=7)
    bench.check("dynamic_update_slice", np.asarray(np.float32(7)), np.asarray(np.float32(8)), none, expected=8)
    empty = np.zeros((0, 3), np.float32)
    bench.check("dynamic_slice", empty, i32([5, 5]), sizes=(0, 2), expected=np.zeros((0, 2)))


ROWS = GatherConfig([1], [0], [0], 1, [1, 33])
"""Rows of a matrix at scalar starts."""


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_by_an_index_array(bench: Bench, dtype: str) -> None:
    x, rows = values(dtype, (50, 33)), np.random.default_rng(1).integers(0, 50, 200).astype(np.int32)
    bench.check("gather", x, rows, expected=x[rows], config=ROWS, layout="strided")
    updates, expected = values(dtype, (200, 33), 1), x.copy()
    for row, update in zip(rows, updates, strict=True):
        expected[row] = update
    bench.check("scatter", x, rows, updates, expected=expected, config=ScatterConfig([1], [0], [0], 1, "set"))


def test_starts_may_be_pending_and_lie_in_any_way(bench: Bench) -> None:
    s, x = bench.session, values("float32", (50, 33))
    for index in ("int32", "uint32"):
        rows = np.arange(0, 40, 3).astype(index)
        for layout in LAYOUTS:
            starts = s.add(bench.up(rows, layout), 5)
            np.testing.assert_array_equal(bench.down(s.gather(bench.up(x), starts, ROWS)), x[rows + 5])
    one = s.broadcast_in_dim(bench.up(i32(7)), (4,), ())
    np.testing.assert_array_equal(bench.down(s.gather(bench.up(x), one, ROWS)), x[[7] * 4])
    numbers = bench.up(np.array([3, 0, 2, 1], np.int32))
    itself = s.gather(numbers, numbers, GatherConfig([], [0], [0], 1, [1]))
    np.testing.assert_array_equal(bench.down(itself), [1, 3, 2, 0])


@pytest.mark.parametrize("mode", ["add", "set", "min", "max"])
def test_scatters_in_recycled_memory(bench: Bench, mode: str) -> None:
    """Results, cells and sums come from buffers that held other numbers before."""
    rng, combine = np.random.default_rng(2), {"add": np.add, "min": np.minimum, "max": np.maximum}
    config = ScatterConfig([], [0], [0], 1, mode)
    for length in (1, 7, 100, 1000) * 3:
        x, targets = rng.integers(-50, 50, length).astype(np.float32), rng.integers(0, length, 3 * length)
        updates, expected = rng.integers(-50, 50, 3 * length).astype(np.float32), x.copy()
        if mode == "set":
            for target, update in zip(targets, updates, strict=True):
                expected[target] = update
        else:
            combine[mode].at(expected, targets, updates)
        bench.check("scatter", x, targets.astype(np.int32), updates, expected=expected, config=config)


def test_float_sums_are_close_and_the_same_in_every_run(bench: Bench) -> None:
    rng = np.random.default_rng(3)
    targets, updates = rng.integers(0, 5, 4000).astype(np.int32), rng.standard_normal((4000, 3)).astype(np.float32)
    config = ScatterConfig([1], [0], [0], 1)
    runs = [bench.run("scatter", np.zeros((5, 3), np.float32), targets, updates, config=config) for _ in range(3)]
    exact, magnitudes = np.zeros((5, 3)), np.zeros((5, 3))
    np.add.at(exact, targets, updates.astype(np.float64))
    np.add.at(magnitudes, targets, np.abs(updates).astype(np.float64))
    for run in runs:
        assert run is not None
        np.testing.assert_array_equal(run, runs[0])
        compare(run, exact, atol=np.finfo(np.float32).eps * magnitudes)


def test_an_update_slice_of_more_workgroups_than_a_dimension_has(bench: Bench) -> None:
    """An odd start keeps bool at one byte per invocation: 65,537 workgroups of 256."""
    count = 256 * 65_537
    update = np.random.default_rng(4).random(count) < 0.5
    x, starts = bench.session.full((count + 5,), True, "bool"), bench.up(i32([3]))
    result = bench.down(bench.session.dynamic_update_slice(x, bench.up(update), starts))
    assert result[:3].all()
    assert result[-2:].all()
    np.testing.assert_array_equal(result[3:-2], update)


def test_numbers_are_no_operands(bench: Bench) -> None:
    s, x, starts = bench.session, bench.up(f32([1, 2])), bench.up(i32([0]))
    calls: dict[str, Callable[[], Any]] = {
        "gather": lambda: s.gather(1.0, starts, GatherConfig([], [], [], 1, [])),  # type: ignore[arg-type]
        "scatter": lambda: s.scatter(x, starts, 1.0, ScatterConfig([0], [], [0], 0)),  # type: ignore[arg-type]
        "dynamic_slice": lambda: s.dynamic_slice(x, 0, [1]),  # type: ignore[arg-type]
        "dynamic_update_slice": lambda: s.dynamic_update_slice(x, 1.0, starts),  # type: ignore[arg-type]
    }
    for name, call in calls.items():
        with pytest.raises(DTypeError, match=f"{name} takes a Tensor, got "):
            call()
