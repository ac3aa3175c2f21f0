"""Creation functions on drawn shapes and values with ``array_api_strict`` as the oracle, and hypothesis' strategies.

Values are whole numbers of few digits, so every result is exact on every device.
"""

from __future__ import annotations

from typing import Any, Final

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import array_api
from hypothesis.extra import numpy as drawn

import wgtensor as wt
from wgtensor.array import Array, Device

FEW: Final = settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
DTYPES: Final = ("bool", "int32", "uint32", "float32", "complex64")
"""Those that every device computes in."""
KINDS: Final = {"bool": "b", "int32": "i", "uint32": "u", "float32": "f", "complex64": "c"}

SHAPES: Final = drawn.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


def elements(dtype: str) -> st.SearchStrategy[Any]:
    """Return whole numbers; -0 too where there is one."""
    kind = KINDS[dtype]
    if kind == "b":
        return st.booleans()
    whole = st.integers(0 if kind == "u" else -50, 50)
    if kind in "iu":
        return whole
    real = st.one_of(whole.map(float), st.just(-0.0))
    return real if kind == "f" else st.builds(complex, real, real)


def assert_same(ours: Array, theirs: Any) -> None:
    """Dtype, shape, and every value with its sign are equal."""
    expected = np.asarray(theirs._array)
    actual = ours.to_numpy()
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(actual, expected)
    if actual.dtype.kind in "fc":
        for part in (np.real, np.imag):
            np.testing.assert_array_equal(np.signbit(part(actual)), np.signbit(part(expected)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants_of_any_shape(device: Device, dtype: str) -> None:
    @FEW
    @given(shape=SHAPES, value=elements(dtype))
    def check(shape: tuple[int, ...], value: Any) -> None:
        ours = wt.full(shape, value, dtype=dtype, device=device)
        assert_same(ours, strict.full(shape, value, dtype=getattr(strict, dtype)))
        assert_same(wt.zeros_like(ours), strict.zeros(shape, dtype=getattr(strict, dtype)))

    check()


@FEW
@given(start=st.integers(-99, 99), stop=st.integers(-99, 99), step=st.integers(-9, 9).filter(bool))
def test_ranges_of_integers(start: int, stop: int, step: int) -> None:
    with wt.device("cpu"):
        assert_same(wt.arange(start, stop, step, dtype=wt.int64), strict.arange(start, stop, step))


def test_strategies_of_the_namespace(device: Device) -> None:
    """hypothesis makes arrays by the namespace alone: its dtypes, creation functions and assignment."""
    ours = array_api.make_strategies_namespace(wt, api_version="2025.12")

    @FEW
    @given(st.data())
    def check(data: st.DataObject) -> None:
        with wt.device(device):
            dtype = data.draw(st.sampled_from(DTYPES))
            x = data.draw(ours.arrays(getattr(wt, dtype), ours.array_shapes(min_dims=0, max_dims=3, max_side=4)))
            assert (x.dtype.name, x.device) == (dtype, device)
            key = data.draw(ours.indices(x.shape, max_dims=4, allow_newaxis=True))
            np.testing.assert_array_equal(x[key].to_numpy(), x.to_numpy()[key])

    check()
