"""Arrays in files, read and written by NumPy on the other side."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, f32, i32, values

from wgtensor.array import Array, Device
from wgtensor.array.support import available_dtypes
from wgtensor.errors import DTypeError, UnsupportedError, ValidationError
from wgtensor.interop.files import load, save, savez
from wgtensor.tensor import Tensor, bfloat16, float32

Place = Callable[..., Array]
BITS = np.array([[0x3F80, 0x3DCD], [0xFF80, 0x8000]], np.uint16)


def loaded(file: Any, device: Device) -> Array:
    """Load one array."""
    x = load(file, device=device)
    assert isinstance(x, Array)
    assert x.device is device
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3, 5)])
def test_numpy_reads_what_was_saved(place: Place, dtype: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    array = values(dtype, shape)
    save(tmp_path / "x.npy", place(array))
    read = np.load(tmp_path / "x.npy", allow_pickle=False)
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_views_are_saved_by_their_elements(device: Device, place: Place, layout: str) -> None:
    array = values("float32", (3, 5))
    file = io.BytesIO()
    save(file, place(array, layout))
    file.seek(0)
    np.testing.assert_array_equal(loaded(file, device).to_numpy(), array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_numpy_saved_is_loaded(device: Device, dtype: str, tmp_path: Path) -> None:
    array = values(dtype, (3, 4))
    path = tmp_path / "x.npy"
    np.save(path, array)
    if dtype not in {each.name for each in available_dtypes(device)}:
        with pytest.raises(UnsupportedError, match=f"load of {dtype} is not available on {device}.*device='cpu'"):
            load(path, device=device)
        return
    x = loaded(path, device)
    assert x.dtype.name == dtype
    np.testing.assert_array_equal(x.to_numpy(), array)


@pytest.mark.parametrize(
    "array", [np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)), np.array([1, 2], ">i4")]
)
def test_orders_of_axes_and_of_bytes_are_loaded(device: Device, array: Any) -> None:
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    np.testing.assert_array_equal(loaded(file, device).to_numpy(), array)


def test_paths_get_numpys_suffix(device: Device, place: Place, tmp_path: Path) -> None:
    save(str(tmp_path / "one"), place(i32([1])))
    savez(str(tmp_path / "many"), place(i32([1])))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many.npz", "one.npy"]
    assert loaded(str(tmp_path / "one.npy"), device).tolist() == [1]


def test_archives(device: Device, place: Place, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    savez(path, place(f32([1])), place(np.int32(2)), weights=place(np.array([True])))
    with np.load(path) as archive:
        assert sorted(archive.files) == ["arr_0", "arr_1", "weights"]
        assert archive["arr_1"] == 2
    arrays = load(path, device=device)
    assert isinstance(arrays, dict)
    assert {name: x.to_numpy().tolist() for name, x in arrays.items()} == {"arr_0": [1], "arr_1": 2, "weights": [True]}
    path.unlink()  # the file is closed


def test_bfloat16_keeps_its_bits(device: Device, tmp_path: Path) -> None:
    x = Array(device.backend.upload_host_tensor(Tensor.from_numpy(BITS, bfloat16)), device)
    scalar = Array(device.backend.upload_host_tensor(Tensor.from_numpy(BITS[0, 0], bfloat16)), device)
    save(tmp_path / "x.npy", x)
    savez(tmp_path / "x.npz", x=x, scalar=scalar)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy")["bfloat16"], BITS)
    if bfloat16 not in available_dtypes(device):
        with pytest.raises(UnsupportedError, match=f"load of bfloat16 is not available on {device}"):
            load(tmp_path / "x.npy", device=device)
    arrays = load(tmp_path / "x.npz", device="cpu")
    assert isinstance(arrays, dict)
    assert arrays["scalar"].shape == ()
    for read in (load(tmp_path / "x.npy", device="cpu"), arrays["x"]):
        assert isinstance(read, Array)
        assert read.dtype is bfloat16
        np.testing.assert_array_equal(read.to_numpy(), BITS)


def test_a_dtype_converts_what_is_loaded(device: Device, tmp_path: Path) -> None:
    array = np.array([0.1, 1e300, np.nan, -3.5])
    np.save(tmp_path / "x.npy", array)
    np.savez(tmp_path / "x.npz", a=array, b=np.array([1, 2**24 + 1], np.int64))
    x = load(tmp_path / "x.npy", device=device, dtype="float32")
    assert isinstance(x, Array)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(x.to_numpy(), array.astype(np.float32))
    arrays = load(tmp_path / "x.npz", device=device, dtype=float32)
    assert isinstance(arrays, dict)
    assert {each.dtype for each in arrays.values()} == {float32}
    assert arrays["b"].tolist() == [1.0, 2.0**24]
    np.save(tmp_path / "z.npy", array * 1j)
    with pytest.raises(DTypeError, match="load takes no complex128 values to the real dtype float32"):
        load(tmp_path / "z.npy", device=device, dtype=float32)


def test_nothing_is_unpickled(device: Device, tmp_path: Path) -> None:
    objects = np.array([{}], dtype=object)
    np.save(tmp_path / "x.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "x.npz", objects)
    for name in ("x.npy", "x.npz"):
        with pytest.raises(ValidationError, match="without pickle, got one that NumPy refuses: Object arrays cannot"):
            load(tmp_path / name, device=device)


@pytest.mark.parametrize("content", [b"", b"no array", b"\x93NUMPY", b"PK\x03\x04 and no archive"])
def test_other_files_are_refused(device: Device, content: bytes) -> None:
    with pytest.raises(
        ValidationError, match=r"load reads .npy and .npz files without pickle, got one that NumPy refuses"
    ):
        load(io.BytesIO(content), device=device)


def test_members_that_are_no_arrays_are_refused(device: Device) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "text")
    file.seek(0)
    with pytest.raises(ValidationError, match=r"archives of .npy files"):
        load(file, device=device)


def test_dtypes_of_others_are_refused(device: Device) -> None:
    for array in (np.array(["text"]), np.zeros(2, [("a", "f4"), ("b", "i4")]), np.zeros(1, "M8[s]")):
        file = io.BytesIO()
        np.save(file, array)
        file.seek(0)
        with pytest.raises(DTypeError, match="wgtensor has no dtype"):
            load(file, device=device)


def test_arguments_are_checked(place: Place, tmp_path: Path) -> None:
    x = place(i32([1]))
    with pytest.raises(DTypeError, match=r"save takes a wgtensor array, got numpy.ndarray; make one with wt.asarray"):
        save(tmp_path / "x.npy", i32([1]))  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="savez of arr_1 takes a wgtensor array, got float"):
        savez(tmp_path / "x.npz", x, 2.0)  # type: ignore[arg-type]
    for names in ("allow_pickle", "file", "arr_0"):
        with pytest.raises(ValidationError, match=f"savez needs names that are free, got {names}"):
            savez(tmp_path / "x.npz", x, **{names: x})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.npy", device="cpu")
