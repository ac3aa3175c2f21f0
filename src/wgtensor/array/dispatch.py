"""From operands of an array function to one session operation: promotion, broadcasting, Python numbers.

Works on tensors and numbers, below :class:`wgtensor.array.Array`; adds no laziness and no cache of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wgtensor.array.promotion import result_dtype
from wgtensor.array.python_numbers import beside
from wgtensor.array.refusals import retold, spoken
from wgtensor.contract import CompareDirection
from wgtensor.contract.session import SessionBase
from wgtensor.errors import DTypeError, UnsupportedError, ValidationError
from wgtensor.tensor import DType, Shape, Tensor, bool_, float32

__all__ = [
    "apply",
    "bitwise",
    "broadcast_shapes",
    "broadcast_to",
    "broadcasted",
    "choose",
    "compare",
    "converted",
    "divide",
    "sign",
]

_DIRECTIONS: Final = {
    "equal": CompareDirection.EQ,
    "not_equal": CompareDirection.NE,
    "less": CompareDirection.LT,
    "less_equal": CompareDirection.LE,
    "greater": CompareDirection.GT,
    "greater_equal": CompareDirection.GE,
}
"""Comparisons by the standard's names."""

_LOGICAL: Final = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "bitwise_not": "logical_not",
}
"""What bitwise operations are on bools."""


def apply(
    session: SessionBase, name: str, operands: tuple[Any, ...], *, public: str | None = None, **attributes: Any
) -> Tensor:
    """Run elementwise operation ``name`` on tensors and numbers, promoted and broadcast first.

    Errors name the operation ``public``, by default as the standard does.

    Raises
    ------
    DTypeError
        Dtypes do not promote, or a number's kind does not fit.
    ValidationError
        Shapes do not broadcast.
    """
    first = None
    for each in operands:
        if type(each) is Tensor:
            if first is None:
                first = each
            elif each.dtype is not first.dtype or each.shape != first.shape:
                return _apply_mixed(session, name, public or spoken(name), operands, attributes)
    try:
        return session.apply(name, operands, **attributes)
    except (DTypeError, UnsupportedError, ValidationError) as error:
        if first is None:
            raise
        if first.dtype.is_float and complex in map(type, operands):
            return _apply_mixed(session, name, public or spoken(name), operands, attributes)
        raise retold(name, public or spoken(name), operands, first.dtype, error) from None


def _apply_mixed(
    session: SessionBase, name: str, public: str, operands: tuple[Any, ...], attributes: dict[str, Any]
) -> Tensor:
    """Bring operands to one dtype and shape, then run."""
    tensors = [each for each in operands if isinstance(each, Tensor)]
    dtype, shape = _common_dtype(public, operands), broadcast_shapes(public, tensors)
    try:
        ready = tuple(
            broadcast_to(session, converted(session, each, dtype), shape) if isinstance(each, Tensor) else each
            for each in operands
        )
        return session.apply(name, ready, **attributes)
    except (DTypeError, UnsupportedError, ValidationError) as error:
        raise retold(name, public, operands, dtype, error) from None


def _common_dtype(name: str, operands: Sequence[Any]) -> DType:
    """Return the dtype in which tensors and numbers meet; of numbers only complex ones matter."""
    dtype = result_dtype(name, [each.dtype for each in operands if isinstance(each, Tensor)])
    for each in operands:
        if type(each) is complex:
            dtype = beside(name, each, dtype)
    return dtype


def converted(session: SessionBase, tensor: Tensor, dtype: DType) -> Tensor:
    """Return ``tensor`` in ``dtype``; itself if it has that."""
    return tensor if tensor.dtype is dtype else session.cast(tensor, dtype)


def broadcast_to(session: SessionBase, tensor: Tensor, shape: Shape) -> Tensor:
    """Return the view of ``tensor`` in a shape that it was found to broadcast to."""
    if tensor.shape == shape:
        return tensor
    rank = len(shape)
    return session.broadcast_in_dim(tensor, shape, tuple(range(rank - tensor.ndim, rank)))


def broadcast_shapes(name: str, tensors: Sequence[Tensor]) -> Shape:
    """Return the common shape of tensors: aligned at the right, axes of length 1 stretch.

    Raises
    ------
    ValidationError
        Two lengths differ and neither is 1.
    """
    shape = tensors[0].shape
    for tensor in tensors[1:]:
        if tensor.shape != shape:
            shape = broadcasted(name, shape, tensor.shape)
    return shape


def broadcasted(name: str, a: Shape, b: Shape) -> Shape:
    """Return the common shape of two; see :func:`broadcast_shapes`."""
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for m, n in zip(left, right, strict=True):
        if m != n and 1 not in (m, n):
            raise ValidationError(
                f"{name} needs shapes that broadcast (equal lengths or 1, aligned at the right), got {a} and {b}; "
                "reshape one of them or add axes with None"
            )
    return tuple(n if m == 1 else m for m, n in zip(left, right, strict=True))


def divide(session: SessionBase, name: str, operands: tuple[Any, ...]) -> Tensor:
    """Divide; integers become float32 first, since ``/`` is true division."""
    ready = tuple(
        session.cast(each, float32) if isinstance(each, Tensor) and each.dtype.is_integer else each for each in operands
    )
    return apply(session, "div", ready, public=name)


def sign(session: SessionBase, name: str, operands: tuple[Any, ...]) -> Tensor:
    """Return the sign; of zeros +0, as the standard says."""
    result = apply(session, name, operands)
    return result if result.dtype.is_integer else session.add(result, 0)


def bitwise(session: SessionBase, name: str, operands: tuple[Any, ...]) -> Tensor:
    """Run a bitwise operation; on bools it is the logical one."""
    if all(each.dtype is bool_ for each in operands if isinstance(each, Tensor)):
        return apply(session, _LOGICAL[name], operands, public=spoken(name))
    return apply(session, name, operands)


def compare(session: SessionBase, name: str, operands: tuple[Any, ...]) -> Tensor:
    """Compare by element; ``name`` is the standard's."""
    return apply(session, "compare", operands, public=name, direction=_DIRECTIONS[name])


def choose(session: SessionBase, condition: Any, on_true: Any, on_false: Any) -> Tensor:
    """Return ``on_true`` where the bool ``condition`` holds, else ``on_false``; these two promote, all broadcast.

    Raises
    ------
    DTypeError
        ``condition`` is not bool, neither of the others is a tensor, or their dtypes do not promote.
    """
    values = [each for each in (on_true, on_false) if isinstance(each, Tensor)]
    if not isinstance(condition, Tensor) or condition.dtype is not bool_ or not values:
        given = (str(each.dtype if isinstance(each, Tensor) else each) for each in (condition, on_true, on_false))
        raise DTypeError(
            f"where takes a bool array and two values, of which one is an array, got {', '.join(given)}; "
            "compare the condition with 0, make an array with wt.asarray"
        )
    dtype, shape = _common_dtype("where", (on_true, on_false)), broadcast_shapes("where", [condition, *values])
    try:
        ready = (
            broadcast_to(session, converted(session, each, dtype), shape) if isinstance(each, Tensor) else each
            for each in (on_true, on_false)
        )
        return session.select(broadcast_to(session, condition, shape), *ready)
    except (DTypeError, UnsupportedError, ValidationError) as error:
        raise retold("select", "where", (on_true, on_false), dtype, error) from None
