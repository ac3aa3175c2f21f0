"""Copies and pickles: values of their own, and on the device where they were."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, f32, values

from wgtensor.array import Array, Device
from wgtensor.cpu import CpuBackend
from wgtensor.errors import DeviceLostError, ValidationError
from wgtensor.tensor import Tensor, bfloat16

Place = Callable[..., Array]
BFLOAT16_BITS = np.array([0x3F80, 0x3DCD, 0xFF80, 0x7FC0, 0x8000], np.uint16)


def up(array: Any, device: Device, dtype: Any = None) -> Array:
    return Array(device.backend.upload_host_tensor(Tensor.from_numpy(np.asarray(array), dtype)), device)


@pytest.fixture
def by_name(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the device under test be the one of its name."""
    monkeypatch.setattr("wgtensor.array.array.as_device", lambda name: {device.name: device}[name])


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda x: copy.deepcopy([x, x])[1]])
def test_copies_are_values_of_their_own(device: Device, place: Place, make: Callable[[Array], Array]) -> None:
    x = place(values("int32", (2, 3), special=False), "transposed")
    before = x.to_numpy()
    y = make(x)
    assert y.device is device
    x[0] = 7
    x += 1
    np.testing.assert_array_equal(y.to_numpy(), before)
    changed = x.to_numpy()
    y[:, 1] = 9
    y += 5
    np.testing.assert_array_equal(x.to_numpy(), changed)
    assert x.tolist()[0] == [8, 8, 8]
    assert [row[1] for row in y.tolist()] == [14, 14]


@pytest.mark.parametrize(
    ("dtype", "layout"), [*((dtype, "strided") for dtype in DTYPES), *(("int32", layout) for layout in LAYOUTS)]
)
@pytest.mark.usefixtures("by_name")
def test_pickles(device: Device, place: Place, dtype: str, layout: str) -> None:
    array = values(dtype, (2, 5, 3))
    y = pickle.loads(pickle.dumps(place(array, layout)))
    assert y.device is device
    assert y.dtype.name == dtype
    np.testing.assert_array_equal(y.to_numpy(), array)


@pytest.mark.usefixtures("by_name")
def test_pickled_bfloat16(device: Device) -> None:
    y = pickle.loads(pickle.dumps(up(BFLOAT16_BITS, device, bfloat16)))
    assert y.dtype is bfloat16
    np.testing.assert_array_equal(y.to_numpy(), BFLOAT16_BITS)


def test_a_pickle_of_a_device_that_is_not_here_moves_nowhere() -> None:
    text = pickle.dumps(up(f32([1]), Device("webgpu:97", CpuBackend())))
    with pytest.raises(ValidationError, match=r"pickled on webgpu:97 needs that device, .*x.to_device\('cpu'\)"):
        pickle.loads(text)


def test_a_lost_array_is_not_pickled() -> None:
    device = Device("cpu", CpuBackend())
    x = up(f32([1]), device)
    device.backend.runtime.close()
    with pytest.raises(DeviceLostError):
        pickle.dumps(x)
