"""The reference backend's budget takes the same texts as the GPU's."""

from __future__ import annotations

import numpy as np
import pytest

from wgtensor.cpu import CpuBackend
from wgtensor.errors import DeviceOutOfMemoryError, ValidationError
from wgtensor.tensor import Tensor


def test_the_limit_takes_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGTENSOR_MEMORY_LIMIT", "1MiB")
    backend = CpuBackend.new_default()
    assert backend.runtime.memory_limit == 1 << 20
    with pytest.raises(DeviceOutOfMemoryError, match="WGTENSOR_MEMORY_LIMIT"):
        backend.upload_host_tensor(Tensor.from_numpy(np.zeros(1 << 20, np.float32)))
    assert backend.upload_host_tensor(Tensor.from_numpy(np.zeros(3))).shape == (3,)


def test_a_wrong_limit_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGTENSOR_MEMORY_LIMIT", "lots")
    with pytest.raises(ValidationError, match="a byte count is a number with an optional unit"):
        CpuBackend.new_default()
