"""Differences along one axis of tensors."""

from __future__ import annotations

from collections.abc import Sequence

from wgtensor.array.arguments import integer_of
from wgtensor.array.assembly import section
from wgtensor.array.dispatch import converted
from wgtensor.array.promotion import result_dtype
from wgtensor.array.shaping import axis_of
from wgtensor.contract.session import SessionBase
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import Tensor

__all__ = ["diff"]


def diff(session: SessionBase, parts: Sequence[Tensor], axis: int, n: int) -> Tensor:
    """Join ``parts`` along ``axis`` and return the ``n``-th differences along it."""
    times = integer_of("diff", "n", n)
    if times < 0:
        raise ValidationError(f"diff needs an n of at least 0, got {n}")
    dtype = result_dtype("diff", [each.dtype for each in parts])
    if dtype.kind == "b":
        raise DTypeError("diff takes arrays of numbers, got bool; convert them with x.astype(wt.int32)")
    along = axis_of("diff", axis, parts[0].ndim)
    ready = [converted(session, each, dtype) for each in parts]
    result = ready[0] if len(ready) == 1 else session.concatenate(ready, along)
    for _ in range(times):
        length = result.shape[along]
        after = section(session, result, along, min(1, length), length)
        result = session.sub(after, section(session, result, along, 0, max(length - 1, 0)))
    return result
