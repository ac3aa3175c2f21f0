"""The conformance suites run on every device: the reference backend, and each engine on the best adapter."""

from __future__ import annotations

import pytest
from contract.harness import BACKENDS

from wgtensor.array import Device


@pytest.fixture(scope="session", params=list(BACKENDS))
def device(request: pytest.FixtureRequest) -> Device:
    """A device of each kind, shared by all tests."""
    return Device("cpu" if request.param == "cpu" else "webgpu:0", BACKENDS[request.param]())
