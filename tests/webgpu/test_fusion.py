"""The fusion window: how many kernels run, what they write, and that fusing changes no bit."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from webgpu.harness import computed_or_refused, down, new_backend, up

from wgtensor.contract import ElementwiseFusionPlan
from wgtensor.errors import BackendSourceError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession
from wgtensor.webgpu.facts import AdapterClass, AdapterFacts
from wgtensor.webgpu.recorder import WindowLimits


def dispatches(backend: WebGpuBackend, program: Callable[[WebGpuExecSession], Any]) -> tuple[int, Any]:
    """Run a program, and return how many kernels it took together with what it returned."""
    backend.synchronize()
    before = backend.runtime.counters.dispatches
    with backend.session() as session:
        result = program(session)
    return backend.runtime.counters.dispatches - before, result


def test_a_chain_is_one_kernel_and_writes_only_what_is_held(backend: WebGpuBackend, rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((2, 33, 7), np.float32)
    tensors = up(backend, x), up(backend, y)
    live = backend.runtime.counters.live_bytes

    def program(s: WebGpuExecSession) -> Tensor:
        return s.sub(s.mul(s.add(tensors[0], tensors[1]), tensors[0]), tensors[1])

    count, result = dispatches(backend, program)
    assert count == 1
    assert backend.runtime.counters.live_bytes - live == result.storage.capacity
    np.testing.assert_array_equal(down(backend, result), (x + y) * x - y)


def test_live_intermediates_leave_one_kernel(native: WebGpuBackend, rng: np.random.Generator) -> None:
    x = rng.standard_normal(100, np.float32)
    tensor = up(native, x)

    def program(s: WebGpuExecSession) -> list[Tensor]:
        a = s.mul(tensor, tensor)
        b = s.add(a, tensor)
        return [a, b, s.sub(b, a)]

    count, results = dispatches(native, program)
    assert count == 1
    for got, want in zip(results, (x * x, x * x + x, (x * x + x) - x * x), strict=True):
        np.testing.assert_array_equal(down(native, got), want)


def test_dead_operations_run_nowhere(native: WebGpuBackend) -> None:
    x = up(native, np.ones(10, np.float32))

    def drops(s: WebGpuExecSession) -> None:
        s.exp(s.add(x, x))

    assert dispatches(native, drops)[0] == 0


def test_a_view_of_a_pending_value_closes_its_window_once(native: WebGpuBackend, rng: np.random.Generator) -> None:
    x = rng.standard_normal((4, 4), np.float32)
    tensor = up(native, x)
    count, result = dispatches(native, lambda s: s.add(s.transpose(p := s.mul(tensor, tensor), (1, 0)), p))
    assert count == 2
    np.testing.assert_array_equal(down(native, result), (x * x).T + x * x)


def test_a_hundred_small_operations_take_few_kernels_and_one_submit(
    native: WebGpuBackend, rng: np.random.Generator
) -> None:
    x, y = rng.standard_normal((2, 64), np.float32)
    tensors = up(native, x), up(native, y)
    submits = native.runtime.counters.submits

    def program(s: WebGpuExecSession) -> Tensor:
        z = tensors[0]
        for _ in range(50):
            z = s.mul(s.add(z, tensors[1]), tensors[1])
        return z

    count, result = dispatches(native, program)
    assert count == 5  # 100 operations of weight 1, 24 a window
    assert native.runtime.counters.submits - submits <= 2
    want = x
    for _ in range(50):
        want = (want + y) * y
    np.testing.assert_array_equal(down(native, result), want)


def test_more_leaves_than_buffers_cut_the_window(native: WebGpuBackend, rng: np.random.Generator) -> None:
    arrays = rng.standard_normal((40, 12), np.float32)
    tensors = [up(native, each) for each in arrays]

    def program(s: WebGpuExecSession) -> Tensor:
        total = tensors[0]
        for tensor in tensors[1:]:
            total = s.add(total, tensor)
        return total

    count, result = dispatches(native, program)
    assert count == -(-39 // (native.runtime.recorder.limits.leaves - 1))  # a kernel's own leaves, and the sum so far
    want = arrays[0]
    for each in arrays[1:]:
        want = want + each
    np.testing.assert_array_equal(down(native, result), want)


@pytest.mark.parametrize(("buffers", "leaves"), [(8, 4), (10, 5), (32, 16), (1 << 20, 16)])
def test_leaves_follow_the_adapter(buffers: int, leaves: int) -> None:
    assert WindowLimits.of(AdapterFacts(AdapterClass.DISCRETE, storage_buffers=buffers)).leaves == leaves


def test_more_live_results_than_buffers_are_written_in_parts(rng: np.random.Generator) -> None:
    backend = new_backend()
    backend.runtime.recorder.limits = WindowLimits(weight=24, leaves=4, scalars=24, buffers=8)
    x, y = rng.standard_normal((2, 31), np.float32)
    a, b = up(backend, x), up(backend, y)
    held = []
    with backend.session() as s:
        value = a
        for _ in range(20):
            value = s.add(s.mul(value, b), a)
            held.append(value)
    want = x
    for value in held:
        want = want * y + x
        np.testing.assert_array_equal(down(backend, value), want)
    backend.runtime.close()


def test_a_refused_batch_poisons_the_parts_of_a_cut_window(
    fresh: WebGpuBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh.runtime.recorder.limits = WindowLimits(weight=24, leaves=4, scalars=24, buffers=8)
    x = up(fresh, np.ones(5, np.float32))
    with fresh.session() as s:
        held = [s.add(x, float(step)) for step in range(12)]
        with monkeypatch.context() as patch:
            patch.setattr(fresh.runtime._engine, "errors", lambda: ["refused"])
            with pytest.raises(BackendSourceError, match="dropped; it held add"):
                fresh.synchronize()
        for tensor in held:
            with pytest.raises(BackendSourceError, match="never computed"):
                s.download_to_host(tensor)
        np.testing.assert_array_equal(down(fresh, s.add(x, x)), [2] * 5)


def test_scalars_are_data(native: WebGpuBackend, rng: np.random.Generator) -> None:
    x = rng.standard_normal(50, np.float32)
    tensor = up(native, x)
    with native.session() as s:
        first = s.add(s.mul(tensor, 1.5), 2)
        np.testing.assert_array_equal(down(native, first), x * np.float32(1.5) + np.float32(2))
        compiled = native.runtime.counters.pipelines_compiled
        for factor in (-0.0, 3.75, float("inf"), 1e300):
            got = down(native, s.add(s.mul(tensor, factor), 7))
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(got, x * np.float32(factor) + np.float32(7))
        assert native.runtime.counters.pipelines_compiled == compiled


CHAINS: dict[str, Callable[[Any, Any, Any], list[Any]]] = {
    "folds": lambda s, x, y: [s.sub(s.add(x, y), x), s.mul(s.mul(x, 3.0), 5.0), s.add(s.sub(x, y), y)],
    "roots": lambda s, x, y: [s.mul(s.sqrt(x), s.sqrt(x)), s.div(1.0, s.div(1.0, x)), s.mul(s.sub(x, x), y)],
    "analytic": lambda s, x, y: [s.exp(s.tanh(x)), s.log(s.abs(s.sin(y))), s.pow(s.abs(x), y)],
    "choices": lambda s, x, y: [s.select(s.compare(x, y, "lt"), s.neg(x), s.maximum(x, y)), s.clamp(x, -0.5, 0.5)],
    "casts": lambda s, x, y: [s.cast(s.cast(s.mul(x, 1e3), "int32"), "float32"), s.cast(s.isnan(s.sqrt(y)), "uint32")],
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_fused_chains_give_the_bits_of_single_operations(
    chain: str, dtype: type, native: WebGpuBackend, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WGTENSOR_FUSE", "0")
    eager = new_backend()
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 6e-8, 60000, 1e-7], np.float32)
    pairs = np.array(list(itertools.product(special, special)), np.float32)
    random = rng.standard_normal((900, 2)).astype(np.float32) * 10
    x, y = np.concatenate([pairs, random]).T.astype(dtype)
    bits = np.uint16 if dtype is np.float16 else np.uint32
    results: list[list[NDArray[Any]]] = []
    for backend in (native, eager):
        with computed_or_refused(backend, dtype), backend.session() as s:
            results.append([down(backend, t) for t in CHAINS[chain](s, up(backend, x), up(backend, y))])
    for fused, single in zip(*results, strict=True):
        assert fused.dtype == single.dtype
        if fused.dtype == dtype:
            # Which operand's NaN survives is the compiler's choice, since it may swap the operands of a sum.
            number = ~np.isnan(single)
            np.testing.assert_array_equal(np.isnan(fused), ~number)
            np.testing.assert_array_equal(fused.view(bits)[number], single.view(bits)[number])
        else:
            np.testing.assert_array_equal(fused, single)
    eager.runtime.close()


def test_window_memory_stays_bounded(fresh: WebGpuBackend) -> None:
    """An accumulation over fresh megabyte tensors does not hoard them until the window is full."""
    data = np.ones(1 << 18, np.float32)
    with fresh.session() as s:
        total = up(fresh, data)
        for _ in range(40):
            total = s.add(total, up(fresh, data))
        np.testing.assert_array_equal(down(fresh, total)[:3], [41, 41, 41])
    assert fresh.runtime.counters.peak_bytes <= 8 << 20


def test_a_fusion_plan_is_one_kernel(native: WebGpuBackend, rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((2, 20), np.float32)
    plan = ElementwiseFusionPlan("float32", 2, ops=[("mul", (0, 1)), ("add", (2, 1)), ("neg", (3,))], outputs=[4, 3])
    inputs = [up(native, x), up(native, y)]
    count, results = dispatches(native, lambda s: s.execute_elementwise_fusion(inputs, plan))
    assert count == 1
    np.testing.assert_array_equal(down(native, results[0]), -(x * y + y))
    np.testing.assert_array_equal(down(native, results[1]), x * y + y)
