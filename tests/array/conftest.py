"""The array suites run on every device: the reference backend, and each engine on the best adapter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from contract.harness import BACKENDS, Bench, backend_dtypes

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.errors import UnsupportedError


@pytest.fixture(scope="session", params=list(BACKENDS))
def device(request: pytest.FixtureRequest) -> Device:
    """A device of each kind, shared by all tests."""
    return Device("cpu" if request.param == "cpu" else "webgpu:0", BACKENDS[request.param]())


@pytest.fixture
def place(device: Device) -> Callable[..., Array]:
    """The function that brings a NumPy array to the device, lying there as its ``layout`` says."""
    bench = Bench(device.backend, device.session)
    return lambda array, layout="plain": Array(bench.up(array, layout), device)


@pytest.fixture
def computes(device: Device) -> Callable[[Any], bool]:
    """The function that tells whether the device computes in a dtype."""
    names = backend_dtypes(device.backend, "add")
    return lambda dtype: str(dtype) in names


@pytest.fixture
def refused(device: Device, computes: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """The function that tells whether the device lacks a dtype; if so, it asserts that such arrays are refused."""

    def check(dtype: Any) -> bool:
        if computes(dtype):
            return False
        with pytest.raises(UnsupportedError, match=f"zeros of {dtype} is not available on {device} .*device='cpu'"):
            wt.zeros(1, dtype=dtype, device=device)
        return True

    return check
