"""``all``, ``any``, ``diff`` and ``einsum`` of arrays against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import compare, dtypes_of_kind, values

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import Tensor

Place = Callable[..., Array]
Refused = Callable[[Any], bool]

AXES: list[int | tuple[int, ...] | None] = [None, 0, -1, (0, 2), (1,), ()]


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("dtype", dtypes_of_kind("biufc"))
def test_truth(place: Place, refused: Refused, dtype: str, axis: Any) -> None:
    if refused(dtype):
        return
    x = np.where(values("bool", (2, 3, 4), seed=6), values(dtype, (2, 3, 4)), np.zeros((), dtype))
    for keepdims in (False, True):
        compare(wt.any(place(x), axis=axis, keepdims=keepdims).to_numpy(), np.any(x, axis=axis, keepdims=keepdims))
        compare(wt.all(place(x), axis=axis, keepdims=keepdims).to_numpy(), np.all(x, axis=axis, keepdims=keepdims))


def test_truth_of_nothing_and_of_nan(place: Place) -> None:
    assert not wt.any(place(np.ones((0, 3), np.float32)))
    assert wt.all(place(np.ones(0, np.int32)))
    assert wt.all(place(np.array([np.nan, np.inf, 1e-45], np.float32)))
    with pytest.raises(ValueError, match="any needs an axis"):
        wt.any(place(np.ones(2, np.float32)), axis=1)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_diff(place: Place, n: int, axis: int) -> None:
    x = values("int32", (4, 3))
    with np.errstate(over="ignore"):
        compare(wt.diff(place(x, "transposed"), n=n, axis=axis).to_numpy(), np.diff(x, n=n, axis=axis))


def test_diff_joins_first(place: Place) -> None:
    x, first, last = (values("float32", (2, n), special=False) for n in (4, 1, 2))
    result = wt.diff(place(x), prepend=place(first), append=place(last))
    compare(result.to_numpy(), np.diff(x, prepend=first, append=last))
    with pytest.raises(DTypeError, match="diff takes arrays of numbers, got bool"):
        wt.diff(place(np.array([True, False])))
    with pytest.raises(ValidationError, match="diff needs an n of at least 0, got -1"):
        wt.diff(place(x), n=-1)
    with pytest.raises(DTypeError, match="diff takes a wgtensor array, got numpy"):
        wt.diff(x)  # type: ignore[arg-type]


def test_einsum_of_arrays(place: Place) -> None:
    x, y = values("float32", (3, 4), special=False), values("float32", (4, 5), special=False)
    bound = 8 * np.finfo(np.float32).eps * (np.abs(x).astype(np.float64) @ np.abs(y))
    expected = x.astype(np.float64) @ y
    compare(wt.einsum("ij,jk->ik", place(x), place(y, "transposed")).to_numpy(), expected, atol=bound)
    compare(wt.einsum(place(x), [0, 1], place(y), [1, 2], [0, 2]).to_numpy(), expected, atol=bound)
    z = values("complex64", (5,), special=False)
    mixed = wt.einsum("ij,j->i", place(y), place(z))
    assert mixed.dtype is wt.complex64
    compare(mixed.to_numpy(), y.astype(np.float64) @ z, atol=1e-5 * (np.abs(y) @ np.abs(z)))


def test_einsum_of_tensors_returns_a_tensor(place: Place, device: Device) -> None:
    x = place(np.eye(3, dtype=np.float32))
    assert isinstance(wt.einsum("ij->ji", x.tensor), Tensor)
    with pytest.raises(DTypeError, match="einsum takes arrays, or tensors and their session, got both"):
        wt.einsum("ij,jk->ik", x, x.tensor)  # type: ignore[call-overload]  # refused
    with pytest.raises(DTypeError, match="einsum takes arrays, or tensors and their session, got both"):
        wt.einsum("ij->ji", x, session=device.session)  # type: ignore[call-overload]  # refused
