"""Linear algebra functions of the main namespace: matrix products, inner products and transposes of stacks."""

from __future__ import annotations

from collections.abc import Sequence

from wgtensor.array import contraction, shaping
from wgtensor.array.array import Array
from wgtensor.array.calls import call, call_on
from wgtensor.contract.session import SessionBase
from wgtensor.tensor import Tensor

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def matmul(x1: Array, x2: Array, /) -> Array:
    """Return the matrix product over the last two axes; the operator ``@``.

    Parameters
    ----------
    x1
        Numeric array, ``(..., M, K)`` or ``(K,)``.
    x2
        Numeric array, ``(..., K, N)`` or ``(K,)``; batch axes broadcast with those of ``x1``.

    Returns
    -------
    Array
        ``(..., M, N)`` in the promoted dtype; without M or N where that operand is a vector.

    Raises
    ------
    ValidationError
        An operand has no axes, the contracted lengths differ, or batch axes do not broadcast.
    DTypeError
        The dtypes are not numeric or do not promote.

    Examples
    --------
    >>> import wgtensor as wt
    >>> x = wt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> wt.matmul(x, wt.asarray([1.0, 1.0])).tolist()
    [3.0, 7.0]
    """
    return call_on("matmul", _matmul, (x1, x2))


def _matmul(session: SessionBase, lhs: Tensor, rhs: Tensor) -> Tensor:
    return contraction.matmul(session, "matmul", (lhs, rhs))


def matrix_transpose(x: Array, /) -> Array:
    """Return the transpose of each matrix: the view of ``x``, ``(..., M, N)``, as ``(..., N, M)``.

    Raises
    ------
    ValidationError
        ``x`` has fewer than two axes.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.matrix_transpose(wt.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    return call("matrix_transpose", shaping.swap_last, x, "matrix_transpose")


def tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """Return the contraction of axes of ``x1`` with axes of ``x2``; ``axes`` may be given by position, as in NumPy.

    Parameters
    ----------
    x1, x2
        Numeric arrays.
    axes
        How many of the last axes of ``x1`` meet as many of the first of ``x2``; or two sequences of axes, in pairs.

    Returns
    -------
    Array
        The other axes of ``x1``, then those of ``x2``, in the promoted dtype.

    Raises
    ------
    ValidationError
        Axes do not exist, or their lengths differ.
    DTypeError
        The dtypes are not numeric or do not promote.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.tensordot(wt.ones((2, 3)), wt.ones((3, 4)), 1).shape
    (2, 4)
    """
    return call_on("tensordot", contraction.tensordot, (x1, x2), axes)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Return the sum of ``conj(x1) * x2`` over one axis; the other axes broadcast.

    Parameters
    ----------
    x1, x2
        Numeric arrays, equally long on ``axis``.
    axis
        Negative: counted from the end, before broadcasting.

    Raises
    ------
    ValidationError
        ``axis`` is not negative or does not exist in both, or the lengths differ.
    DTypeError
        The dtypes are not numeric or do not promote.

    Examples
    --------
    >>> import wgtensor as wt
    >>> float(wt.vecdot(wt.asarray([1.0, 2.0]), wt.asarray([3.0, 4.0])))
    11.0
    """
    return call_on("vecdot", contraction.vecdot, (x1, x2), axis)
