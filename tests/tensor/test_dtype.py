"""Dtype objects: NumPy's facts, conversion to and from NumPy, identity."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from wgtensor.errors import DTypeError
from wgtensor.tensor import ALL_DTYPES, DType, as_dtype, bfloat16, bool_, complex64, complex128, float32, float64, int32

NUMPY_DTYPES = [dtype for dtype in ALL_DTYPES if dtype is not bfloat16]


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_facts_are_numpys(dtype: DType) -> None:
    numpy = np.dtype(dtype.name)
    assert np.dtype(dtype) == numpy
    assert np.zeros(2, dtype).dtype == numpy
    assert (dtype.name, dtype.kind, dtype.itemsize) == (numpy.name, numpy.kind, numpy.itemsize)
    assert dtype.is_integer == np.issubdtype(numpy, np.integer)
    assert dtype.is_float == np.issubdtype(numpy, np.floating)
    assert dtype.is_complex == np.issubdtype(numpy, np.complexfloating)
    assert dtype.is_real_number == (dtype.kind in "iuf")
    assert np.dtype(dtype.real) == np.zeros(0, numpy).real.dtype


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_dtypes_are_singletons(dtype: DType) -> None:
    assert as_dtype(dtype) is dtype
    assert as_dtype(dtype.name) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert repr(dtype) == f"wgtensor.{dtype}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.float32, float32), (np.dtype("<i4"), int32), ("<f8", float64), (bool, bool_), (float, float64),
        (complex, complex128), ("F", complex64), (np.int32(3).dtype, int32),
    ],
)  # fmt: skip
def test_whatever_numpy_takes(given: Any, expected: DType) -> None:
    assert as_dtype(given) is expected


@pytest.mark.parametrize("given", ["float128", "datetime64[s]", np.dtype("U3"), object, "nothing", 3, None.__class__])
def test_unknown_dtypes_are_refused_with_the_list(given: Any) -> None:
    with pytest.raises(DTypeError, match=r"wgtensor has no dtype .*; it has bool, int8, .*, bfloat16, .*complex128"):
        as_dtype(given)


def test_bfloat16_has_no_numpy_dtype() -> None:
    assert (bfloat16.kind, bfloat16.itemsize, bfloat16.real) == ("f", 2, bfloat16)
    with pytest.raises(DTypeError, match="NumPy has no dtype bfloat16; cast to float32 first"):
        np.dtype(bfloat16)
