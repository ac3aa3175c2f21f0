"""Contractions of a session: one cached plan per problem, run into a new tensor or a given one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from wgtensor.contract import DotGeneralAccumulation
from wgtensor.contract.scalars import Scalar
from wgtensor.tensor import DType, Layout, Shape, Tensor
from wgtensor.webgpu.kernel_cache import CompiledPlan
from wgtensor.webgpu.kernels.contraction import ContractionProblem, plan_contraction
from wgtensor.webgpu.storage import device_storage
from wgtensor.webgpu.transfers import materialise

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["DOT_DTYPES", "compiled_contraction", "dot_general", "dot_general_into_accum", "run_contraction"]

DOT_DTYPES: Final = frozenset({"float32", "float16", "complex64", "int32", "uint32"})
"""Dtypes that contraction kernels compute in."""


def compiled_contraction(runtime: WebGpuRuntime, problem: ContractionProblem) -> CompiledPlan:
    """Return the plan of ``problem``, compiled on the first sight."""
    return runtime.kernels.plan(("contraction", problem), lambda: plan_contraction(problem, runtime.facts))


def dot_general(
    runtime: WebGpuRuntime,
    name: str,
    operands: Sequence[Tensor | Scalar],
    shape: Shape,
    dtype: DType,
    attributes: dict[str, Any],
) -> Tensor:
    """Contract two tensors into a new row-major one."""
    lhs, rhs = operands
    assert isinstance(lhs, Tensor)
    assert isinstance(rhs, Tensor)
    result = Layout.contiguous(shape)
    if result.size == 0:
        return Tensor(dtype, result, runtime.pool.allocate(0))
    problem = ContractionProblem(dtype, lhs.layout, rhs.layout, **attributes)
    return run_contraction(runtime, compiled_contraction(runtime, problem), lhs, rhs, result)


def run_contraction(runtime: WebGpuRuntime, compiled: CompiledPlan, lhs: Tensor, rhs: Tensor, result: Layout) -> Tensor:
    """Record a compiled contraction into a new tensor of ``result``'s layout."""
    recorder, left, right = runtime.recorder, device_storage(lhs), device_storage(rhs)
    recorder.settle(left)
    recorder.settle(right)
    output = runtime.pool.allocate(result.size * lhs.dtype.itemsize)
    recorder.launch(compiled, (left, right), output)
    return Tensor(lhs.dtype, result, output)


def dot_general_into_accum(
    runtime: WebGpuRuntime,
    name: str,
    operands: Sequence[Tensor | Scalar],
    shape: Shape,
    dtype: DType,
    attributes: dict[str, Any],
) -> Tensor:
    """Set ``out`` to ``alpha * dot + beta * out``; windows that read ``out`` run first."""
    lhs, rhs, out = operands
    assert isinstance(lhs, Tensor)
    assert isinstance(rhs, Tensor)
    assert isinstance(out, Tensor)
    if out.size == 0:
        return out
    recorder, target = runtime.recorder, device_storage(out)
    for tensor in (lhs, rhs, out):
        recorder.settle(device_storage(tensor))
    # A kernel may not read a buffer that it writes, not even elsewhere.
    lhs, rhs = (materialise(runtime, each) if each.storage is target else each for each in (lhs, rhs))
    how: DotGeneralAccumulation = attributes["accumulation"]
    problem = ContractionProblem(
        dtype,
        lhs.layout,
        rhs.layout,
        attributes["config"],
        out.layout,
        how.lhs_conj,
        how.rhs_conj,
        how.alpha,
        how.beta,
    )
    compiled = compiled_contraction(runtime, problem)
    recorder.close_readers(target)
    recorder.launch(compiled, (device_storage(lhs), device_storage(rhs)), target)
    return out
