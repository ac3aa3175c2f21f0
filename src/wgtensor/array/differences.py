"""Differences along one axis of tensors."""

from __future__ import annotations

from collections.abc import Sequence

from wgtensor.array.dispatch import converted
from wgtensor.array.promotion import result_dtype
from wgtensor.array.shaping import axis_of
from wgtensor.contract import SliceConfig
from wgtensor.contract.session import SessionBase
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules.axes import as_integers
from wgtensor.tensor import Tensor

__all__ = ["diff"]


def diff(session: SessionBase, parts: Sequence[Tensor], axis: int, n: int) -> Tensor:
    """Join ``parts`` along ``axis`` and return the ``n``-th differences along it."""
    (times,) = as_integers("diff", "n", (n,))
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
        result = session.sub(_part(session, result, along, 1), _part(session, result, along, 0, max(length - 1, 0)))
    return result


def _part(session: SessionBase, x: Tensor, axis: int, start: int, limit: int | None = None) -> Tensor:
    starts, limits = [0] * x.ndim, list(x.shape)
    limits[axis] = limits[axis] if limit is None else limit
    starts[axis] = min(start, limits[axis])
    return session.slice(x, SliceConfig(starts, limits))
