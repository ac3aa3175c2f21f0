"""Threads, forks and the end of the process. What could hang or abort runs in a process of its own."""

from __future__ import annotations

import _ctypes
import ctypes
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wgtensor.webgpu.adapters import choose_adapter, engine_request
from wgtensor.webgpu.engine import leaving, open_engine

SETUP = """
import os, sys
from wgtensor.errors import RuntimeStateError
from wgtensor.webgpu.adapters import choose_adapter, engine_request, list_adapters
from wgtensor.webgpu.engine import BufferKind, open_engine
engine = open_engine(engine_request(choose_adapter()), sys.argv[1])
x = engine.buffer(64, BufferKind.STORAGE)
engine.write(x, 0, bytes(range(64)))
"""

FORK = """
y = engine.buffer(64, BufferKind.STORAGE)
engine.copy(x, 0, y, 0, 64)
pending = engine.read(x, 0, 64)
engine.copy(x, 0, y, 0, 64)
child = os.fork()
if child == 0:
    calls = [engine.submit, lambda: engine.buffer(4, BufferKind.STORAGE), lambda: engine.read(x, 0, 4),
             lambda: engine.wait(1), lambda: engine.copy(x, 0, y, 0, 4), pending.result, list_adapters,
             lambda: open_engine(engine_request(row), sys.argv[1])]
    row = choose_adapter.__globals__["AdapterRow"](0, "cpu", {}, frozenset(), {}, "taken", "", None)
    for number, call in enumerate(calls):
        try:
            call()
        except RuntimeStateError as error:
            assert "fork" in str(error), (number, error)
        else:
            os._exit(number + 1)
    engine.release(x)
    engine.close()
    engine.finished()
    del engine, x, y, pending
    os._exit(0)  # as multiprocessing does: the driver's own exit handlers would wait for threads that are gone
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert pending.result() == bytes(range(64))
print("parent goes on")
"""

EXIT_WITH_WORK = """
for _ in range(50):
    engine.fill(x, 0, 64, 3)
engine.submit()
pending = engine.read(x, 0, 64)
engine.fill(x, 0, 64, 4)
print("done")
"""

LOST = """
from wgtensor.errors import DeviceLostError
y = engine.buffer(64, BufferKind.STORAGE)
engine.fill(x, 0, 64, 3)
engine.submit()
engine.wait(engine.submit())
engine.copy(x, 0, y, 0, 64)
{lose}
calls = [engine.submit, engine.submit, lambda: engine.buffer(4, BufferKind.STORAGE), lambda: engine.read(y, 0, 4),
         lambda: engine.write(x, 0, bytes(4)), lambda: engine.wait(2), lambda: engine.copy(x, 0, y, 0, 4),
         lambda: engine.fill(x, 0, 4, 1), lambda: engine.pipeline("", 0, 0)]
for number, call in enumerate(calls):
    try:
        call()
    except DeviceLostError as error:
        assert engine.lost in str(error)
    else:
        raise AssertionError(number)
engine.finished()
engine.release(x)
engine.close()
print("typed:", engine.lost)
"""

FIRST_CALLS = ["submit", "buffer", "read", "pipeline", "write", "fill"]
FIRST_TO_KNOW = """
from wgtensor.errors import DeviceLostError
calls = {
    "submit": lambda e, x: e.submit(), "buffer": lambda e, x: e.buffer(4, BufferKind.STORAGE),
    "read": lambda e, x: e.read(x, 0, 4).result(),
    "pipeline": lambda e, x: e.pipeline("", 0, 0), "write": lambda e, x: (e.write(x, 0, bytes(4)), e.submit()),
    "fill": lambda e, x: (e.fill(x, 0, 4, 0), e.submit()),
}
row = choose_adapter()
for name, call in calls.items():
    engine = open_engine(engine_request(row), sys.argv[1])
    x = engine.buffer(64, BufferKind.STORAGE)
    engine.fill(x, 0, 64, 0)
    engine.wait(engine.submit())
    if name == "submit":
        engine.fill(x, 0, 64, 0)
    {lose}
    try:
        call(engine, x)
    except DeviceLostError:
        print("typed", name)
"""

LOSE = {
    "native": "from wgtensor.webgpu.engine.native_library import lib; lib.wgpuDeviceDestroy(engine._device)",
    "portable": "engine.device.destroy()",
}
"""How the device goes without the engine being told: as when the driver resets."""


def run(script: str, name: str) -> str:
    """Run a script on an engine in a process of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", SETUP + script, name], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.parametrize("name", ["native", "portable"])
def test_a_forked_child_is_refused_and_its_parent_goes_on(name: str) -> None:
    assert "parent goes on" in run(FORK, name)


@pytest.mark.parametrize("name", ["native", "portable"])
def test_a_process_may_end_with_work_open(name: str) -> None:
    assert run(EXIT_WITH_WORK, name) == "done\n"


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "lost"])
@pytest.mark.parametrize("name", ["native", "portable"])
def test_a_lost_device_is_an_error_and_no_abort(name: str, closed: bool) -> None:
    script = LOST.replace("{lose}", "engine.close()" if closed else LOSE[name])
    assert run(script, name).startswith("typed: ")


@pytest.mark.parametrize("name", ["native", "portable"])
def test_whatever_call_meets_the_loss_first_is_typed(name: str) -> None:
    script = FIRST_TO_KNOW.replace("{lose}", LOSE[name])
    assert run(script, name).split()[1::2] == FIRST_CALLS


@pytest.mark.parametrize("name", ["native", "portable"])
def test_two_threads_with_an_engine_each(name: str, make_kit: Any) -> None:
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        kit = make_kit(open_engine(engine_request(choose_adapter()), name))
        y = kit.put([number])
        for _ in range(300):
            kit.horner(y, 2, 1)
            if kit.get(y, 1)[0] % 7 == 0:
                kit.engine.submit()
        results[number] = int(kit.get(y, 1)[0]), kit.engine.errors()
        kit.engine.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in (3, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for number in (3, 5):
        expected = number
        for _ in range(300):
            expected = (expected * 2 + 1) % 2**32
        assert results[number] == (expected, [])


def test_buffers_may_be_released_by_another_thread_while_this_one_records(kit: Any) -> None:
    x, y = kit.put(np.arange(64)), kit.buffer(64)
    queue: list[Any] = []
    stop = threading.Event()

    def release() -> None:
        while not stop.is_set() or queue:
            if queue:
                kit.engine.release(queue.pop())
            kit.engine.finished()

    thread = threading.Thread(target=release)
    thread.start()
    try:
        for _ in range(300):
            between = kit.buffer(64)
            kit.affine(x, between, 64, 3)
            kit.affine(between, y, 64, 1)
            queue.append(between)
    finally:
        stop.set()
        thread.join(60)
    np.testing.assert_array_equal(kit.get(y, 64), np.arange(64) * 3)


@pytest.mark.skipif(sys.platform != "linux", reason="only there are libraries pinned")
def test_a_pinned_library_stays_when_it_is_closed() -> None:
    path = find_spec("numpy._core._operand_flag_tests").origin  # type: ignore[union-attr]
    for pins in (False, True):
        handle = ctypes.CDLL(path)._handle
        if pins:
            leaving._pin_libraries()
        _ctypes.dlclose(handle)
        assert (str(path) in Path("/proc/self/maps").read_text()) == pins
