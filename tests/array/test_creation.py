"""Creation functions against NumPy: values, dtypes, devices, and what is refused."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, c64, compare, f32, i32, values

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.errors import DTypeError, UnsupportedError, ValidationError

Place = Callable[..., Array]
Computes = Callable[[Any], bool]
Refused = Callable[[Any], bool]

NESTS: list[tuple[Any, Any]] = [
    (True, np.bool_(True)),
    (3, np.int32(3)),
    (2.5, np.float32(2.5)),
    (1 - 2j, np.complex64(1 - 2j)),
    ([1, 2], i32([1, 2])),
    ([1, 2.5], f32([1, 2.5])),
    ([True, False], np.array([True, False])),
    (([1, 2j], (3, 4)), c64([[1, 2j], [3, 4]])),
    ([], np.zeros(0, np.float32)),
    ([[], []], np.zeros((2, 0), np.float32)),
    (range(4), np.arange(4, dtype=np.int32)),
    (float("nan"), np.float32("nan")),
    ([-(1 << 31), (1 << 31) - 1], i32([-(1 << 31), (1 << 31) - 1])),
]


@pytest.mark.parametrize(("nest", "expected"), NESTS, ids=str)
def test_asarray_of_python_numbers(device: Device, nest: Any, expected: Any) -> None:
    x = wt.asarray(nest, device=device)
    assert x.dtype.name == expected.dtype.name
    compare(x.to_numpy(), expected)


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint32", "float32", "complex64", "int64", "float64", "uint8"])
def test_asarray_converts_numbers_to_the_dtype(device: Device, refused: Refused, dtype: str) -> None:
    if refused(dtype):
        return
    x = wt.asarray([[0, 1], [2, 3]], dtype=dtype, device=device)
    assert x.dtype.name == dtype
    compare(x.to_numpy(), np.array([[0, 1], [2, 3]]).astype(dtype))


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint32", "float32", "complex64", "int64", "float64", "float16"])
def test_asarray_of_numpy_arrays(device: Device, computes: Computes, dtype: str) -> None:
    """They keep their dtype and are never narrowed silently."""
    given = np.flip(values(dtype, (3, 5)), 1)[:, ::2]
    if computes(dtype):
        compare(wt.asarray(given, device=device).to_numpy(), given)
        compare(wt.asarray(given[1, 1], device=device).to_numpy(), given[1, 1])
        return
    near = {"i": "int32", "f": "float32"}[given.dtype.kind]
    with pytest.raises(UnsupportedError, match=f"asarray of {dtype} .*write dtype=wt.{near}, or device='cpu'"):
        wt.asarray(given, device=device)
    with np.errstate(all="ignore"):
        compare(wt.asarray(given, dtype=near, device=device).to_numpy(), given.astype(near))


def test_conversion_of_numpy_arrays_is_that_of_astype(device: Device) -> None:
    given = np.array([1.9, -1.9, np.nan, np.inf, -1e30])
    assert wt.asarray(given, dtype=wt.int32, device=device).tolist() == [1, -1, 0, (1 << 31) - 1, -(1 << 31)]
    with pytest.raises(DTypeError, match="no complex128 values to the real dtype float32"):
        wt.asarray(np.array([1j]), dtype=wt.float32, device=device)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"abc", np.frombuffer(b"abc", np.uint8)),
        (array.array("f", [1, 2]), f32([1, 2])),
        (memoryview(array.array("i", [1, 2, 3])), i32([1, 2, 3])),
        (np.arange(3, dtype=">i4"), np.arange(3, dtype=np.int32)),
    ],
    ids=["bytes", "array.array", "memoryview", "big-endian"],
)
def test_asarray_of_buffers(device: Device, computes: Computes, given: Any, expected: Any) -> None:
    if computes(expected.dtype):
        compare(wt.asarray(given, device=device).to_numpy(), expected)


class Exported:
    """An array of another library: nothing but the DLPack protocol."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._array.__dlpack_device__()
        return device


def test_asarray_over_dlpack(device: Device) -> None:
    given = values("float64", (3, 4), special=False)[:, ::-1]
    with wt.device("cpu"):
        compare(wt.asarray(Exported(given)).to_numpy(), given)
    narrowed = wt.asarray(Exported(given), dtype=wt.float32, device=device)
    compare(narrowed.to_numpy(), given.astype(np.float32))
    there = wt.from_dlpack(Exported(given.astype(np.float32)), device=device)
    assert there.device is device
    compare(there.to_numpy(), given.astype(np.float32))


def test_asarray_of_arrays(place: Place, device: Device) -> None:
    x = place(values("float32", (3, 4), special=False), "transposed")
    assert wt.asarray(x) is x
    assert wt.asarray(x, copy=False, dtype=wt.float32, device=device) is x
    copied = wt.asarray(x, copy=True)
    assert copied.tensor.storage is not x.tensor.storage
    compare(copied.to_numpy(), x.to_numpy())
    compare(wt.asarray(x, dtype=wt.int32).to_numpy(), x.to_numpy().astype(np.int32))
    with pytest.raises(ValidationError, match="copy=False needs dtype and device as they are"):
        wt.asarray(x, dtype=wt.int32, copy=False)
    with pytest.raises(ValidationError, match="copy=False takes arrays, got list"):
        wt.asarray([1], copy=False, device=device)


def test_asarray_moves_to_a_device_that_is_named(device: Device) -> None:
    x = wt.asarray([1.5, 2.5], device=device)
    with wt.device("cpu") as cpu:
        assert wt.asarray(x).device is device
        there = wt.asarray(x, device=cpu, dtype=wt.float64)
    assert (there.device, there.dtype, there.tolist()) == (cpu, wt.float64, [1.5, 2.5])
    back = wt.asarray(there, device=device, dtype=wt.float32)
    assert (back.device, back.tolist()) == (device, [1.5, 2.5])


def test_values_of_the_caller_may_change_afterwards(device: Device) -> None:
    given = np.ones(4, np.float32)
    x = wt.asarray(given, device=device)
    given[:] = 5
    assert x.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("shape", [(), 3, (0,), (2, 3), [2, 0, 4]], ids=str)
@pytest.mark.parametrize("dtype", ["bool", "int32", "uint32", "float32", "float16", "complex64", "float64", "int8"])
def test_constants(device: Device, computes: Computes, shape: Any, dtype: str) -> None:
    if not computes(dtype):
        with pytest.raises(UnsupportedError, match=f"zeros of {dtype} is not available"):
            wt.zeros(shape, dtype=dtype, device=device)
        return
    for name in ("zeros", "ones", "empty"):
        made = getattr(wt, name)(shape, dtype=dtype, device=device)
        assert made.device is device
        compare(made.to_numpy(), (np.ones if name == "ones" else np.zeros)(shape, dtype))
        like = getattr(wt, f"{name}_like")(made)
        assert (like.dtype, like.shape, like.device) == (made.dtype, made.shape, device)
    number = {"b": True, "c": 2 - 1j}.get(np.dtype(dtype).kind, 7)
    compare(wt.full(shape, number, dtype=dtype, device=device).to_numpy(), np.full(shape, number, dtype))


def test_defaults_of_constants(device: Device) -> None:
    assert wt.zeros(2, device=device).dtype is wt.float32
    for number, dtype in ((True, wt.bool), (1, wt.int32), (1.5, wt.float32), (1j, wt.complex64)):
        x = wt.full((2,), number, device=device)
        assert (x.dtype, x.tolist()) == (dtype, [number, number])
    like = wt.full_like(x, 3, dtype=wt.int32)
    assert (like.dtype, like.tolist(), like.device) == (wt.int32, [3, 3], device)
    with pytest.raises(DTypeError, match=r"full_like takes numbers that fit the dtype int32, got 1\.5"):
        wt.full_like(like, 1.5)
    with pytest.raises(ValidationError, match="full needs an int within -2147483648 to 2147483647"):
        wt.full((2,), 1 << 31, device=device)
    with pytest.raises(ValidationError, match=r"zeros needs lengths of at least 0, got shape \(2, -1\)"):
        wt.zeros((2, -1), device=device)
    with pytest.raises(DTypeError, match="full takes Python numbers"):
        wt.full((2,), "1", device=device)  # type: ignore[arg-type]


RANGES: list[tuple[Any, ...]] = [
    (5,), (0,), (-3,), (2, 11, 3), (5, 0, -2), (1, 2, 5), (0, 1, 0.25), (1.5, -2.5, -0.5), (3.0,), (0, 2, 0.3),
    (-5, 5), (7, 7), (1, -4, 3), (0.0, 1e-3, 1e-4),
]  # fmt: skip


@pytest.mark.parametrize("given", RANGES, ids=str)
def test_arange(device: Device, given: tuple[Any, ...]) -> None:
    x = wt.arange(*given, device=device)
    expected = np.arange(*given)
    assert x.dtype is (wt.int32 if expected.dtype.kind == "i" else wt.float32)
    # start + i * step: two roundings, of at most the largest magnitude.
    largest = np.max(np.abs(expected), initial=0)
    compare(x.to_numpy(), expected, atol=2 * np.spacing(np.float32(largest)) if expected.dtype.kind == "f" else 0)


def test_arange_takes_numpy_numbers(device: Device) -> None:
    whole: list[Any] = [np.int64(1), np.int32(8), np.uint8(3)]
    floats: list[Any] = [np.float64(0), np.float32(1), 0.5]
    assert wt.arange(*whole, device=device).tolist() == [1, 4, 7]
    assert wt.arange(*floats, device=device).tolist() == [0, 0.5]
    with pytest.raises(DTypeError, match="arange makes integers and real floats, got complex64"):
        wt.arange(np.complex64(1), device=device)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint32", "int64", "float16", "float64"])
def test_arange_of_other_dtypes(device: Device, computes: Computes, dtype: str) -> None:
    if computes(dtype):
        compare(wt.arange(100, -1, -7, dtype=dtype, device=device).to_numpy(), np.arange(100, -1, -7).astype(dtype))


def test_arange_refuses_what_does_not_fit(device: Device) -> None:
    with pytest.raises(ValidationError, match="arange needs finite numbers and a step other than 0"):
        wt.arange(0, 5, 0, device=device)
    with pytest.raises(ValidationError, match="arange needs an int within 0 to 4294967295 beside uint32, got -1"):
        wt.arange(3, -2, -1, dtype=wt.uint32, device=device)
    with pytest.raises(DTypeError, match="arange takes numbers that fit the dtype int32"):
        wt.arange(0, 5, 0.5, dtype=wt.int32, device=device)
    with pytest.raises(DTypeError, match="arange makes integers and real floats"):
        wt.arange(1j, device=device)  # type: ignore[arg-type]


LINES: list[tuple[complex, complex, int]] = [
    (0, 1, 5), (0, 10, 11), (-3, 7.5, 100), (1, -1, 4), (2, 2, 3), (0, 1, 1), (0, 1, 0), (-3e38, 3e38, 5),
    (1 + 1j, -1 - 3j, 9), (0.1, 0.7, 1001),
]  # fmt: skip


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize(("start", "stop", "num"), LINES, ids=str)
def test_linspace(device: Device, start: complex, stop: complex, num: int, endpoint: bool) -> None:
    x = wt.linspace(start, stop, num, endpoint=endpoint, device=device)
    expected = np.linspace(start, stop, num, endpoint=endpoint)
    assert x.dtype is (wt.complex64 if expected.dtype.kind == "c" else wt.float32)
    # i * step + end: three roundings, each of at most the largest magnitude.
    compare(x.to_numpy(), expected, atol=3 * np.spacing(np.float32(max(abs(start), abs(stop)))))
    if num > 1:
        assert x.to_numpy()[0] == x.to_numpy().dtype.type(start)
        assert not endpoint or x.to_numpy()[-1] == x.to_numpy().dtype.type(stop)


def test_linspace_of_whole_numbers_is_exact(device: Device) -> None:
    assert wt.linspace(-50, 50, 101, device=device).tolist() == list(range(-50, 51))
    with pytest.raises(DTypeError, match="linspace makes floats and complex numbers, got int32"):
        wt.linspace(0, 5, 6, dtype=wt.int32, device=device)
    with pytest.raises(ValidationError, match="linspace needs a num of at least 0, got -1"):
        wt.linspace(0, 5, -1, device=device)


@pytest.mark.parametrize("k", [0, 1, -2, 7, -7, 1 << 40])
@pytest.mark.parametrize("shape", [(3, None), (3, 5), (4, 2), (0, 2), (1, 1)], ids=str)
def test_eye(device: Device, shape: tuple[int, int | None], k: int) -> None:
    expected = np.eye(shape[0], shape[1], k=min(k, 100), dtype=np.float32)
    compare(wt.eye(*shape, k=k, device=device).to_numpy(), expected)
    compare(wt.eye(*shape, k=k, dtype=wt.bool, device=device).to_numpy(), expected != 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("k", [0, 2, -1])
def test_triangles(place: Place, layout: str, k: int) -> None:
    x = values("float32", (2, 3, 4))
    compare(wt.tril(place(x, layout), k=k).to_numpy(), np.tril(x, k))
    compare(wt.triu(place(x, layout), k=k).to_numpy(), np.triu(x, k))
    with pytest.raises(ValidationError, match=r"tril needs at least two axes, got shape \(2,\)"):
        wt.tril(place(np.ones(2, np.float32)))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("lengths", [(), (3,), (3, 2), (2, 3, 4), (2, 0)], ids=str)
def test_meshgrid(place: Place, lengths: tuple[int, ...], indexing: Any) -> None:
    axes = [values("float32", (n,), seed=n) for n in lengths]
    expected = np.meshgrid(*axes, indexing=indexing)
    grids = wt.meshgrid(*(place(axis) for axis in axes), indexing=indexing)
    assert isinstance(grids, tuple)
    assert len(grids) == len(lengths)
    for grid, wanted in zip(grids, expected, strict=True):
        compare(grid.to_numpy(), wanted)


def test_meshgrid_refuses(place: Place) -> None:
    with pytest.raises(ValidationError, match="meshgrid needs arrays of one axis"):
        wt.meshgrid(place(np.ones((2, 2), np.float32)))
    with pytest.raises(ValidationError, match="meshgrid needs indexing 'xy' or 'ij', got 'yx'"):
        wt.meshgrid(place(np.ones(2, np.float32)), indexing="yx")  # type: ignore[arg-type]


def test_nothing_large_is_uploaded(device: Device) -> None:
    counters = device.backend.runtime.counters
    before = counters.bytes_up
    for made in (
        wt.zeros((100, 100), device=device),
        wt.arange(10_000, device=device),
        wt.linspace(0, 1, 10_000, device=device),
        wt.eye(100, device=device),
    ):
        wt.evaluate(made)
    assert counters.bytes_up - before < 1000


def test_the_device_of_a_block_is_the_default() -> None:
    with wt.device("cpu") as cpu:
        assert wt.zeros(2).device is cpu
        assert wt.asarray([1]).device is cpu
        assert wt.default_device() is cpu
