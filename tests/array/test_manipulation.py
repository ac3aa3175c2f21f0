"""Manipulation functions against NumPy, on operands in every layout."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, compare, values

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.errors import AxisError, DTypeError, ValidationError

Place = Callable[..., Array]

X = values("float32", (2, 3, 5))
VIEWS: list[tuple[str, tuple[Any, ...], dict[str, Any], Callable[[Any], Any]]] = [
    ("expand_dims", (0,), {}, lambda x: np.expand_dims(x, 0)),
    ("expand_dims", ((-1, 1),), {}, lambda x: np.expand_dims(x, (-1, 1))),
    ("flip", (), {}, np.flip),
    ("flip", (), {"axis": -1}, lambda x: np.flip(x, -1)),
    ("flip", (), {"axis": (0, 2)}, lambda x: np.flip(x, (0, 2))),
    ("moveaxis", (0, -1), {}, lambda x: np.moveaxis(x, 0, -1)),
    ("moveaxis", ((0, 2), (1, 0)), {}, lambda x: np.moveaxis(x, (0, 2), (1, 0))),
    ("permute_dims", ((2, 0, -2),), {}, lambda x: np.transpose(x, (2, 0, 1))),
    ("reshape", ((5, -1),), {}, lambda x: np.reshape(x, (5, -1))),
    ("reshape", ((30,),), {"copy": True}, lambda x: np.reshape(x, (30,))),
    ("transpose", (), {}, np.transpose),
    ("transpose", ((1, 0, 2),), {}, lambda x: np.transpose(x, (1, 0, 2))),
    ("repeat", (3,), {}, lambda x: np.repeat(x, 3)),
    ("repeat", (2,), {"axis": 1}, lambda x: np.repeat(x, 2, 1)),
    ("repeat", (0,), {"axis": -1}, lambda x: np.repeat(x, 0, -1)),
    ("roll", (4,), {}, lambda x: np.roll(x, 4)),
    ("roll", (-7,), {"axis": 2}, lambda x: np.roll(x, -7, 2)),
    ("roll", ((1, 2, -1),), {"axis": (0, -1, 0)}, lambda x: np.roll(x, (1, 2, -1), (0, -1, 0))),
    ("roll", (1,), {"axis": (0, 1)}, lambda x: np.roll(x, 1, (0, 1))),
    ("tile", ((2,),), {}, lambda x: np.tile(x, (2,))),
    ("tile", ((2, 1, 3, 2),), {}, lambda x: np.tile(x, (2, 1, 3, 2))),
    ("tile", ((0, 1),), {}, lambda x: np.tile(x, (0, 1))),
]


@pytest.mark.parametrize(("case", "layout"), list(zip(VIEWS, itertools.cycle(LAYOUTS), strict=False)))
def test_one_array(place: Place, case: tuple[Any, ...], layout: str) -> None:
    name, arguments, options, expected = case
    compare(getattr(wt, name)(place(X, layout), *arguments, **options).to_numpy(), expected(X))


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "complex64", "float64"])
def test_moves_take_every_dtype(place: Place, dtype: str) -> None:
    x = values(dtype, (3, 4))
    compare(wt.roll(place(x, "transposed"), 1, axis=1).to_numpy(), np.roll(x, 1, 1))
    compare(wt.tile(place(x, "reversed"), (2, 3)).to_numpy(), np.tile(x, (2, 3)))
    compare(wt.repeat(place(x, "strided"), 2, axis=0).to_numpy(), np.repeat(x, 2, 0))


def test_squeeze(place: Place) -> None:
    x = values("int32", (1, 3, 1))
    assert wt.squeeze(place(x), 0).shape == (3, 1)
    compare(wt.squeeze(place(x), (0, -1)).to_numpy(), x.reshape(3))


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_concat(place: Place, axis: int | None) -> None:
    x, y = values("float32", (3, 3)), values("float32", (3, 3), 1)
    joined = wt.concat([place(x, "fortran"), place(y, "reversed"), place(x)], axis=axis)
    compare(joined.to_numpy(), np.concatenate([x, y, x], axis=axis))


def test_concat_promotes(place: Place) -> None:
    x, y = np.array([True, False]), values("float32", (2,))
    joined = wt.concat((place(y), place(values("complex64", (3,)))))
    assert joined.dtype is wt.complex64
    with pytest.raises(DTypeError, match=r"concat needs dtypes that promote .*got bool and float32"):
        wt.concat([place(x), place(y)])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack_and_unstack(place: Place, axis: int) -> None:
    x, y = values("int32", (2, 4)), values("int32", (2, 4), 1)
    stacked = wt.stack([place(x, "transposed"), place(y)], axis=axis)
    compare(stacked.to_numpy(), np.stack([x, y], axis=axis))
    parts = wt.unstack(stacked, axis=axis)
    assert isinstance(parts, tuple)
    for part, expected in zip(parts, (x, y), strict=True):
        compare(part.to_numpy(), expected)


@pytest.mark.parametrize("counts", [[1, 0, 3], [0, 0, 0], [2], [5, 1, 1]])
def test_repeat_by_an_array(place: Place, counts: list[int]) -> None:
    x, repeats = values("float32", (2, 3)), np.array(counts, np.int32)
    compare(wt.repeat(place(x), place(repeats), axis=1).to_numpy(), np.repeat(x, repeats, 1))


def test_no_elements(place: Place) -> None:
    x = place(np.zeros((0, 3), np.float32))
    assert wt.roll(x, 1).shape == (0, 3)
    assert wt.roll(x, 1, axis=0).shape == (0, 3)
    assert wt.tile(x, (2, 2)).shape == (0, 6)
    assert wt.repeat(x, 2, axis=1).shape == (0, 6)
    assert wt.repeat(x, place(np.zeros(0, np.int32)), axis=0).shape == (0, 3)
    assert wt.unstack(x) == ()
    assert wt.stack([x, x]).shape == (2, 0, 3)
    assert wt.concat([x, x], axis=None).shape == (0,)


def test_views_share_storage(place: Place) -> None:
    x = place(X)
    for view in (wt.flip(x), wt.moveaxis(x, 0, 1), wt.expand_dims(x, 0), wt.transpose(x), *wt.unstack(x, axis=1)):
        assert view.tensor.storage is x.tensor.storage
    assert wt.reshape(x, (30,), copy=True).tensor.storage is not x.tensor.storage


ERRORS: list[tuple[Callable[[Array], Any], type[Exception], str]] = [
    (lambda x: wt.expand_dims(x, 4), AxisError, r"expand_dims needs an axis within -4 to 3, got 4"),
    (lambda x: wt.expand_dims(x, (0, 0)), ValidationError, r"expand_dims needs each axis once"),
    (lambda x: wt.squeeze(x, 0), ValidationError, r"squeeze needs axes of length 1, got axes \(0,\) of shape"),
    (lambda x: wt.moveaxis(x, (0, 1), 0), ValidationError, r"moveaxis needs as many destinations as sources"),
    (lambda x: wt.roll(x, (1, 2), axis=0), ValidationError, r"roll needs one shift, or one per axis"),
    (lambda x: wt.tile(x, (-1,)), ValidationError, r"tile needs repetitions of at least 0"),
    (lambda x: wt.repeat(x, -1), ValidationError, r"repeat needs repeats of at least 0, got -1"),
    (lambda x: wt.stack([x, wt.transpose(x)]), ValidationError, r"stack needs arrays of one shape"),
    (lambda x: wt.concat([]), ValidationError, r"concat needs a tuple or list of at least one array"),
    (
        lambda x: wt.concat([x, wt.transpose(x)]),
        ValidationError,
        r"concat needs shapes that are equal but for axis 0, got",
    ),
    (lambda x: wt.concat([x, wt.sum(x)]), ValidationError, r"concat needs shapes that are equal but for axis 0, got"),
    (lambda x: wt.concat([x], axis=3), IndexError, r"concat needs an axis within -3 to 2, got 3"),
    (lambda x: wt.unstack(wt.sum(x)), AxisError, r"unstack needs an axis that exists, and a shape of \(\) has none"),
    (lambda x: wt.flip([1, 2]), DTypeError, r"flip takes a wgtensor array, got list"),  # type: ignore[arg-type]
    (lambda x: wt.permute_dims(x, (0, 1)), ValidationError, r"permute_dims needs each axis"),
]


@pytest.mark.parametrize(("function", "error", "text"), ERRORS)
def test_errors(place: Place, function: Callable[[Array], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        function(place(X))


def test_lists_of_arrays_are_stacked(device: Device, place: Place) -> None:
    x, y = values("float32", (2, 3)), values("float32", (2, 3), 1)
    compare(wt.asarray([[place(x), place(y)], (place(y), place(x))]).to_numpy(), np.array([[x, y], [y, x]]))
    assert wt.asarray([wt.sum(place(x))], dtype=wt.int32).dtype is wt.int32
    assert wt.asarray([place(x)]).device is device
    with pytest.raises(DTypeError, match=r"stack takes a wgtensor array, got float"):
        wt.asarray([place(x), 1.0])
