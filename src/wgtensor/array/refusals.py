"""Refusals of a session, retold in terms of arrays: what the contract says of tensors, with the way out of an array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from wgtensor.array.python_numbers import fitting
from wgtensor.errors import DTypeError, UnsupportedError, WgTensorError
from wgtensor.rules import OPERATIONS
from wgtensor.rules.dtypes import kind_names
from wgtensor.tensor import DType, Tensor, bfloat16, bool_

__all__ = ["in_parts", "require_kinds", "retold", "speaking_of", "spoken"]

_SPOKEN: Final = {
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "neg": "negative",
    "shift_left": "bitwise_left_shift",
    "shift_right": "bitwise_right_shift",
    "bitwise_not": "bitwise_invert",
    "select": "where",
    "clamp": "clip",
    "reduce_sum": "sum",
    "reduce_prod": "prod",
    "reduce_max": "max",
    "reduce_min": "min",
    "reduce_any": "any",
    "reduce_all": "all",
}
"""Names of operations where the standard has another one."""
_NEAREST: Final = {"f": "float32", "i": "int32", "b": "bool"}
"""A dtype to convert to, by the kinds that an operation takes; the first that it has is proposed."""


_LARGE: Final = " needs tensors of at most "
_PARTS: Final = "compute on copies of parts, such as wt.asarray(x[:n], copy=True)"


def spoken(name: str) -> str:
    """Return the standard's name of an operation."""
    return _SPOKEN.get(name, name)


def retold(name: str, public: str, operands: Sequence[Any], dtype: DType, error: WgTensorError) -> WgTensorError:
    """Return the error that a user of arrays understands, or ``error`` where it says all.

    Parameters
    ----------
    name, public
        The operation, and what the user knows it as.
    operands
        Its tensors and numbers.
    dtype
        Common dtype of the tensors.
    error
        What the session raised.
    """
    if isinstance(error, UnsupportedError):
        return _unsupported(public, operands, dtype, error)
    kinds = OPERATIONS[name].dtypes
    if dtype is bfloat16:
        return DTypeError(f"{public} takes no bfloat16, which is for storage; convert with x.astype(wt.float32)")
    if dtype.kind not in kinds:
        return _other_kind(public, kinds, dtype)
    if name == "compare" and dtype.is_complex:
        return DTypeError(
            f"{public} takes integers, floats and bools, which have an order, got {dtype}; "
            "compare wt.abs, wt.real or wt.imag instead"
        )
    for each in operands:
        if not isinstance(each, Tensor):
            try:
                fitting(public, each, dtype)
            except WgTensorError as unfit:
                return unfit
    return error


def require_kinds(name: str, dtype: DType, kinds: str, way_out: str) -> None:
    """Raise unless the kind letter of ``dtype`` is among ``kinds``.

    Raises
    ------
    DTypeError
        It is not; the text lists the kinds and ends with ``way_out``.
    """
    if dtype.kind not in kinds:
        raise DTypeError(f"{name} takes {kind_names(kinds)} arrays, got {dtype}; {way_out}")


def in_parts(name: str, error: UnsupportedError, way_out: str = _PARTS) -> UnsupportedError:
    """Return the refusal of a large tensor in terms of the function ``name``; any other ``error`` as it is."""
    _, large, rest = str(error).partition(_LARGE)
    if not large:
        return error
    return UnsupportedError(f"{name} needs arrays of at most {rest.partition('; ')[0]}; {way_out}")


@contextmanager
def speaking_of(name: str, way_out: str = _PARTS) -> Iterator[None]:
    """Within the block, :func:`in_parts` retells refusals."""
    try:
        yield
    except UnsupportedError as error:
        raise in_parts(name, error, way_out) from None


def _unsupported(name: str, operands: Sequence[Any], dtype: DType, error: UnsupportedError) -> UnsupportedError:
    """Say which dtype the operands would meet in, and the ways out of an array instead of a tensor's."""
    given = dict.fromkeys(each.dtype for each in operands if isinstance(each, Tensor))
    what, separator, way_out = str(error).partition("; ")
    if _LARGE in what:
        return in_parts(name, error)
    if dtype not in given:
        what = f"{name} of {' and '.join(map(str, given))} needs {dtype}, but {what}"
        way_out = "convert one of them with x.astype, or compute on the cpu with x.to_device('cpu')"
    elif "CpuBackend" in way_out:
        way_out = "compute on the cpu with x.to_device('cpu'), or in another dtype with x.astype"
    return UnsupportedError(f"{what}{separator}{way_out}")


def _other_kind(name: str, kinds: str, dtype: DType) -> DTypeError:
    taken = kind_names(kinds)
    if dtype is bool_ and name in ("negative", "subtract"):
        return DTypeError(f"{name} takes {taken} arrays, got bool; write ~x for the opposite, x ^ y for the difference")
    near = next(target for kind, target in _NEAREST.items() if kind in kinds)
    return DTypeError(f"{name} takes {taken} arrays, got {dtype}; convert with x.astype(wt.{near})")
