"""Statistical functions against NumPy in float64: axes, dtypes, special values and empty reductions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import LAYOUTS, compare, values

import wgtensor as wt
from wgtensor.array import Array
from wgtensor.errors import AxisError, DTypeError, UnsupportedError, ValidationError

Place = Callable[..., Array]
Computes = Callable[[Any], bool]

AXES: list[int | tuple[int, ...] | None] = [None, 0, -1, (0, 2), (1, -3), ()]
CASES = list(zip(AXES, itertools.cycle(LAYOUTS), strict=False))
X = values("float32", (3, 4, 5), special=False)


def bound(magnitudes: Any, axis: Any) -> Any:
    """Sums are tree-shaped: 8 ulp of the sum of magnitudes for up to 2**8 elements."""
    return 8 * np.finfo(np.float32).eps * np.sum(magnitudes, axis=axis, keepdims=True)


@pytest.mark.parametrize(("axis", "layout"), CASES, ids=str)
def test_sums_and_means(place: Place, axis: Any, layout: str) -> None:
    x, exact = place(X, layout), X.astype(np.float64)
    limit = bound(np.abs(exact), axis)
    compare(wt.sum(x, axis=axis, keepdims=True).to_numpy(), exact.sum(axis, keepdims=True), atol=limit)
    expected = exact.mean(axis, keepdims=True)
    compare(wt.mean(x, axis=axis, keepdims=True).to_numpy(), expected, atol=limit)
    assert wt.sum(x, axis=axis).shape == exact.sum(axis).shape
    assert wt.mean(x, axis=axis).shape == exact.sum(axis).shape


@pytest.mark.parametrize("correction", [0, 1, 2.5])
@pytest.mark.parametrize(("axis", "layout"), CASES, ids=str)
def test_variances(place: Place, axis: Any, layout: str, correction: float) -> None:
    x, exact = place(X, layout), X.astype(np.float64)
    deviations = exact - exact.mean(axis, keepdims=True)
    count = exact.size / deviations.sum(axis, keepdims=True).size
    expected = np.sum(deviations**2, axis, keepdims=True) / (count - correction) if count > correction else None
    result = wt.var(x, axis=axis, correction=correction, keepdims=True).to_numpy()
    if expected is None:
        assert np.isnan(result).all()
        assert np.isnan(wt.std(x, axis=axis, correction=correction).to_numpy()).all()
        return
    # A square of a deviation is off by three roundings, its mean by half an ulp more; 2**-17 is 64 of them.
    compare(result, expected, atol=expected * 2**-17)
    compare(
        wt.std(x, axis=axis, correction=correction).to_numpy(),
        np.sqrt(expected).reshape(exact.sum(axis).shape),
        atol=np.max(np.sqrt(expected)) * 2**-17,
    )


def test_variance_far_from_zero(place: Place) -> None:
    x = (values("float32", (1000,), special=False) * np.float32(0.01) + np.float32(1e4)).astype(np.float32)
    exact = np.var(x.astype(np.float64))
    # The mean is off by an ulp of 1e4 at most, which adds its square; a one-pass variance would be off by thousands.
    compare(wt.var(place(x)).to_numpy(), exact, atol=exact * 1e-4 + (np.spacing(np.float32(1e4)) * 2) ** 2)


@pytest.mark.parametrize(("axis", "layout"), CASES, ids=str)
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes(place: Place, name: str, axis: Any, layout: str) -> None:
    x = values("int32", (3, 4, 5))
    expected = getattr(np, name)(x, axis=axis)
    compare(getattr(wt, name)(place(x, layout), axis=axis).to_numpy(), expected)
    kept = getattr(wt, name)(place(x, layout), axis=axis, keepdims=True)
    compare(kept.to_numpy(), getattr(np, name)(x, axis=axis, keepdims=True))


WIDENED = {
    "bool": "int32", "int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64",
    "uint8": "uint32", "uint16": "uint32", "uint32": "uint32", "uint64": "uint64",
}  # fmt: skip


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("dtype", WIDENED)
def test_integers_are_widened(place: Place, computes: Computes, name: str, dtype: str) -> None:
    x = values(dtype, (4, 7), special=False)
    if not computes(dtype):
        with pytest.raises(UnsupportedError):
            getattr(wt, name)(place(x))
        return
    result = getattr(wt, name)(place(x), axis=0)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, axis=0, dtype=WIDENED[dtype])
    assert result.dtype.name == WIDENED[dtype]
    compare(result.to_numpy(), expected)


def test_dtype_argument(place: Place) -> None:
    x = place(np.array([2**31 - 1, 1], np.int32))
    assert wt.sum(x, dtype=wt.float32).dtype is wt.float32
    compare(wt.sum(x, dtype="float32").to_numpy(), np.float32(2**31))
    compare(wt.prod(x, dtype=wt.uint32).to_numpy(), np.uint32(2**31 - 1))
    compare(wt.cumulative_sum(x, dtype=wt.uint32).to_numpy(), np.array([2**31 - 1, 2**31], np.uint32))
    with pytest.raises(DTypeError, match="complex"):
        wt.sum(place(values("complex64", (3,))), dtype=wt.float32)


def test_complex(place: Place) -> None:
    x = values("complex64", (6, 7), special=False)
    wide = x.astype(np.complex128)
    limit = bound(np.abs(wide), 1)[:, 0]
    compare(wt.sum(place(x), axis=1).to_numpy(), wide.sum(1), atol=limit)
    compare(wt.mean(place(x), axis=1).to_numpy(), wide.mean(1), atol=limit)


def test_integer_moments_are_float32(place: Place) -> None:
    x = np.array([[1, 2, 4], [0, 0, 9]], np.int32)
    for name in ("mean", "var", "std"):
        result = getattr(wt, name)(place(x), axis=1)
        assert result.dtype is wt.float32
        compare(result.to_numpy(), getattr(np, name)(x, axis=1), ulps=4)


def test_float16_moments_do_not_overflow(place: Place, computes: Computes) -> None:
    x = np.full((4096,), 60.0, np.float16)
    x[::2] = 20
    if not computes("float16"):
        with pytest.raises(UnsupportedError, match="float16"):
            wt.mean(place(x))
        return
    for name, expected in (("mean", 40), ("var", 400), ("std", 20)):
        result = getattr(wt, name)(place(x))
        assert result.dtype is wt.float16
        compare(result.to_numpy(), np.float16(expected))


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_values(place: Place, special: float) -> None:
    x = np.array([[1, special, 2], [3, 4, 5]], np.float32)
    with np.errstate(invalid="ignore"):
        for name in ("sum", "prod", "max", "min", "mean", "var", "std"):
            compare(getattr(wt, name)(place(x), axis=1).to_numpy(), getattr(np, name)(x, axis=1), ulps=4)


def test_empty_reductions(place: Place) -> None:
    x = place(np.zeros((0, 2), np.float32))
    compare(wt.sum(x, axis=0).to_numpy(), np.zeros(2, np.float32))
    compare(wt.prod(x).to_numpy(), np.float32(1))
    for name in ("mean", "var", "std"):
        assert np.isnan(getattr(wt, name)(x, axis=0).to_numpy()).all()
        assert getattr(wt, name)(x, axis=1).shape == (0,)
    assert np.isnan(complex(wt.mean(place(np.zeros(0, np.complex64)))))
    for name in ("max", "min"):
        assert getattr(wt, name)(x, axis=1).shape == (0,)
        with pytest.raises(ValidationError, match=rf"{name} has no value over axes of length 0, got shape \(0, 2\)"):
            getattr(wt, name)(x)


@pytest.mark.parametrize("include_initial", [False, True])
@pytest.mark.parametrize(("axis", "layout"), [(0, "plain"), (1, "reversed"), (-1, "strided")])
def test_cumulative(place: Place, axis: int, layout: str, include_initial: bool) -> None:
    x = values("int32", (3, 4, 5), special=False) % 5 - 2
    expected = {"sum": np.cumsum(x, axis, dtype=np.int32), "prod": np.cumprod(x, axis, dtype=np.int32)}
    for name, running in expected.items():
        first = np.full_like(running.take([0], axis), name == "prod")
        whole = np.concatenate([first, running], axis) if include_initial else running
        result = getattr(wt, f"cumulative_{name}")(place(x, layout), axis=axis, include_initial=include_initial)
        compare(result.to_numpy(), whole)


def test_cumulative_of_bools_and_floats(place: Place) -> None:
    mask = np.array([True, False, True])
    counted = wt.cumulative_sum(place(mask))
    assert counted.dtype is wt.int32
    compare(counted.to_numpy(), np.array([1, 1, 2], np.int32))
    x = values("float32", (100,), special=False)
    exact = np.cumsum(x.astype(np.float64))
    limit = 16 * np.finfo(np.float32).eps * np.cumsum(np.abs(x.astype(np.float64)))
    compare(wt.cumulative_sum(place(x)).to_numpy(), exact, atol=limit)


ERRORS: list[tuple[Callable[[Array], Any], type[Exception], str]] = [
    (lambda x: wt.sum(x, axis=3), AxisError, r"sum needs an axis within -3 to 2, got 3"),
    (lambda x: wt.mean(x, axis=(0, -3)), ValidationError, r"mean needs each axis once"),
    (wt.cumulative_sum, ValidationError, r"cumulative_sum needs an axis of an array with 3 axes"),
    (lambda x: wt.mean(x > 0), DTypeError, r"mean takes .* arrays, got bool; convert"),
    (lambda x: wt.max(x > 0), DTypeError, r"max takes .* arrays, got bool"),
    (lambda x: wt.sum(x, dtype=wt.bool), DTypeError, r"sum takes .* arrays, got bool; leave dtype out"),
    (lambda x: wt.cumulative_sum(x, axis=0, dtype="bool"), DTypeError, r"cumulative_sum takes .* arrays, got bool"),
    (lambda x: wt.sum(x, dtype="nothing"), DTypeError, r"no dtype 'nothing'"),
    (lambda x: wt.sum(x, axis=1.5), ValidationError, r"sum needs an integer as axis, got 1.5"),  # type: ignore[arg-type]
    (lambda x: wt.std([x]), DTypeError, r"std takes a wgtensor array, got list"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("function", "error", "text"), ERRORS)
def test_errors(place: Place, function: Callable[[Array], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        function(place(X))
