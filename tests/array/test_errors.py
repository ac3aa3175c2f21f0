"""Errors for people, by their text: the operation, the rule, what it got, and the way out, in terms of arrays."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest
from contract.harness import BACKENDS

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.cpu import CpuBackend
from wgtensor.errors import DeviceLostError, DTypeError, UnsupportedError, ValidationError
from wgtensor.tensor import Tensor

Place = Callable[..., Array]

ONES = np.ones(2, np.float32)

on_adapters: Final = pytest.mark.parametrize("device", [name for name in BACKENDS if name != "cpu"], indirect=True)
"""For tests of what only devices with an adapter do."""


@pytest.fixture
def x(place: Place) -> Array:
    """Two float32 ones on the device."""
    return place(ONES)


@pytest.fixture
def n(place: Place) -> Array:
    """Two int32 ones on the device."""
    return place(np.ones(2, np.int32))


def text_of(kind: type[Exception], call: Callable[[], Any]) -> str:
    """Return the text of the error of ``kind`` that ``call`` raises."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_numpy_does_not_take_device_arrays(x: Array) -> None:
    text = text_of(DTypeError, lambda: np.asarray(x))
    assert text.endswith("does not become a NumPy array silently, since data would move; write x.to_numpy()")
    with pytest.raises(TypeError, match="does not support ufuncs"):
        np.sin(x)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_numpy_array_beside_an_array(x: Array, swapped: bool) -> None:
    given: Any = ONES
    text = text_of(DTypeError, lambda: given + x if swapped else x + given)
    rule = "add takes wgtensor arrays and Python numbers"
    assert text == f"{rule}, got numpy.ndarray; bring it to the device with wt.asarray"
    assert text_of(DTypeError, lambda: wt.add(x, given)) == text


def test_no_array_at_all() -> None:
    text = text_of(DTypeError, lambda: wt.add(1, 2))
    assert text == "add takes at least one wgtensor array, got int, int; make one with wt.asarray"
    text = text_of(DTypeError, lambda: wt.exp(1.0))  # type: ignore[arg-type]
    assert text == "exp takes a wgtensor array, got float; make one with wt.asarray"


def test_arrays_of_two_devices(x: Array) -> None:
    other = wt.ones(2, device=Device("cpu", CpuBackend()))
    text = text_of(ValidationError, lambda: x + other)
    assert text == (
        f"add needs arrays of one device, got {x.device} and cpu; data never moves silently, "
        f"bring one over with x.to_device('{x.device}')"
    )
    text = text_of(ValidationError, lambda: wt.maximum(other, x))
    assert text.startswith("maximum needs arrays of one device, got cpu and ")


@on_adapters
def test_a_dtype_that_the_adapter_lacks(device: Device) -> None:
    adapter = device.backend.runtime.adapter_info["device"]
    text = text_of(UnsupportedError, lambda: wt.zeros(3, dtype=wt.float64, device=device))
    assert text.startswith(f"zeros of float64 is not available on {device} ({adapter}), which computes in bool, ")
    assert text.endswith("; write dtype=wt.float32, or device='cpu'")
    x = wt.asarray([1], device=device)
    assert "astype of int64 is not available" in text_of(UnsupportedError, lambda: x.astype(wt.int64))
    with wt.device("cpu"):
        there = wt.asarray([1.0], dtype=wt.float64)
    assert "to_device of float64 is not available" in text_of(UnsupportedError, lambda: there.to_device(device))
    text = text_of(UnsupportedError, lambda: x + wt.asarray([1], dtype=wt.uint32, device=device))
    assert text == (
        f"add of int32 and uint32 needs int64, but cast of int32 to int64 is not available on {adapter}; "
        "convert one of them with x.astype, or compute on the cpu with x.to_device('cpu')"
    )


@pytest.mark.parametrize(
    ("nest", "text"),
    [
        ([[1, 2], [3]], "got shape (2,) at [0] and (1,) at [1]"),
        ([[[1], [2]], [[3], 4]], "got shape (1,) at [1][0] and () at [1][1]"),
        ([1, [2]], "got shape () at [0] and (1,) at [1]"),
    ],
)
def test_ragged_lists(device: Device, nest: Any, text: str) -> None:
    expected = f"asarray needs nested lists of equal lengths, {text}; pad the shorter ones"
    assert text_of(ValidationError, lambda: wt.asarray(nest, device=device)) == expected


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ("text", "str"),
        ([1, "2"], "str at [1]"),
        ([[1, None]], "NoneType at [0][1]"),
        ({1, 2}, "set"),
        (None, "NoneType"),
        (object(), "object"),
    ],
    ids=["str", "str in a list", "None in a list", "set", "None", "object"],
)
def test_what_is_no_number(device: Device, given: Any, got: str) -> None:
    for dtype in (None, wt.float32):
        text = text_of(DTypeError, partial(wt.asarray, given, dtype=dtype, device=device))
        assert text == f"asarray takes numbers, nested lists of numbers, and arrays, got {got}"


def test_arrays_inside_lists(device: Device, x: Array) -> None:
    text = text_of(DTypeError, lambda: wt.asarray([[1.0, 2.0], x], device=device))
    assert text == "asarray takes no arrays inside lists, got one at [1]; join them with wt.stack"


@pytest.mark.parametrize("given", [np.array(["a"]), np.array([None]), np.array(["2020-01-01"], "M8[D]")], ids=str)
def test_numpy_arrays_of_other_things(device: Device, given: Any) -> None:
    text = text_of(DTypeError, lambda: wt.asarray(given, device=device))
    assert text == f"asarray takes arrays of numbers, got NumPy dtype {given.dtype}; convert it with NumPy first"


def test_ints_out_of_range(device: Device, n: Array) -> None:
    text = text_of(ValidationError, lambda: wt.asarray([1, 3_000_000_000], device=device))
    start = "asarray needs ints within -2147483648 to 2147483647 for int32, got 3000000000"
    assert text == f"{start}; write dtype=wt.{'int64' if device.kind == 'cpu' else 'uint32'}"
    text = text_of(ValidationError, lambda: wt.asarray([-1, 1 << 40], dtype=wt.uint32, device=device))
    assert text.endswith(f"got -1; write dtype=wt.{'int64' if device.kind == 'cpu' else 'float32'}")
    text = text_of(ValidationError, lambda: wt.asarray([-1], dtype=wt.uint32, device=device))
    assert text.startswith("asarray needs ints within 0 to 4294967295 for uint32, got -1")
    assert "got one of 101 bits" in text_of(ValidationError, lambda: wt.asarray([1 << 100], device=device))
    text = text_of(ValidationError, lambda: n + (1 << 31))
    assert text == "add needs an int within -2147483648 to 2147483647 beside int32, got 2147483648"


def test_numbers_of_another_kind(x: Array, n: Array, place: Place) -> None:
    text = text_of(DTypeError, lambda: n + 1.5)
    assert text == "add takes numbers that fit the dtype int32, got 1.5; convert the array with x.astype(wt.float32)"
    text = text_of(DTypeError, lambda: wt.multiply(2j, n))
    rule = "multiply takes numbers that fit the dtype int32"
    assert text == f"{rule}, got 2j; convert the array with x.astype(wt.complex64)"
    text = text_of(DTypeError, lambda: place(np.array([True])) == 1)
    assert text == "equal takes numbers that fit the dtype bool, got 1; convert the array with x.astype(wt.int32)"


def test_dtypes_that_do_not_meet(x: Array, n: Array) -> None:
    text = text_of(DTypeError, lambda: x + n)
    assert text == (
        "add needs dtypes that promote to a common one, got float32 and int32, which the Array API does not define; "
        "convert one with x.astype(wt.float32)"
    )


KINDS: list[tuple[Callable[[Any, Any], Any], str, str, str]] = [
    (lambda x, n: wt.exp(n), "exp takes float and complex", "int32", "float32"),
    (lambda x, n: x & x, "bitwise_and takes bool, signed integer and unsigned integer", "float32", "int32"),
    (lambda x, n: ~x, "bitwise_invert takes bool, signed integer and unsigned integer", "float32", "int32"),
    (lambda x, n: wt.logical_and(n, n), "logical_and takes bool", "int32", "bool"),
    (lambda x, n: x << 1, "bitwise_left_shift takes signed integer and unsigned integer", "float32", "int32"),
    (lambda x, n: wt.atan2(n, n), "atan2 takes float", "int32", "float32"),
    (lambda x, n: abs(x > 0), "abs takes signed integer, unsigned integer, float and complex", "bool", "float32"),
]


@pytest.mark.parametrize(("call", "rule", "got", "way_out"), KINDS, ids=[row[1] for row in KINDS])
def test_kinds_that_an_operation_does_not_take(
    x: Array, n: Array, call: Callable[[Any, Any], Any], rule: str, got: str, way_out: str
) -> None:
    text = text_of(DTypeError, lambda: call(x, n))
    assert text == f"{rule} arrays, got {got}; convert with x.astype(wt.{way_out})"


@pytest.mark.parametrize("call", [lambda m: -m, lambda m: 1 - m, lambda m: m - m, wt.negative])
def test_bools_are_inverted_not_subtracted(x: Array, call: Callable[[Any], Any]) -> None:
    text = text_of(DTypeError, lambda: call(x > 0))
    assert text.endswith("arrays, got bool; write ~x for the opposite, x ^ y for the difference")
    np.testing.assert_array_equal((~(x > 0)).to_numpy(), ~(ONES > 0))


def test_what_is_no_operand_gets_its_own_way_out(x: Array) -> None:
    rule = "equal takes wgtensor arrays and Python numbers"
    assert text_of(DTypeError, lambda: x == None) == f"{rule}, got NoneType; ask for None with `x is None`"  # noqa: E711
    text = text_of(DTypeError, lambda: x == "a")
    assert text == f"{rule}, got str; there is nothing else that an array holds or is compared with"
    assert text_of(DTypeError, lambda: x == [1, 2]) == f"{rule}, got list; bring it to the device with wt.asarray"


@pytest.mark.parametrize("symbol", ["/", "+", "**"])
def test_in_place_shows_the_operator(n: Array, symbol: str) -> None:
    other = wt.zeros((3, 2), dtype=wt.int32, device=n.device)
    text = text_of(ValidationError, lambda: exec(f"n {symbol}= other", {"n": n, "other": other}))
    assert text.endswith(f"; write x = x {symbol} ... instead")


def test_einsum_beside_a_numpy_array(x: Array) -> None:
    text = text_of(DTypeError, lambda: wt.einsum("i,i->", x, ONES))  # type: ignore[call-overload]  # that is the test
    assert text == "einsum takes wgtensor arrays as operands, got numpy.ndarray as argument 2; make one with wt.asarray"


def test_a_dtype_is_refused_with_what_each_function_takes(device: Device) -> None:
    if device.kind == "cpu":
        return
    x, host = wt.ones(2, device=device), np.ones(2)
    text = text_of(UnsupportedError, lambda: x.astype(wt.float64))
    assert text.endswith("; write x.astype(wt.float32), or x.to_device('cpu') first")
    text = text_of(UnsupportedError, lambda: wt.from_dlpack(host, device=device))
    assert text.endswith("; write wt.asarray(x, dtype=wt.float32), or device='cpu'")
    assert wt.asarray(host, dtype=wt.float32, device=device).tolist() == [1.0, 1.0]
    text = text_of(UnsupportedError, lambda: wt.ones(2, device="cpu", dtype=wt.float64).to_device(device))
    assert text.endswith("; convert first, with x.astype(wt.float32)")


def test_complex_numbers_have_no_order(x: Array) -> None:
    text = text_of(DTypeError, lambda: x + 1j < x)
    way_out = "compare wt.abs, wt.real or wt.imag instead"
    assert text == f"less takes integers, floats and bools, which have an order, got complex64; {way_out}"
    text = text_of(DTypeError, lambda: wt.max(x + 1j))
    assert text.endswith(
        "max takes signed integer, unsigned integer and float arrays, got complex64; take wt.real or wt.abs first"
    )


def test_shapes_and_axes(x: Array, place: Place) -> None:
    text = text_of(ValidationError, lambda: x - place(np.ones(3, np.float32)))
    assert text == (
        "subtract needs shapes that broadcast (equal lengths or 1, aligned at the right), got (2,) and (3,); "
        "reshape one of them or add axes with None"
    )
    assert text_of(ValueError, lambda: wt.any(x, axis=1)) == "any needs an axis within -1 to 0, got 1"
    assert text_of(ValueError, lambda: wt.all(x, axis=(0, -1))) == "all needs each axis once, got (0, -1) for 1 axes"


def test_ways_out_that_work(x: Array) -> None:
    assert text_of(ValidationError, lambda: x.T).endswith("got shape (2,); add axes with None, as in x[None, :]")
    assert text_of(ValidationError, lambda: x.mT).endswith("got shape (2,); add axes with None, as in x[None, :]")
    assert x[None, :].T.shape == x[None, :].mT.shape == (2, 1)
    cube = wt.reshape(x, (1, 1, 2))
    assert text_of(ValidationError, lambda: cube.T).endswith("got shape (1, 1, 2); use mT, or wt.permute_dims")


def _subtract_in_place(x: Array, y: Array) -> None:
    x -= y


untyped: Any = wt
"""The namespace for calls that a type checker refuses."""

NAMED: list[tuple[Callable[[Any, Any], Any], str]] = [
    (
        lambda x, n: _subtract_in_place(x, untyped.ones((2, 2), device=x.device)),
        "subtract in place needs a result of float32",
    ),
    (lambda x, n: untyped.negative(1), "negative takes a wgtensor array, got int"),
    (lambda x, n: x == n, "equal needs dtypes that promote"),
    (lambda x, n: untyped.less(x, ONES), "less takes wgtensor arrays and Python numbers"),
    (lambda x, n: untyped.greater_equal(1, 2), "greater_equal takes at least one wgtensor array"),
    (lambda x, n: (x > 0) & 1, "bitwise_and takes numbers that fit the dtype bool, got 1"),
    (lambda x, n: x.transpose(1), "transpose needs each axis of shape (2,) once, got axes (1,)"),
    (lambda x, n: untyped.transpose(x, (0, 0)), "transpose needs each axis of shape (2,) once"),
    (lambda x, n: untyped.permute_dims(x, (0, 0)), "permute_dims needs each axis of shape (2,) once"),
    (lambda x, n: untyped.stack([x, n]), "stack needs dtypes that promote"),
    (lambda x, n: range(x[0]), "index() needs an integer array of shape (), got float32; convert it with int(x)"),
    (lambda x, n: untyped.take(x, [0]), "take takes a wgtensor array, got list"),
]


@pytest.mark.parametrize(("call", "text"), NAMED, ids=[row[1] for row in NAMED])
def test_operations_go_by_the_names_that_users_write(
    x: Array, n: Array, call: Callable[[Any, Any], Any], text: str
) -> None:
    with pytest.raises((DTypeError, ValidationError), match=f"^{re.escape(text)}"):
        call(x, n)


NO_INTEGERS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: untyped.repeat(x, 1.5), "repeat needs an integer as repeats, got 1.5"),
    (lambda x: untyped.sum(x, axis="a"), "sum needs an integer as axis, got 'a'"),
    (lambda x: untyped.sum(x, axis=(0, True)), "sum needs an integer as axis, got True"),
    (lambda x: untyped.eye(2.5), "eye needs an integer as n_rows, got 2.5"),
    (lambda x: untyped.eye(2, k=0.5), "eye needs an integer as k, got 0.5"),
    (lambda x: untyped.zeros(2.5), "zeros needs an integer as shape, got 2.5"),
    (lambda x: untyped.zeros((2, 2.5)), "zeros needs a sequence of integers as shape, got (2, 2.5)"),
    (lambda x: untyped.linspace(0, 1, 2.5), "linspace needs an integer as num, got 2.5"),
    (lambda x: untyped.diff(x, n=1.5), "diff needs an integer as n, got 1.5"),
    (lambda x: untyped.roll(x, 0.5), "roll needs an integer as shift, got 0.5"),
    (lambda x: untyped.roll(x, 1, axis=0.5), "roll needs an integer as axis, got 0.5"),
    (lambda x: untyped.tensordot(x, x, 0.5), "tensordot needs an integer as axes, got 0.5"),
    (lambda x: untyped.tensordot(x, x, (0.5, 0)), "tensordot needs an integer as axis, got 0.5"),
    (lambda x: untyped.vecdot(x, x, axis=-0.5), "vecdot needs an integer as axis, got -0.5"),
]


@pytest.mark.parametrize(("call", "text"), NO_INTEGERS, ids=[row[1] for row in NO_INTEGERS])
def test_integers_are_asked_for_one_by_one(x: Array, call: Callable[[Any], Any], text: str) -> None:
    assert text_of(ValidationError, lambda: call(x)) == text


@pytest.mark.parametrize("name", ["asarray", "from_dlpack", "reshape"])
def test_copy_has_three_answers(x: Array, name: str) -> None:
    arguments: tuple[Any, ...] = (x, (2,)) if name == "reshape" else (x,)
    text = text_of(DTypeError, lambda: getattr(wt, name)(*arguments, copy="a"))
    assert text == f"{name} needs True, False or None as copy, got 'a'"


def test_devices_that_do_not_exist() -> None:
    text = text_of(ValidationError, lambda: wt.zeros(1, device="cuda:0"))
    assert text.startswith("device needs one of ")
    assert text.endswith(", cpu, got 'cuda:0'")


def test_a_list_in_itself() -> None:
    nest: list[Any] = []
    nest.append(nest)
    assert "nested at most 64 deep" in text_of(ValidationError, lambda: wt.asarray(nest))


def test_corrections_are_numbers(x: Array) -> None:
    for correction in ("a", float("nan"), None):
        text = text_of(DTypeError, lambda: wt.std(x, correction=correction))  # type: ignore[arg-type]  # noqa: B023 - now
        assert text == f"std takes a number as correction, got {correction!r}"


def test_arrays_of_a_lost_device() -> None:
    """Beside a new array, and where nothing but the work is asked for."""
    lost = Device("webgpu:0", CpuBackend())
    x = Array(lost.backend.upload_host_tensor(Tensor.from_numpy(np.ones(3, np.float32))), lost)
    lost.backend.runtime.close()
    with wt.device("cpu"):
        y = wt.ones(3)
    assert text_of(DeviceLostError, lambda: x + y) == (
        "add needs arrays that exist, got one of a device webgpu:0 that was lost; make it anew"
    )
    assert "evaluate needs a live runtime" in text_of(DeviceLostError, lambda: wt.evaluate(x))
