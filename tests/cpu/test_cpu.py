"""What is particular to the reference backend: its accounts, its cache, its memory limit, and its silence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from wgtensor.contract import DotGeneralConfig, DotGeneralPrepareRequest, ScatterConfig, TensorSignature
from wgtensor.cpu import CpuBackend, CpuRuntime
from wgtensor.cpu.casts import from_bfloat16, to_bfloat16
from wgtensor.cpu.indexing import scatter
from wgtensor.cpu.lowerings import LOWERINGS
from wgtensor.cpu.runtime import PlanCache
from wgtensor.errors import DeviceOutOfMemoryError
from wgtensor.tensor import Tensor, float32

MATMUL = DotGeneralConfig([1], [0])


@pytest.fixture
def backend() -> CpuBackend:
    return CpuBackend()


def up(backend: CpuBackend, array: Any) -> Tensor:
    return backend.upload_host_tensor(Tensor.from_numpy(np.asarray(array)))


def test_two_backends_never_share_a_domain(backend: CpuBackend) -> None:
    other = CpuBackend.new_default()
    assert backend.runtime.domain is not other.runtime.domain
    assert CpuBackend.from_runtime(backend.runtime).runtime is backend.runtime
    assert CpuRuntime.new_default().identity != backend.runtime_identity


def test_results_are_on_the_cpu_in_this_domain(backend: CpuBackend) -> None:
    with backend.session() as session:
        y = session.neg(up(backend, np.float32(2)))
    assert (y.placement.kind, y.placement.domain) == ("cpu", backend.runtime.domain)
    assert str(y.placement) == "cpu"


def test_views_do_no_work_and_operations_count_once(backend: CpuBackend) -> None:
    counters = backend.runtime.counters
    x = up(backend, np.zeros((3, 4), np.float32))
    live = counters.live_bytes
    with backend.session() as session:
        view = session.reverse(session.transpose(x, (1, 0)), (0,))
        assert (counters.dispatches, counters.live_bytes) == (0, live)
        session.add(view, 1)
        assert counters.dispatches == 1
    assert (counters.submits, counters.pipelines_compiled, counters.pool_bytes) == (0, 0, 0)


def test_live_and_peak_bytes(backend: CpuBackend) -> None:
    counters = backend.runtime.counters
    x = up(backend, np.zeros(100, np.float64))
    with backend.session() as session:
        y = session.add(x, x)
        view = session.reverse(y, (0,))
        assert counters.live_bytes == 1600
        del y
        assert counters.live_bytes == 1600
        del view
    assert (counters.live_bytes, counters.peak_bytes) == (800, 1600)
    counters.reset_peak()
    assert counters.peak_bytes == 800


def test_the_memory_limit_refuses_and_the_next_call_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGTENSOR_MEMORY_LIMIT", "1000")
    backend = CpuBackend()
    x = up(backend, np.zeros(200, np.int8))
    with backend.session() as session:
        wide = session.broadcast_in_dim(x, (5, 200), (1,))
        with pytest.raises(DeviceOutOfMemoryError, match="needs 1000 bytes, got 200 of 1000 bytes in use"):
            session.to_contiguous(wide)
        assert session.add(x, 1).shape == (200,)
    with pytest.raises(MemoryError, match="drop tensors, or raise WGTENSOR_MEMORY_LIMIT"):
        up(backend, np.zeros(801, np.int8))


def test_a_result_beyond_the_machines_memory_is_refused_before_it_is_tried(backend: CpuBackend) -> None:
    with backend.session() as session:
        huge = session.broadcast_in_dim(up(backend, np.float32(1)), (2**40, 2**20), ())
        with pytest.raises(DeviceOutOfMemoryError):
            session.add(huge, 1)


def test_a_refusal_of_the_system_is_out_of_memory_too(backend: CpuBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arrays: Any) -> Any:
        raise MemoryError

    monkeypatch.setitem(LOWERINGS, "neg", refuse)
    with backend.session() as session, pytest.raises(DeviceOutOfMemoryError, match="work in slices") as caught:
        session.neg(up(backend, np.float32(1)))
    assert isinstance(caught.value.__cause__, MemoryError)


def test_numpys_warnings_stay_inside(backend: CpuBackend) -> None:
    x = up(backend, np.array([0, np.nan, np.inf, -1, 3e38], np.float32))
    n = up(backend, np.array([0, -(2**31), 5, 1, 7], np.int32))
    with warnings.catch_warnings(), backend.session() as session:
        warnings.simplefilter("error")
        for name in ("log", "sqrt", "rsqrt", "exp", "log1p"):
            getattr(session, name)(x)
        session.div(x, session.sub(x, x))
        session.rem(n, session.sub(n, n))
        session.div(n, session.sub(n, n))
        session.mul(x, x)
        session.add(session.cast(x, "float16"), 1e30)
        session.cast(x, "int8")
        session.reduce_prod(x, (0,))


def test_the_plan_cache_is_a_bounded_lru() -> None:
    cache = PlanCache(capacity=2)
    plans = [cache.plan(MATMUL, (n, 3), (3, 1)) for n in (1, 2)]
    assert cache.plan(MATMUL, (1, 3), (3, 1)) is plans[0]
    cache.plan(MATMUL, (3, 3), (3, 1))
    assert cache.plan(MATMUL, (1, 3), (3, 1)) is plans[0]
    assert cache.plan(MATMUL, (2, 3), (3, 1)) is not plans[1]
    stats = cache.stats()
    assert (stats.entries, stats.hits, stats.misses, stats.evictions) == (2, 2, 4, 2)
    assert stats.by_kind["plans"].bytes == stats.bytes > 0
    cache.clear()
    assert (cache.stats().entries, cache.stats().clears) == (0, 1)


def test_prepare_is_cached_by_config_and_shapes(backend: CpuBackend) -> None:
    signatures = TensorSignature(float32, (2, 3)), TensorSignature(float32, (3, 4))
    for _ in range(3):
        backend.prepare(DotGeneralPrepareRequest(MATMUL, *signatures))
    stats = backend.runtime_cache.stats()
    assert (stats.misses, stats.hits, stats.entries) == (1, 2, 1)


def test_bfloat16_bits_round_trip_for_every_pattern() -> None:
    bits = np.arange(2**16, dtype=np.uint16)
    values = from_bfloat16(bits)
    again = to_bfloat16(values)
    numbers = ~np.isnan(values)
    np.testing.assert_array_equal(again[numbers], bits[numbers])
    assert np.isnan(from_bfloat16(again[~numbers])).all()


def test_scatter_set_keeps_the_last_of_many_duplicates() -> None:
    starts, updates = np.zeros((10_000, 1), np.int32), np.arange(10_000)
    result = scatter(np.zeros(3, np.int64), starts, updates, config=ScatterConfig([], [0], [0], 1, "set"))
    assert result.tolist() == [9999, 0, 0]
