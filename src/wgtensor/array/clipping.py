"""Limits of ``clip``: dtypes, numbers beyond the dtype, and which operation is left."""

from __future__ import annotations

from typing import Any

from wgtensor.array import dispatch
from wgtensor.array.array import Array
from wgtensor.array.operators import operand_of
from wgtensor.array.promotion import result_dtype
from wgtensor.array.python_numbers import fitting, is_number
from wgtensor.errors import DTypeError
from wgtensor.tensor import DType, Tensor

__all__ = ["clipped"]


def clipped(x: Array, low: Any, high: Any) -> Array:
    """Return ``x`` within the limits that are not None, in its dtype."""
    if not x.dtype.is_real_number:
        raise DTypeError(f"clip takes integers and real floats, which have an order, got {x.dtype}")
    session = x.device.session
    limits = {"maximum": _limit(x, low, at_least=True), "minimum": _limit(x, high, at_least=False)}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if not given:
        return x.astype(x.dtype)
    tensors = [each for each in (x.tensor, *given.values()) if isinstance(each, Tensor)]
    wide = dispatch.converted(session, x.tensor, result_dtype("clip", [each.dtype for each in tensors]))
    name = next(iter(given)) if len(given) == 1 else "clamp"
    result = dispatch.apply(session, name, (wide, *given.values()), public="clip")
    return Array(dispatch.converted(session, result, x.dtype), x.device)


def _limit(x: Array, limit: Any, at_least: bool) -> Any:
    """Return a limit as an operand; None for an int that is no limit, since all integers of the dtype satisfy it."""
    if limit is None:
        return None
    if isinstance(limit, int) and x.dtype.is_integer and _satisfied(x.dtype, limit, at_least):
        return None
    return fitting("clip", limit, x.dtype) if is_number(limit) else operand_of("clip", limit, x.device)


def _satisfied(dtype: DType, limit: int, at_least: bool) -> bool:
    bits = dtype.itemsize * 8 - (dtype.kind == "i")
    return limit <= (-(1 << bits) if dtype.kind == "i" else 0) if at_least else limit >= (1 << bits) - 1
