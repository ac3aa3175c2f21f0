"""Elementwise functions of the standard: signature, meaning, and one call each.

Parameters are an array, or two of which one may be a Python number; shapes broadcast, dtypes promote within their kind,
numbers take the dtype of the array beside them. All raise DTypeError for dtypes that they do not take, ValidationError
for shapes that do not broadcast and for arrays of two devices, and UnsupportedError for what a device does not compute.
``docs/operations.md`` states dtypes and accuracy of each. Results wait in the fusion window of their shape.

Examples
--------
>>> import wgtensor as wt
>>> x = wt.asarray([1.0, -4.0])
>>> wt.sqrt(wt.abs(x)).tolist(), (wt.maximum(x, 0) + 1).tolist()
([1.0, 2.0], [2.0, 1.0])
"""

from __future__ import annotations

from wgtensor.array import dispatch
from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.clipping import clipped
from wgtensor.array.elementwise import binary, unary, unary_of_inexact

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]


def abs(x: Array, /) -> Array:
    """Return magnitudes; of complex numbers as real ones. abs of the least integer is itself."""
    return unary("abs", x)


def acos(x: Array, /) -> Array:
    """Return arc cosines in radians, 0 to pi; NaN outside -1 to 1 for floats."""
    return unary("acos", x)


def acosh(x: Array, /) -> Array:
    """Return inverse hyperbolic cosines; NaN below 1 for floats."""
    return unary("acosh", x)


def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 + x2``; integers wrap."""
    return binary("add", x1, x2)


def asin(x: Array, /) -> Array:
    """Return arc sines in radians, -pi/2 to pi/2; NaN outside -1 to 1 for floats."""
    return unary("asin", x)


def asinh(x: Array, /) -> Array:
    """Return inverse hyperbolic sines."""
    return unary("asinh", x)


def atan(x: Array, /) -> Array:
    """Return arc tangents in radians, -pi/2 to pi/2."""
    return unary("atan", x)


def atan2(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the angles of the points (x2, x1) in radians, -pi to pi; takes real floats."""
    return binary("atan2", x1, x2)


def atanh(x: Array, /) -> Array:
    """Return inverse hyperbolic tangents; infinite at -1 and 1, NaN beyond for floats."""
    return unary("atanh", x)


def bitwise_and(x1: Array | int, x2: Array | int, /) -> Array:
    """Return the bits set in both; on bools, the logical and."""
    return binary("bitwise_and", x1, x2, dispatch.bitwise)


def bitwise_invert(x: Array, /) -> Array:
    """Return all bits flipped; on bools, the logical not."""
    return unary("bitwise_not", x, dispatch.bitwise)


def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Return ``x1 << x2`` for ``x2 >= 0``; 0 if all bits are shifted out."""
    return binary("shift_left", x1, x2)


def bitwise_or(x1: Array | int, x2: Array | int, /) -> Array:
    """Return the bits set in either; on bools, the logical or."""
    return binary("bitwise_or", x1, x2, dispatch.bitwise)


def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Return ``x1 >> x2`` for ``x2 >= 0``, keeping the sign; 0 or -1 if all bits are shifted out."""
    return binary("shift_right", x1, x2)


def bitwise_xor(x1: Array | int, x2: Array | int, /) -> Array:
    """Return the bits set in one of both; on bools, the exclusive or."""
    return binary("bitwise_xor", x1, x2, dispatch.bitwise)


def ceil(x: Array, /) -> Array:
    """Return the least integers not below ``x``, in its dtype."""
    return unary_of_inexact("ceil", x)


def clip(x: Array, /, min: Array | float | None = None, max: Array | float | None = None) -> Array:
    """Return ``x`` limited to ``min`` and ``max``, in its dtype; NaN stays, and a NaN limit gives NaN.

    Parameters
    ----------
    x
        Integers or real floats, of any shape that broadcasts with the limits.
    min, max
        Arrays of the kind of ``x``, numbers that fit it, or None for no limit. Where ``min > max``: ``max``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.clip(wt.asarray([-3, 0, 9]), max=5).tolist()
    [-3, 0, 5]
    """
    return clipped(required_array("clip", x), min, max)


def conj(x: Array, /) -> Array:
    """Return complex conjugates; real numbers are their own."""
    return unary_of_inexact("conj", x)


def copysign(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the magnitudes of ``x1`` with the signs of ``x2``, those of zeros and NaN too; takes real floats."""
    return binary("copysign", x1, x2)


def cos(x: Array, /) -> Array:
    """Return cosines of radians."""
    return unary("cos", x)


def cosh(x: Array, /) -> Array:
    """Return hyperbolic cosines."""
    return unary("cosh", x)


def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 / x2``, never an integer: integer operands become float32 first, as with the operator ``/``."""
    return binary("divide", x1, x2, dispatch.divide)


def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return where ``x1 == x2``, as bool; NaN equals nothing."""
    return binary("equal", x1, x2, dispatch.compare)


def exp(x: Array, /) -> Array:
    """Return e to the power of ``x``."""
    return unary("exp", x)


def expm1(x: Array, /) -> Array:
    """Return ``exp(x) - 1``, accurate near 0."""
    return unary("expm1", x)


def floor(x: Array, /) -> Array:
    """Return the greatest integers not above ``x``, in its dtype."""
    return unary_of_inexact("floor", x)


def floor_divide(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the greatest integers not above ``x1 / x2``; that itself if one of them is infinite; ints by 0 give 0."""
    return binary("floor_divide", x1, x2)


def greater(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 > x2``, as bool; complex numbers have no order."""
    return binary("greater", x1, x2, dispatch.compare)


def greater_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 >= x2``, as bool; complex numbers have no order."""
    return binary("greater_equal", x1, x2, dispatch.compare)


def hypot(x1: Array | float, x2: Array | float, /) -> Array:
    """Return ``sqrt(x1 * x1 + x2 * x2)`` without overflow on the way; takes real floats."""
    return binary("hypot", x1, x2)


def imag(x: Array, /) -> Array:
    """Return imaginary parts, as real numbers; of complex arrays."""
    return unary("imag", x)


def isfinite(x: Array, /) -> Array:
    """Return which elements are neither infinite nor NaN, as bool."""
    return _is_special("isfinite", x)


def isinf(x: Array, /) -> Array:
    """Return which elements are infinite, as bool; of a complex number either part."""
    return _is_special("isinf", x)


def isnan(x: Array, /) -> Array:
    """Return which elements are NaN, as bool; of a complex number either part."""
    return _is_special("isnan", x)


def less(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 < x2``, as bool; complex numbers have no order."""
    return binary("less", x1, x2, dispatch.compare)


def less_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 <= x2``, as bool; complex numbers have no order."""
    return binary("less_equal", x1, x2, dispatch.compare)


def log(x: Array, /) -> Array:
    """Return natural logarithms; -inf at 0, NaN below for floats."""
    return unary("log", x)


def log10(x: Array, /) -> Array:
    """Return logarithms of base 10; -inf at 0, NaN below for floats."""
    return unary("log10", x)


def log1p(x: Array, /) -> Array:
    """Return ``log(1 + x)``, accurate near 0."""
    return unary("log1p", x)


def log2(x: Array, /) -> Array:
    """Return logarithms of base 2; -inf at 0, NaN below for floats."""
    return unary("log2", x)


def logaddexp(x1: Array | float, x2: Array | float, /) -> Array:
    """Return ``log(exp(x1) + exp(x2))`` without overflow on the way; takes real floats."""
    return binary("logaddexp", x1, x2)


def logical_and(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Return where both bools are True."""
    return binary("logical_and", x1, x2)


def logical_not(x: Array, /) -> Array:
    """Return where a bool is False."""
    return unary("logical_not", x)


def logical_or(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Return where either bool is True."""
    return binary("logical_or", x1, x2)


def logical_xor(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Return where one of both bools is True."""
    return binary("logical_xor", x1, x2)


def maximum(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the larger of both; NaN if either is NaN."""
    return binary("maximum", x1, x2)


def minimum(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the smaller of both; NaN if either is NaN."""
    return binary("minimum", x1, x2)


def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 * x2``; integers wrap."""
    return binary("mul", x1, x2)


def negative(x: Array, /) -> Array:
    """Return ``-x``; integers wrap."""
    return unary("neg", x)


def nextafter(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the floats next to ``x1`` in the direction of ``x2``; takes real floats."""
    return binary("nextafter", x1, x2)


def not_equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return where ``x1 != x2``, as bool; NaN differs from everything."""
    return binary("not_equal", x1, x2, dispatch.compare)


def positive(x: Array, /) -> Array:
    """Return ``x``."""
    return required_array("positive", x).__pos__()


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


def real(x: Array, /) -> Array:
    """Return real parts, as real numbers; real numbers are their own."""
    return unary_of_inexact("real", x)


def reciprocal(x: Array, /) -> Array:
    """Return ``1 / x``; takes floats and complex numbers."""
    return unary("reciprocal", x)


def remainder(x1: Array | float, x2: Array | float, /) -> Array:
    """Return ``x1 - floor_divide(x1, x2) * x2``, with the sign of ``x2``; an integer by 0 gives 0.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.remainder(wt.asarray([5, -5]), 3).tolist()
    [2, 1]
    """
    return binary("remainder", x1, x2)


def round(x: Array, /) -> Array:
    """Return the nearest integers, in the dtype of ``x``, halves to the even one; of both parts of complex numbers."""
    return unary_of_inexact("round", x)


def sign(x: Array, /) -> Array:
    """Return -1, 0 or 1 with the sign, +0 for both zeros, NaN for NaN; ``x / abs(x)`` for complex numbers, 0 at 0."""
    return unary("sign", x, dispatch.sign)


def signbit(x: Array, /) -> Array:
    """Return where the sign bit is set, as bool, also of -0 and NaN; takes real floats."""
    return unary("signbit", x)


def sin(x: Array, /) -> Array:
    """Return sines of radians."""
    return unary("sin", x)


def sinh(x: Array, /) -> Array:
    """Return hyperbolic sines."""
    return unary("sinh", x)


def sqrt(x: Array, /) -> Array:
    """Return square roots; NaN below 0 for floats, the root with non-negative real part for complex numbers."""
    return unary("sqrt", x)


def square(x: Array, /) -> Array:
    """Return ``x * x``; integers wrap."""
    return unary("square", x)


def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 - x2``; integers wrap."""
    return binary("sub", x1, x2)


def tan(x: Array, /) -> Array:
    """Return tangents of radians."""
    return unary("tan", x)


def tanh(x: Array, /) -> Array:
    """Return hyperbolic tangents."""
    return unary("tanh", x)


def trunc(x: Array, /) -> Array:
    """Return ``x`` rounded towards 0, in its dtype."""
    return unary_of_inexact("trunc", x)


def _is_special(name: str, x: Array) -> Array:
    """Run a predicate of floats and complex numbers; integers, always finite, are compared with themselves."""
    if not required_array(name, x).dtype.is_integer:
        return unary(name, x)
    return equal(x, x) if name == "isfinite" else not_equal(x, x)
