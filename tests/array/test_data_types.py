"""Data type functions against NumPy and ``array_api_strict``."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import array_api_strict
import numpy as np
import pytest
from contract.harness import DTYPES, compare, values

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.errors import DTypeError, UnsupportedError, ValidationError

Place = Callable[..., Array]
Computes = Callable[[Any], bool]
Refused = Callable[[Any], bool]

STANDARD = [name for name in DTYPES if name != "float16"]
KINDS = (
    "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric",
)  # fmt: skip


def strict(name: str) -> Any:
    return getattr(array_api_strict, name)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(STANDARD, repeat=2)))
def test_promotion_and_casting_rules(a: str, b: str) -> None:
    assert wt.can_cast(a, b) == array_api_strict.can_cast(strict(a), strict(b))
    try:
        expected = array_api_strict.result_type(strict(a), strict(b))
    except TypeError:
        with pytest.raises(DTypeError, match="result_type needs dtypes that promote"):
            wt.result_type(a, b)
        return
    assert wt.result_type(a, b).name == str(expected._np_dtype)


@pytest.mark.parametrize("dtype", STANDARD)
@pytest.mark.parametrize("number", [True, 1, 1.5, 1j], ids=str)
def test_numbers_beside_dtypes(dtype: str, number: complex) -> None:
    try:
        expected = array_api_strict.result_type(strict(dtype), number)
    except TypeError:
        if number is not True or np.dtype(dtype).kind == "b":
            with pytest.raises(DTypeError, match=f"result_type takes numbers that fit the dtype {dtype}"):
                wt.result_type(dtype, number)
        return
    assert wt.result_type(number, dtype).name == str(expected._np_dtype)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (bool, wt.bool), (int, wt.int32), (float, wt.float32), (complex, wt.complex64), ("uint32", wt.uint32),
        (np.float32, wt.float32), (np.dtype("<i4"), wt.int32), (wt.complex64, wt.complex64),
    ],
    ids=str,
)  # fmt: skip
def test_what_names_a_dtype(device: Device, given: Any, expected: wt.DType) -> None:
    """Python's types mean the defaults of this library, which have 32 bits per number."""
    x = wt.zeros(2, dtype=given, device=device)
    assert x.dtype is x.astype(given).dtype is wt.astype(x, given).dtype is expected
    assert wt.asarray([0], dtype=given, device=device).dtype is wt.eye(1, dtype=given, device=device).dtype is expected
    assert wt.result_type(given) is expected
    assert wt.isdtype(given, expected)


@pytest.mark.parametrize("given", ["q", "f", "float", "int", "complex", "<f4", "", str, object, 4, []], ids=repr)
def test_what_names_no_dtype(device: Device, given: Any) -> None:
    x = wt.zeros(2, device=device)
    calls: list[Callable[[], Any]] = [
        lambda: wt.zeros(2, dtype=given, device=device),
        lambda: wt.eye(2, dtype=given, device=device),
        lambda: wt.asarray(1, dtype=given, device=device),
        lambda: wt.sum(x, dtype=given),
        lambda: x.astype(given),
        lambda: wt.can_cast(given, "int32"),
    ]
    for call in calls:
        with pytest.raises(DTypeError, match=r"wgtensor has no dtype .*; it has bool, int8, .*complex128$"):
            call()


def test_result_type_needs_a_dtype(place: Place) -> None:
    with pytest.raises(ValidationError, match="result_type needs at least one array or dtype"):
        wt.result_type(1, 2.0)
    assert wt.result_type(place(np.ones(2, np.float32)), wt.float64, 1) is wt.float64


@pytest.mark.parametrize("dtype", STANDARD)
def test_kinds(dtype: str) -> None:
    for kind in KINDS:
        assert wt.isdtype(getattr(wt, dtype), kind) == array_api_strict.isdtype(strict(dtype), kind)
    assert wt.isdtype(dtype, ("bool", wt.int8)) == (dtype in ("bool", "int8"))
    assert wt.isdtype(dtype, getattr(wt, dtype))
    assert not wt.isdtype(dtype, ())
    with pytest.raises(ValidationError, match="isdtype needs a dtype or one of bool, signed integer"):
        wt.isdtype(dtype, "float")
    with pytest.raises(DTypeError, match=r"wgtensor has no dtype"):
        wt.isdtype("text", "numeric")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_limits_of_floats(dtype: str) -> None:
    ours, theirs = wt.finfo(dtype), np.finfo(dtype)
    for name in ("eps", "max", "min", "smallest_normal"):
        assert isinstance(getattr(ours, name), float)
        assert getattr(ours, name) == getattr(theirs, name)
    assert (ours.bits, ours.dtype.name) == (theirs.bits, str(theirs.dtype))


def test_limits_of_bfloat16() -> None:
    """Its numbers are those of float32 with the low 16 bits cleared."""
    largest = np.array([0x7F7F0000], np.uint32).view(np.float32)[0]
    above_one = np.array([0x3F810000], np.uint32).view(np.float32)[0]
    ours = wt.finfo(wt.bfloat16)
    assert (ours.max, ours.min, ours.eps) == (largest, -largest, above_one - 1)
    assert ours.smallest_normal == np.finfo(np.float32).smallest_normal


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_limits_of_integers(dtype: str) -> None:
    ours, theirs = wt.iinfo(dtype), np.iinfo(dtype)
    assert (ours.bits, ours.max, ours.min, ours.dtype.name) == (theirs.bits, theirs.max, theirs.min, dtype)


def test_limits_of_arrays_and_other_kinds(place: Place) -> None:
    assert wt.finfo(place(np.ones(2, np.complex64))).dtype is wt.float32
    assert wt.iinfo(place(np.ones(2, np.int32))).max == (1 << 31) - 1
    with pytest.raises(DTypeError, match="finfo takes float and complex dtypes, got int32; use iinfo"):
        wt.finfo(wt.int32)
    with pytest.raises(DTypeError, match="iinfo takes integer dtypes, got float32; use finfo"):
        wt.iinfo(wt.float32)


CASTS = list(itertools.product(["bool", "int32", "uint32", "float32", "complex64", "int64", "float64"], repeat=2))


@pytest.mark.parametrize(("source", "target"), CASTS)
def test_astype(place: Place, device: Device, computes: Computes, refused: Refused, source: str, target: str) -> None:
    if refused(source):
        return
    x = values(source, (4, 5), special=False)
    if not computes(target):
        with pytest.raises(UnsupportedError, match=f"astype of {target} is not available"):
            wt.astype(place(x), target)
        return
    if np.dtype(source).kind == "c" and np.dtype(target).kind != "c":
        with pytest.raises(DTypeError, match=f"astype takes no complex array to a real dtype, got {source}"):
            wt.astype(place(x), target)
        return
    result = wt.astype(place(x, "reversed"), getattr(wt, target))
    assert result.device is device
    with np.errstate(all="ignore"):
        expected = np.clip(x, 0, None) if np.dtype(source).kind == "f" and np.dtype(target).kind == "u" else x
        compare(result.to_numpy(), expected.astype(target))


def test_astype_saturates(place: Place) -> None:
    x = place(np.array([np.nan, np.inf, -np.inf, 3e9, -2.7], np.float32))
    assert wt.astype(x, wt.int32).tolist() == [0, (1 << 31) - 1, -(1 << 31), (1 << 31) - 1, -2]
    assert wt.astype(x, wt.uint32).tolist() == [0, (1 << 32) - 1, 0, 3_000_000_000, 0]
    assert wt.astype(x, wt.bool).tolist() == [True] * 5


def test_astype_copies_unless_told(place: Place) -> None:
    x = place(np.ones(3, np.float32))
    assert wt.astype(x, wt.float32).tensor.storage is not x.tensor.storage
    assert wt.astype(x, wt.float32, copy=False) is x


def test_astype_to_another_device(place: Place) -> None:
    """Conversion happens where both dtypes are."""
    x = place(np.array([1.5, -2.5], np.float32))
    there = wt.astype(x, wt.float64, device="cpu")
    assert (there.device.kind, there.dtype, there.tolist()) == ("cpu", wt.float64, [1.5, -2.5])
    back = wt.astype(there, wt.int32, device=x.device)
    assert (back.device, back.tolist()) == (x.device, [1, -2])


SHAPES: list[tuple[tuple[int, ...], ...]] = [
    ((2, 3), (3,)), ((1,), (5,)), ((), (2, 2)), ((4, 1), (1, 3)), ((0,), (1,)), ((2, 1, 3), (7, 1)), ((3,),), (),
]  # fmt: skip


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcasting(place: Place, shapes: tuple[tuple[int, ...], ...]) -> None:
    assert wt.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)
    arrays = [values("float32", shape, seed=len(shape)) for shape in shapes]
    results = wt.broadcast_arrays(*(place(each) for each in arrays))
    assert isinstance(results, tuple)
    for result, expected in zip(results, np.broadcast_arrays(*arrays), strict=True):
        compare(result.to_numpy(), expected)


def test_broadcast_to(place: Place) -> None:
    x = values("float32", (3, 1))
    compare(wt.broadcast_to(place(x, "strided"), (2, 3, 4)).to_numpy(), np.broadcast_to(x, (2, 3, 4)))
    with pytest.raises(ValidationError, match=r"broadcast_to needs a shape that \(3, 1\) stretches to, got \(1, 1\)"):
        wt.broadcast_to(place(x), (1, 1))
    with pytest.raises(ValidationError, match="broadcast_to needs shapes that broadcast"):
        wt.broadcast_to(place(x), (2, 4))
    with pytest.raises(ValidationError, match="broadcast_shapes needs shapes that broadcast"):
        wt.broadcast_shapes((2,), (3,))
