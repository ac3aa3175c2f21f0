"""The conformance suites run on the reference backend and on the best adapter; engines have suites of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from contract.harness import BACKENDS

import wgtensor as wt
from wgtensor.array import Device

NAMES: Final = [name for name in BACKENDS if name != "webgpu-portable"]


@pytest.fixture(scope="session", params=NAMES)
def device(request: pytest.FixtureRequest) -> Device:
    """A device of each kind, shared by all tests."""
    return Device("cpu" if request.param == "cpu" else "webgpu:0", BACKENDS[request.param]())


@pytest.fixture(scope="module", params=NAMES)
def current(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Each device as the default one, on which hypothesis creates arrays."""
    with wt.device(request.param.partition("-")[0]) as entered:
        yield entered
