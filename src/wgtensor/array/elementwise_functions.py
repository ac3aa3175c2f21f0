"""Elementwise functions of the standard: signature, meaning, and one call each. Here are arithmetic and rounding.

Functions of analysis are in ``analytic_functions``, comparisons, logic and bits in ``predicate_functions``.

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
    "add",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "divide",
    "floor",
    "floor_divide",
    "imag",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "positive",
    "real",
    "remainder",
    "round",
    "sign",
    "square",
    "subtract",
    "trunc",
]


def abs(x: Array, /) -> Array:
    """Return magnitudes; of complex numbers as real ones. abs of the least integer is itself.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.abs(wt.asarray([-3, 4])).tolist()
    [3, 4]
    """
    return unary("abs", x)


def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 + x2``; integers wrap.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.add(wt.asarray([1, 2]), 3).tolist()
    [4, 5]
    """
    return binary("add", x1, x2)


def ceil(x: Array, /) -> Array:
    """Return the least integers not below ``x``, in its dtype.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.ceil(wt.asarray([-1.5, 1.5])).tolist()
    [-1.0, 2.0]
    """
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
    """Return complex conjugates; real numbers are their own.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.conj(wt.asarray([1 + 2j])).tolist()
    [(1-2j)]
    """
    return unary_of_inexact("conj", x)


def copysign(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the magnitudes of ``x1`` with the signs of ``x2``, those of zeros and NaN too; takes real floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.copysign(wt.asarray([1.0, -2.0]), -0.0).tolist()
    [-1.0, -2.0]
    """
    return binary("copysign", x1, x2)


def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 / x2``, never an integer: integer operands become float32 first, as with the operator ``/``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.divide(wt.asarray([3, 4]), 2).tolist()
    [1.5, 2.0]
    """
    return binary("divide", x1, x2, dispatch.divide)


def floor(x: Array, /) -> Array:
    """Return the greatest integers not above ``x``, in its dtype.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.floor(wt.asarray([-1.5, 1.5])).tolist()
    [-2.0, 1.0]
    """
    return unary_of_inexact("floor", x)


def floor_divide(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the greatest integers not above ``x1 / x2``; that itself if one of them is infinite; ints by 0 give 0.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.floor_divide(wt.asarray([7, -7]), 2).tolist()
    [3, -4]
    """
    return binary("floor_divide", x1, x2)


def imag(x: Array, /) -> Array:
    """Return imaginary parts, as real numbers; of complex arrays.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.imag(wt.asarray([1 + 2j])).tolist()
    [2.0]
    """
    return unary("imag", x)


def maximum(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the larger of both; NaN if either is NaN.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.maximum(wt.asarray([1, 5]), 3).tolist()
    [3, 5]
    """
    return binary("maximum", x1, x2)


def minimum(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the smaller of both; NaN if either is NaN.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.minimum(wt.asarray([1, 5]), 3).tolist()
    [1, 3]
    """
    return binary("minimum", x1, x2)


def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 * x2``; integers wrap.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.multiply(wt.asarray([1, 2]), 3).tolist()
    [3, 6]
    """
    return binary("mul", x1, x2)


def negative(x: Array, /) -> Array:
    """Return ``-x``; integers wrap.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.negative(wt.asarray([1, -2])).tolist()
    [-1, 2]
    """
    return unary("neg", x)


def nextafter(x1: Array | float, x2: Array | float, /) -> Array:
    """Return the floats next to ``x1`` in the direction of ``x2``; takes real floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> (wt.nextafter(wt.asarray([1.0]), 2.0) > 1).tolist()
    [True]
    """
    return binary("nextafter", x1, x2)


def positive(x: Array, /) -> Array:
    """Return ``x``.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.positive(wt.asarray([1, -2])).tolist()
    [1, -2]
    """
    return required_array("positive", x).__pos__()


def real(x: Array, /) -> Array:
    """Return real parts, as real numbers; real numbers are their own.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.real(wt.asarray([1 + 2j])).tolist()
    [1.0]
    """
    return unary_of_inexact("real", x)


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
    """Return the nearest integers, in the dtype of ``x``, halves to the even one; of both parts of complex numbers.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.round(wt.asarray([0.5, 1.5, 2.6])).tolist()
    [0.0, 2.0, 3.0]
    """
    return unary_of_inexact("round", x)


def sign(x: Array, /) -> Array:
    """Return -1, 0 or 1 with the sign, +0 for both zeros, NaN for NaN; ``x / abs(x)`` for complex numbers, 0 at 0.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.sign(wt.asarray([-3, 0, 4])).tolist()
    [-1, 0, 1]
    """
    return unary("sign", x, dispatch.sign)


def square(x: Array, /) -> Array:
    """Return ``x * x``; integers wrap.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.square(wt.asarray([2, -3])).tolist()
    [4, 9]
    """
    return unary("square", x)


def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return ``x1 - x2``; integers wrap.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.subtract(wt.asarray([5, 7]), 2).tolist()
    [3, 5]
    """
    return binary("sub", x1, x2)


def trunc(x: Array, /) -> Array:
    """Return ``x`` rounded towards 0, in its dtype.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.trunc(wt.asarray([-1.5, 1.5])).tolist()
    [-1.0, 1.0]
    """
    return unary_of_inexact("trunc", x)
