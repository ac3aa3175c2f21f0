"""``einsum`` itself: operands and subscripts in, one tensor out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from wgtensor.contract import BackendSession, TensorDot
from wgtensor.contract.arguments import instance_of
from wgtensor.contract.session import SessionBase, current_session, require_resident
from wgtensor.einsum.parsing import Subscripts, parse_equation, parse_sublists
from wgtensor.einsum.plan import plan_einsum
from wgtensor.errors import DTypeError, RuntimeStateError, ValidationError
from wgtensor.rules.axes import is_integer
from wgtensor.tensor import Tensor

__all__ = ["einsum"]

_parse_equation: Final = lru_cache(maxsize=512)(parse_equation)


def einsum(
    *arguments: Any,
    optimize: Any = "auto",
    memory_limit: int | None = None,
    session: BackendSession | None = None,
) -> Tensor:
    """Contract any number of tensors over labelled axes, as ``numpy.einsum`` does.

    Takes an equation and then the operands, ``einsum("ij,jk->ik", a, b)``, or operands each followed by its sublist of
    integers and last, perhaps, the output's: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. Labels repeated in one operand
    take its diagonal, labels may be in any number of operands, labels that the output leaves out are summed, and
    ``...`` (``Ellipsis`` in a sublist) stands for the remaining axes, aligned at the right.

    Parameters
    ----------
    arguments
        Equation and operands, or operands and sublists. Operands are tensors of one dtype, in any layout, that the
        session owns.
    optimize
        How the contraction path is found: ``"auto"``, another of opt_einsum's names (``"greedy"``, ``"optimal"``, ...),
        ``False`` for left to right, or a path such as ``[(0, 1), (0, 1)]`` in opt_einsum's convention.
    memory_limit
        Bytes that may be live at once, operands included. A contraction that takes more is cut into slices.
    session
        The session to compute in; by default this thread's open one if it owns the operands, else the ambient
        session of the runtime that does.

    Returns
    -------
    Tensor
        The result, in any layout; a view of the operand where nothing is computed.

    Raises
    ------
    ValidationError
        Subscripts, shapes or path do not fit, or the memory limit cannot be met; the text names operand and label.
    DTypeError
        Operands have different dtypes, or are not tensors.
    RuntimeStateError
        An operand is on the host, or not on the given session's device.
    UnsupportedError
        An operand is larger than a kernel can bind (the adapter's max-storage-buffer-binding-size), which no slicing
        helps, or the result is larger than the adapter can hold in one buffer.

    Examples
    --------
    >>> import numpy as np
    >>> from wgtensor.cpu import CpuBackend
    >>> backend = CpuBackend()
    >>> a = backend.upload_host_tensor(Tensor.from_numpy(np.float32([[1, 2], [3, 4]])))
    >>> with backend.session():
    ...     trace, squares = einsum("ii", a), einsum("ij,ij->i", a, a)
    >>> [backend.download_to_host(each).to_numpy().tolist() for each in (trace, squares)]
    [5.0, [5.0, 25.0]]
    """
    subscripts, operands = _split(arguments)
    session = _session(session, operands)
    if memory_limit is not None and not is_integer(memory_limit):
        raise ValidationError(f"einsum takes bytes or None as memory_limit, got {memory_limit!r}")
    plan = plan_einsum(
        *subscripts,
        shapes=[operand.shape for operand in operands],
        path=optimize,
        itemsize=operands[0].dtype.itemsize,
        binding_limit=getattr(session, "binding_limit", None),
        buffer_limit=getattr(session, "buffer_limit", None),
        memory_limit=memory_limit,
    )
    _check_dtypes(operands)
    if isinstance(session, SessionBase):
        for number, operand in enumerate(operands):
            require_resident("einsum", operand, session.domain, number)
    return plan.execute(session, operands)


def _split(arguments: Sequence[Any]) -> tuple[Subscripts, Sequence[Tensor]]:
    """Tell the two forms apart, and return labels and operands."""
    if len(arguments) < 2:
        raise ValidationError(f"einsum takes an equation and operands, or operands and sublists, got {arguments!r}")
    if isinstance(arguments[0], str):
        operands = _tensors(arguments[1:])
        return _parse_equation(arguments[0], tuple(operand.ndim for operand in operands)), operands
    paired = len(arguments) // 2 * 2
    operands = _tensors(arguments[0:paired:2])
    output = arguments[-1] if len(arguments) > paired else None
    return parse_sublists(arguments[1:paired:2], output, [operand.ndim for operand in operands]), operands


def _tensors(operands: Sequence[Any]) -> Sequence[Tensor]:
    for number, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise DTypeError(
                f"einsum takes Tensors as operands, got {type(operand).__name__} as operand {number}; "
                "make one with Tensor.from_numpy and upload it"
            )
    return operands


def _session(session: BackendSession | None, operands: Sequence[Tensor]) -> BackendSession:
    """Return the given session, else this thread's if it owns the operands, else the ambient one of their runtime."""
    if session is not None:
        return instance_of(TensorDot, "einsum", session)  # type: ignore[return-value, type-abstract]  # a protocol, at run time
    domain = operands[0].placement.domain
    current = current_session()
    if current is not None and (domain is None or current.domain is domain):
        return current
    if domain is None or domain.ambient_session is None:
        raise RuntimeStateError(
            f"einsum needs an open session of the runtime that owns its operands, got none for operand 0 on "
            f"{operands[0].placement}; open one with backend.session(), upload host tensors with upload_host_tensor"
        )
    ambient: BackendSession = domain.ambient_session()
    return ambient


def _check_dtypes(operands: Sequence[Tensor]) -> None:
    dtype = operands[0].dtype
    for number, operand in enumerate(operands):
        if operand.dtype is not dtype:
            raise DTypeError(
                f"einsum needs operands of one dtype, got {dtype} as operand 0 "
                f"and {operand.dtype} as operand {number}; cast one of them"
            )
