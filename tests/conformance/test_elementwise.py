"""Elementwise functions on drawn arrays, in every dtype of a device, broadcast and promoted."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.oracle import EXAMPLES, XPS, agree, arrays, dtypes
from hypothesis import assume, given
from hypothesis import strategies as st

import wgtensor as wt

# name: kinds of operands, ulps. The oracle's float32 functions are off by up to 2 ulp themselves.
EXACT = {
    "abs": "iuf", "bitwise_invert": "biu", "ceil": "iuf", "conj": "c", "floor": "iuf", "imag": "c", "isfinite": "iufc",
    "isinf": "iufc", "isnan": "iufc", "logical_not": "b", "negative": "iufc", "positive": "iufc", "real": "c",
    "round": "iuf", "sign": "iuf", "signbit": "f", "square": "iuf", "trunc": "iuf",
}  # fmt: skip
ROUNDED = {
    "acos": 8, "acosh": 8, "asin": 8, "asinh": 8, "atan": 8, "atanh": 8, "cos": 6, "cosh": 8, "exp": 6, "expm1": 8,
    "log": 6, "log1p": 6, "log2": 6, "log10": 6, "reciprocal": 3, "sin": 6, "sinh": 8, "sqrt": 3, "tan": 8, "tanh": 6,
}  # fmt: skip
BINARY = {
    "add": ("iufc", 0), "subtract": ("iufc", 0), "multiply": ("iuf", 0), "divide": ("f", 3), "maximum": ("iu", 0),
    "minimum": ("iu", 0), "equal": ("biufc", 0), "not_equal": ("biufc", 0), "less": ("iuf", 0),
    "less_equal": ("iuf", 0), "greater": ("iuf", 0), "greater_equal": ("iuf", 0), "logical_and": ("b", 0),
    "logical_or": ("b", 0), "logical_xor": ("b", 0), "bitwise_and": ("biu", 0), "bitwise_or": ("biu", 0),
    "bitwise_xor": ("biu", 0), "copysign": ("f", 0), "nextafter": ("f", 0), "floor_divide": ("iu", 0),
    "remainder": ("iu", 0), "atan2": ("f", 8), "hypot": ("f", 6), "logaddexp": ("f", 8),
}  # fmt: skip
TAME = {"atan2", "divide", "hypot", "logaddexp", "nextafter", "multiply"}
"""Functions whose results would be subnormal, which GPUs may flush, or leave the dtype."""


@pytest.mark.parametrize("name", EXACT)
@EXAMPLES
@given(data=st.data())
def test_exact(current: wt.Device, name: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, EXACT[name])))
    agree(name, arrays(data.draw, dtype, tame=name == "square"))


@pytest.mark.parametrize("name", ROUNDED)
@EXAMPLES
@given(data=st.data())
def test_rounded(current: wt.Device, name: str, data: st.DataObject) -> None:
    x = arrays(data.draw, wt.float32, tame=True)
    assume(not (np.abs(x.to_numpy()[x.to_numpy() != 0]) < 1e-30).any())  # results would be subnormal, or infinite
    agree(name, x, ulps=ROUNDED[name])


@pytest.mark.parametrize("name", BINARY)
@EXAMPLES
@given(data=st.data())
def test_pairs(current: wt.Device, name: str, data: st.DataObject) -> None:
    kinds, ulps = BINARY[name]
    known = dtypes(current, kinds)
    one = data.draw(st.sampled_from(known))
    other = data.draw(st.sampled_from([each for each in known if _meet(one, each) in known]))
    left, right = data.draw(XPS.mutually_broadcastable_shapes(2, max_dims=3, min_side=0, max_side=3)).input_shapes
    x, y = (arrays(data.draw, dtype, shape, tame=name in TAME) for dtype, shape in ((one, left), (other, right)))
    if ulps or name == "multiply":
        assume(not any((np.abs(each.to_numpy()[each.to_numpy() != 0]) < 1e-15).any() for each in (x, y)))
    agree(name, x, y, ulps=ulps)


def _meet(a: wt.DType, b: wt.DType) -> wt.DType | None:
    try:
        return wt.result_type(a, b)
    except TypeError:
        return None


@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
@EXAMPLES
@given(data=st.data())
def test_shifts(current: wt.Device, name: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "iu")))
    x = arrays(data.draw, dtype)
    amounts = data.draw(XPS.arrays(dtype, x.shape, elements=st.integers(0, 8 * dtype.itemsize - 1)))
    agree(name, x, amounts)


@EXAMPLES
@given(data=st.data())
def test_pow(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "iu")))
    x = arrays(data.draw, dtype, tame=True)
    agree("pow", x, data.draw(XPS.arrays(dtype, x.shape, elements=st.integers(0, 9))))


@pytest.mark.parametrize("kinds", ["i", "f"])
@EXAMPLES
@given(data=st.data())
def test_numbers_beside_arrays(current: wt.Device, kinds: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, kinds)))
    x, number = arrays(data.draw, dtype), data.draw(st.integers(-100, 100))
    for name in ("add", "maximum", "less", "subtract"):
        agree(name, x, number)
        agree(name, number, x)
    agree("clip", x, min(number, 5), max(number, 5))
