"""Linear algebra functions of the main namespace against NumPy in twice the precision."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, compare, values
from numpy.typing import NDArray

import wgtensor as wt
from wgtensor.array import Array
from wgtensor.errors import DTypeError, ValidationError

Place = Callable[..., Array]
Product = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]

DTYPES = ["int32", "float32", "complex64"]
WIDE = {"int32": "int32", "float32": "float64", "complex64": "complex128"}


def pair(dtype: str, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    return values(dtype, left, special=False), values(dtype, right, 1, special=False)


def check(actual: Array, product: Product, x: NDArray[Any], y: NDArray[Any]) -> None:
    """Compare within 8 ulp of the sum of magnitudes: less than 2**6 products are added."""
    wide = WIDE[x.dtype.name]
    with np.errstate(over="ignore"):
        expected = product(x.astype(wide), y.astype(wide))
    if wide == "int32":
        compare(actual.to_numpy(), expected)
        return
    magnitudes = product(np.abs(x.astype(wide)), np.abs(y.astype(wide)))
    compare(actual.to_numpy(), expected, atol=8 * np.finfo(np.float32).eps * np.abs(magnitudes))


SHAPES = [
    ((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (6, 4, 5)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((3, 0), (0, 2)), ((0, 3), (3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("shapes", "layout"), list(zip(SHAPES, itertools.cycle(LAYOUTS), strict=False)))
@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul(place: Place, dtype: str, shapes: Any, layout: str) -> None:
    x, y = pair(dtype, *shapes)
    check(wt.matmul(place(x, layout), place(y, layout)), np.matmul, x, y)


AXES: list[tuple[Any, tuple[int, ...], tuple[int, ...]]] = [
    (2, (2, 3, 4), (3, 4, 5)),
    (1, (2, 4), (4, 5)),
    (0, (2, 3), (4,)),
    (([0, -1], [1, 0]), (2, 3, 4), (4, 2, 5)),
    ((1, 0), (2, 3), (3, 2)),
]


@pytest.mark.parametrize(("axes", "left", "right"), AXES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_tensordot(place: Place, dtype: str, axes: Any, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    x, y = pair(dtype, left, right)
    check(wt.tensordot(place(x, "reversed"), place(y), axes=axes), lambda a, b: np.tensordot(a, b, axes), x, y)
    check(wt.tensordot(place(x), place(y, "fortran"), axes), lambda a, b: np.tensordot(a, b, axes), x, y)


@pytest.mark.parametrize(("left", "right", "axis"), [((7,), (7,), -1), ((3, 1, 4), (2, 4), -1), ((3, 4), (3, 1), -2)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_vecdot(place: Place, dtype: str, left: tuple[int, ...], right: tuple[int, ...], axis: int) -> None:
    x, y = pair(dtype, left, right)
    # numpy.vecdot came after NumPy 2.0, which wgtensor still takes.
    product: Product = lambda a, b: np.asarray(np.sum(np.conj(a) * b, axis=axis, dtype=a.dtype))  # noqa: E731
    check(wt.vecdot(place(x, "strided"), place(y), axis=axis), product, x, y)


def test_matrix_transpose(place: Place) -> None:
    x = values("float32", (2, 3, 4))
    compare(wt.matrix_transpose(place(x)).to_numpy(), np.swapaxes(x, 1, 2))


def test_promotion(place: Place) -> None:
    x, y = place(values("float32", (3,))), place(values("complex64", (3,)))
    assert wt.matmul(x, y).dtype is wt.complex64
    assert wt.tensordot(x, y, 0).dtype is wt.complex64
    assert wt.vecdot(x, y).dtype is wt.complex64


ERRORS: list[tuple[Callable[[Array], Any], type[Exception], str]] = [
    (lambda x: wt.matmul(x, x), ValidationError, r"matmul needs the last axis of the first as long as"),
    (lambda x: wt.matmul(x, wt.sum(x)), ValidationError, r"matmul needs arrays of at least one axis"),
    (lambda x: wt.matmul(x, 2.0), DTypeError, r"matmul takes two arrays, got the number 2.0; use \*"),  # type: ignore[arg-type]
    (lambda x: wt.matmul(x > 0, x > 0), DTypeError, r"matmul takes numeric arrays, got bool"),
    (lambda x: wt.tensordot(x, x, 3), ValidationError, r"tensordot needs axes within 0 to 2, got 3"),
    (lambda x: wt.tensordot(x, x, 1), ValidationError, r"tensordot needs contracted axes of equal length"),
    (lambda x: wt.vecdot(x, x, axis=0), ValidationError, r"vecdot needs an axis within -2 to -1"),
    (lambda x: wt.matrix_transpose(wt.sum(x)), ValidationError, r"matrix_transpose needs at least two axes"),
]


@pytest.mark.parametrize(("function", "error", "text"), ERRORS)
def test_errors(place: Place, function: Callable[[Array], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        function(place(values("float32", (2, 3))))
