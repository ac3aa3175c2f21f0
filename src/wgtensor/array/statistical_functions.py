"""Statistical functions: sums, products, extremes and moments over axes. Variances are taken in two passes."""

from __future__ import annotations

from wgtensor.array import reduction
from wgtensor.array.array import Array
from wgtensor.array.calls import call
from wgtensor.array.dtypes import optional_dtype_of
from wgtensor.tensor import DTypeLike

__all__ = ["cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var"]


def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Array:
    """Return the products of the elements up to each position along an axis; see :func:`cumulative_sum`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.cumulative_prod(wt.asarray([2, 3, 4])).tolist()
    [2, 6, 24]
    """
    return call("cumulative_prod", reduction.cumulate, x, "prod", axis, optional_dtype_of(dtype), include_initial)


def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Array:
    """Return the sums of the elements up to each position along an axis.

    Parameters
    ----------
    x
        Array of at least one axis.
    axis
        Along which; may be left out where there is only one.
    dtype
        Of the result and of the additions; by default as in :func:`sum`.
    include_initial
        Whether the sum of nothing comes first, so that the axis is longer by one.

    Raises
    ------
    ValidationError
        ``axis`` is left out of an array of other than one axis, or does not exist.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.cumulative_sum(wt.asarray([1, 2, 3]), include_initial=True).tolist()
    [0, 1, 3, 6]
    """
    return call("cumulative_sum", reduction.cumulate, x, "sum", axis, optional_dtype_of(dtype), include_initial)


def max(x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return the largest element; NaN if any is NaN.

    Parameters
    ----------
    x
        Array of integers or floats.
    axis
        One or several axes; None means all.
    keepdims
        Whether reduced axes stay, with length 1.

    Raises
    ------
    ValidationError
        A reduced axis has length 0.
    DTypeError
        ``x`` is bool or complex.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.max(wt.asarray([[1, 5], [7, 2]]), axis=0).tolist()
    [7, 5]
    """
    return call("max", reduction.extreme, x, "max", axis, keepdims)


def mean(x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return the arithmetic mean; NaN of no elements.

    Parameters
    ----------
    x
        Numeric array. The mean of integers is float32; the other dtypes are kept.
    axis, keepdims
        As in :func:`max`.

    Raises
    ------
    DTypeError
        ``x`` is bool.

    Examples
    --------
    >>> import wgtensor as wt
    >>> float(wt.mean(wt.asarray([1.0, 2.0, 6.0])))
    3.0
    """
    return call("mean", reduction.mean, x, axis, keepdims)


def min(x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return the smallest element; NaN if any is NaN. Parameters and errors are those of :func:`max`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> int(wt.min(wt.asarray([3, 1, 2])))
    1
    """
    return call("min", reduction.extreme, x, "min", axis, keepdims)


def prod(
    x: Array,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Array:
    """Return the product; 1 of no elements. Parameters and dtypes are those of :func:`sum`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> int(wt.prod(wt.asarray([2, 3, 4])))
    24
    """
    return call("prod", reduction.accumulate, x, "prod", axis, optional_dtype_of(dtype), keepdims)


def std(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Return the standard deviation, the square root of :func:`var`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> float(wt.std(wt.asarray([1.0, 3.0])))
    1.0
    """
    return call("std", reduction.deviation, x, axis, correction, keepdims)


def sum(
    x: Array,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Array:
    """Return the sum; 0 of no elements.

    Parameters
    ----------
    x
        Numeric or bool array.
    axis
        One or several axes; None means all.
    dtype
        Of the result and of the additions. By default that of ``x``, but int32 for bool and smaller signed integers,
        uint32 for smaller unsigned ones. Integers wrap.
    keepdims
        Whether reduced axes stay, with length 1.

    Raises
    ------
    AxisError
        There is no such axis.
    DTypeError
        ``dtype`` is bool, or real for complex ``x``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.sum(wt.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=1, keepdims=True).tolist()
    [[3.0], [7.0]]
    """
    return call("sum", reduction.accumulate, x, "sum", axis, optional_dtype_of(dtype), keepdims)


def var(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Return the variance: the mean of the squared deviations from the mean, in two passes.

    Parameters
    ----------
    x
        Real array. The variance of integers is float32.
    axis, keepdims
        As in :func:`max`.
    correction
        The squares of ``n`` elements are divided by ``n - correction``; NaN unless that is positive.

    Raises
    ------
    DTypeError
        ``x`` is bool or complex.

    Examples
    --------
    >>> import wgtensor as wt
    >>> float(wt.var(wt.asarray([1.0, 2.0, 3.0]), correction=1))
    1.0
    """
    return call("var", reduction.variance, x, "var", axis, correction, keepdims)
