"""Inspection of the namespace: what it says is what devices do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import wgtensor as wt
from wgtensor.array import Device
from wgtensor.errors import UnsupportedError, ValidationError
from wgtensor.tensor import ALL_DTYPES

INFO = wt.__array_namespace_info__()
KINDS = ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric")


def test_dtypes_are_those_that_work(device: Device) -> None:
    """Each dtype that is listed adds and converts; each that is not is refused at creation."""
    listed = INFO.dtypes(device=device)
    for dtype in ALL_DTYPES:
        if dtype.name in listed:
            x = wt.ones(3, dtype=dtype, device=device)
            assert wt.equal(x, True).to_numpy().all()
            assert all(wt.astype(x, "complex64").to_numpy() == 1)
        elif dtype not in (wt.float16, wt.bfloat16):
            assert device.kind != "cpu"
            with pytest.raises(UnsupportedError, match=f"zeros of {dtype} is not available on {device} "):
                wt.zeros(3, dtype=dtype, device=device)


def test_dtypes_by_kind(device: Device) -> None:
    listed = INFO.dtypes(device=device)
    for kind in KINDS:
        expected = {name: dtype for name, dtype in listed.items() if wt.isdtype(dtype, kind)}
        assert INFO.dtypes(device=device, kind=kind) == expected
    both = INFO.dtypes(device=device, kind=("bool", "signed integer"))
    assert both == {**INFO.dtypes(device=device, kind="bool"), **INFO.dtypes(device=device, kind="signed integer")}
    assert INFO.dtypes(device=device, kind=()) == {}
    with pytest.raises(ValidationError, match="dtypes needs a kind among bool"):
        INFO.dtypes(device=device, kind="float")


def test_the_reference_device_has_all_dtypes_of_the_standard() -> None:
    names = {f"{kind}{bits}" for kind, bits in itertools.product(("int", "uint"), (8, 16, 32, 64))}
    assert set(INFO.dtypes(device="cpu")) == names | {"bool", "float32", "float64", "complex64", "complex128"}


def test_default_dtypes_are_those_of_new_arrays(device: Device) -> None:
    defaults = INFO.default_dtypes(device=device)
    assert set(defaults) == {"real floating", "complex floating", "integral", "indexing"}
    assert wt.asarray([1.0], device=device).dtype is defaults["real floating"]
    assert wt.asarray([1j], device=device).dtype is defaults["complex floating"]
    assert wt.asarray([1], device=device).dtype is defaults["integral"]
    assert set(defaults.values()) <= set(INFO.dtypes(device=device).values())


def test_devices() -> None:
    found = INFO.devices()
    assert isinstance(found, tuple)
    assert found == tuple(wt.devices())
    assert str(found[-1]) == "cpu"
    with wt.device("cpu") as cpu:
        assert INFO.default_device() is cpu


def test_capabilities(device: Device) -> None:
    capabilities = INFO.capabilities()
    assert set(capabilities) == {"boolean indexing", "data-dependent shapes", "max dimensions"}
    most = capabilities["max dimensions"]
    assert isinstance(most, int)
    x = wt.ones((1,) * most, device=device)
    assert (x + 1).to_numpy().shape == (1,) * most


def test_memory_stats(device: Device) -> None:
    before = wt.memory_stats(device)
    x = wt.zeros(1 << 16, device=device)
    wt.evaluate(x)
    after = wt.memory_stats(device)
    assert after.live - before.live >= x.nbytes
    assert after.peak >= after.live
    assert after.waiting >= 0


def test_evaluate_starts_what_is_pending(device: Device) -> None:
    x = wt.ones(8, device=device)
    wt.evaluate(x)
    counters = device.backend.runtime.counters
    before = counters.dispatches
    y = x + 1
    if device.kind == "webgpu":
        assert counters.dispatches == before
    wt.evaluate(y)
    assert counters.dispatches == before + 1
    wt.synchronize(device=device)
    np.testing.assert_array_equal(y.to_numpy(), np.full(8, 2, np.float32))


def test_names_are_all_there() -> None:
    assert sorted(wt.__all__) == sorted(set(wt.__all__))
    assert all(hasattr(wt, name) for name in wt.__all__)
