"""Sorting functions against NumPy's stable sort; NaN last, equals in order, in both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, compare, values
from numpy.typing import NDArray

import wgtensor as wt
from wgtensor.array import Array
from wgtensor.errors import AxisError, DTypeError

Place = Callable[..., Array]

DTYPES = ["bool", "int32", "uint32", "float32"]


def stable_order(x: NDArray[Any], axis: int, descending: bool) -> NDArray[Any]:
    """Return positions by Python's stable sort of keys: NaN last, then the value."""

    def order(line: NDArray[Any]) -> list[int]:
        sign = -1 if descending else 1
        keys = [(bool(np.isnan(v)), 0 if np.isnan(v) else sign * v) for v in line.tolist()]
        return sorted(range(len(keys)), key=keys.__getitem__)

    return np.apply_along_axis(order, axis, x)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("axis", "layout"), list(zip([0, 1, -1, -2, 2], LAYOUTS, strict=True)))
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(place: Place, dtype: str, axis: int, layout: str, descending: bool) -> None:
    x = values(dtype, (4, 17, 3))
    positions = wt.argsort(place(x, layout), axis=axis, descending=descending)
    expected = stable_order(x, axis, descending)
    assert positions.dtype is wt.int32
    compare(positions.to_numpy(), expected)
    in_order = wt.sort(place(x, layout), axis=axis, descending=descending, stable=False).to_numpy()
    np.testing.assert_array_equal(in_order, np.take_along_axis(x, expected, axis))


def test_long_lines(place: Place) -> None:
    x = values("float32", (3001,)).round()
    compare(wt.argsort(place(x)).to_numpy(), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1,)])
def test_short_lines(place: Place, shape: tuple[int, ...]) -> None:
    x = values("float32", shape)
    compare(wt.sort(place(x)).to_numpy(), x)
    if shape:
        compare(wt.argsort(place(x)).to_numpy(), np.zeros(shape))


def test_errors(place: Place) -> None:
    with pytest.raises(AxisError, match=r"sort needs an axis within -1 to 0, got 1"):
        wt.sort(place(values("int32", (3,))), axis=1)
    with pytest.raises(DTypeError, match=r"argsort takes .* got complex64; complex numbers have no order"):
        wt.argsort(place(values("complex64", (3,))))
