"""Arrays as text: NumPy's formatting, one small read, and never an error."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import BACKENDS, DTYPES, LAYOUTS, c64, f32, i32, values
from numpy.typing import NDArray

from wgtensor.array import Array, Device
from wgtensor.errors import ValidationError
from wgtensor.tensor import Tensor, bfloat16

Place = Callable[..., Array]


def up(array: NDArray[Any], device: Device, dtype: Any = None) -> Array:
    return Array(device.backend.upload_host_tensor(Tensor.from_numpy(array, dtype)), device)


def reads(device: Device, function: Callable[[], object]) -> tuple[int, int]:
    """Return how often ``function`` reads the device, and how many bytes."""
    counters = device.backend.runtime.counters
    before = counters.host_reads, counters.bytes_down
    function()
    counters = device.backend.runtime.counters
    return counters.host_reads - before[0], counters.bytes_down - before[1]


def values_of(text: str) -> str:
    """Return the values of a repr, of ours or of NumPy's, without indentation and facts."""
    inner = re.sub(r",\s+(shape=|dtype=|device=).*", "", text.partition("(")[2], flags=re.DOTALL)
    return re.sub(r"\n +", "\n", inner.removesuffix(")"))


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (f32([1, 2]), "Array([1., 2.], dtype=float32, device='{}')"),
        (np.float32(1.5), "Array(1.5, dtype=float32, device='{}')"),
        (i32([[1, 2], [3, 4]]), "Array([[1, 2],\n       [3, 4]], dtype=int32, device='{}')"),
        (np.array([True, False]), "Array([ True, False], dtype=bool, device='{}')"),
        (c64([1 + 2j, complex(0, -1)]), "Array([1.+2.j, 0.-1.j], dtype=complex64, device='{}')"),
        (f32([np.nan, -np.inf, -0.0]), "Array([ nan, -inf,  -0.], dtype=float32, device='{}')"),
        (np.zeros(0, np.int32), "Array([], dtype=int32, device='{}')"),
        (np.zeros((0, 3), np.float16), "Array([], shape=(0, 3), dtype=float16, device='{}')"),
        (
            np.arange(2000, dtype=np.int32),
            "Array([   0,    1,    2, ..., 1997, 1998, 1999],\n      shape=(2000,), dtype=int32, device='{}')",
        ),
    ],
    ids=lambda case: str(getattr(case, "dtype", "")),
)
def test_repr(device: Device, array: NDArray[Any], text: str) -> None:
    assert repr(up(np.asarray(array), device)) == text.format(device)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 3, 5), (1001,), (60, 70), (2, 500, 3), (12, 9, 30)])
def test_values_are_printed_as_numpy_prints_them(place: Place, dtype: str, shape: tuple[int, ...]) -> None:
    array = np.asarray(values(dtype, shape))
    assert str(place(array)) == str(array)
    assert values_of(repr(place(array))) == values_of(repr(array))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_views_are_printed_by_their_elements(place: Place, layout: str) -> None:
    for shape in ((3, 4), (40, 50)):
        array = values("float32", shape)
        assert str(place(array, layout)) == str(array)


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2},
        {"threshold": 5, "edgeitems": 1},
        {"threshold": 0, "edgeitems": 2},
        {"threshold": sys.maxsize},
        {"edgeitems": 10},
        {"linewidth": 30},
        {"suppress": True, "sign": "+"},
        {"formatter": {"float_kind": "<{:.1f}>".format}},
    ],
    ids=",".join,
)
def test_print_options_are_followed(place: Place, options: dict[str, Any]) -> None:
    for shape in ((7,), (2, 60), (1200,)):
        array = values("float32", shape, special=False)
        with np.printoptions(**options):
            assert str(place(array)) == str(array)
            assert values_of(repr(place(array))) == values_of(repr(array))


def test_no_edge_items_show_one(place: Place) -> None:
    """NumPy shows the last element then, and the first one is read too."""
    with np.printoptions(threshold=1, edgeitems=0):
        assert str(place(np.arange(9))) == "[0 ... 8]"


def test_bfloat16_is_shown_and_read_by_value(device: Device) -> None:
    x = up(np.array([0x3F80, 0x3DCD, 0xFF80], np.uint16), device, bfloat16)
    assert str(x) == "[1.         0.10009766       -inf]"
    assert repr(x).endswith(f"dtype=bfloat16, device='{device}')")
    assert x.tolist() == [1.0, 0.10009765625, -np.inf]
    assert up(np.array(0x3DCD, np.uint16), device, bfloat16).item() == 0.10009765625


# Reads


def test_a_short_array_is_read_once(device: Device, place: Place) -> None:
    x = place(f32([1, 2, 3]))
    assert reads(device, lambda: repr(x)) == (1, 12)
    y = x + 1
    assert reads(device, lambda: str(y)) == (1, 12)


@pytest.mark.parametrize(("shape", "shown"), [((50_000,), 6), ((300, 400), 36), ((2, 50, 40), 72)])
def test_a_long_array_is_read_once_by_its_corners(
    device: Device, place: Place, shape: tuple[int, ...], shown: int
) -> None:
    x = place(values("float32", shape))
    transposed = Array(device.session.transpose(x.tensor, tuple(range(len(shape)))[::-1]), device)
    pending = x + 1
    for each in (x, transposed, pending):
        assert reads(device, each.__repr__) == (1, 4 * shown)


def test_a_hundred_million_elements_stay_where_they_are(device: Device) -> None:
    """Also where no kernel can bind so much storage at once: then the elements are read one by one."""
    array = np.zeros(150_000_000, np.uint8)
    array[[0, 1, 2, -3, -2, -1]] = [1, 2, 3, 4, 5, 6]
    x = up(array, device)
    texts: list[str] = []
    count, nbytes = reads(device, lambda: texts.append(str(x)))
    assert texts == ["[1 2 3 ... 4 5 6]"]
    assert count <= 6
    assert nbytes <= 4 * 6


def test_many_short_axes_are_cut_too(device: Device, place: Place) -> None:
    """NumPy prints all of such an array; here the edges shrink, and give way to the shape at last."""
    array = values("int32", (5,) * 6)
    x = place(array)
    with np.printoptions(threshold=1000, edgeitems=2):
        expected = str(array)
    assert str(x) == expected
    assert reads(device, lambda: str(x)) == (1, 4 * 4**6)
    y = place(np.zeros((2,) * 14, bool))
    assert reads(device, lambda: str(y)) == (0, 0)
    assert str(y) == "..."
    assert repr(y) == f"Array(...,\n      shape={y.shape}, dtype=bool, device='{device}')"


def test_more_axes_than_numpy_has_do_not_fail(device: Device, place: Place) -> None:
    x = place(f32([1]))
    wide = Array(device.session.reshape(x.tensor, (1,) * 70), device)
    assert repr(wide) == f"Array(...,\n      shape={wide.shape}, dtype=float32, device='{device}')"


# What is no text


def test_a_lost_device_says_so() -> None:
    for make in BACKENDS.values():
        device = Device("webgpu:0", make())
        x = up(f32([1, 2]), device)
        device.backend.runtime.close()
        assert re.fullmatch(
            r"Array\(<DeviceLostError: download_to_host .*clos.*>,\n +shape=\(2,\), dtype=float32, device='webgpu:0'\)",
            repr(x),
        )
        assert str(x).startswith("<DeviceLostError: ")
        assert "<pre>&lt;DeviceLostError: " in x._repr_html_()


@pytest.mark.parametrize(("value", "spec"), [(np.float32(1.25), ".2f"), (np.int32(7), "05d"), (np.bool_(True), "")])
def test_format(device: Device, value: Any, spec: str) -> None:
    assert format(up(np.asarray(value), device), spec) == format(value.item(), spec)


def test_format_of_more_than_one_element(place: Place) -> None:
    x = place(f32([1, 2]))
    assert f"{x}" == "[1. 2.]"
    with pytest.raises(ValidationError, match=r"'\.2f' needs an array of shape \(\), got \(2,\); write wt\.round\(x\)"):
        format(x, ".2f")


def test_notebooks_show_a_table_and_the_values(device: Device, place: Place) -> None:
    html = place(f32([[1, 2]]))._repr_html_()
    head = f"<th>shape</th><td>(1, 2)</td><th>dtype</th><td>float32</td><th>device</th><td>{device}</td>"
    assert html == f"<div><table><tr>{head}</tr></table><pre>[[1. 2.]]</pre></div>"
