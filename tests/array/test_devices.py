"""Devices: names, defaults of a block and of the program, and what is refused when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import wgtensor as wt
from wgtensor.array import Device
from wgtensor.cpu import CpuBackend
from wgtensor.errors import ValidationError


@pytest.fixture
def default() -> Iterator[Device]:
    """The default device, which the test may change."""
    found = wt.default_device()
    yield found
    wt.set_default_device(found)


def test_a_device_equals_its_name() -> None:
    cpu: Any = wt.devices()[-1]
    assert cpu == "cpu"
    assert wt.zeros(2, device=cpu).device == "cpu"
    assert cpu != "webgpu:0"
    assert cpu != 1
    assert {"cpu": 1}[cpu] == 1
    assert {cpu: 1}["cpu"] == 1
    assert cpu != Device("cpu", CpuBackend()), "another backend is another device"


@pytest.mark.parametrize("name", ["cuda:0", "gpu", "webgpu:99"])
def test_a_device_that_is_not_there_is_refused_at_the_call(name: str) -> None:
    with pytest.raises(ValidationError, match=f"device needs one of .*cpu, got '{name}'"):
        wt.device(name)


def test_the_call_alone_changes_nothing(default: Device) -> None:
    block = wt.device("cpu")
    assert wt.default_device() is default
    with block as cpu:
        assert wt.default_device() is cpu
    assert wt.default_device() is default


def test_the_default_of_the_program(default: Device) -> None:
    wt.set_default_device("cpu")
    assert wt.default_device() == "cpu"
    assert wt.zeros(2).device == "cpu"
    other = Device("cpu", CpuBackend())
    with wt.device(other):
        assert wt.zeros(2).device is other
    assert wt.zeros(2).device is wt.default_device() is wt.devices()[-1]
    with pytest.raises(ValidationError, match="got 'cuda:0'"):
        wt.set_default_device("cuda:0")
    assert wt.default_device() == "cpu", "a refused call changes nothing"
    wt.set_default_device(None)
    assert wt.default_device() is default
