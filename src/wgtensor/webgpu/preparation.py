"""Preparing ``dot_general``: planned and compiled before any data exist, in the plan cache that sessions read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wgtensor.contract import (
    BackendSession,
    DotGeneralPrepareRequest,
    NeedsSpecialization,
    PrepareCapability,
    Prepared,
    Unsupported,
)
from wgtensor.contract.session import SessionBase, require_resident
from wgtensor.errors import DTypeError, PrepareError
from wgtensor.rules import OPERATIONS
from wgtensor.tensor import Layout, Shape, Tensor
from wgtensor.webgpu.dot import DOT_DTYPES, compiled_contraction, run_contraction
from wgtensor.webgpu.kernels.contraction import ContractionProblem
from wgtensor.webgpu.lowerings import MOST_VISITED

if TYPE_CHECKING:
    from wgtensor.webgpu.kernel_cache import CompiledPlan
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["prepare_dot_general"]


def prepare_dot_general(runtime: WebGpuRuntime, request: DotGeneralPrepareRequest) -> PrepareCapability:
    """Answer a request: plan and compile it, or say which facts are missing, or why it is unsupported.

    Raises
    ------
    PrepareError
        The request is no request, or its config does not fit its signatures.
    """
    DotGeneralPrepareRequest.require(request)
    if request.open_facts:
        return NeedsSpecialization(request.open_facts)
    shape, lhs, rhs = request.result_shape(), request.lhs.layout(), request.rhs.layout()
    reason = _unsupported(runtime, request, (lhs, rhs, Layout.contiguous(shape)))
    if reason:
        return Unsupported(reason)
    problem = ContractionProblem(
        request.lhs.dtype, lhs, rhs, request.config, lhs_conj=request.lhs_conj, rhs_conj=request.rhs_conj
    )
    with runtime.recorder.lock:
        runtime.recorder.check_alive("prepare")
        before = runtime.counters.pipelines_compiled
        compiled = compiled_contraction(runtime, problem)
        count = runtime.counters.pipelines_compiled - before
    runner = _Runner(runtime, request, compiled, shape)
    return Prepared(request, runner, sum(compiled.plan.workspaces), count)


class _Runner:
    """Runs a prepared contraction; keeps its kernels and tables alive, whatever the cache does."""

    def __init__(
        self, runtime: WebGpuRuntime, request: DotGeneralPrepareRequest, compiled: CompiledPlan, shape: Shape
    ) -> None:
        self._runtime = runtime
        self._compiled = compiled
        self._request = request
        self._layout = Layout.contiguous(shape)

    def __call__(self, session: BackendSession, lhs: Tensor, rhs: Tensor) -> Tensor:
        runtime = self._runtime
        if not isinstance(session, SessionBase) or session.domain is not runtime.domain:
            raise PrepareError(
                f"a prepared dot_general runs on the runtime that prepared it ({runtime!r}), got {session!r}; "
                "prepare it on this session's backend"
            )
        session.require_open("Prepared.run")
        self._request.require_operands(lhs, rhs)
        for number, tensor in enumerate((lhs, rhs)):
            require_resident("Prepared.run", tensor, runtime.domain, number)
        with runtime.recorder.lock:
            runtime.recorder.check_alive("Prepared.run")
            if self._layout.size == 0:
                return Tensor(lhs.dtype, self._layout, runtime.pool.allocate(0))
            return run_contraction(runtime, self._compiled, lhs, rhs, self._layout)


def _unsupported(runtime: WebGpuRuntime, request: DotGeneralPrepareRequest, layouts: tuple[Layout, ...]) -> str:
    dtype, facts = request.lhs.dtype, runtime.facts
    try:
        OPERATIONS["dot_general"].infer_dtype([dtype, request.rhs.dtype])
    except DTypeError as error:
        return str(error)
    device = runtime.adapter_info.get("device")
    if dtype.name not in DOT_DTYPES:
        names = ", ".join(sorted(DOT_DTYPES))
        return f"dot_general on {dtype} is not available on {device}; cast on the host (array.astype) to one of {names}"
    largest = max((layout.bounds()[1] + 1) * dtype.itemsize for layout in layouts)
    if largest > facts.binding_limit:
        return (
            f"dot_general needs tensors of at most {facts.binding_limit} bytes on {device} "
            f"(max-storage-buffer-binding-size), got one of {largest}; work on slices of it"
        )
    visited, most = max(layout.size for layout in layouts), MOST_VISITED[facts.software]
    if visited > most:
        return f"dot_general visits at most {most} elements of an operand on {device}, got a view of {visited}"
    return ""
