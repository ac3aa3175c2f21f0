"""What sessions of all backends share: the entry guard and the order of checks."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any, Self

from wgtensor.contract.arguments import instance_of, tuple_of
from wgtensor.contract.fusion import ElementwiseFusionPlan, attributes_of
from wgtensor.contract.protocols import BackendSession, Operand
from wgtensor.contract.scalars import Scalar, as_scalars
from wgtensor.errors import (
    DTypeError,
    ForeignDomainError,
    RuntimeStateError,
    SessionEntryError,
    UnsupportedError,
    ValidationError,
)
from wgtensor.rules import OPERATIONS, Operation
from wgtensor.tensor import AllocationDomain, DType, Shape, Tensor

__all__ = ["SessionBase", "current_session", "require_host", "require_resident"]

_thread = threading.local()


def current_session() -> SessionBase | None:
    """Return this thread's open session, of whichever backend, or None."""
    # Weak and checked: a session may be closed on another thread (a generator's), or be forgotten without an exit.
    entered: weakref.ref[SessionBase] | None = getattr(_thread, "session", None)
    session = entered() if entered is not None else None
    return session if session is not None and session._open else None


def require_host(operation: str, tensor: Tensor) -> None:
    """Raise unless ``tensor`` is a host tensor."""
    if not isinstance(tensor, Tensor):
        raise DTypeError(
            f"{operation} takes a host Tensor, got {type(tensor).__name__}; "
            "make an array with np.asarray and wrap it with Tensor.from_numpy"
        )
    if not tensor.placement.is_host:
        raise RuntimeStateError(f"{operation} takes a host tensor, got one that is on {tensor.placement} already")


def require_resident(operation: str, tensor: Tensor, domain: AllocationDomain, number: int | None = None) -> None:
    """Raise unless ``tensor``, operand ``number`` of an operation with several, lives in ``domain``."""
    if not isinstance(tensor, Tensor):
        raise DTypeError(f"{operation} takes a Tensor of this session's device, got {type(tensor).__name__}")
    placement = tensor.placement
    if placement.domain is domain:
        return
    if placement.is_host and operation == "download_to_host":
        raise RuntimeStateError(
            f"download_to_host takes a tensor of a device, got one of shape {tensor.shape} that is on the host "
            "already; call to_numpy() on it"
        )
    if placement.is_host:
        raise RuntimeStateError(
            f"{operation} needs tensors of this session's device, got a host tensor of shape {tensor.shape}; "
            "upload it with upload_host_tensor"
        )
    raise ForeignDomainError(
        f"{operation} needs tensors of {domain!r}, got {'one' if number is None else f'operand {number}'} "
        f"of {placement.domain!r} on {placement}; "
        "move it with download_to_host there and upload_host_tensor here"
    )


def _require_disjoint(operation: str, out: Tensor, operands: Sequence[Tensor]) -> None:
    """Raise if writing ``out`` could change an operand, or one element of ``out`` twice."""
    if out.layout.overlaps_itself():
        raise ValidationError(
            f"{operation} needs an out without repeated elements, got {out.layout}; call to_contiguous first"
        )
    low, high = out.layout.bounds()
    for operand in operands:
        first, last = operand.layout.bounds()
        if operand.storage is out.storage and max(low, first) <= min(high, last) and operand.size and out.size:
            raise ValidationError(
                f"{operation} needs an out that overlaps no operand, got elements {low} to {high} for out and "
                f"{first} to {last} for an operand of one storage; copy the operand with to_contiguous"
            )


class SessionBase(BackendSession):
    """An execution session: entered once, closed once, never nested.

    Subclasses implement ``_execute`` (run a checked operation), ``check_alive`` (a device that is gone) and
    ``flush`` (what closing the session does).

    Parameters
    ----------
    backend_name
        For error texts.
    domain
        The allocation domain whose tensors this session takes.
    """

    def __init__(self, backend_name: str, domain: AllocationDomain) -> None:
        self._backend_name = backend_name
        self.domain = domain
        self._open = False
        self._entered = False

    @classmethod
    def ambient(cls, *runtime: Any) -> Self:
        """Return the session that a runtime owns: always open, and not subject to the guard."""
        session = cls(*runtime)
        session._open = True
        return session

    def __enter__(self) -> Self:
        outer = current_session()
        if outer is not None:
            raise SessionEntryError(
                f"session of {self._backend_name}: this thread is inside a session of {outer._backend_name}; "
                "use that session, or leave it first"
            )
        if self._entered:
            raise SessionEntryError(f"session of {self._backend_name}: a session is entered once; open a new one")
        self._entered = True
        self._open = True
        _thread.session = weakref.ref(self)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not self._open:
            return
        self._open = False
        try:
            self.flush()
        except Exception as flush_error:
            if error is None:
                raise
            error.add_note(f"while closing the session: {type(flush_error).__name__}: {flush_error}")

    def apply(self, name: str, operands: tuple[Operand, ...], **attributes: Any) -> Tensor:
        """Check and run one operation: shapes and axes, dtypes, residency, device state, then ``_execute``."""
        operation = OPERATIONS[name]
        self.require_open(name)
        checked = as_scalars(operation, operands)
        shape = operation.shape_rule(operation, [each.shape for each in checked], **attributes)
        if len(checked) == 2 and checked[0].dtype is not checked[1].dtype:
            checked = self._complex_beside_real(operation, checked)
        dtype = operation.dtype_rule(operation, [each.dtype for each in checked], **attributes)
        for number, each in enumerate(checked):
            if isinstance(each, Tensor):
                require_resident(name, each, self.domain, number)
        if operation.writes:
            *reads, out = (each for each in checked if isinstance(each, Tensor))
            _require_disjoint(name, out, reads)
        self.check_alive(name)
        return self._execute(operation, checked, shape, dtype, attributes)

    def _complex_beside_real(self, operation: Operation, operands: list[Tensor | Scalar]) -> list[Tensor | Scalar]:
        """Widen a real rank-0 tensor beside a complex one of its precision; it has imaginary part +0."""
        if not operation.takes_real_scalar:
            return operands
        target = next((each.dtype for each in operands if each.dtype.is_complex), None)
        return [
            self._widened(operation, each, target)
            if isinstance(each, Tensor) and target is not None and each.shape == () and each.dtype is target.real
            else each
            for each in operands
        ]

    def _widened(self, operation: Operation, x: Tensor, dtype: DType) -> Tensor:
        try:
            return self.convert(x, dtype)
        except UnsupportedError as error:
            raise UnsupportedError(f"{operation.name}: {error}") from error

    def require_open(self, name: str) -> None:
        """Raise SessionEntryError, in the name of operation ``name``, if the session is closed."""
        if not self._open:
            raise SessionEntryError(f"{name} needs an open session, got a closed one; open it with backend.session()")

    def execute_elementwise_fusion(self, inputs: Sequence[Tensor], plan: ElementwiseFusionPlan) -> list[Tensor]:
        """Run a plan and return its outputs: the very same bits as its operations one by one."""
        self.require_open("execute_elementwise_fusion")
        instance_of(ElementwiseFusionPlan, "execute_elementwise_fusion", plan)
        inputs = tuple_of(Tensor, "execute_elementwise_fusion", inputs)
        if len(inputs) != plan.input_count:
            raise ValidationError(
                f"execute_elementwise_fusion needs {plan.input_count} inputs for its plan, got {len(inputs)}"
            )
        values = [self._plan_input(plan, number, tensor) for number, tensor in enumerate(inputs)]
        for op in plan.ops:
            values.append(self.apply(op.name, tuple(values[v] for v in op.operands), **attributes_of(op)))
        return [values[output] for output in plan.outputs]

    def _plan_input(self, plan: ElementwiseFusionPlan, number: int, tensor: Tensor) -> Tensor:
        if tensor.dtype is not plan.input_dtypes[number]:
            raise ValidationError(
                f"execute_elementwise_fusion needs input {number} as {plan.input_dtypes[number]}, got {tensor.dtype}"
            )
        view = plan.input_views[number]
        return tensor if view is None else self.broadcast_in_dim(tensor, view.shape, view.dims)

    def execute_broadcast_multiply(
        self,
        lhs: Tensor,
        lhs_shape: Sequence[int],
        lhs_dims: Sequence[int],
        rhs: Tensor,
        rhs_shape: Sequence[int],
        rhs_dims: Sequence[int],
    ) -> Tensor:
        """Multiply two ``broadcast_in_dim`` views without materialising them."""
        left = self.broadcast_in_dim(lhs, lhs_shape, lhs_dims)
        return self.mul(left, self.broadcast_in_dim(rhs, rhs_shape, rhs_dims))

    def run_readers(self, x: Tensor) -> None:
        """Run pending work that reads the storage of ``x``: afterwards only tensors hold it. By default none waits."""

    def check_alive(self, name: str) -> None:
        """Raise, in the name of operation ``name``, if the device is lost or closed."""
        raise NotImplementedError

    def _execute(
        self,
        operation: Operation,
        operands: Sequence[Tensor | Scalar],
        shape: Shape,
        dtype: DType,
        attributes: dict[str, Any],
    ) -> Tensor:
        raise NotImplementedError

    def flush(self) -> None:
        """Start what is pending, without waiting for it; closing the session does."""
        raise NotImplementedError
