"""Set functions against NumPy; NaN are distinct and zeros are one, as the standard says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import compare, values

import wgtensor as wt
from wgtensor.array import Array
from wgtensor.errors import DTypeError

Place = Callable[..., Array]

DTYPES = ["bool", "int32", "uint32", "float32", "complex64"]


@pytest.mark.parametrize("shape", [(60,), (4, 5, 3), (1,), (0,), ()])
@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(place: Place, dtype: str, shape: tuple[int, ...]) -> None:
    x = values(dtype, shape)
    found = wt.unique_all(place(x, "transposed"))
    expected = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    np.testing.assert_array_equal(found.values.to_numpy(), expected[0])  # the sign of a zero is free
    compare(found.indices.to_numpy(), expected[1])
    compare(found.inverse_indices.to_numpy(), expected[2].reshape(shape))
    compare(found.counts.to_numpy(), expected[3])
    assert {each.dtype for each in found[1:]} == {wt.int32}
    for part, again in (
        (found.values, wt.unique_values(place(x))),
        (found.counts, wt.unique_counts(place(x)).counts),
        (found.inverse_indices, wt.unique_inverse(place(x)).inverse_indices),
    ):
        np.testing.assert_array_equal(again.to_numpy(), part.to_numpy())


def test_zeros_are_one_and_nans_are_not(place: Place) -> None:
    found = wt.unique_counts(place(np.array([np.nan, -0.0, np.nan, 0.0, 0.0], np.float32)))
    np.testing.assert_array_equal(found.values.to_numpy(), [0, np.nan, np.nan])
    assert found.counts.tolist() == [3, 1, 1]


def test_complex_parts_are_ordered_one_after_the_other(place: Place) -> None:
    x = np.array([1 + 2j, -0.0 + 1j, 1 - 2j, 0.0 + 1j, 1 + 2j, complex(0, np.nan), complex(np.nan, 0)], np.complex64)
    found = wt.unique_counts(place(x))
    assert found.values.tolist()[:1] == [1j]
    assert found.counts.tolist() == [2, 1, 1, 2, 1]


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("dtype", ["bool", "int32", "uint32", "float32"])
def test_isin(place: Place, dtype: str, invert: bool) -> None:
    x, members = values(dtype, (5, 7)), values(dtype, (11,), 1)
    result = wt.isin(place(x, "strided"), place(members), invert=invert)
    compare(result.to_numpy(), np.isin(x, members, invert=invert))
    assert wt.isin(place(x), place(members[:0]), invert=invert).tolist() == np.full((5, 7), invert).tolist()


def test_isin_with_numbers(place: Place) -> None:
    x = place(np.array([3, 1, 2], np.int32))
    assert wt.isin(x, 1).tolist() == [False, True, False]
    assert wt.isin(7, x, invert=True).tolist() is True


def test_errors(place: Place) -> None:
    x: Any = place(values("complex64", (3,)))
    with pytest.raises(DTypeError, match=r"isin takes .* got complex64"):
        wt.isin(x, x)
    with pytest.raises(DTypeError, match=r"unique_all takes a wgtensor array, got list"):
        wt.unique_all([1, 2])  # type: ignore[arg-type]
