"""Elementwise comparisons, tests of floats, logic, and operations on bits.

Parameters and errors are those of ``elementwise_functions``.
"""

from __future__ import annotations

from wgtensor.array import dispatch
from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.elementwise import binary, unary

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "signbit",
]


def bitwise_and(x1: Array | int, x2: Array | int, /) -> Array:
    """Return the bits set in both; on bools, the logical and.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.bitwise_and(wt.asarray([6, 5]), 3).tolist()
    [2, 1]
    """
    return binary("bitwise_and", x1, x2, dispatch.bitwise)


def bitwise_invert(x: Array, /) -> Array:
    """Return all bits flipped; on bools, the logical not.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.bitwise_invert(wt.asarray([0, 5])).tolist()
    [-1, -6]
    """
    return unary("bitwise_not", x, dispatch.bitwise)


def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Return ``x1 << x2`` for ``x2 >= 0``; 0 if all bits are shifted out.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.bitwise_left_shift(wt.asarray([1, 3]), 2).tolist()
    [4, 12]
    """
    return binary("shift_left", x1, x2)


def bitwise_or(x1: Array | int, x2: Array | int, /) -> Array:
    """Return the bits set in either; on bools, the logical or.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.bitwise_or(wt.asarray([6, 5]), 3).tolist()
    [7, 7]
    """
    return binary("bitwise_or", x1, x2, dispatch.bitwise)


def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Return ``x1 >> x2`` for ``x2 >= 0``, keeping the sign; 0 or -1 if all bits are shifted out.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.bitwise_right_shift(wt.asarray([8, -8]), 2).tolist()
    [2, -2]
    """
    return binary("shift_right", x1, x2)


def bitwise_xor(x1: Array | int, x2: Array | int, /) -> Array:
    """Return the bits set in one of both; on bools, the exclusive or.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.bitwise_xor(wt.asarray([6, 5]), 3).tolist()
    [5, 6]
    """
    return binary("bitwise_xor", x1, x2, dispatch.bitwise)


def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return where ``x1 == x2``, as bool; NaN equals nothing.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.equal(wt.asarray([1, 2]), 2).tolist()
    [False, True]
    """
    return binary("equal", x1, x2, dispatch.compare)


def greater(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 > x2``, as bool; complex numbers have no order.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.greater(wt.asarray([1, 2, 3]), 2).tolist()
    [False, False, True]
    """
    return binary("greater", x1, x2, dispatch.compare)


def greater_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 >= x2``, as bool; complex numbers have no order.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.greater_equal(wt.asarray([1, 2, 3]), 2).tolist()
    [False, True, True]
    """
    return binary("greater_equal", x1, x2, dispatch.compare)


def isfinite(x: Array, /) -> Array:
    """Return which elements are neither infinite nor NaN, as bool.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.isfinite(wt.asarray([1.0, wt.inf, wt.nan])).tolist()
    [True, False, False]
    """
    return _is_special("isfinite", x)


def isinf(x: Array, /) -> Array:
    """Return which elements are infinite, as bool; of a complex number either part.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.isinf(wt.asarray([1.0, wt.inf, wt.nan])).tolist()
    [False, True, False]
    """
    return _is_special("isinf", x)


def isnan(x: Array, /) -> Array:
    """Return which elements are NaN, as bool; of a complex number either part.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.isnan(wt.asarray([1.0, wt.inf, wt.nan])).tolist()
    [False, False, True]
    """
    return _is_special("isnan", x)


def less(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 < x2``, as bool; complex numbers have no order.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.less(wt.asarray([1, 2, 3]), 2).tolist()
    [True, False, False]
    """
    return binary("less", x1, x2, dispatch.compare)


def less_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """Return where ``x1 <= x2``, as bool; complex numbers have no order.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.less_equal(wt.asarray([1, 2, 3]), 2).tolist()
    [True, True, False]
    """
    return binary("less_equal", x1, x2, dispatch.compare)


def logical_and(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Return where both bools are True.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.logical_and(wt.asarray([True, False]), True).tolist()
    [True, False]
    """
    return binary("logical_and", x1, x2)


def logical_not(x: Array, /) -> Array:
    """Return where a bool is False.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.logical_not(wt.asarray([True, False])).tolist()
    [False, True]
    """
    return unary("logical_not", x)


def logical_or(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Return where either bool is True.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.logical_or(wt.asarray([True, False]), False).tolist()
    [True, False]
    """
    return binary("logical_or", x1, x2)


def logical_xor(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Return where one of both bools is True.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.logical_xor(wt.asarray([True, False]), True).tolist()
    [False, True]
    """
    return binary("logical_xor", x1, x2)


def not_equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Return where ``x1 != x2``, as bool; NaN differs from everything.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.not_equal(wt.asarray([1, 2]), 2).tolist()
    [True, False]
    """
    return binary("not_equal", x1, x2, dispatch.compare)


def signbit(x: Array, /) -> Array:
    """Return where the sign bit is set, as bool, also of -0 and NaN; takes real floats.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.signbit(wt.asarray([-0.0, 0.0])).tolist()
    [True, False]
    """
    return unary("signbit", x)


def _is_special(name: str, x: Array) -> Array:
    """Run a predicate of floats and complex numbers; integers, always finite, are compared with themselves."""
    if not required_array(name, x).dtype.is_integer:
        return unary(name, x)
    return equal(x, x) if name == "isfinite" else not_equal(x, x)
