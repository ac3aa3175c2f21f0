"""Shape rules of elementwise, structural and reducing operations.

A rule takes the operation, its operands' shapes and its attributes, and returns the result's shape or raises
ValidationError. Axes are within 0 to rank - 1, except in the two diagonal operations, whose defaults are negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from wgtensor.errors import ValidationError
from wgtensor.rules.axes import checked_shape, is_integer, normalize_axis, require_axes
from wgtensor.rules.operation import Operation
from wgtensor.tensor import Shape

__all__ = [
    "arg_reduce",
    "broadcast_in_dim",
    "broadcast_scalar",
    "diagonal_axes",
    "embed_diagonal",
    "embedding_axes",
    "equal",
    "extract_diagonal",
    "reduce",
    "reduce_nonempty",
    "reshape",
    "same",
    "scalar_result",
    "transpose",
    "triangle",
]

_MAX_INDEX: Final = 2**31 - 1


def same(operation: Operation, shapes: Sequence[Shape], **attributes: Any) -> Shape:
    """One operand; the result has its shape."""
    return shapes[0]


def broadcast_scalar(operation: Operation, shapes: Sequence[Shape], **attributes: Any) -> Shape:
    """Equal shapes, apart from rank-0 operands."""
    result: Shape = ()
    for shape in shapes:
        if shape and shape != result:
            if result:
                raise ValidationError(
                    f"{operation.name} needs equal shapes or one rank-0 operand, got {_listed(shapes)}; "
                    "broadcast first with broadcast_in_dim"
                )
            result = shape
    return result


def equal(operation: Operation, shapes: Sequence[Shape], **attributes: Any) -> Shape:
    """Equal shapes."""
    if any(shape != shapes[0] for shape in shapes):
        raise ValidationError(
            f"{operation.name} needs equal shapes, got {_listed(shapes)}; broadcast first with broadcast_in_dim"
        )
    return shapes[0]


def scalar_result(operation: Operation, shapes: Sequence[Shape], **attributes: Any) -> Shape:
    """Operands of equal shapes; the result is rank-0."""
    equal(operation, shapes)
    return ()


def transpose(operation: Operation, shapes: Sequence[Shape], *, permutation: Sequence[int]) -> Shape:
    """Each axis once."""
    (shape,) = shapes
    if len(permutation) != len(shape):
        raise ValidationError(
            f"transpose needs one axis per axis of shape {shape} in its permutation, got {tuple(permutation)}"
        )
    require_axes("transpose", "axes in its permutation", permutation, len(shape))
    return tuple(shape[axis] for axis in permutation)


def reshape(operation: Operation, shapes: Sequence[Shape], *, shape: Sequence[int]) -> Shape:
    """The element count is kept."""
    result = checked_shape("reshape", shape)
    before, after = math.prod(shapes[0]), math.prod(result)
    if before != after:
        raise ValidationError(
            f"reshape needs a shape of the same element count, got {shapes[0]} ({before}) to {result} ({after})"
        )
    return result


def broadcast_in_dim(
    operation: Operation, shapes: Sequence[Shape], *, shape: Sequence[int], dims: Sequence[int]
) -> Shape:
    """Axis ``j`` goes to axis ``dims[j]``; length 1 stretches."""
    (source,) = shapes
    result = checked_shape("broadcast_in_dim", shape)
    if len(dims) != len(source):
        raise ValidationError(f"broadcast_in_dim needs one of dims per axis of shape {source}, got {tuple(dims)}")
    require_axes("broadcast_in_dim", "dims", dims, len(result))
    for axis, dim in enumerate(dims):
        if source[axis] not in (1, result[dim]):
            raise ValidationError(
                f"broadcast_in_dim needs length 1 or the target's length on each axis, got length {source[axis]} "
                f"on axis {axis} for length {result[dim]} on axis {dim} of {result}"
            )
    return result


def diagonal_axes(rank: int, axis_a: int, axis_b: int) -> tuple[int, int]:
    """Return the two axes of ``extract_diagonal``, non-negative and distinct."""
    if rank < 2:
        raise ValidationError(f"extract_diagonal needs a tensor of rank 2 or more, got rank {rank}")
    first, second = (normalize_axis("extract_diagonal", axis, rank) for axis in (axis_a, axis_b))
    if first == second:
        raise ValidationError(f"extract_diagonal needs two distinct axes, got {axis_a} and {axis_b} of rank {rank}")
    return first, second


def extract_diagonal(operation: Operation, shapes: Sequence[Shape], *, axis_a: int, axis_b: int) -> Shape:
    """Two equally long axes become one, at the lower position."""
    (shape,) = shapes
    first, second = diagonal_axes(len(shape), axis_a, axis_b)
    if shape[first] != shape[second]:
        raise ValidationError(
            f"extract_diagonal needs two equally long axes, got axes {first} and {second} of shape {shape}; "
            "slice the longer one first"
        )
    return _without(shape, (max(first, second),))


def embedding_axes(rank: int, axis_a: int, axis_b: int | None) -> tuple[int, int]:
    """Return where ``embed_diagonal`` puts the operand's axis ``axis_a`` and the new axis in its result."""
    if rank == 0:
        raise ValidationError("embed_diagonal needs a tensor of rank 1 or more, got rank 0; reshape it to (1,) first")
    source = normalize_axis("embed_diagonal", axis_a, rank)
    new = rank if axis_b is None else normalize_axis("embed_diagonal", axis_b, rank + 1)
    return source + (source >= new), new


def embed_diagonal(operation: Operation, shapes: Sequence[Shape], *, axis_a: int, axis_b: int | None) -> Shape:
    """A new axis, as long as axis ``axis_a``."""
    (shape,) = shapes
    _, new = embedding_axes(len(shape), axis_a, axis_b)
    length = shape[normalize_axis("embed_diagonal", axis_a, len(shape))]
    return checked_shape("embed_diagonal", (*shape[:new], length, *shape[new:]))


def triangle(operation: Operation, shapes: Sequence[Shape], *, k: int) -> Shape:
    """Rank 2 or more."""
    (shape,) = shapes
    if len(shape) < 2:
        raise ValidationError(f"{operation.name} needs a tensor of rank 2 or more, got shape {shape}")
    if not is_integer(k):
        raise ValidationError(f"{operation.name} needs an integer k, got {k!r}")
    return shape


def reduce(operation: Operation, shapes: Sequence[Shape], *, axes: Sequence[int]) -> Shape:
    """The listed axes are removed."""
    (shape,) = shapes
    require_axes(operation.name, "axes", axes, len(shape))
    return _without(shape, axes)


def reduce_nonempty(operation: Operation, shapes: Sequence[Shape], *, axes: Sequence[int]) -> Shape:
    """The listed axes are removed, and none has length 0."""
    result = reduce(operation, shapes, axes=axes)
    _require_nonempty(operation, shapes[0], axes)
    return result


def arg_reduce(operation: Operation, shapes: Sequence[Shape], *, axis: int) -> Shape:
    """One axis is removed; its positions fit int32."""
    result = reduce_nonempty(operation, shapes, axes=(axis,))
    length = shapes[0][axis]
    if length > _MAX_INDEX:
        raise ValidationError(
            f"{operation.name} needs an axis of at most 2**31 - 1 elements, since positions are int32, got {length}; "
            "reduce it in slices"
        )
    return result


def _require_nonempty(operation: Operation, shape: Shape, axes: Sequence[int]) -> None:
    if any(shape[axis] == 0 for axis in axes):
        raise ValidationError(
            f"{operation.name} has no value over an axis of length 0, got axes {tuple(axes)} of shape {shape}; "
            "concatenate a neutral element first"
        )


def _without(shape: Shape, axes: Sequence[int]) -> Shape:
    return tuple(length for axis, length in enumerate(shape) if axis not in axes)


def _listed(shapes: Sequence[Shape]) -> str:
    *head, last = (str(shape) for shape in shapes)
    return f"{', '.join(head)} and {last}" if head else last
