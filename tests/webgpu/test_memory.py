"""The pool, the byte budget, and what recycled buffers may not do."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from webgpu.harness import down, new_backend, up

from wgtensor.contract import DotGeneralConfig, SliceConfig
from wgtensor.contract.memory import parse_bytes
from wgtensor.errors import DeviceOutOfMemoryError, UnsupportedError, ValidationError
from wgtensor.tensor import Tensor, float32
from wgtensor.webgpu import WebGpuBackend
from wgtensor.webgpu import runtime as runtime_module
from wgtensor.webgpu.pool import size_class


def test_size_classes_waste_at_most_a_quarter() -> None:
    for nbytes in [1, 255, 256, 257, 1000, 1025, *(int(2**e * f) for e in range(11, 31) for f in (1, 1.01, 1.26, 1.9))]:
        capacity = size_class(nbytes, 1 << 31)
        assert capacity >= nbytes
        assert capacity % 256 == 0
        assert capacity <= max(256, nbytes + 255) * 1.25


def test_a_size_class_never_exceeds_the_buffer_limit() -> None:
    assert size_class((1 << 30) - 300, (1 << 30) - 256) == (1 << 30) - 256


def test_a_dropped_buffer_is_used_again(fresh: WebGpuBackend) -> None:
    x = up(fresh, np.ones(1000, np.float32))
    with fresh.session() as s:
        for _ in range(100):
            x = s.add(x, 1.0)
            fresh.synchronize()
    assert fresh.runtime.pool_stats.made <= 4
    assert down(fresh, x)[0] == 101


def test_a_loop_over_big_tensors_holds_few_of_them(fresh: WebGpuBackend) -> None:
    data = np.ones(25 << 18, np.float32)  # 25 MiB
    with fresh.session() as s:
        for _ in range(20):
            y = s.neg(up(fresh, data))
            fresh.synchronize()
            del y
    counters = fresh.runtime.counters
    assert counters.live_bytes + counters.pool_bytes <= 3 * data.nbytes * 1.25


def test_trim_gives_waiting_buffers_back(fresh: WebGpuBackend) -> None:
    tensors = [up(fresh, np.ones(1 << 16, np.float32)) for _ in range(4)]
    del tensors
    gc.collect()
    assert fresh.runtime.pool_stats.bytes == 4 << 18
    fresh.runtime.trim()
    assert fresh.runtime.pool_stats.bytes == 0
    assert fresh.runtime.counters.live_bytes == 0


def test_an_upload_never_overtakes_recorded_work(fresh: WebGpuBackend) -> None:
    """A host write goes ahead of the open batch, so it may not take a buffer that the batch still reads."""
    a, b = np.full(64, 1, np.float32), np.full(64, 100, np.float32)
    first = up(fresh, a)
    with fresh.session() as s:
        result = s.add(first, first)
        fresh.runtime.recorder.close_all()
        del first
        second = up(fresh, b)
        np.testing.assert_array_equal(down(fresh, result), a + a)
        np.testing.assert_array_equal(down(fresh, second), b)


def test_results_may_take_buffers_of_the_open_batch(native: WebGpuBackend, rng: np.random.Generator) -> None:
    """Random graphs whose handles are dropped at once: queue order makes every reuse safe."""
    x = rng.integers(-3, 4, (4, 257)).astype(np.float32)
    tensors, values = [up(native, row) for row in x], list(x)
    with native.session() as s:
        for _ in range(600):
            i, j, k = rng.integers(0, 4, 3)
            tensors[k] = s.minimum(s.maximum(s.sub(tensors[i], tensors[j]), -50.0), 50.0)
            values[k] = np.clip(values[i] - values[j], -50, 50)
            if rng.random() < 0.2:
                native.runtime.recorder.close_all()
        for tensor, value in zip(tensors, values, strict=True):
            np.testing.assert_array_equal(down(native, tensor), value)


def test_the_budget_refuses_and_the_next_call_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGTENSOR_MEMORY_LIMIT", "8MiB")
    backend = new_backend()
    assert backend.runtime.memory_limit == 8 << 20
    held = up(backend, np.ones(1 << 20, np.float32))
    with pytest.raises(DeviceOutOfMemoryError, match=r"8388608 bytes exceeds the byte budget.*WGTENSOR_MEMORY_LIMIT"):
        up(backend, np.ones(1 << 21, np.float32))
    with backend.session() as s:
        result = s.neg(held)
        backend.synchronize()
        other = s.abs(held)
        with pytest.raises(DeviceOutOfMemoryError, match="byte budget"):
            backend.synchronize()
        del other, result
        np.testing.assert_array_equal(down(backend, s.add(held, held))[:2], [2, 2])
    backend.runtime.close()


def test_a_budget_hit_trims_the_pool_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGTENSOR_MEMORY_LIMIT", "8MiB")
    backend = new_backend()
    for exponent in (10, 14, 18, 20, 20, 19):
        up(backend, np.ones(1 << exponent, np.float32))
    assert backend.runtime.counters.peak_bytes <= 8 << 20
    backend.runtime.close()


def test_a_tensor_beyond_the_binding_limit_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 1 << 20  # real adapters bind gigabytes
    facts = runtime_module.adapter_facts
    monkeypatch.setattr(runtime_module, "adapter_facts", lambda *args: replace(facts(*args), binding_limit=limit))
    backend = new_backend()
    big = up(backend, np.zeros(limit // 4 + 256, np.float32))
    with backend.session() as s:
        with pytest.raises(
            UnsupportedError, match=f"neg needs tensors of at most {limit} bytes.*max-storage-buffer-binding"
        ) as caught:
            s.neg(big)
        assert "work on slices of it" in str(caught.value)
        assert "memory_limit" not in str(caught.value)
        rows = s.to_contiguous(s.slice(big, SliceConfig([64], [68])))
        np.testing.assert_array_equal(down(backend, s.exp(rows)), [1, 1, 1, 1])
        small = s.neg(up(backend, np.ones(3, np.float32)))
        np.testing.assert_array_equal(down(backend, small), [-1, -1, -1])
    np.testing.assert_array_equal(down(backend, big)[-3:], [0, 0, 0])
    backend.runtime.close()


def test_peak_counts_what_is_held(fresh: WebGpuBackend) -> None:
    fresh.runtime.reset_peak()
    a = up(fresh, np.ones(1 << 18, np.float32))
    with fresh.session() as s:
        b = s.neg(a)
        fresh.synchronize()
        assert fresh.runtime.counters.peak_bytes == 2 << 20
        del b
        fresh.runtime.reset_peak()
        assert fresh.runtime.counters.peak_bytes == 1 << 20
    assert a.dtype is float32


def test_empty_tensors_hold_no_buffer(native: WebGpuBackend) -> None:
    before = native.runtime.counters.live_bytes
    empty = up(native, np.empty((3, 0, 2), np.float32))
    assert down(native, empty).shape == (3, 0, 2)
    assert native.runtime.counters.live_bytes == before


@pytest.mark.parametrize("text", ["", "12q", "-3", "1e9", "MiB"])
def test_a_wrong_byte_count_is_a_sentence(text: str) -> None:
    with pytest.raises(ValidationError, match="a byte count is a number"):
        parse_bytes(text)


def test_uploads_do_not_copy_twice(native: WebGpuBackend) -> None:
    """A tensor from NumPy borrows; only the upload moves bytes, and counts them."""
    array = np.arange(12, dtype=np.float32)
    tensor = Tensor.from_numpy(array)
    assert np.shares_memory(tensor.to_numpy(), array)
    before = native.runtime.counters.bytes_up
    native.upload_host_tensor(tensor)
    assert native.runtime.counters.bytes_up - before == array.nbytes


def test_a_tensor_in_a_reference_cycle_gives_its_buffer_back(backend: WebGpuBackend) -> None:
    """The collector finalizes a cycle's members in any order, so the pool itself must keep buffers alive."""
    x = np.arange(64, dtype=np.float32)
    for _ in range(5):
        cycle: list[object] = [up(backend, x)]
        cycle.append(cycle)
        del cycle
        gc.collect()
        tensor = up(backend, x)
        with backend.session() as s:
            np.testing.assert_array_equal(down(backend, s.add(tensor, tensor)), x + x)


def test_counters_follow_dropped_tensors(fresh: WebGpuBackend) -> None:
    tensor = up(fresh, np.ones(1 << 10, np.float32))
    assert fresh.runtime.counters.live_bytes == 4 << 10
    del tensor
    assert fresh.runtime.counters.live_bytes == 0
    assert fresh.runtime.counters.pool_bytes == 4 << 10


@pytest.mark.parametrize("length", [2**31 + 1, 2**32 + 64, 2**40])
def test_a_view_of_more_elements_than_kernels_count_is_refused(native: WebGpuBackend, length: int) -> None:
    one = up(native, np.ones(1, np.float32))
    with native.session() as s:
        wide = s.broadcast_in_dim(one, (length,), (0,))
        calls: list[Callable[[], object]] = [
            lambda: s.reduce_sum(wide, (0,)),
            lambda: s.argmax(wide, 0),
            lambda: s.dot_general(wide, wide, DotGeneralConfig((0,), (0,))),
        ]
        for call in calls:
            with pytest.raises((UnsupportedError, ValidationError), match=f"{length}"):
                call()
        np.testing.assert_array_equal(down(native, s.add(one, one)), [2])


def test_a_view_beyond_host_memory_is_refused(native: WebGpuBackend) -> None:
    one = up(native, np.ones(1, np.float32))
    with native.session() as s:
        wide = s.broadcast_in_dim(one, (2**50,), (0,))
    with pytest.raises(DeviceOutOfMemoryError, match=f"download_to_host needs {2**52} bytes of host memory"):
        down(native, wide)
    np.testing.assert_array_equal(down(native, one), [1])


def test_more_axes_than_numpy_has(native: WebGpuBackend) -> None:
    x = np.arange(6, dtype=np.float32)
    with native.session() as s:
        many = s.add(s.reshape(up(native, x), (2, 3, *(1,) * 68)), 1.0)
        host = native.download_to_host(many)
        with pytest.raises(UnsupportedError, match="at most 64 axes"):
            host.to_numpy()
        np.testing.assert_array_equal(down(native, s.reshape(many, (6,))), x + 1)
