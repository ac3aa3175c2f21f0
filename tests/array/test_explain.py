"""``wt.explain`` tells kernels, sources, reasons and costs, and runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from contract.harness import BACKENDS

import wgtensor as wt
from wgtensor.array import Array, Device

Explained = Callable[[Array], str]

on_adapters: Final = pytest.mark.parametrize("device", [name for name in BACKENDS if name != "cpu"], indirect=True)
"""For tests of what only devices with an adapter do."""


@pytest.fixture
def explained(capsys: pytest.CaptureFixture[str]) -> Explained:
    """The function that returns what ``explain`` prints."""

    def text(x: Array) -> str:
        capsys.readouterr()
        wt.explain(x)
        return capsys.readouterr().out

    return text


def test_the_cpu_says_that_numpy_computes(explained: Explained) -> None:
    with wt.device("cpu"):
        assert explained(wt.ones((2, 3)) + 1) == "float32 (2, 3) on cpu: computed by NumPy, operation by operation\n"


@on_adapters
def test_a_chain_its_sources_and_its_cost(device: Device, place: Any, explained: Explained) -> None:
    x, y = place(np.ones(64, np.float32)), place(np.ones(64, np.float32))
    z = (x + y) * x
    before = device.backend.runtime.counters.dispatches
    waiting = explained(z)
    assert "no kernel ran for it" in waiting
    assert "waiting: add, multiply; they run as one kernel when the window closes" in waiting
    assert device.backend.runtime.counters.dispatches == before, "explain runs nothing"
    np.testing.assert_array_equal(z.to_numpy(), np.full(64, 2, np.float32))
    text = explained(z)
    assert text.startswith("float32 (64,) on webgpu:0: 1 dispatch, 768 bytes read and written\n")
    assert "add, multiply over (64,): reads 512 bytes of an upload, writes 256, 1 dispatch\n" in text
    assert "ran because results were asked for: a read" in text


@on_adapters
def test_a_reduction_ends_the_window_before_it(device: Device, place: Any, explained: Explained) -> None:
    x = place(np.arange(12, dtype=np.float32).reshape(3, 4))
    scaled = wt.exp(x - 1.0)
    norm = scaled / wt.sum(scaled, axis=1, keepdims=True)
    norm.to_numpy()
    text = explained(norm)
    first, second = (line for line in text.splitlines()[1:] if line.lstrip().startswith("#"))
    assert "subtract, exp, sum over (3, 4)" in first
    number = first.split()[0]
    assert f"divide over (3, 4): reads 60 bytes of {number}, writes 48" in second
    assert text.startswith("float32 (3, 4) on webgpu:0: 2 dispatches, ")


@on_adapters
def test_writes_and_full_windows_are_reasons(device: Device, place: Any, explained: Explained) -> None:
    x = place(np.zeros(8, np.float32))
    y = x + 1.0
    x[0] = 5.0
    assert "ran because one of its operands was about to be written" in explained(y)
    np.testing.assert_array_equal(y.to_numpy(), np.ones(8, np.float32))
    for _ in range(30):
        y = y + 1.0
    assert "ran because it was full" in explained(y)


def test_only_the_last_launches_are_printed(device: Device, place: Any, capsys: pytest.CaptureFixture[str]) -> None:
    if device.kind == "cpu":
        return
    x = place(np.ones(17, np.float32))  # a shape of its own: windows are shared with what waits from other tests
    for _ in range(5):
        x = x + 1.0
        x.to_numpy()
    numbers = {}
    for last in (None, 20, 2, 0):
        wt.explain(x, last=last)
        lines = capsys.readouterr().out.splitlines()
        numbers[last] = [line.split()[0] for line in lines if line.startswith("  #")]
        told = [line for line in lines if "left out" in line]
        left_out = 5 - len(numbers[last])
        expected = f"  {left_out} earlier launches are left out; explain(x, last=None) prints all"
        assert told == ([expected] if left_out else [])
        assert "5 dispatches" in lines[0]
    assert len(numbers[None]) == 5
    assert numbers[20] == numbers[None]
    assert numbers[2] == numbers[None][3:]
    assert numbers[0] == []
    with pytest.raises(ValueError, match="explain needs a number of launches from 0 as last, or None for all, got -1"):
        wt.explain(x, last=-1)


def test_only_arrays_are_explained() -> None:
    with pytest.raises(TypeError, match="explain takes a wgtensor array, got int"):
        wt.explain(1)  # type: ignore[arg-type]
