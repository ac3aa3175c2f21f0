"""Backends on the default adapter, as fixtures."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from webgpu.harness import new_backend, shared_backend

from wgtensor.webgpu import WebGpuBackend


@pytest.fixture(params=["native", "portable"])
def backend(request: pytest.FixtureRequest) -> WebGpuBackend:
    """A shared backend of each engine."""
    return shared_backend(request.param)


@pytest.fixture
def native() -> WebGpuBackend:
    """The shared backend of the native engine."""
    return shared_backend("native")


@pytest.fixture
def fresh() -> Iterator[WebGpuBackend]:
    """A backend of its own, closed at the end."""
    backend = new_backend()
    yield backend
    backend.runtime.close()


@pytest.fixture(scope="module")
def single() -> Iterator[WebGpuBackend]:
    """A backend that runs one operation at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WGTENSOR_FUSE", "0")
        backend = new_backend()
    yield backend
    backend.runtime.close()


@pytest.fixture(autouse=True)
def quiet_software_adapter() -> Iterator[None]:
    """Let the notice about a software adapter pass; a test of its own asserts it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no GPU was found", category=RuntimeWarning)
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers of the test's own, the same in every run (which ``hash`` of a text would not be)."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
