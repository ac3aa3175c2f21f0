"""Contractions of a session: cached plans, run into a new tensor or a given one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from wgtensor.contract import DotGeneralAccumulation, DotGeneralConfig, GroupedGemmJob
from wgtensor.tensor import DType, Layout, Tensor
from wgtensor.webgpu.call import Call
from wgtensor.webgpu.kernel_cache import CompiledPlan
from wgtensor.webgpu.kernels.contraction import ContractionProblem, Start, plan_contraction
from wgtensor.webgpu.storage import device_storage
from wgtensor.webgpu.transfers import materialise

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = [
    "DOT_DTYPES",
    "compiled_contraction",
    "dot_general",
    "dot_general_into_accum",
    "grouped_gemm",
    "run_contraction",
]

DOT_DTYPES: Final = frozenset({"float32", "float16", "complex64", "int32", "uint32"})
"""Dtypes that contraction kernels compute in."""
_MATMUL: Final = DotGeneralConfig((1,), (0,))


def compiled_contraction(runtime: WebGpuRuntime, problem: ContractionProblem) -> CompiledPlan:
    """Return the plan of ``problem``, compiled on the first sight."""
    return runtime.kernels.plan(("contraction", problem), lambda: plan_contraction(problem, runtime.facts))


def dot_general(call: Call) -> Tensor:
    """Contract two tensors into a new row-major one."""
    (lhs, rhs), runtime, result = call.tensors, call.runtime, call.result
    if result.size == 0:
        return Tensor(call.dtype, result, runtime.pool.allocate(0))
    problem = ContractionProblem(call.dtype, lhs.layout, rhs.layout, **call.attributes)
    return run_contraction(runtime, compiled_contraction(runtime, problem), lhs, rhs, result)


def run_contraction(runtime: WebGpuRuntime, compiled: CompiledPlan, lhs: Tensor, rhs: Tensor, result: Layout) -> Tensor:
    """Record a compiled contraction into a new tensor of ``result``'s layout."""
    recorder, left, right = runtime.recorder, device_storage(lhs), device_storage(rhs)
    recorder.settle(left)
    recorder.settle(right)
    output = runtime.pool.allocate(result.size * lhs.dtype.itemsize)
    recorder.launch(compiled, (left, right), output)
    return Tensor(lhs.dtype, result, output)


def dot_general_into_accum(call: Call) -> Tensor:
    """Set ``out`` to ``alpha * dot + beta * out``; windows that read ``out`` run first."""
    lhs, rhs, out = _beside(call)
    if out.size == 0:
        return out
    config, how = call.attributes["config"], call.attributes["accumulation"]
    problem = ContractionProblem(call.dtype, lhs.layout, rhs.layout, config, out.layout, *_factors(how))
    return _run_into(call.runtime, [problem], lhs, rhs, out)


def grouped_gemm(call: Call) -> Tensor:
    """Run the jobs: one contraction for all of equal sizes, wherever their blocks lie."""
    lhs, rhs, out = _beside(call)
    layouts, jobs, how = (lhs.layout, rhs.layout, out.layout), call.attributes["jobs"], call.attributes["accumulation"]
    return _run_into(call.runtime, _grouped(call.dtype, layouts, jobs, how), lhs, rhs, out)


@lru_cache(maxsize=256)
def _grouped(
    dtype: DType, layouts: tuple[Layout, ...], jobs: tuple[GroupedGemmJob, ...], how: DotGeneralAccumulation
) -> tuple[ContractionProblem, ...]:
    """Return one problem per size of ``jobs``, from the layouts of lhs, rhs and out."""
    problems = []
    for alike in _alike(jobs):
        lhs, rhs, out = _blocks(alike[0], layouts)
        starts = tuple([_start(job, layouts) for job in alike])
        problems.append(ContractionProblem(dtype, lhs, rhs, _MATMUL, out, *_factors(how), starts))
    return tuple(problems)


def _alike(jobs: Sequence[GroupedGemmJob]) -> list[list[GroupedGemmJob]]:
    """Sort the jobs that have a result by sizes and leading dimensions."""
    groups: dict[tuple[int, ...], list[GroupedGemmJob]] = {}
    for job in jobs:
        if job.rows and job.cols:
            leading = (job.lhs_leading or job.contracted, job.rhs_leading or job.cols, job.out_leading or job.cols)
            groups.setdefault((job.rows, job.contracted, job.cols, *leading), []).append(job)
    return list(groups.values())


def _blocks(job: GroupedGemmJob, layouts: Sequence[Layout]) -> list[Layout]:
    """Return the layouts of a job's three blocks, as if they began with their rank-1 tensors."""
    m, k, n = job.rows, job.contracted, job.cols
    blocks = ((m, k, job.lhs_leading or k), (k, n, job.rhs_leading or n), (m, n, job.out_leading or n))
    return [
        Layout((rows, cols), (leading * layout.strides[0], layout.strides[0]), layout.offset)
        for (rows, cols, leading), layout in zip(blocks, layouts, strict=True)
    ]


def _start(job: GroupedGemmJob, layouts: Sequence[Layout]) -> Start:
    """Return where a job begins; the offsets of operands without elements are not checked, so not used."""
    lhs, rhs, out = (layout.strides[0] for layout in layouts)
    read = min(job.contracted, 1)
    return read * job.lhs_offset * lhs, read * job.rhs_offset * rhs, job.out_offset * out


def _beside(call: Call) -> tuple[Tensor, Tensor, Tensor]:
    """Settle lhs, rhs and out; a kernel may not read a buffer that it writes, not even elsewhere, so copy from that."""
    (lhs, rhs, out), runtime = call.tensors, call.runtime
    for tensor in (lhs, rhs, out):
        runtime.recorder.settle(device_storage(tensor))
    lhs, rhs = (
        materialise(runtime, each) if each.storage is out.storage and each.size else each for each in (lhs, rhs)
    )
    return lhs, rhs, out


def _factors(how: DotGeneralAccumulation) -> tuple[bool, bool, complex, complex]:
    """Return the last fields of a problem."""
    return how.lhs_conj, how.rhs_conj, how.alpha, how.beta


def _run_into(
    runtime: WebGpuRuntime, problems: Sequence[ContractionProblem], lhs: Tensor, rhs: Tensor, out: Tensor
) -> Tensor:
    """Compile all problems, then run them into ``out``."""
    plans, target = [compiled_contraction(runtime, problem) for problem in problems], device_storage(out)
    runtime.recorder.close_readers(target)
    for compiled in plans:
        runtime.recorder.launch(compiled, (device_storage(lhs), device_storage(rhs)), target)
    return out
