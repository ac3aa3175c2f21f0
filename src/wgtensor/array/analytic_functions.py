"""Elementwise functions of analysis: powers, roots, exponentials, logarithms, and those of angles.

Parameters and errors are those of ``elementwise_functions``; ``docs/operations.md`` states the accuracy of each.
"""

from __future__ import annotations

from wgtensor.array.array import Array
from wgtensor.array.elementwise import binary, unary

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "pow",
    "reciprocal",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


def acos(x: Array, /) -> Array:
    """Return arc cosines in radians, 0 to pi; NaN outside -1 to 1 for floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.acos(wt.asarray([1.0, 2.0])).tolist()
    [0.0, nan]
    """
    return unary("acos", x)


def acosh(x: Array, /) -> Array:
    """Return inverse hyperbolic cosines; NaN below 1 for floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.acosh(wt.asarray([1.0, 0.5])).tolist()
    [0.0, nan]
    """
    return unary("acosh", x)


def asin(x: Array, /) -> Array:
    """Return arc sines in radians, -pi/2 to pi/2; NaN outside -1 to 1 for floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.asin(wt.asarray([0.0, 2.0])).tolist()
    [0.0, nan]
    """
    return unary("asin", x)


def asinh(x: Array, /) -> Array:
    """Return inverse hyperbolic sines.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.asinh(wt.asarray([0.0])).tolist()
    [0.0]
    """
    return unary("asinh", x)


def atan(x: Array, /) -> Array:
    """Return arc tangents in radians, -pi/2 to pi/2.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.atan(wt.asarray([0.0])).tolist()
    [0.0]
    """
    return unary("atan", x)


def atan2(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the angles of the points (x2, x1) in radians, -pi to pi; takes real floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.atan2(wt.asarray([0.0]), wt.asarray([1.0])).tolist()
    [0.0]
    """
    return binary("atan2", x1, x2)


def atanh(x: Array, /) -> Array:
    """Return inverse hyperbolic tangents; infinite at -1 and 1, NaN beyond for floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.atanh(wt.asarray([0.0, 1.0])).tolist()
    [0.0, inf]
    """
    return unary("atanh", x)


def cos(x: Array, /) -> Array:
    """Return cosines of radians.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.cos(wt.asarray([0.0])).tolist()
    [1.0]
    """
    return unary("cos", x)


def cosh(x: Array, /) -> Array:
    """Return hyperbolic cosines.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.cosh(wt.asarray([0.0])).tolist()
    [1.0]
    """
    return unary("cosh", x)


def exp(x: Array, /) -> Array:
    """Return e to the power of ``x``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.exp(wt.asarray([0.0])).tolist()
    [1.0]
    """
    return unary("exp", x)


def expm1(x: Array, /) -> Array:
    """Return ``exp(x) - 1``, accurate near 0.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.expm1(wt.asarray([0.0])).tolist()
    [0.0]
    """
    return unary("expm1", x)


def hypot(x1: Array | float, x2: Array | float, /) -> Array:
    """Return ``sqrt(x1 * x1 + x2 * x2)`` without overflow on the way; takes real floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.hypot(wt.asarray([3.0]), wt.asarray([4.0])).tolist()
    [5.0]
    """
    return binary("hypot", x1, x2)


def log(x: Array, /) -> Array:
    """Return natural logarithms; -inf at 0, NaN below for floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.log(wt.asarray([1.0, 0.0])).tolist()
    [0.0, -inf]
    """
    return unary("log", x)


def log10(x: Array, /) -> Array:
    """Return logarithms of base 10; -inf at 0, NaN below for floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.log10(wt.asarray([1.0, 0.0])).tolist()
    [0.0, -inf]
    """
    return unary("log10", x)


def log1p(x: Array, /) -> Array:
    """Return ``log(1 + x)``, accurate near 0.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.log1p(wt.asarray([0.0, -1.0])).tolist()
    [0.0, -inf]
    """
    return unary("log1p", x)


def log2(x: Array, /) -> Array:
    """Return logarithms of base 2; -inf at 0, NaN below for floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.log2(wt.asarray([1.0, 0.0])).tolist()
    [0.0, -inf]
    """
    return unary("log2", x)


def logaddexp(x1: Array | float, x2: Array | float, /) -> Array:
    """Return ``log(exp(x1) + exp(x2))`` without overflow on the way; takes real floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.logaddexp(wt.asarray([2.0]), -wt.inf).tolist()
    [2.0]
    """
    return binary("logaddexp", x1, x2)


def pow(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 ** x2``; integers wrap.

    Floats follow C's ``pow``: ``pow(1, nan)`` and ``pow(nan, 0)`` are 1. A negative power of an integer, no integer,
    is 0; of 1 and -1 it is theirs.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.pow(wt.asarray([2, 3]), 3).tolist()
    [8, 27]
    """
    return binary("pow", x1, x2)


def reciprocal(x: Array, /) -> Array:
    """Return ``1 / x``; takes floats and complex numbers.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.reciprocal(wt.asarray([2.0, 4.0])).tolist()
    [0.5, 0.25]
    """
    return unary("reciprocal", x)


def sin(x: Array, /) -> Array:
    """Return sines of radians.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.sin(wt.asarray([0.0])).tolist()
    [0.0]
    """
    return unary("sin", x)


def sinh(x: Array, /) -> Array:
    """Return hyperbolic sines.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.sinh(wt.asarray([0.0])).tolist()
    [0.0]
    """
    return unary("sinh", x)


def sqrt(x: Array, /) -> Array:
    """Return square roots; NaN below 0 for floats, the root with non-negative real part for complex numbers.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.sqrt(wt.asarray([4.0, -1.0])).tolist()
    [2.0, nan]
    """
    return unary("sqrt", x)


def tan(x: Array, /) -> Array:
    """Return tangents of radians.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.tan(wt.asarray([0.0])).tolist()
    [0.0]
    """
    return unary("tan", x)


def tanh(x: Array, /) -> Array:
    """Return hyperbolic tangents.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.tanh(wt.asarray([0.0])).tolist()
    [0.0]
    """
    return unary("tanh", x)
