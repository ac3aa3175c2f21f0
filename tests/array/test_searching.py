"""Searching functions against NumPy: ties, NaN, empty results, sides and sorters."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, compare, values

import wgtensor as wt
from wgtensor.array import Array
from wgtensor.errors import DTypeError, ValidationError

Place = Callable[..., Array]

DTYPES = ["bool", "int32", "uint32", "float32"]


@pytest.mark.parametrize(("axis", "layout"), list(zip([None, 0, 1, -1], itertools.cycle(LAYOUTS[1:]), strict=False)))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_of_extremes(place: Place, name: str, dtype: str, axis: int | None, layout: str) -> None:
    x = values(dtype, (3, 4, 5))
    result = getattr(wt, name)(place(x, layout), axis=axis)
    assert result.dtype is wt.int32
    compare(result.to_numpy(), getattr(np, name)(x, axis=axis))
    kept = getattr(wt, name)(place(x, layout), axis=axis, keepdims=True)
    compare(kept.to_numpy(), getattr(np, name)(x, axis=axis, keepdims=True))


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
@pytest.mark.parametrize("axis", [None, 1, (0, -1)])
def test_count_nonzero(place: Place, dtype: str, axis: Any) -> None:
    x = values(dtype, (4, 3, 2))
    result = wt.count_nonzero(place(x, "transposed"), axis=axis)
    assert result.dtype is wt.int32
    compare(result.to_numpy(), np.asarray(np.count_nonzero(x, axis=axis)))
    kept = wt.count_nonzero(place(x), axis=axis, keepdims=True)
    compare(kept.to_numpy(), np.count_nonzero(x, axis=axis, keepdims=True))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_nonzero(place: Place, dtype: str, layout: str) -> None:
    x = values(dtype, (3, 5, 7))
    result = wt.nonzero(place(x, layout))
    assert isinstance(result, tuple)
    for indices, expected in zip(result, np.nonzero(x), strict=True):
        assert indices.dtype is wt.int32
        compare(indices.to_numpy(), expected)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (4, 2)])
def test_nonzero_of_nothing(place: Place, shape: tuple[int, ...]) -> None:
    assert [each.shape for each in wt.nonzero(place(np.zeros(shape, np.float32)))] == [(0,)] * len(shape)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32"])
def test_searchsorted(place: Place, dtype: str, side: Any) -> None:
    x, wanted = np.sort(values(dtype, (33,))), values(dtype, (4, 9), 1)
    result = wt.searchsorted(place(x, "reversed"), place(wanted, "transposed"), side=side)
    assert result.dtype is wt.int32
    compare(result.to_numpy(), np.searchsorted(x, wanted, side))


def test_searchsorted_with_a_sorter_and_numbers(place: Place) -> None:
    x = values("float32", (17,), special=False)
    order = np.argsort(x).astype(np.int32)
    wanted = values("float32", (5,), 1, special=False)
    result = wt.searchsorted(place(x), place(wanted), sorter=place(order))
    compare(result.to_numpy(), np.searchsorted(x, wanted, sorter=order))
    compare(wt.searchsorted(place(np.sort(x)), 0.5).to_numpy(), np.searchsorted(np.sort(x), 0.5))
    compare(wt.searchsorted(place(np.zeros(0, np.float32)), place(wanted)).to_numpy(), np.zeros(5))


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_where(place: Place, dtype: str) -> None:
    condition, x, y = values("bool", (3, 1, 5)), values(dtype, (4, 1)), values(dtype, (3, 1, 1), 1)
    result = wt.where(place(condition, "strided"), place(x, "reversed"), place(y))
    compare(result.to_numpy(), np.where(condition, x, y))


def test_where_with_numbers(place: Place) -> None:
    condition, x = np.array([True, False]), np.array([1.5, np.nan], np.float32)
    compare(wt.where(place(condition), place(x), 2).to_numpy(), np.array([1.5, 2], np.float32))
    compare(wt.where(place(condition), -1.0, place(x)).to_numpy(), np.array([-1, np.nan], np.float32))
    for other in (place(np.zeros(2, np.complex64)), 1j):
        assert wt.where(place(condition), place(x), other).dtype is wt.complex64


ERRORS: list[tuple[Callable[[Array], Any], type[Exception], str]] = [
    (lambda x: wt.argmax(x, axis=2), IndexError, r"argmax needs an axis within -2 to 1, got 2"),
    (lambda x: wt.nonzero(wt.sum(x)), ValidationError, r"nonzero needs an array of at least one axis"),
    (lambda x: wt.searchsorted(x, x), ValidationError, r"searchsorted needs a first array of one axis"),
    (lambda x: wt.searchsorted(wt.reshape(x, -1), x, side="up"), ValidationError, r"side 'left' or 'right'"),  # type: ignore[arg-type]
    (lambda x: wt.where(x, x, x), DTypeError, r"where takes a bool array and two values"),
    (lambda x: wt.where(x > 0, 1.0, 2.0), DTypeError, r"where takes a bool array and two values, of which one is"),
    (lambda x: wt.where(x > 0, x, x > 0), DTypeError, r"where needs dtypes that promote"),
    (
        lambda x: wt.where(x > 0, wt.argmax(x), 1.5),
        DTypeError,
        r"where takes numbers that fit the dtype int32, got 1.5",
    ),
]


@pytest.mark.parametrize(("function", "error", "text"), ERRORS)
def test_errors(place: Place, function: Callable[[Array], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        function(place(values("float32", (2, 3))))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_no_extreme_of_nothing(place: Place, name: str) -> None:
    with pytest.raises(ValidationError, match=rf"{name} has no value over an axis of length 0"):
        getattr(wt, name)(place(np.zeros((2, 0), np.float32)), axis=1)
    assert getattr(wt, name)(place(np.zeros((2, 0), np.float32)), axis=0).shape == (0,)
    with pytest.raises(DTypeError, match=rf"{name} takes .* got complex64"):
        getattr(wt, name)(place(values("complex64", (3,))))
