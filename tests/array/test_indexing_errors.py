"""What indexing and assignment refuse, by text; a refusal changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wgtensor.array import Array, Device
from wgtensor.cpu import CpuBackend
from wgtensor.errors import DTypeError, IndexRuleError, ValidationError
from wgtensor.tensor import Tensor

Place = Callable[..., Array]

KEYS = {
    "too many": ((0, 1, 2), "indices for at most the 2 axes of shape (2, 3), got some for 3; an int, a slice"),
    "too many beside an ellipsis": ((0, ..., 1, 2), "at most the 2 axes of shape (2, 3), got some for 3"),
    "int too large": (2, "indexing takes ints within -2 to 1 on axis 0 of shape (2, 3), got 2"),
    "int too small": ((0, -4), "indexing takes ints within -3 to 2 on axis 1 of shape (2, 3), got -4"),
    "ellipses": ((..., 0, ...), "indexing takes one ellipsis (...), got 2; write slices (:) for the others"),
    "float": (1.0, "got 1.0 of type float; convert it with int()"),
    "NumPy float": (np.float32(1), "of type numpy.float32; convert it with int()"),
    "bool": (True, "got True of type bool; make a bool array with wt.asarray"),
    "str": ("a", "indexing takes ints, slices, ..., None, and bool or integer arrays, got 'a' of type str"),
    "list": ([0, 1], "got [0, 1] of type list; make one with wt.asarray"),
    "NumPy array": (np.array([0, 1]), "got array([0, 1]) of type numpy.ndarray; make one with wt.asarray"),
    "slice of floats": (np.s_[1.5:], "takes slices of ints and None, got slice(1.5, None, None); convert with int()"),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_that_do_not_fit(place: Place, name: str) -> None:
    key, text = KEYS[name]
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = place(array)
    with pytest.raises(IndexRuleError, match=re.escape(text)) as caught:
        x[key]
    assert isinstance(caught.value, IndexError)
    with pytest.raises(IndexError, match=re.escape(text)):
        x[key] = 0
    np.testing.assert_array_equal(x.to_numpy(), array)


ARRAYS = {
    "mask too long": (
        np.ones(3, bool),
        "needs a bool array of the shape of the axes that it covers, (2,) of (2, 3), got (3,)",
    ),
    "mask of too many axes": (
        np.ones((2, 3, 1), bool),
        "indices for at most the 2 axes of shape (2, 3), got some for 3",
    ),
    "mask transposed": (np.ones((3, 2), bool), "covers, (2, 3) of (2, 3), got (3, 2)"),
    "floats": (np.ones(2, np.float32), "got one of float32; convert it with x.astype(wt.int32)"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_index_arrays_that_do_not_fit(place: Place, name: str) -> None:
    array, text = ARRAYS[name]
    x, key = place(np.zeros((2, 3), np.float32)), place(array)
    with pytest.raises(IndexRuleError, match=re.escape(text)):
        x[key]
    with pytest.raises(IndexRuleError, match=re.escape(text)):
        x[key] = 0


def test_index_arrays_that_do_not_broadcast(place: Place) -> None:
    x, two, three = (place(np.zeros(shape, np.int32)) for shape in [(4, 4), (2,), (3,)])
    with pytest.raises(IndexRuleError, match=re.escape("indexing needs shapes that broadcast")):
        x[two, three]


def test_an_axis_of_length_0_has_no_positions(place: Place) -> None:
    x = place(np.zeros((0, 2), np.float32))
    with pytest.raises(IndexRuleError, match=re.escape("takes no int on axis 0 of shape (0, 2), got 0")):
        x[0]
    with pytest.raises(IndexRuleError, match=re.escape("takes no positions on an axis of length 0, got some of shape")):
        x[place(np.zeros(1, np.int32))]
    assert x[place(np.zeros(0, np.int32))].shape == (0, 2)


def test_a_step_of_0(place: Place) -> None:
    with pytest.raises(ValidationError, match=re.escape("a slice step other than 0, got slice(None, None, 0)")):
        place(np.zeros(3, np.float32))[::0]


VALUES = {
    "float into ints": (
        np.int32,
        1.5,
        DTypeError,
        "fit the dtype int32, got 1.5; convert the array",
    ),
    "complex into floats": (
        np.float32,
        1j,
        DTypeError,
        "fit the dtype float32, got 1j; convert the array with x.astype",
    ),
    "int into bools": (np.bool_, 1, DTypeError, "fit the dtype bool, got 1; convert the array with x.astype"),
    "int too large": (
        np.int32,
        2**31,
        ValidationError,
        "within -2147483648 to 2147483647 beside int32, got 2147483648",
    ),
    "negative into unsigned": (np.uint32, -1, ValidationError, "within 0 to 4294967295 beside uint32, got -1"),
    "int of many bits": (np.float32, 2**1025, ValidationError, "beside float32, got one of 1026 bits"),
    "NumPy text": (np.int32, np.str_("a"), DTypeError, "assignment takes Python numbers, got 'a' of type str"),
    "list": (np.int32, [1, 2], DTypeError, "bring it to the device with wt.asarray"),
    "NumPy array": (np.int32, np.zeros(2, np.int32), DTypeError, "bring it to the device with wt.asarray"),
    "str": (
        np.int32,
        "1",
        DTypeError,
        "wgtensor arrays and Python numbers, got str; there is nothing else",
    ),
    "None": (np.int32, None, DTypeError, "assignment takes wgtensor arrays and Python numbers"),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", ["slice", "mask", "rows"])
def test_values_that_do_not_convert(place: Place, name: str, kind: str) -> None:
    dtype, value, error, text = VALUES[name]
    x = place(np.zeros(2, dtype))
    keys = {"slice": slice(1), "mask": place(np.ones(2, bool)), "rows": place(np.zeros(1, np.int32))}
    with pytest.raises(error, match=re.escape(text)):
        x[keys[kind]] = value
    assert not x.to_numpy().any()


@pytest.mark.parametrize(
    ("dtype", "other", "way_out"),
    [
        ("int32", "float32", "convert with value.astype(wt.int32)"),
        ("bool", "int32", "convert with value.astype(wt.bool)"),
        ("float32", "complex64", "take wt.real or wt.abs"),
    ],
)
def test_arrays_that_do_not_convert(place: Place, dtype: str, other: str, way_out: str) -> None:
    x, value = place(np.zeros(2, dtype)), place(np.ones(2, other))
    text = f"an array of {dtype} takes values of its kind or a lesser one, got {other}; {way_out}"
    with pytest.raises(DTypeError, match=re.escape(text)):
        x[:] = value


@pytest.mark.parametrize("kind", ["slice", "mask", "part of a mask", "rows"])
def test_values_that_do_not_broadcast(place: Place, kind: str) -> None:
    x, value = place(np.zeros((2, 3), np.float32)), place(np.zeros((2, 2), np.float32))
    keys: dict[str, Any] = {
        "slice": np.s_[:, 1:3][:1],
        "mask": place(np.ones((2, 3), bool)),
        "part of a mask": place(np.ones(2, bool)),
        "rows": place(np.array([0, 1], np.int32)),
    }
    with pytest.raises(ValidationError, match=re.escape("a value that broadcasts to the selected shape")):
        x[keys[kind]] = value


def test_arrays_of_another_device(place: Place) -> None:
    other = Device("cpu", CpuBackend())
    x = place(np.zeros(2, np.int32))
    foreign = Array(other.backend.upload_host_tensor(Tensor.from_numpy(np.zeros(2, np.int32))), other)
    with pytest.raises(ValidationError, match="indexing needs arrays of one device"):
        x[foreign]
    with pytest.raises(ValidationError, match="assignment needs arrays of one device"):
        x[0] = foreign
