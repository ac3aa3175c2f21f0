"""Identity, loss, failure and threads of WebGPU runtimes."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from webgpu.harness import down, new_backend, up

from wgtensor.errors import (
    AdapterNotFoundError,
    BackendSourceError,
    DeviceLostError,
    ForeignDomainError,
    RuntimeStateError,
)
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession, WebGpuRuntime
from wgtensor.webgpu.adapters import choose_adapter, warn_about_cpu_adapter
from wgtensor.webgpu.kernels.templating import render


def test_clones_share_the_identity_and_initialisations_do_not(native: WebGpuBackend) -> None:
    other = new_backend()
    clones = native.clone(), copy.copy(native), WebGpuBackend.from_runtime(native.runtime)
    assert all(clone.runtime_identity == native.runtime_identity for clone in clones)
    assert len({clone.runtime_identity for clone in clones}) == 1
    assert other.runtime_identity != native.runtime_identity
    assert other.runtime.device_ordinal == native.runtime.device_ordinal
    with pytest.raises(ForeignDomainError, match="download_to_host there and upload_host_tensor here"):
        other.download_to_host(up(native, np.ones(3)))
    other.runtime.close()


def test_facts_can_be_read(native: WebGpuBackend) -> None:
    runtime = native.runtime
    assert runtime.adapter_info["device"]
    assert runtime.limits["max-storage-buffer-binding-size"] >= 128 << 20
    assert isinstance(runtime.features, frozenset)
    assert runtime.adapter_info["device"] in repr(native)
    assert "native" in repr(native)


def test_a_backend_is_not_pickled(native: WebGpuBackend) -> None:
    with pytest.raises(RuntimeStateError, match="cannot be pickled"):
        pickle.dumps(native)


@pytest.mark.parametrize("engine", ["native", "portable"])
def test_a_closed_device_is_lost_for_good(engine: str) -> None:
    backend = new_backend(engine)
    x = up(backend, np.ones(8, np.float32))
    with backend.session() as s:
        s.add(x, x)
    backend.runtime.close()
    backend.runtime.close()
    for _ in range(2):
        with pytest.raises(DeviceLostError, match=r"synchronize needs a working device, but it is lost \(closed\)"):
            backend.synchronize()
        with pytest.raises(DeviceLostError, match="download_to_host needs a working device"):
            backend.download_to_host(x)
        with pytest.raises(DeviceLostError, match="upload_host_tensor needs a working device"):
            up(backend, np.ones(3))
        with backend.session() as s, pytest.raises(DeviceLostError, match="add needs a working device"):
            s.add(x, x)
    survivor = new_backend(engine)
    np.testing.assert_array_equal(down(survivor, up(survivor, np.arange(3))), np.arange(3))
    survivor.runtime.close()


def test_a_device_lost_inside_a_session_ends_typed() -> None:
    backend = new_backend()
    x = up(backend, np.ones(8, np.float32))
    with backend.session() as s:
        pending = s.exp(x)
        backend.runtime.close()
        with pytest.raises(DeviceLostError):
            s.download_to_host(pending)
        with pytest.raises(DeviceLostError):
            s.add(x, x)


def test_the_checks_come_before_the_device_state() -> None:
    backend = new_backend()
    x = up(backend, np.ones((2, 3), np.float32))
    backend.runtime.close()
    with backend.session() as s:
        with pytest.raises(ValueError, match="transpose"):
            s.transpose(x, (0, 0))
        with pytest.raises(RuntimeStateError, match="upload it with upload_host_tensor"):
            s.add(Tensor.from_numpy(np.ones(3, np.float32)), Tensor.from_numpy(np.ones(3, np.float32)))


def test_a_shader_that_does_not_compile_poisons_only_its_results(
    fresh: WebGpuBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = up(fresh, np.ones(5, np.float32))
    with fresh.session() as s:
        with monkeypatch.context() as patch:
            patch.setattr("wgtensor.webgpu.kernel_cache.generate", lambda kernel: "fn main( {")
            bad = s.tanh(x)
            with pytest.raises(BackendSourceError, match="a kernel does not compile"):
                fresh.synchronize()
        with pytest.raises(BackendSourceError, match="this tensor was never computed: tanh"):
            s.download_to_host(bad)
        with pytest.raises(BackendSourceError, match="never computed"):
            s.add(bad, x)
        np.testing.assert_allclose(down(fresh, s.tanh(x)), np.tanh(1), rtol=1e-6)


def test_a_refused_batch_is_dropped_and_names_its_operations(
    fresh: WebGpuBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = up(fresh, np.ones(5, np.float32))
    with fresh.session() as s:
        result = s.exp(x)
        with monkeypatch.context() as patch:
            patch.setattr(fresh.runtime._engine, "errors", lambda: ["invalid command buffer"])
            with pytest.raises(BackendSourceError, match="dropped; it held exp: invalid command buffer"):
                fresh.synchronize()
        with pytest.raises(BackendSourceError, match="never computed"):
            s.download_to_host(result)
        np.testing.assert_array_equal(down(fresh, s.add(x, x)), [2] * 5)


def test_a_flush_error_joins_the_exception_on_its_way(fresh: WebGpuBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    x = up(fresh, np.ones(5, np.float32))
    kept: list[Tensor] = []  # so that the batch is not empty when it is refused

    def fail(session: WebGpuExecSession) -> None:
        kept.append(session.exp(x))
        monkeypatch.setattr(fresh.runtime._engine, "errors", lambda: ["broken"])
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        fresh.with_backend_session(fail)
    assert any("while closing the session: BackendSourceError" in note for note in caught.value.__notes__)


def test_initialisation_that_fails_is_a_backend_source_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(engine: object) -> int:
        raise OSError("driver says no")

    monkeypatch.setattr("wgtensor.webgpu.runtime.self_check", broken)
    with pytest.raises(BackendSourceError, match=r"initialising .* failed: driver says no") as caught:
        new_backend()
    assert isinstance(caught.value.__cause__, OSError)


def test_an_adapter_that_computes_wrong_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGTENSOR_SELFCHECK", "always")

    def wrong(*names: str, **values: Any) -> str:
        return render(*names, **values).replace("x[i] * y[i]", "x[i] + y[i]")

    monkeypatch.setattr("wgtensor.webgpu.selfcheck.render", wrong)
    with pytest.raises(RuntimeStateError, match="fails the self-check: element 0"):
        new_backend()


def test_there_is_no_discrete_gpu_99() -> None:
    with pytest.raises(AdapterNotFoundError, match="no discrete GPU 99"):
        WebGpuBackend.new(99)
    with pytest.raises(AdapterNotFoundError, match="webgpu:99 needs a row of `wgtensor info`"):
        WebGpuRuntime.from_adapter_row(99)


def test_the_default_software_adapter_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    row = choose_adapter(None)
    software, gpu = replace(row, kind="cpu"), replace(row, kind="discrete")
    monkeypatch.setattr("wgtensor.webgpu.adapters._warned", False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_cpu_adapter(gpu)
        with pytest.warns(RuntimeWarning, match="no GPU was found, computing on the software adapter"):
            warn_about_cpu_adapter(software)
        warn_about_cpu_adapter(software)


def test_threads_share_a_runtime(native: WebGpuBackend) -> None:
    def work(seed: int) -> bool:
        x = np.random.default_rng(seed).standard_normal((37, 11), np.float32)
        with native.session() as s:
            tensor = s.upload_host_tensor(Tensor.from_numpy(x))
            for _ in range(30):
                tensor = s.transpose(s.sub(s.mul(tensor, 0.5), 1.0), (1, 0))
            got = s.download_to_host(tensor).to_numpy()
        for _ in range(30):
            x = (x * np.float32(0.5) - np.float32(1)).T
        return bool(np.array_equal(got, x))

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(work, range(24)))


def test_a_tensor_may_be_dropped_on_another_thread(native: WebGpuBackend) -> None:
    held = [up(native, np.ones(64, np.float32)) for _ in range(50)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    x = up(native, np.ones(64, np.float32))
    with native.session() as s:
        np.testing.assert_array_equal(down(native, s.add(x, x)), np.full(64, 2))


def test_a_tensor_dropped_between_recording_and_submit(native: WebGpuBackend) -> None:
    x = up(native, np.full(100, 3, np.float32))
    with native.session() as s:
        y = s.mul(x, x)
        native.runtime.recorder.close_all()
        z = s.add(y, y)
        del x, y
        np.testing.assert_array_equal(down(native, z), np.full(100, 18))


def test_results_outlive_backend_and_session() -> None:
    backend = new_backend()
    x = up(backend, np.arange(4, dtype=np.float32))
    with backend.session() as s:
        y = s.neg(x)
    del backend, s
    assert y.placement.domain is not None
    assert y.placement.domain.ambient_session is not None
    ambient = y.placement.domain.ambient_session()
    np.testing.assert_array_equal(ambient.download_to_host(y).to_numpy(), [-0.0, -1, -2, -3])


_FORK = """
import os, warnings
warnings.simplefilter("ignore")
import numpy as np
from wgtensor.errors import RuntimeStateError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend
backend = WebGpuBackend.new_default()
x = backend.upload_host_tensor(Tensor.from_numpy(np.ones(3, np.float32)))
child = os.fork()
if child == 0:
    try:
        backend.download_to_host(x)
    except RuntimeStateError as error:
        os._exit(42 if "fork" in str(error) else 1)
    os._exit(2)
_, status = os.waitpid(child, 0)
backend.download_to_host(x)
print("child", os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only systems with fork")
def test_a_forked_child_is_refused() -> None:
    done = subprocess.run([sys.executable, "-c", _FORK], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "child 42"


_GARBAGE_CYCLE = """
import gc, warnings
warnings.simplefilter("ignore")
import numpy as np
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend
backend = WebGpuBackend.new_default()
up = lambda array: backend.upload_host_tensor(Tensor.from_numpy(array))
x = up(np.arange(5, dtype=np.float32))
cycle = [up(np.ones(5, np.float32)) for _ in range(3)]
cycle.append(cycle)
del cycle
gc.collect()
with backend.session() as s:
    results = [s.add(x, float(i)) for i in range(3)]
    print([float(s.download_to_host(y).to_numpy().sum()) for y in results])
"""


@pytest.mark.parametrize("engine", ["native", "portable"])
def test_buffers_of_a_garbage_cycle_are_used_again(engine: str) -> None:
    """In a process of its own: a buffer that is finalized together with its tensor would end it."""
    done = subprocess.run(
        [sys.executable, "-c", _GARBAGE_CYCLE],
        env={**os.environ, "WGTENSOR_ENGINE": engine},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "[10.0, 15.0, 20.0]"


def test_importing_loads_no_driver() -> None:
    code = "import sys, wgtensor, wgtensor.webgpu, wgtensor.cpu; print('wgpu' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
