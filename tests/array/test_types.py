"""What mypy knows of arrays; the assertions are checked when it runs over the tests."""

from __future__ import annotations

from typing import assert_type

import wgtensor as wt
from wgtensor import Array
from wgtensor.tensor import Tensor


def test_operators_of_arrays_are_arrays() -> None:
    with wt.device("cpu"):
        x = wt.ones((2, 2))
    assert_type(x + 1, Array)
    assert_type(1 - x, Array)
    assert_type(x @ x, Array)
    assert_type(x < 1, Array)
    assert_type(x == 1, Array)
    assert_type(-x, Array)
    assert_type(abs(x), Array)
    y = x
    y *= 2
    assert_type(y, Array)
    for each in (x + 1, 1 - x, x @ x, x < 1, x == 1, -x, abs(x), y):
        assert type(each) is Array


def test_einsum_returns_what_it_takes() -> None:
    with wt.device("cpu"):
        x = wt.ones((2, 2))
    assert type(assert_type(wt.einsum("ij,jk", x, x), Array)) is Array
    assert type(assert_type(wt.einsum(x, [0, ...], [..., 0]), Array)) is Array
    assert type(assert_type(wt.einsum("ij->ji", x.tensor), Tensor)) is Tensor
    assert type(assert_type(wt.einsum(x.tensor, [0, 1], session=x.device.session), Tensor)) is Tensor
