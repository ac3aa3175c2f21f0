"""Scans against Python's folds and sums in long double; sorts against Python's stable sort; NaN, ties, zero lengths."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, Bench, dtypes_of_kind, f32, i32, values
from numpy.typing import NDArray

from wgtensor.errors import DTypeError, ValidationError

DIRECTIONS = list(itertools.product((False, True), repeat=2))
CASES = list(zip(itertools.product(range(3), DIRECTIONS), itertools.cycle(LAYOUTS), strict=False))
SCANS = ["cumulative_sum", "cumulative_prod", "cumulative_max", "cumulative_min"]
EXTREMA = SCANS[2:]
FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "cumulative_sum": lambda a, b: a + b,
    "cumulative_prod": lambda a, b: a * b,
    "cumulative_max": max,
    "cumulative_min": min,
}


def identity(name: str, dtype: str) -> Any:
    """Return what an exclusive scan begins with."""
    if name in ("cumulative_sum", "cumulative_prod"):
        return int(name == "cumulative_prod")
    if np.dtype(dtype).kind == "f":
        return -math.inf if name == "cumulative_max" else math.inf
    info = np.iinfo(dtype)
    return int(info.min if name == "cumulative_max" else info.max)


def scanned(
    fold: Callable[[Any, Any], Any], x: NDArray[Any], axis: int, exclusive: bool, reverse: bool, first: Any
) -> NDArray[Any]:
    """Fold Python's numbers (or whatever ``x`` holds) along an axis."""
    lines = np.moveaxis(x, axis, -1)[..., :: -1 if reverse else 1]
    rows = []
    for row in lines.reshape(-1, x.shape[axis]).tolist():
        running = list(itertools.accumulate(row, fold, initial=first))
        rows.append(running[:-1] if exclusive else running[1:])
    result = np.empty(lines.shape, object)
    result[...] = np.array(rows, object).reshape(lines.shape)
    return np.moveaxis(result[..., :: -1 if reverse else 1], -1, axis)


def wrapped(numbers: NDArray[Any], dtype: str) -> NDArray[Any]:
    info = np.iinfo(dtype)
    cells = [(int(number) - info.min) % (1 << info.bits) + info.min for number in numbers.reshape(-1)]
    return np.array(cells, dtype).reshape(numbers.shape)


@pytest.mark.parametrize("dtype", dtypes_of_kind("iu"))
@pytest.mark.parametrize("name", SCANS)
def test_integers(bench: Bench, name: str, dtype: str) -> None:
    x = values(dtype, (3, 5, 4))
    for (axis, (exclusive, reverse)), layout in CASES:
        folded = scanned(FOLDS[name], x, axis, exclusive, reverse, identity(name, dtype))
        bench.check(
            name, x, axis=axis, exclusive=exclusive, reverse=reverse, expected=wrapped(folded, dtype), layout=layout
        )


def eps(dtype: str) -> float:
    return float(np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
def test_sums_stay_within_the_running_sum_of_magnitudes(bench: Bench, dtype: str) -> None:
    x = values(dtype, (5, 7, 9), special=False)
    wide = np.clongdouble if np.dtype(dtype).kind == "c" else np.longdouble
    for (axis, (exclusive, reverse)), layout in CASES:
        folded = scanned(lambda a, b: a + b, x.astype(wide), axis, exclusive, reverse, wide(0)).astype(wide)
        magnitudes = scanned(lambda a, b: a + b, np.abs(x.astype(wide)), axis, exclusive, reverse, np.longdouble(0))
        # Fours are summed one by one, then two levels of blocks: at most 8 roundings here, and the last to the dtype.
        bound = 9 * eps(dtype) * magnitudes.astype(np.float64)
        attributes = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
        bench.check("cumulative_sum", x, expected=folded, atol=bound, layout=layout, **attributes)


@pytest.mark.parametrize("dtype", dtypes_of_kind("fc"))
def test_products(bench: Bench, dtype: str) -> None:
    x = (np.abs(values(dtype, (3, 4, 3), special=False)) % 1 + np.dtype(dtype).type(0.5)).astype(dtype)
    wide = np.clongdouble if np.dtype(dtype).kind == "c" else np.longdouble
    for (axis, (exclusive, reverse)), layout in CASES:
        folded = scanned(lambda a, b: a * b, x.astype(wide), axis, exclusive, reverse, wide(1)).astype(wide)
        attributes = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
        bench.check("cumulative_prod", x, expected=folded, ulps=2 * x.shape[axis], layout=layout, **attributes)


@pytest.mark.parametrize("shape", [(300_000,), (2, 40_001), (40_001, 2), (5_003, 64)])
def test_long_float32_sums_are_scanned_in_blocks(bench: Bench, shape: tuple[int, ...]) -> None:
    axis = int(np.argmax(shape))
    steps = np.arange(1, shape[axis] + 1).reshape([-1 if each == axis else 1 for each in range(len(shape))])
    expected = np.broadcast_to(steps * float(np.float32(0.1)), shape)
    # One by one, the last sum of 300,000 would be 2,000 ulp off.
    bench.check("cumulative_sum", np.full(shape, 0.1, np.float32), axis=axis, expected=expected, ulps=40)


def test_float16_accumulates_in_float32(bench: Bench) -> None:
    bench.check("cumulative_sum", np.ones(4096, np.float16), axis=0, expected=np.arange(1, 4097).astype(np.float16))
    cancelling = np.array([60000, 60000, -60000, -60000, 1], np.float16)
    expected = np.array([60000, np.inf, 60000, 0, 1], np.float16)
    bench.check("cumulative_sum", cancelling, axis=0, expected=expected, atol=0)


def nan_fold(pick: Callable[[float, float], float]) -> Callable[[float, float], float]:
    return lambda a, b: math.nan if math.isnan(a) or math.isnan(b) else pick(a, b)


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize("name", EXTREMA)
def test_a_nan_stays_from_where_it_is(bench: Bench, name: str, dtype: str) -> None:
    x = values(dtype, (4, 3, 5)) + np.dtype(dtype).type(0)
    for (axis, (exclusive, reverse)), layout in CASES:
        folded = scanned(nan_fold(FOLDS[name]), x, axis, exclusive, reverse, identity(name, dtype)).astype(dtype)
        bench.check(name, x, axis=axis, exclusive=exclusive, reverse=reverse, expected=folded, layout=layout)


def test_infinities_meet_in_a_sum(bench: Bench) -> None:
    x = f32([1, np.inf, 2, -np.inf, 3])
    bench.check("cumulative_sum", x, axis=0, expected=f32([1, np.inf, np.inf, np.nan, np.nan]))
    bench.check("cumulative_sum", x, axis=0, reverse=True, expected=f32([np.nan, np.nan, -np.inf, -np.inf, 3]))


@pytest.mark.parametrize("name", SCANS)
def test_empty_scans_keep_their_shape(bench: Bench, name: str) -> None:
    for shape, axis in (((0,), 0), ((3, 0, 2), 1), ((3, 0, 2), 0)):
        x = np.zeros(shape, np.float32)
        bench.check(name, x, axis=axis, expected=x)
        bench.check(name, x, axis=axis, exclusive=True, reverse=True, expected=x)


def test_faulty_scans(bench: Bench) -> None:
    x, wrong = bench.up(np.ones((2, 3), np.float32)), "yes"
    with pytest.raises(ValidationError, match=r"cumulative_sum needs an axis within 0 to 1, got \(2,\)"):
        bench.session.cumulative_sum(x, 2)
    with pytest.raises(ValidationError, match="cumulative_max needs an axis of a rank-0 tensor, which has none"):
        bench.session.cumulative_max(bench.up(np.float32(1)), 0)
    with pytest.raises(DTypeError, match="cumulative_prod takes a bool, got 'yes'"):
        bench.session.cumulative_prod(x, 0, exclusive=wrong)  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match=r"cumulative_sum takes .* tensors, got bool; cast first"):
        bench.session.cumulative_sum(bench.up(np.ones(3, np.bool_)), 0)
    with pytest.raises(DTypeError, match=r"cumulative_min takes .* tensors, got complex64; cast first"):
        bench.session.cumulative_min(bench.up(np.ones(3, np.complex64)), 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(1,), (7,), (5, 9), (3, 1, 6, 5), (2, 0), ()])
def test_positions_of_true(bench: Bench, shape: tuple[int, ...], layout: str) -> None:
    mask = np.asarray(values("bool", shape, 3))
    found = [position for position, flag in enumerate(mask.reshape(-1).tolist()) if flag]
    for count in {0, len(found) // 2, len(found)}:
        bench.check("flat_nonzero", mask, count=count, expected=i32(found[:count]), layout=layout)


def test_positions_of_true_in_long_masks(bench: Bench) -> None:
    mask = np.zeros(200_003, np.bool_)
    places = [0, 1, 77, 4_096, 65_535, 65_536, 123_456, 200_002]
    mask[places] = True
    bench.check("flat_nonzero", mask, count=8, expected=i32(places))
    bench.check("flat_nonzero", ~mask, count=3, expected=i32([2, 3, 4]))
    bench.check("flat_nonzero", np.ones(70_001, np.bool_), count=70_001, expected=np.arange(70_001, dtype=np.int32))


def test_positions_beyond_the_number_of_true_are_zero(bench: Bench) -> None:
    bench.check("flat_nonzero", np.array([False, True, False, True]), count=4, expected=i32([1, 3, 0, 0]))
    bench.check("flat_nonzero", np.zeros((2, 3), np.bool_), count=6, expected=i32([0] * 6))


def test_faulty_positions(bench: Bench) -> None:
    mask, half = bench.up(np.ones((2, 3), np.bool_)), 0.5
    for count in (-1, 7, half):
        with pytest.raises(ValidationError, match="flat_nonzero needs as count an integer within 0 to the mask's 6"):
            bench.session.flat_nonzero(mask, count)  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="flat_nonzero takes bool tensors, got int32"):
        bench.session.flat_nonzero(bench.up(np.ones(3, np.int32)), 1)


def sorted_positions(x: NDArray[Any], axis: int, descending: bool) -> NDArray[np.int32]:
    """Return the positions in the order of Python's stable sort."""
    lines = np.moveaxis(x, axis, -1)
    sign = -1 if descending else 1
    rows = [
        sorted(range(len(row)), key=lambda i: (row[i] != row[i], 0 if row[i] != row[i] else sign * row[i]))
        for row in lines.reshape(-1, x.shape[axis]).tolist()
    ]
    return np.moveaxis(np.array(rows, np.int32).reshape(lines.shape), -1, axis)


def check_sorts(bench: Bench, x: NDArray[Any], axis: int, descending: bool, layout: str = "plain") -> None:
    """Check positions, and elements by their bits: equals keep their order, so zeros keep their signs."""
    positions = sorted_positions(x, axis, descending)
    bench.check("argsort", x, axis=axis, descending=descending, expected=positions, layout=layout)
    bench.check(
        "sort", x, axis=axis, descending=descending, expected=np.take_along_axis(x, positions, axis), layout=layout
    )


@pytest.mark.parametrize("dtype", dtypes_of_kind("biuf"))
def test_sorts_of_every_axis_and_dtype(bench: Bench, dtype: str) -> None:
    x = values(dtype, (5, 11, 9))
    for (axis, (descending, _)), layout in CASES:
        check_sorts(bench, x, axis, descending, layout)


@pytest.mark.parametrize("descending", [False, True])
def test_sorts_of_every_short_length(bench: Bench, descending: bool) -> None:
    for length in range(1, 36):
        check_sorts(bench, values("float32", (3, length), length), 1, descending)


@pytest.mark.parametrize("descending", [False, True])
def test_sorts_of_long_lines_with_many_equals(bench: Bench, descending: bool) -> None:
    rng = np.random.default_rng(5)
    check_sorts(bench, rng.integers(-4, 4, (2, 9_001)).astype(np.int32), 1, descending)
    check_sorts(bench, rng.integers(-4, 4, (4_097, 3)).astype(np.float32), 0, descending)
    check_sorts(bench, np.zeros(2_050, np.uint32), 0, descending)


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize("descending", [False, True])
def test_nan_of_either_sign_is_last(bench: Bench, dtype: str, descending: bool) -> None:
    x = np.array([np.nan, 1, -np.nan, -np.inf, np.inf, -0.0, np.nan, 0.0, -1, -0.0], dtype)
    order = [4, 1, 5, 7, 9, 8, 3, 0, 2, 6] if descending else [3, 8, 5, 7, 9, 1, 4, 0, 2, 6]
    bench.check("argsort", x, axis=0, descending=descending, expected=i32(order))
    bench.check("sort", x, axis=0, descending=descending, expected=x[order])


def test_extreme_integers_are_in_order(bench: Bench) -> None:
    for dtype in ("int32", "uint32"):
        info = np.iinfo(dtype)
        x = np.array([info.max, 0, info.min, info.max, 1, info.max - 1, info.min + 1], dtype)
        for descending in (False, True):
            check_sorts(bench, x, 0, descending)


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_empty_sorts(bench: Bench, name: str) -> None:
    for shape, axis in (((0,), 0), ((3, 0), 0), ((3, 0), 1)):
        bench.check(name, np.zeros(shape, np.float32), axis=axis, expected=np.zeros(shape))


def test_faulty_sorts(bench: Bench) -> None:
    x, wrong = bench.up(np.ones((2, 3), np.float32)), 1
    with pytest.raises(ValidationError, match=r"sort needs an axis within 0 to 1, got \(-1,\)"):
        bench.session.sort(x, -1)
    with pytest.raises(DTypeError, match="argsort takes a bool, got 1"):
        bench.session.argsort(x, 0, wrong)  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match=r"sort takes .* tensors, got complex64; cast first"):
        bench.session.sort(bench.up(np.ones(3, np.complex64)), 0)


SEARCHES: dict[str, Callable[[list[Any], Any], int]] = {"left": bisect.bisect_left, "right": bisect.bisect_right}


@pytest.mark.parametrize("side", SEARCHES)
@pytest.mark.parametrize("dtype", dtypes_of_kind("biuf"))
def test_searches(bench: Bench, dtype: str, side: str) -> None:
    ordered = np.sort(values(dtype, (41,)) + np.dtype(dtype).type(0))
    keys = [(math.isnan(each), 0 if math.isnan(each) else each) for each in ordered.tolist()]
    x = values(dtype, (3, 4, 5), 1)
    wanted = [(math.isnan(each), 0 if math.isnan(each) else each) for each in x.reshape(-1).tolist()]
    expected = i32([SEARCHES[side](keys, key) for key in wanted]).reshape(x.shape)
    for layout in LAYOUTS:
        bench.check("searchsorted", ordered, x, side=side, expected=expected, layout=layout)


def test_searches_of_nothing_and_for_nothing(bench: Bench) -> None:
    bench.check("searchsorted", f32([]), f32([[1, 2]]), expected=i32([[0, 0]]))
    bench.check("searchsorted", f32([1, 2]), np.zeros((0, 3), np.float32), expected=np.zeros((0, 3), np.int32))
    bench.check("searchsorted", i32([3]), i32(np.array(3)), side="right", expected=i32(np.array(1)))


def test_faulty_searches(bench: Bench) -> None:
    x, n, wrong = bench.up(np.ones((2, 3), np.float32)), bench.up(np.ones(3, np.int32)), 2.0
    line = bench.up(np.ones(3, np.float32))
    with pytest.raises(ValidationError, match=r"searchsorted needs sorted elements of rank 1, got shape \(2, 3\)"):
        bench.session.searchsorted(x, x)
    with pytest.raises(ValidationError, match="searchsorted needs side 'left' or 'right', got 'middle'"):
        bench.session.searchsorted(line, x, "middle")
    with pytest.raises(DTypeError, match=r"searchsorted takes a Tensor, got 2\.0"):
        bench.session.searchsorted(line, wrong)  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="searchsorted needs operands of one dtype, got float32 and int32"):
        bench.session.searchsorted(line, n)
