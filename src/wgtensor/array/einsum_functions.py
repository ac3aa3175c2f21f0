"""``einsum`` of arrays: promotion, one device, and the planned contraction of :mod:`wgtensor.einsum`."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, TypeAlias, overload

from wgtensor.array.arguments import type_name
from wgtensor.array.array import Array
from wgtensor.array.dispatch import converted
from wgtensor.array.operators import device_of
from wgtensor.array.promotion import result_dtype
from wgtensor.array.refusals import speaking_of
from wgtensor.contract import BackendSession
from wgtensor.einsum import api
from wgtensor.errors import DTypeError
from wgtensor.tensor import Tensor

__all__ = ["einsum"]


_Sublist: TypeAlias = Sequence[int | EllipsisType]
_Optimize: TypeAlias = str | bool | Sequence[Sequence[int]]


@overload
def einsum(
    equation: str, /, *operands: Array, optimize: _Optimize = "auto", memory_limit: int | None = None
) -> Array: ...
@overload
def einsum(
    operand: Array,
    /,
    *sublists_and_operands: Array | _Sublist,
    optimize: _Optimize = "auto",
    memory_limit: int | None = None,
) -> Array: ...
@overload
def einsum(
    equation: str,
    /,
    *operands: Tensor,
    optimize: _Optimize = "auto",
    memory_limit: int | None = None,
    session: BackendSession | None = None,
) -> Tensor: ...
@overload
def einsum(
    operand: Tensor,
    /,
    *sublists_and_operands: Tensor | _Sublist,
    optimize: _Optimize = "auto",
    memory_limit: int | None = None,
    session: BackendSession | None = None,
) -> Tensor: ...
def einsum(
    *arguments: Any,  # equation and operands, or operands and sublists
    optimize: _Optimize = "auto",
    memory_limit: int | None = None,
    session: BackendSession | None = None,
) -> Array | Tensor:
    """Contract any number of arrays over labelled axes, as ``numpy.einsum`` does.

    Takes an equation and then the operands, ``einsum("ij,jk->ik", a, b)``, or operands each followed by its sublist of
    integers and last, perhaps, the output's. Labels may repeat, be in any number of operands and be summed, and
    ``...`` stands for the remaining axes; ``wgtensor.einsum.api`` has all of it.

    Parameters
    ----------
    *arguments
        Equation and operands, or operands and sublists. Arrays of one device, promoted to one dtype; or contract
        tensors of one runtime and dtype.
    optimize
        How the contraction path is found: ``"auto"``, another of opt_einsum's names, ``False`` for left to right, or a
        path such as ``[(0, 1), (0, 1)]``.
    memory_limit
        Bytes that may be live at once, operands included; a contraction that takes more is cut into slices.
    session
        For tensors: the session to compute in.

    Returns
    -------
    Array or Tensor
        An array of arrays, a tensor of tensors; a view of the operand where nothing is computed.

    Raises
    ------
    ValidationError
        Subscripts, shapes or path do not fit, devices differ, or the memory limit cannot be met.
    DTypeError
        Operands are no arrays, or do not promote to one dtype.

    Examples
    --------
    >>> import wgtensor as wt
    >>> a = wt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> wt.einsum("ij,kj->ik", a, a).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """
    arrays = [each for each in arguments if isinstance(each, Array)]
    if not arrays:
        return api.einsum(*arguments, optimize=optimize, memory_limit=memory_limit, session=session)
    for number, each in enumerate(arguments):
        if hasattr(each, "__array__") and not isinstance(each, Array | Tensor):
            raise DTypeError(
                f"einsum takes wgtensor arrays as operands, got {type_name(each)} as argument {number}; "
                "make one with wt.asarray"
            )
    if session is not None or any(isinstance(each, Tensor) for each in arguments):
        raise DTypeError("einsum takes arrays, or tensors and their session, got both; take x.tensor of the arrays")
    device = device_of("einsum", *arrays)
    dtype = result_dtype("einsum", [each.dtype for each in arrays])
    operands = [
        converted(device.session, each.tensor, dtype) if isinstance(each, Array) else each for each in arguments
    ]
    with speaking_of("einsum"):
        result = api.einsum(*operands, optimize=optimize, memory_limit=memory_limit, session=device.session)
    return Array(result, device)
