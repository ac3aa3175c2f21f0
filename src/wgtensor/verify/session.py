"""Sessions that compare each result with the reference backend's as soon as it is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wgtensor.contract.preparation import DotGeneralPrepareRequest
from wgtensor.contract.scalars import Scalar
from wgtensor.contract.session import SessionBase
from wgtensor.cpu.casts import to_bfloat16
from wgtensor.errors import VerificationError
from wgtensor.rules import OPERATIONS, Operation
from wgtensor.tensor import ArrayStorage, DType, Layout, Shape, Tensor, bfloat16, float32
from wgtensor.verify.measure import Deviation, find_deviation
from wgtensor.verify.reference import Case
from wgtensor.webgpu import WebGpuExecSession, WebGpuRuntime
from wgtensor.webgpu.kernel_cache import CompiledPlan

__all__ = ["VerifyingSession", "flushes_denormals"]


_MOST_AXES: Final = 64
"""Of NumPy's arrays; operations on tensors with more are not verified."""


class VerifyingSession(WebGpuExecSession):
    """A session for finding wrong kernels: slow, since it reads every operand and every result back.

    Chosen by ``WGTENSOR_VERIFY=1``. The reference backend runs each operation on the same operands, in a wider dtype
    where the operation rounds, and the first result beyond the operation's bound raises ``VerificationError``. Each
    operation runs in a kernel of its own. Tensors of more than 64 axes, which NumPy does not have, pass unverified.
    """

    def __init__(self, runtime: WebGpuRuntime) -> None:
        super().__init__(runtime)
        self._flushes: bool | None = None

    # Without the short ways of its base: all operations come to _execute.
    apply = SessionBase.apply

    def _execute(
        self,
        operation: Operation,
        operands: Sequence[Tensor | Scalar],
        shape: Shape,
        dtype: DType,
        attributes: dict[str, Any],
    ) -> Tensor:
        if max(len(shape), *(len(each.shape) for each in operands), 0) > _MOST_AXES:
            return super()._execute(operation, operands, shape, dtype, attributes)
        # Before the operation runs, since the last operand of some is what they write.
        case = Case(operation, tuple(self._on_host(each) for each in operands), attributes)
        result = super()._execute(operation, operands, shape, dtype, attributes)
        self.require_sound(case, result)
        return result

    def run_prepared(
        self, request: DotGeneralPrepareRequest, compiled: CompiledPlan, lhs: Tensor, rhs: Tensor, result: Layout
    ) -> Tensor:
        """Run a compiled product, and compare it with the reference."""
        attributes = {"config": request.config, "lhs_conj": request.lhs_conj, "rhs_conj": request.rhs_conj}
        case = Case(OPERATIONS["dot_general"], (self._on_host(lhs), self._on_host(rhs)), attributes)
        product = super().run_prepared(request, compiled, lhs, rhs, result)
        self.require_sound(case, product)
        return product

    def require_sound(self, case: Case, result: Tensor) -> None:
        """Raise unless the reference backend agrees with a result.

        Raises
        ------
        VerificationError
            An element is beyond the operation's bound.
        """
        if result.size == 0:
            return
        if self._flushes is None:
            self._flushes = flushes_denormals(self)
        deviation = find_deviation(case, self._on_host(result).to_numpy(), flushes=self._flushes)
        if deviation is not None and deviation.wrong:
            raise VerificationError(_finding(case, deviation, self.runtime.adapter_info.get("device", "")))

    def _on_host(self, operand: Tensor | Scalar) -> Tensor:
        """Return a copy with the very same strides: the memory behind it is read whole, past every copying kernel."""
        if isinstance(operand, Scalar):
            return _number(operand)
        layout = operand.layout
        if layout.size == 0:
            return self.download_to_host(operand)
        low, high = layout.bounds()
        span = self.download_to_host(operand.view(Layout((high - low + 1,), (1,), low)))
        return span.view(Layout(layout.shape, layout.strides, layout.offset - low))


def flushes_denormals(session: WebGpuExecSession) -> bool:
    """Return whether the adapter's arithmetic flushes the denormals of float32, as WGSL allows."""
    x = session.upload_host_tensor(Tensor.from_numpy(np.full(4, 1e-40, np.float32)))
    half = WebGpuExecSession._execute(session, OPERATIONS["mul"], (x, Scalar(0.5, float32)), (4,), float32, {})
    return not session.download_to_host(half).to_numpy().all()


def _number(scalar: Scalar) -> Tensor:
    if scalar.dtype is bfloat16:
        bits = to_bfloat16(np.full(1, scalar.value.real, np.float32))
        return Tensor(bfloat16, Layout.contiguous(()), ArrayStorage(bits))
    with np.errstate(over="ignore"):
        return Tensor.from_numpy(np.asarray(scalar.value, scalar.dtype.numpy))


def _finding(case: Case, deviation: Deviation, device: str) -> str:
    at, name = deviation.worst, case.operation.name
    operands = "; ".join(
        f"{each.dtype} of shape {each.shape} and strides {each.layout.strides}" for each in case.operands
    )
    attributes = "".join(f", {key}={value}" for key, value in case.attributes.items())
    return (
        f"{name} on {device} needs the reference backend's result ({case.operation.accuracy}), got "
        f"{deviation.actual[at]!r} for {deviation.expected[at]!r} at {at}, {deviation.errors[at]:.3g} ulp away where "
        f"{deviation.allowed[at]:.3g} are allowed ({deviation.wrong} of {deviation.actual.size} elements are wrong); "
        f"operands: {operands or 'none'}{attributes}; report it with the output of `wgtensor info`"
    )
