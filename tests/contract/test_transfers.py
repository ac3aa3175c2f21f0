"""Uploads and downloads: every dtype bit by bit, any layout, and nothing moves silently."""

from __future__ import annotations

import copy
import gc
import pickle
import re
from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, SHAPES, Bench, f32, values

from wgtensor.errors import DTypeError, ForeignDomainError, RuntimeStateError
from wgtensor.tensor import Tensor, bfloat16


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_shape_moves_bit_by_bit(backend: Any, dtype: str) -> None:
    for shape in SHAPES:
        x = values(dtype, shape)
        there = backend.upload_host_tensor(Tensor.from_numpy(x))
        back = backend.download_to_host(there)
        assert back.placement.is_host
        assert (back.shape, back.dtype) == (there.shape, there.dtype)
        assert back.to_numpy().tobytes() == x.tobytes()


def test_every_float_pattern_survives(backend: Any) -> None:
    bits = np.array([0, 1, 0x007FFFFF, 0x80000001, 0x7F800001, 0x7FC00000, 0xFFC12345, 0x7FFFFFFF], np.uint32)
    there = backend.upload_host_tensor(Tensor.from_numpy(bits.view(np.float32)))
    np.testing.assert_array_equal(backend.download_to_host(there).to_numpy().view(np.uint32), bits)


def test_bfloat16_moves_as_its_bits(backend: Any) -> None:
    bits = np.arange(7, dtype=np.uint16)
    there = backend.upload_host_tensor(Tensor.from_numpy(bits, bfloat16))
    back = backend.download_to_host(there)
    assert there.dtype is back.dtype is bfloat16
    np.testing.assert_array_equal(back.to_numpy(), bits)


VIEWS = [
    ("fortran", np.asfortranarray),
    ("reversed", lambda a: a[::-1, :, ::-1]),
    ("strided", lambda a: a[::2, 1:, ::3]),
    ("permuted", lambda a: a.transpose(2, 0, 1)),
    ("broadcast", lambda a: np.broadcast_to(a[:1], (4, *a.shape[1:]))),
    ("read-only", lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape)),
    ("foreign byte order", lambda a: a.astype(a.dtype.newbyteorder(">"))),
]


@pytest.mark.parametrize(("name", "view"), VIEWS, ids=[name for name, _ in VIEWS])
@pytest.mark.parametrize("dtype", ["float32", "int8", "complex64", "float16"])
def test_host_views_upload(backend: Any, dtype: str, name: str, view: Any) -> None:
    x = view(values(dtype, (4, 5, 6)))
    there = backend.upload_host_tensor(Tensor.from_numpy(x))
    np.testing.assert_array_equal(backend.download_to_host(there).to_numpy(), x)


def test_a_fortran_ordered_array_keeps_its_strides(backend: Any) -> None:
    x = np.asfortranarray(values("float32", (3, 4)))
    assert backend.upload_host_tensor(Tensor.from_numpy(x)).layout.strides == (1, 3)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_device_views_download_row_major(bench: Bench, layout: str) -> None:
    x = values("float32", (3, 4, 5))
    back = bench.backend.download_to_host(bench.up(x, layout))
    assert back.layout.is_contiguous
    np.testing.assert_array_equal(back.to_numpy(), x)


def test_an_upload_is_a_copy(backend: Any) -> None:
    x = f32([1, 2, 3])
    there = backend.upload_host_tensor(Tensor.from_numpy(x))
    x[:] = 9
    first = backend.download_to_host(there).to_numpy()
    first[:] = 7
    np.testing.assert_array_equal(backend.download_to_host(there).to_numpy(), [1, 2, 3])


def test_a_tensor_is_uploaded_once(backend: Any, session: Any) -> None:
    there = backend.upload_host_tensor(Tensor.from_numpy(f32([1])))
    for mover in (backend, session):
        with pytest.raises(RuntimeStateError, match="upload_host_tensor takes a host tensor, got one that is on"):
            mover.upload_host_tensor(there)


def test_uploads_take_tensors_only(backend: Any) -> None:
    for given, kind in ((f32([1]), "ndarray"), ([1, 2], "list")):
        text = f"takes a host Tensor, got {kind}; make an array with np.asarray and wrap it with Tensor.from_numpy"
        with pytest.raises(DTypeError, match=re.escape(text)):
            backend.upload_host_tensor(given)


def test_downloads_take_tensors_only(backend: Any) -> None:
    with pytest.raises(DTypeError, match="download_to_host takes a Tensor of this session's device, got ndarray"):
        backend.download_to_host(f32([1]))


def test_downloads_take_this_domains_tensors_only(backend: Any, fresh_backend: Any, session: Any) -> None:
    host = Tensor.from_numpy(f32([1]))
    foreign = fresh_backend.upload_host_tensor(host)
    for mover in (backend, session):
        with pytest.raises(
            RuntimeStateError, match=r"got one of shape \(1,\) that is on the host already; call to_numpy"
        ):
            mover.download_to_host(host)
        with pytest.raises(ForeignDomainError, match="download_to_host needs tensors of"):
            mover.download_to_host(foreign)


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_device_tensors_stay_with_their_runtime(backend: Any) -> None:
    there = backend.upload_host_tensor(Tensor.from_numpy(f32([1, 2])))
    for duplicate in (pickle.dumps, copy.deepcopy):
        with pytest.raises(RuntimeStateError, match=r"cannot be pickled or deep-copied; call download_to_host first"):
            duplicate(there)
        gc.collect()
    assert backend.download_to_host(copy.copy(there)).to_numpy().tolist() == [1, 2]


def test_nothing_becomes_numpy_silently(backend: Any) -> None:
    there = backend.upload_host_tensor(Tensor.from_numpy(f32([1])))
    with pytest.raises(RuntimeStateError, match="call download_to_host"):
        there.to_numpy()
    with pytest.raises(DTypeError, match="does not become a NumPy array silently"):
        np.asarray(there)


def test_transfers_are_counted(fresh_backend: Any) -> None:
    counters = fresh_backend.runtime.counters
    up, down, reads = counters.bytes_up, counters.bytes_down, counters.host_reads
    there = fresh_backend.upload_host_tensor(Tensor.from_numpy(np.zeros((3, 4), np.float32)))
    with fresh_backend.session() as session:
        view = session.transpose(there, (1, 0))
        session.add(view, 1)
    assert (counters.bytes_up - up, counters.bytes_down - down, counters.host_reads - reads) == (48, 0, 0)
    fresh_backend.download_to_host(view)
    assert (counters.bytes_up - up, counters.bytes_down - down, counters.host_reads - reads) == (48, 48, 1)


def test_dropped_tensors_free_their_bytes(fresh_backend: Any) -> None:
    counters = fresh_backend.runtime.counters
    fresh_backend.synchronize()
    before = counters.live_bytes
    there = fresh_backend.upload_host_tensor(Tensor.from_numpy(np.zeros(1024, np.float32)))
    assert counters.live_bytes - before >= 4096
    assert counters.peak_bytes >= counters.live_bytes
    del there
    fresh_backend.synchronize()
    assert counters.live_bytes == before
