"""Caches that are counted and cleared, preparation that compiles ahead, and runtimes that end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, Bench

from wgtensor.contract import CacheStats, DotGeneralConfig, DotGeneralPrepareRequest, Prepared, TensorSignature
from wgtensor.errors import DeviceLostError
from wgtensor.tensor import Tensor

MATMUL = DotGeneralConfig((1,), (0,))


def uploaded(backend: Any, array: Any) -> Tensor:
    tensor: Tensor = backend.upload_host_tensor(Tensor.from_numpy(array))
    return tensor


def compiled_misses(stats: CacheStats) -> int:
    """Misses of everything but buffers, which results hold."""
    return stats.misses - (stats.by_kind["buffers"].misses if "buffers" in stats.by_kind else 0)


def test_results_are_the_same_cold_warm_and_cleared(fresh_backend: Any) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 37, 37), np.float32)
    lhs, rhs = uploaded(fresh_backend, a), uploaded(fresh_backend, b)
    cache = fresh_backend.runtime_cache
    results, stats = [], []
    for clear in (False, False, True, False):
        if clear:
            cache.clear()
            assert cache.stats().entries == 0
        with fresh_backend.session() as s:
            product = s.dot_general(lhs, rhs, MATMUL)
            total = s.reduce_sum(s.exp(s.mul(product, 0.1)), (0,))
            results.append(fresh_backend.download_to_host(total).to_numpy())
        stats.append(cache.stats())
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    assert stats[1].hits > stats[0].hits
    assert compiled_misses(stats[1]) == compiled_misses(stats[0])
    assert compiled_misses(stats[2]) > compiled_misses(stats[1])
    assert stats[2].clears == 1
    assert stats[0].entries > 0
    assert stats[0].bytes == sum(kind.bytes for kind in stats[0].by_kind.values()) or not stats[0].by_kind


@pytest.mark.parametrize("shape", [(64, 32, 48), (1, 3000, 1), (5, 0, 3)])
def test_a_prepared_products_first_run_compiles_nothing(fresh_backend: Any, shape: tuple[int, int, int]) -> None:
    rows, depth, cols = shape
    a, b = np.ones((rows, depth), np.float32), np.ones((depth, cols), np.float32)
    lhs, rhs = uploaded(fresh_backend, a), uploaded(fresh_backend, b)
    request = DotGeneralPrepareRequest(MATMUL, TensorSignature.of(lhs), TensorSignature.of(rhs))
    prepared = fresh_backend.prepare(request)
    assert isinstance(prepared, Prepared)
    counters = fresh_backend.runtime.counters
    before = counters.pipelines_compiled
    with fresh_backend.session() as s:
        np.testing.assert_array_equal(s.download_to_host(prepared.run(s, lhs, rhs)).to_numpy(), a @ b)
        np.testing.assert_array_equal(s.download_to_host(s.dot_general(lhs, rhs, MATMUL)).to_numpy(), a @ b)
    assert counters.pipelines_compiled == before


@pytest.mark.filterwarnings("ignore:no GPU was found")
def test_a_closed_runtime_is_lost_for_good_and_a_new_one_works(fresh_backend: Any) -> None:
    x = uploaded(fresh_backend, np.ones(3, np.float32))
    fresh_backend.runtime.close()
    for _ in range(2):
        with pytest.raises(DeviceLostError):
            fresh_backend.download_to_host(x)
        with pytest.raises(DeviceLostError):
            uploaded(fresh_backend, np.ones(3, np.float32))
        with pytest.raises(DeviceLostError):
            fresh_backend.synchronize()
        with fresh_backend.session() as s, pytest.raises(DeviceLostError, match="add"):
            s.add(x, x)
    another = type(fresh_backend).new_default()
    np.testing.assert_array_equal(another.download_to_host(uploaded(another, np.ones(3))).to_numpy(), np.ones(3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_backend_tells_in_which_dtypes_it_computes(bench: Bench, dtype: str) -> None:
    computed = {each.name for each in bench.backend.computed_dtypes()}
    assert (dtype in computed) == bench.supports("add", dtype)
