"""Arrays meet other libraries: DLPack out and in, NumPy's functions and operators."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import array_api_strict
import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, f32, i32, values
from numpy.typing import NDArray

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.array.support import available_dtypes
from wgtensor.cpu import CpuBackend
from wgtensor.errors import DeviceLostError, DTypeError, ExchangeError, UnsupportedError
from wgtensor.interop.exchange import from_dlpack
from wgtensor.tensor import Tensor, as_dtype, bfloat16

Place = Callable[..., Array]
CPU = (1, 0)
BFLOAT16_BITS = np.array([0x3F80, 0x3DCD, 0xFF80, 0x7FC0, 0x8000], np.uint16)
SHAPES = ((), (0, 3), (7,), (2, 3, 5))


class Unversioned:
    """An array of a library that knows DLPack before 1.0."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __dlpack__(self, stream: None = None) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


class Holder:
    """A producer of one capsule."""

    def __init__(self, capsule: Any, device: tuple[int, int] = CPU) -> None:
        self.capsule = capsule
        self.device = device
        self.asked: dict[str, Any] = {}

    def __dlpack__(self, **options: Any) -> Any:
        self.asked = options
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def is_cpu(device: Device) -> bool:
    return device.kind == "cpu"


def up(array: Any, device: Device, dtype: Any = None) -> Array:
    return Array(device.backend.upload_host_tensor(Tensor.from_numpy(np.asarray(array), dtype)), device)


def on_a_cpu(array: NDArray[Any]) -> tuple[Device, Array]:
    """Return a cpu device of its own and an array on it."""
    device = Device("cpu", CpuBackend())
    return device, up(array, device)


def bytes_down(device: Device, function: Callable[[], object]) -> int:
    """Return how many bytes ``function`` downloads."""
    before: int = device.backend.runtime.counters.bytes_down
    function()
    return int(device.backend.runtime.counters.bytes_down) - before


# DLPack out


def test_dlpack_device(device: Device, place: Place) -> None:
    expected = CPU if is_cpu(device) else (15, device.backend.runtime.device_ordinal)
    assert place(f32([1])).__dlpack_device__() == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_numpy_reads_an_export_to_the_cpu(place: Place, dtype: str, shape: tuple[int, ...]) -> None:
    array = values(dtype, shape)
    taken = np.from_dlpack(place(array), device="cpu")
    assert taken.dtype == array.dtype
    np.testing.assert_array_equal(taken, array)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exports_of_views(place: Place, layout: str) -> None:
    array = values("int32", (4, 5, 3))
    np.testing.assert_array_equal(np.from_dlpack(place(array, layout), device="cpu"), array)


def test_an_array_leaves_a_gpu_on_request_only(device: Device, place: Place) -> None:
    x = place(f32([1, 2]))
    if is_cpu(device):
        np.testing.assert_array_equal(np.from_dlpack(x), [1, 2])
        return
    with pytest.raises(BufferError, match=r"exports host memory, device \(1, 0\), got a request for \(15, .*to_numpy"):
        np.from_dlpack(x)
    with pytest.raises(ExchangeError, match=r"copy=False .*got an array on webgpu:0; use copy=None"):
        x.__dlpack__(dl_device=CPU, max_version=(1, 0), copy=False)
    assert bytes_down(device, lambda: np.from_dlpack(x, device="cpu")) == x.nbytes


def test_a_copy_is_the_consumers_own(place: Place) -> None:
    x = place(i32([1, 2, 3]))
    taken = np.from_dlpack(x, device="cpu", copy=True)
    taken[0] = 9
    np.testing.assert_array_equal(x.to_numpy(), [1, 2, 3])


def test_a_cpu_array_lends_its_memory_read_only() -> None:
    device, x = on_a_cpu(values("float32", (3, 4))[::-1])
    assert bytes_down(device, lambda: np.from_dlpack(x)) == 0
    first, second = np.from_dlpack(x), np.from_dlpack(x, copy=False)
    assert np.shares_memory(first, second)
    assert not first.flags.writeable
    assert not np.shares_memory(np.from_dlpack(x, copy=True), first)


def test_lent_memory_lives_as_long_as_its_reader() -> None:
    array = values("float64", (1000,), special=False)
    device, x = on_a_cpu(array)
    taken = np.from_dlpack(x)
    del x
    gc.collect()
    np.testing.assert_array_equal(taken, array)
    assert device.backend.runtime.counters.live_bytes == array.nbytes
    del taken
    gc.collect()
    assert device.backend.runtime.counters.live_bytes == 0


def test_lent_memory_does_not_change() -> None:
    """The loan is a holder of the storage, so an assignment into the array writes elsewhere."""
    _, x = on_a_cpu(i32([1, 2, 3]))
    taken = np.from_dlpack(x)
    x[0] = 7
    x += 1
    np.testing.assert_array_equal(taken, [1, 2, 3])
    np.testing.assert_array_equal(x.to_numpy(), [8, 3, 4])


def test_a_consumer_before_1_0_gets_a_copy(device: Device, place: Place) -> None:
    """It could not be told that memory is read-only."""
    x = place(i32([1, 2, 3]))
    producers: list[Any] = []
    assert bytes_down(device, lambda: producers.append(Holder(x.__dlpack__(dl_device=CPU)))) == x.nbytes
    np.testing.assert_array_equal(np.from_dlpack(producers[0]), [1, 2, 3])
    with pytest.raises(ExchangeError, match="copy=False lends memory of the cpu device"):
        x.__dlpack__(dl_device=CPU, copy=False)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"stream": 1}, "__dlpack__ takes no stream, got 1"),
        ({"dl_device": (2, 0)}, r"got a request for \(2, 0\) by an array on"),
        ({"dl_device": (1, 1)}, r"got a request for \(1, 1\) by an array on"),
    ],
)
def test_exports_that_are_refused(place: Place, options: dict[str, Any], text: str) -> None:
    with pytest.raises(BufferError, match=text):
        place(f32([1])).__dlpack__(**options)


def test_a_closed_runtime_exports_nothing() -> None:
    device, x = on_a_cpu(f32([1]))
    device.backend.runtime.close()
    with pytest.raises(DeviceLostError, match="__dlpack__ needs a live runtime"):
        x.__dlpack__(max_version=(1, 0))


def test_array_api_strict_reads_a_cpu_array(device: Device, place: Place) -> None:
    """It asks for no device, so an array elsewhere is refused."""
    array = values("float32", (2, 3))
    if not is_cpu(device):
        with pytest.raises(BufferError, match="exports host memory"):
            array_api_strict.from_dlpack(place(array))
        return
    np.testing.assert_array_equal(np.asarray(array_api_strict.from_dlpack(place(array))), array)


# DLPack in


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("wrapped", [np.asarray, Unversioned, array_api_strict.asarray])
def test_arrays_of_host_memory_come_in(device: Device, dtype: str, wrapped: Callable[[Any], Any]) -> None:
    if wrapped is array_api_strict.asarray and dtype == "float16":
        wrapped = np.asarray  # the standard has none
    array = values(dtype, (3, 4))
    if as_dtype(dtype) not in available_dtypes(device):
        with pytest.raises(UnsupportedError, match=f"from_dlpack of {dtype} is not available on {device}"):
            from_dlpack(wrapped(array), device=device)
        return
    x = from_dlpack(wrapped(array), device=device)
    assert x.device is device
    assert x.dtype.name == dtype
    np.testing.assert_array_equal(x.to_numpy(), array)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_come_in(device: Device, shape: tuple[int, ...]) -> None:
    array = values("int32", shape)
    x = from_dlpack(array, device=device)
    assert x.shape == shape
    np.testing.assert_array_equal(x.to_numpy(), array)


@pytest.mark.parametrize("wrapped", [np.asarray, Unversioned])
@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1, ::-2],
        lambda a: a.T[1:, ::-1],
        lambda a: a[:, 1::2],
        lambda a: np.broadcast_to(a[0], (5, 6)),
        np.asfortranarray,
    ],
    ids=["negative", "transposed", "gaps", "repeated", "fortran"],
)
def test_strides_come_in(device: Device, wrapped: Callable[[Any], Any], view: Callable[[Any], Any]) -> None:
    array = view(np.arange(24, dtype=np.float32).reshape(4, 6).copy())
    if wrapped is Unversioned and not array.flags.writeable:
        wrapped = np.asarray  # NumPy exports no read-only memory without a version
    np.testing.assert_array_equal(from_dlpack(wrapped(array), device=device).to_numpy(), array)


def test_what_comes_in_is_a_value(device: Device) -> None:
    array = f32([1, 2, 3])
    x = from_dlpack(array, device=device)
    array[:] = 0
    np.testing.assert_array_equal(x.to_numpy(), [1, 2, 3])


def test_memory_that_came_in_is_given_back(device: Device) -> None:
    array = np.arange(1000, dtype=np.float32)
    owner = weakref.ref(array)
    x = from_dlpack(array, device=device)
    del array
    gc.collect()
    assert owner() is None
    assert x.shape == (1000,)


def test_read_only_memory_comes_in(device: Device) -> None:
    array = f32([1, 2])
    array.flags.writeable = False
    np.testing.assert_array_equal(from_dlpack(array, device=device).to_numpy(), array)


def test_without_a_device_data_stays_where_it_is(device: Device, place: Place) -> None:
    """As the standard says: host memory comes to the cpu device, also where another one is the default."""
    with wt.device(device):
        assert from_dlpack(f32([1])).device.name == "cpu"
    x = place(f32([1]))
    assert from_dlpack(x).device is device


def test_an_array_of_ours_is_shared_or_copied(device: Device, place: Place) -> None:
    x = place(f32([1, 2]))
    assert from_dlpack(x, copy=False).tensor.storage is x.tensor.storage
    assert from_dlpack(x).tensor.storage is x.tensor.storage
    copied = from_dlpack(x, copy=True)
    assert copied.tensor.storage is not x.tensor.storage
    np.testing.assert_array_equal(copied.to_numpy(), [1, 2])


def test_an_array_of_ours_goes_to_another_device(place: Place) -> None:
    other = Device("cpu", CpuBackend())
    x = place(f32([1, 2]))
    moved = from_dlpack(x, device=other)
    assert moved.device is other
    np.testing.assert_array_equal(moved.to_numpy(), [1, 2])
    with pytest.raises(BufferError, match="from_dlpack with copy=False needs an array of the device asked for"):
        from_dlpack(x, device=other, copy=False)


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_bfloat16_goes_out_and_comes_in(device: Device, version: tuple[int, int] | None) -> None:
    """NumPy has none, so it can neither read nor make these capsules."""
    x = up(BFLOAT16_BITS, device, bfloat16)
    with pytest.raises((BufferError, RuntimeError), match="dtype"):
        np.from_dlpack(Holder(x.__dlpack__(dl_device=CPU, max_version=version)))
    y = from_dlpack(Holder(x.__dlpack__(dl_device=CPU, max_version=version)))
    assert y.dtype is bfloat16
    np.testing.assert_array_equal(y.to_numpy(), BFLOAT16_BITS)


def test_another_librarys_device_is_asked_for_a_copy_on_request(device: Device) -> None:
    producer = Holder(f32([1, 2]).__dlpack__(), (2, 1))
    with pytest.raises(ExchangeError, match=r"without device= leaves data where it is, got .*device \(2, 1\)"):
        from_dlpack(producer)
    assert producer.asked == {}
    np.testing.assert_array_equal(from_dlpack(producer, device=device).to_numpy(), [1, 2])
    assert producer.asked["dl_device"] == CPU


def test_imports_that_are_refused(device: Device) -> None:
    with pytest.raises(DTypeError, match=r"takes an array with __dlpack__, got list; use wt.asarray"):
        from_dlpack([1, 2], device=device)
    with pytest.raises(BufferError, match="copy=False shares memory, got an array of another library"):
        from_dlpack(f32([1]), device=device, copy=False)
    with pytest.raises(ExchangeError, match="cannot take this array of numpy, got BufferError: "):
        from_dlpack(np.zeros(2, "M8[s]"), device=device)
    used = f32([1]).__dlpack__()
    np.from_dlpack(Holder(used))
    with pytest.raises(ExchangeError, match=r'needs an unused DLPack capsule .*"used_dltensor"'):
        from_dlpack(Holder(used), device=device)


# NumPy


def test_numpy_takes_no_array_silently(device: Device, place: Place) -> None:
    x = place(f32([1, 2]))
    text = f"an array on {device} does not become a NumPy array silently, .*; write x.to_numpy()"
    takes: list[Callable[[Any], Any]] = [
        np.asarray,
        np.array,
        lambda x: np.concatenate([x, x]),
        lambda x: np.array([x]),
    ]
    for take in takes:
        with pytest.raises(TypeError, match=text):
            take(x)


@pytest.mark.parametrize("function", [np.sin, lambda x: np.add(np.ones(2), x), lambda x: f32([1, 2]).sum(out=x)])
def test_numpys_functions_refuse_arrays(place: Place, function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"operand 'Array' does not support ufuncs|return arrays must be of ArrayType"):
        function(place(f32([1, 2])))


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        (lambda a, b: a + b, "add"),
        (lambda a, b: a * b, "multiply"),
        (lambda a, b: a - b, "subtract"),
        (lambda a, b: a / b, "divide"),
        (lambda a, b: a @ b, "matmul"),
        (lambda a, b: a < b, "(less|greater)"),
        (lambda a, b: a == b, "equal"),
    ],
)
def test_operators_beside_numpy_arrays(place: Place, operation: Callable[[Any, Any], Any], name: str) -> None:
    array = f32([1, 2])
    for operands in ((place(array), array), (array, place(array))):
        with pytest.raises(
            TypeError, match=rf"^{name} takes wgtensor arrays and Python numbers, got numpy.ndarray; .*wt.as"
        ):
            operation(*operands)


def test_numpy_numbers_are_numbers(place: Place) -> None:
    x = place(f32([1, 2]))
    for total in (x + np.float32(1), np.float32(1) + x):
        assert isinstance(total, Array)
        np.testing.assert_array_equal(total.to_numpy(), [2, 3])
