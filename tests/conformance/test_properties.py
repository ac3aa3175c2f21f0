"""Properties that hypothesis draws cases for, with ``array_api_strict`` as the oracle.

Values are whole numbers of few digits, so every result below is exact and equality is the rule on every device;
accuracy has suites of its own.
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

FEW: Final = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
DTYPES: Final = ("bool", "int32", "uint32", "float32", "complex64")
"""Those that every device computes in."""
KINDS: Final = {"bool": "b", "int32": "i", "uint32": "u", "float32": "f", "complex64": "c"}

UNARY: Final = {
    "abs": "iuf", "bitwise_invert": "biu", "ceil": "iuf", "conj": "iufc", "floor": "iuf", "imag": "c",
    "isfinite": "iufc",
    "isinf": "iufc", "isnan": "iufc", "logical_not": "b", "negative": "ifc", "positive": "iufc", "real": "iufc",
    "round": "iufc", "sign": "iuf", "signbit": "f", "square": "iufc", "trunc": "iuf",
}  # fmt: skip
BINARY: Final = {
    "add": "iufc", "bitwise_and": "biu", "bitwise_or": "biu", "bitwise_xor": "biu", "copysign": "f", "equal": "biufc",
    "greater": "iuf", "greater_equal": "iuf", "less": "iuf", "less_equal": "iuf", "logical_and": "b", "logical_or": "b",
    "logical_xor": "b", "maximum": "iuf", "minimum": "iuf", "multiply": "iufc", "not_equal": "biufc",
    "subtract": "iufc",
}  # fmt: skip

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


def arrays(dtype: str, shape: Any) -> st.SearchStrategy[Any]:
    return drawn.arrays(dtype, shape, elements=elements(dtype))


def assert_same(ours: Array, theirs: Any, signs: bool = True) -> None:
    """Dtype, shape, and every value, with its sign if ``signs``, are equal."""
    expected = np.asarray(theirs._array)
    actual = ours.to_numpy()
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(actual, expected)
    if signs and actual.dtype.kind in "fc":
        for part in (np.real, np.imag):
            np.testing.assert_array_equal(np.signbit(part(actual)), np.signbit(part(expected)))


def of_kind(functions: dict[str, str]) -> list[tuple[str, str]]:
    return [(name, dtype) for name, kinds in functions.items() for dtype in DTYPES if KINDS[dtype] in kinds]


@pytest.mark.parametrize(("name", "dtype"), of_kind(UNARY))
def test_unary_functions(device: Device, name: str, dtype: str) -> None:
    @FEW
    @given(x=arrays(dtype, SHAPES))
    def check(x: Any) -> None:
        assert_same(getattr(wt, name)(wt.asarray(x, device=device)), getattr(strict, name)(strict.asarray(x)))

    check()


@pytest.mark.parametrize(("name", "dtype"), of_kind(BINARY))
def test_binary_functions_broadcast(device: Device, name: str, dtype: str) -> None:
    @FEW
    @given(st.data())
    def check(data: st.DataObject) -> None:
        shapes = data.draw(drawn.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4)).input_shapes
        x, y = (data.draw(arrays(dtype, shape)) for shape in shapes)
        ours = getattr(wt, name)(wt.asarray(x, device=device), wt.asarray(y, device=device))
        theirs = getattr(strict, name)(strict.asarray(x), strict.asarray(y))
        assert_same(ours, theirs, signs=name not in ("maximum", "minimum"))  # of -0 and 0 either is right

    check()


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
