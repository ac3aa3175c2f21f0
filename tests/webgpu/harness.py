"""What the tests of the WebGPU backend share: backends of a chosen engine, and short transfers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.errors import UnsupportedError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuRuntime
from wgtensor.webgpu.adapters import choose_adapter

__all__ = ["computed_or_refused", "down", "new_backend", "shared_backend", "up"]


def new_backend(engine: str = "native", checked: bool = False) -> WebGpuBackend:
    """Return a backend on a runtime of its own."""
    return WebGpuBackend.from_runtime(WebGpuRuntime.from_adapter_row(choose_adapter(None), engine, checked))


shared_backend = lru_cache(maxsize=None)(new_backend)
"""The same, kept for the whole run."""


def up(backend: WebGpuBackend, array: Any) -> Tensor:
    """Upload an array."""
    return backend.upload_host_tensor(Tensor.from_numpy(np.asarray(array)))


def down(backend: WebGpuBackend, tensor: Tensor) -> NDArray[Any]:
    """Download a tensor."""
    return backend.download_to_host(tensor).to_numpy()


@contextmanager
def computed_or_refused(backend: WebGpuBackend, dtype: Any) -> Iterator[None]:
    """Pass a block that computes in ``dtype``; for float16 on an adapter without it, require that it is refused."""
    if np.dtype(dtype) != np.float16 or backend.runtime.facts.float16:
        yield
        return
    with pytest.raises(UnsupportedError, match=r"of float16.* is not available on .*, which lacks shader-f16"):
        yield
