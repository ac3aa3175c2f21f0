"""Ctrl-C, refusals and lack of memory in the middle of anything: the next call works, and no number is wrong."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from webgpu.harness import down, new_backend, up

from wgtensor.contract import DotGeneralConfig, SliceConfig
from wgtensor.errors import BackendSourceError, DeviceOutOfMemoryError, UnsupportedError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession

MATMUL = DotGeneralConfig((1,), (0,))


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """As in a terminal: Ctrl-C raises KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("read", [True, False])
def test_ctrl_c_arrives_and_everything_goes_on(fresh: WebGpuBackend, read: bool) -> None:
    """In a loop of products and chains; what was computed before stays readable."""
    x = up(fresh, np.full((64, 64), 0.01, np.float32))
    for number in range(12):
        timer = threading.Timer(0.02 + 0.003 * number, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with fresh.session() as s:
            try:
                for _ in range(1_000_000):
                    x = s.tanh(s.mul(s.dot_general(x, x, MATMUL), 0.5))
                    if read:
                        down(fresh, x)
            except KeyboardInterrupt:
                pass
            else:
                pytest.fail("Ctrl-C was lost")
        assert np.isfinite(down(fresh, x)).all()
        with fresh.session() as s:
            y = s.add(s.mul(up(fresh, np.arange(5, dtype=np.float32)), 2.0), 1.0)
        np.testing.assert_array_equal(down(fresh, y), [1, 3, 5, 7, 9])


class Interruption:
    """A tracer that raises at the n-th line of the package's GPU modules, as another signal's handler may."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if "wgtensor/webgpu" not in frame.f_code.co_filename.replace(os.sep, "/"):
            return None
        if event == "line" and frame.f_code.co_name not in ("__del__", "__exit__", "recover", "drain"):
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


def settled(s: WebGpuExecSession, x: Tensor, y: Tensor) -> NDArray[np.float32]:
    """Return ``y - x``; the first calls after an exception may have to report what it destroyed."""
    for _ in range(2):
        with suppress(BackendSourceError):
            return s.download_to_host(s.sub(y, x)).to_numpy()
    return s.download_to_host(s.sub(y, x)).to_numpy()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files and handles of broken calls
@pytest.mark.parametrize("first", range(1, 8))
def test_an_exception_anywhere_leaves_no_wrong_number(fresh: WebGpuBackend, first: int) -> None:
    """Every seventh line of recording, closing, dispatching and reading; results are right, or an error says so."""
    a, b = np.arange(8, dtype=np.float32), np.arange(8, 0, -1).astype(np.float32)
    x, y = up(fresh, a), up(fresh, b)
    with fresh.session() as s:
        down(fresh, s.add(x, 777.0))  # what recycled buffers hold
    for at in itertools.count(first, 7):
        session = fresh.session()
        made: dict[str, Any] = {}
        tracer = Interruption(at)
        with session as s:
            held = s.mul(x, 3.0)
            sys.settrace(tracer)
            try:
                made["chain"] = s.add(s.mul(x, y), 1.0)
                made["sum"] = s.reduce_sum(made["chain"], (0,))
                made["read"] = down(fresh, made["sum"])
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(None)
            after = settled(s, x, y)
        np.testing.assert_array_equal(after, b - a)
        for name, want in (("chain", a * b + 1), ("sum", np.sum(a * b + 1)), ("held", a * 3)):
            tensor = held if name == "held" else made.get(name)
            if tensor is not None:
                with suppress(BackendSourceError):  # it was never computed, and says so
                    np.testing.assert_array_equal(down(fresh, tensor), want)
        if tracer.left > 0:
            return


def test_a_refused_operation_leaves_nothing_in_its_window(
    fresh: WebGpuBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers and operands of operations on too large tensors do not pile up beside those of others."""
    monkeypatch.setattr(fresh.runtime.recorder, "_binding_limit", 4096)  # adapters have from 128 MiB to many GiB
    x, large = up(fresh, np.ones(10, np.float32)), up(fresh, np.zeros(2048, np.float32))
    with fresh.session() as s:
        part = s.slice(large, SliceConfig([0], [10]))
        for number in range(100):
            with pytest.raises(UnsupportedError, match="max-storage-buffer-binding-size"):
                s.add(5.0 + number, part)
        y = s.mul(x, 3.0)
    np.testing.assert_array_equal(down(fresh, y), np.full(10, 3, np.float32))


def test_results_wait_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What did not fit is computed once there is room, with the operands of its time."""
    monkeypatch.setenv("WGTENSOR_MEMORY_LIMIT", "16MiB")
    backend = new_backend()
    size = 1 << 20
    x = up(backend, np.arange(size, dtype=np.float32))
    filler = [up(backend, np.zeros(size, np.float32)) for _ in range(2)]
    with backend.session() as s:
        first, second = s.add(x, 1.0), s.mul(x, 2.0)
        for tensor in (first, first, second):
            with pytest.raises(DeviceOutOfMemoryError, match="byte budget"):
                s.download_to_host(tensor)
        assert len(backend.runtime.recorder._stalled) == 1
        filler.clear()
        s.copy_into(s.full((size,), 7.0, "float32"), x)
        np.testing.assert_array_equal(s.download_to_host(first).to_numpy()[:3], [1, 2, 3])
        np.testing.assert_array_equal(s.download_to_host(second).to_numpy()[-1], 2 * (size - 1))
    backend.runtime.close()
