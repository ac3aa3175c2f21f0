"""Reductions and cumulative operations of one tensor: what the statistical functions do, below the arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from wgtensor.array.refusals import require_kinds
from wgtensor.array.shaping import astype, axes_of, axis_of
from wgtensor.contract import PadConfig
from wgtensor.contract.session import SessionBase
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import DType, Tensor, bool_, float16, float32, int8, int16, int32, uint8, uint16, uint32

__all__ = [
    "accumulate",
    "arg_extreme",
    "count_nonzero",
    "cumulate",
    "deviation",
    "extreme",
    "mean",
    "nonzero",
    "truth",
    "variance",
]

_WIDENED: Final = {bool_: int32, int8: int32, int16: int32, uint8: uint32, uint16: uint32}
"""What is summed in the default integer of its sign, since sums overflow soon."""

_INITIAL: Final = {"sum": 0, "prod": 1}

Axes: TypeAlias = int | Sequence[int] | None


def accumulate(session: SessionBase, x: Tensor, name: str, axis: Axes, dtype: DType | None, keepdims: bool) -> Tensor:
    """Return the ``"sum"`` or ``"prod"`` over ``axis``, in ``dtype`` (default: ``x``'s, small integers widened)."""
    ready = _in_accumulator(session, x, name, dtype)
    return _reduced(session, f"reduce_{name}", ready, axes_of(name, axis, x.ndim), keepdims)


def _in_accumulator(session: SessionBase, x: Tensor, name: str, dtype: DType | None) -> Tensor:
    target = _WIDENED.get(x.dtype, x.dtype) if dtype is None else dtype
    require_kinds(name, target, "iufc", "leave dtype out, or give a numeric one")
    return astype(session, x, target, copy=False)


def extreme(session: SessionBase, x: Tensor, name: str, axis: Axes, keepdims: bool) -> Tensor:
    """Return the ``"max"`` or ``"min"`` over ``axis``; NaN if any is NaN.

    Raises
    ------
    ValidationError
        There is nothing to choose from.
    """
    way_out = "take wt.real or wt.abs first" if x.dtype.is_complex else "convert with x.astype(wt.int32)"
    require_kinds(name, x.dtype, "iuf", way_out)
    axes = axes_of(name, axis, x.ndim)
    if any(x.shape[each] == 0 for each in axes):
        raise ValidationError(f"{name} has no value over axes of length 0, got shape {x.shape}; test x.size first")
    return _reduced(session, f"reduce_{name}", x, axes, keepdims)


def arg_extreme(session: SessionBase, x: Tensor, name: str, axis: int | None, keepdims: bool) -> Tensor:
    """Return the int32 position of the first ``"argmax"`` or ``"argmin"`` along one axis, or in the flattened array.

    Raises
    ------
    ValidationError
        There is nothing to choose from.
    """
    require_kinds(name, x.dtype, "biuf", "compare abs, real or imag instead")
    axes = axes_of(name, axis, x.ndim)
    if any(x.shape[each] == 0 for each in axes):
        raise ValidationError(f"{name} has no value over an axis of length 0, got shape {x.shape}; test x.size first")
    line, along = (session.reshape(x, (x.size,)), 0) if axis is None else (x, axes[0])
    result = (session.argmax if name == "argmax" else session.argmin)(line, along)
    return _kept(session, result, x, axes, keepdims)


def mean(session: SessionBase, x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the arithmetic mean over ``axis``: NaN of nothing, float32 of integers; float16 is summed in float32."""
    require_kinds("mean", x.dtype, "iufc", "convert with x.astype(wt.float32)")
    axes = axes_of("mean", axis, x.ndim)
    total = _reduced(session, "reduce_sum", _in_float(session, x), axes, keepdims)
    return _rounded(session, session.div(total, float(_count(x, axes))), x)


def variance(session: SessionBase, x: Tensor, name: str, axis: Axes, correction: float, keepdims: bool) -> Tensor:
    """Return the mean square of the deviations from the mean, in two passes; NaN unless more than ``correction``."""
    return _rounded(session, _variance(session, x, name, axis, correction, keepdims), x)


def deviation(session: SessionBase, x: Tensor, axis: Axes, correction: float, keepdims: bool) -> Tensor:
    """Return the square root of the variance."""
    return _rounded(session, session.sqrt(_variance(session, x, "std", axis, correction, keepdims)), x)


def _variance(session: SessionBase, x: Tensor, name: str, axis: Axes, correction: float, keepdims: bool) -> Tensor:
    require_kinds(name, x.dtype, "iuf", "take it of the real and of the imaginary part")
    axes, correction = axes_of(name, axis, x.ndim), _checked(name, correction)
    values, count = _in_float(session, x), _count(x, axes)
    center = session.div(_reduced(session, "reduce_sum", values, axes, keepdims=True), float(count))
    offset = session.sub(values, session.broadcast_in_dim(center, x.shape, tuple(range(x.ndim))))
    total = _reduced(session, "reduce_sum", session.mul(offset, offset), axes, keepdims)
    return session.div(total, float(count - correction) if count > correction else math.nan)


def _checked(name: str, correction: Any) -> float:
    """Return the ``correction`` of a variance, a number."""
    if isinstance(correction, int | float) and not math.isnan(correction):
        return float(correction)
    raise DTypeError(f"{name} takes a number as correction, got {correction!r}")


def _in_float(session: SessionBase, x: Tensor) -> Tensor:
    """Return ``x`` in the dtype in which means are computed."""
    return session.cast(x, float32) if x.dtype.is_integer or x.dtype is float16 else x


def _rounded(session: SessionBase, result: Tensor, x: Tensor) -> Tensor:
    return session.cast(result, float16) if x.dtype is float16 else result


def _count(x: Tensor, axes: tuple[int, ...]) -> int:
    return math.prod(x.shape[axis] for axis in axes)


def cumulate(
    session: SessionBase, x: Tensor, name: str, axis: int | None, dtype: DType | None, include_initial: bool
) -> Tensor:
    """Return the running ``"sum"`` or ``"prod"`` along ``axis``, after a 0 or 1 if ``include_initial``.

    Raises
    ------
    ValidationError
        ``axis`` is left out of an array of other than one axis.
    """
    if axis is None and x.ndim != 1:
        raise ValidationError(f"cumulative_{name} needs an axis of an array with {x.ndim} axes; name it with axis=")
    along = axis_of(f"cumulative_{name}", 0 if axis is None else axis, x.ndim)
    ready = _in_accumulator(session, x, f"cumulative_{name}", dtype)
    result = (session.cumulative_sum if name == "sum" else session.cumulative_prod)(ready, along)
    if not include_initial:
        return result
    low = tuple(int(i == along) for i in range(x.ndim))
    return session.pad(result, PadConfig(low, (0,) * x.ndim), _INITIAL[name])


def count_nonzero(session: SessionBase, x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the int32 number of elements that are not zero, NaN included, over ``axis``."""
    ones = session.cast(nonzero(session, x), int32)
    return _reduced(session, "reduce_sum", ones, axes_of("count_nonzero", axis, x.ndim), keepdims)


def nonzero(session: SessionBase, x: Tensor) -> Tensor:
    """Return a bool tensor that says which elements are not zero; ``x`` itself if it is bool."""
    return x if x.dtype is bool_ else session.cast(x, bool_)


def truth(session: SessionBase, x: Tensor, name: str, axis: Axes, keepdims: bool) -> Tensor:
    """Return whether ``"any"`` or ``"all"`` elements over ``axis`` are not zero."""
    return _reduced(session, f"reduce_{name}", nonzero(session, x), axes_of(name, axis, x.ndim), keepdims)


def _reduced(session: SessionBase, operation: str, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    return _kept(session, session.apply(operation, (x,), axes=axes), x, axes, keepdims)


def _kept(session: SessionBase, result: Tensor, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """Return ``result`` with the reduced axes of ``x`` as axes of length 1, if they are to be kept."""
    if not keepdims:
        return result
    return session.reshape(result, tuple(1 if axis in axes else n for axis, n in enumerate(x.shape)))
