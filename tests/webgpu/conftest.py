"""Backends on the default adapter, one per engine and kept for the whole run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuRuntime
from wgtensor.webgpu.adapters import choose_adapter

Upload = Callable[[NDArray[Any]], Tensor]


def new_backend(engine: str = "native", checked: bool = False) -> WebGpuBackend:
    """Return a backend on a runtime of its own."""
    return WebGpuBackend.from_runtime(WebGpuRuntime.from_adapter_row(choose_adapter(None), engine, checked))


shared_backend = lru_cache(maxsize=None)(new_backend)


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


@pytest.fixture(autouse=True)
def quiet_software_adapter() -> Iterator[None]:
    """Let the notice about a software adapter pass; a test of its own asserts it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no GPU was found", category=RuntimeWarning)
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers of the test's own."""
    return np.random.default_rng(abs(hash(request.node.nodeid)) % 2**32)


def up(backend: WebGpuBackend, array: Any) -> Tensor:
    """Upload an array."""
    return backend.upload_host_tensor(Tensor.from_numpy(np.asarray(array)))


def down(backend: WebGpuBackend, tensor: Tensor) -> NDArray[Any]:
    """Download a tensor."""
    return backend.download_to_host(tensor).to_numpy()
