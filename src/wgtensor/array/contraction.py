"""Products of two tensors in terms of ``dot_general``: what ``matmul``, ``tensordot`` and ``vecdot`` do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from wgtensor.array.arguments import integer_of
from wgtensor.array.dispatch import broadcast_to, broadcasted, converted
from wgtensor.array.promotion import promoted
from wgtensor.array.refusals import in_parts
from wgtensor.array.shaping import axis_of
from wgtensor.contract import DotGeneralConfig
from wgtensor.contract.session import SessionBase
from wgtensor.errors import DTypeError, UnsupportedError, ValidationError
from wgtensor.tensor import Shape, Tensor

__all__ = ["matmul", "tensordot", "vecdot"]

_MATRIX_PRODUCT: Final = DotGeneralConfig((1,), (0,))


def matmul(session: SessionBase, name: str, operands: tuple[Any, ...]) -> Tensor:
    """Multiply matrices over the last two axes; other axes are batch and broadcast, vectors are contracted.

    Parameters
    ----------
    session, name
        Where, and for error texts.
    operands
        Two tensors, ``(..., M, K)`` or ``(K,)`` and ``(..., K, N)`` or ``(K,)``.

    Raises
    ------
    ValidationError
        An operand has no axes, the contracted lengths differ, or batch shapes do not broadcast.
    """
    lhs, rhs = _numeric(session, name, operands)
    if lhs.ndim == 0 or rhs.ndim == 0:
        raise ValidationError(f"{name} needs arrays of at least one axis, got {lhs.shape} and {rhs.shape}; use *")
    if lhs.shape[-1] != rhs.shape[-2 if rhs.ndim > 1 else 0]:
        raise ValidationError(
            f"{name} needs the last axis of the first as long as the last but one of the second, "
            f"got {lhs.shape} and {rhs.shape}"
        )
    try:
        if lhs.ndim == rhs.ndim == 2:
            return session.dot_general(lhs, rhs, _MATRIX_PRODUCT)
        return _batched(session, name, lhs, rhs)
    except UnsupportedError as error:
        raise in_parts(name, error) from None


def _batched(session: SessionBase, name: str, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Multiply stacks of matrices; an operand without batch axes lends its rows or columns to the other's."""
    if rhs.ndim <= 2:
        return session.dot_general(lhs, rhs, DotGeneralConfig((lhs.ndim - 1,), (max(rhs.ndim - 2, 0),)))
    rows, columns = lhs.shape[-2:-1], rhs.shape[-1:]
    batch = broadcasted(name, lhs.shape[:-2], rhs.shape[:-2])
    rank = len(batch)
    lhs = broadcast_to(session, lhs, (*batch, *rows, lhs.shape[-1]) if lhs.ndim > 1 else (*batch, lhs.shape[-1]))
    rhs = broadcast_to(session, rhs, (*batch, *rhs.shape[-2:]))
    axes = tuple(range(rank))
    result = session.dot_general(lhs, rhs, DotGeneralConfig((lhs.ndim - 1,), (rank,), axes, axes))
    return session.reshape(result, (*batch, *rows, *columns))


def tensordot(session: SessionBase, lhs: Tensor, rhs: Tensor, axes: Any) -> Tensor:
    """Contract the last ``axes`` of ``lhs`` with the first of ``rhs``, or the two given sequences of axes in pairs.

    Raises
    ------
    ValidationError
        Axes do not exist, or their lengths differ.
    """
    lhs, rhs = _numeric(session, "tensordot", (lhs, rhs))
    left, right = _pairs(axes, lhs.ndim, rhs.ndim)
    for a, b in zip(left, right, strict=True):
        if lhs.shape[a] != rhs.shape[b]:
            raise ValidationError(
                f"tensordot needs contracted axes of equal length, got {lhs.shape[a]} (axis {a} of {lhs.shape}) and "
                f"{rhs.shape[b]} (axis {b} of {rhs.shape})"
            )
    return session.dot_general(lhs, rhs, _config(left, right))


def _pairs(axes: Any, lhs_rank: int, rhs_rank: int) -> tuple[Shape, Shape]:
    """Return the contracted axes of both operands, from 0."""
    if isinstance(axes, tuple | list):
        if len(axes) != 2:
            raise ValidationError(f"tensordot needs an int or two sequences as axes, got {axes!r}")
        left, right = (each if isinstance(each, tuple | list) else (each,) for each in axes)
        if len(left) != len(right):
            raise ValidationError(f"tensordot needs as many axes of both operands, got {left} and {right}")
        return (
            tuple(axis_of("tensordot", axis, lhs_rank) for axis in left),
            tuple(axis_of("tensordot", axis, rhs_rank) for axis in right),
        )
    count = integer_of("tensordot", "axes", axes)
    if not 0 <= count <= min(lhs_rank, rhs_rank):
        raise ValidationError(f"tensordot needs axes within 0 to {min(lhs_rank, rhs_rank)}, got {count}")
    return tuple(range(lhs_rank - count, lhs_rank)), tuple(range(count))


@lru_cache(maxsize=512)
def _config(left: Shape, right: Shape) -> DotGeneralConfig:
    return DotGeneralConfig(left, right)


def vecdot(session: SessionBase, lhs: Tensor, rhs: Tensor, axis: int) -> Tensor:
    """Sum ``conj(lhs) * rhs`` over one axis, counted from the end; the others are batch and broadcast.

    Raises
    ------
    ValidationError
        ``axis`` is not negative or does not exist in both, or its lengths differ.
    """
    lhs, rhs = _numeric(session, "vecdot", (lhs, rhs))
    rank = min(lhs.ndim, rhs.ndim)
    number = integer_of("vecdot", "axis", axis)
    if not -rank <= number < 0:
        raise ValidationError(f"vecdot needs an axis within {-rank} to -1, that both operands have, got {number}")
    if lhs.shape[number] != rhs.shape[number]:
        raise ValidationError(f"vecdot needs equal lengths at axis {number}, got {lhs.shape} and {rhs.shape}")
    shape = broadcasted("vecdot", lhs.shape, rhs.shape)
    contracted = len(shape) + number
    batch = tuple(i for i in range(len(shape)) if i != contracted)
    config = DotGeneralConfig((contracted,), (contracted,), batch, batch)
    lhs, rhs = broadcast_to(session, lhs, shape), broadcast_to(session, rhs, shape)
    return session.dot_general_with_conj(lhs, rhs, config, lhs_conj=lhs.dtype.is_complex)


def _numeric(session: SessionBase, name: str, operands: Sequence[Any]) -> tuple[Tensor, Tensor]:
    """Return two numeric tensors in their common dtype."""
    for each in operands:
        if not isinstance(each, Tensor):
            raise DTypeError(f"{name} takes two arrays, got the number {each!r}; use *")
        if each.dtype.kind == "b":
            raise DTypeError(f"{name} takes numeric arrays, got bool; convert with x.astype(wt.int32)")
    lhs, rhs = operands
    dtype = promoted(name, lhs.dtype, rhs.dtype)
    return converted(session, lhs, dtype), converted(session, rhs, dtype)
