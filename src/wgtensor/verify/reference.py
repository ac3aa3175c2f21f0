"""What the reference backend makes of an operation, in a dtype that is wider than the operands'."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract import DotGeneralAccumulation
from wgtensor.cpu.runtime import CpuRuntime
from wgtensor.cpu.session import CpuExecSession
from wgtensor.rules import Family, Operation
from wgtensor.tensor import Tensor, bfloat16

__all__ = ["Case", "combined_count", "flushed", "magnitudes", "run_reference", "widened"]

Array = NDArray[Any]

WIDER: Final = {"float16": np.float64, "float32": np.float64, "complex64": np.complex128}
"""What the reference computes in; other dtypes stay."""

SMALLEST_NORMAL: Final = 2.0**-126
"""Of float32; adapters may flush what is smaller."""


@dataclass(frozen=True)
class Case:
    """One operation on host tensors: everything that its result depends on.

    Attributes
    ----------
    operation
        Its row in the table.
    operands
        Host tensors; numbers are rank-0 tensors of the dtype that they take.
    attributes
        As sessions hand them to ``apply``.
    """

    operation: Operation
    operands: tuple[Tensor, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mode(self) -> str:
        """How a scatter combines; of all else ``"add"``."""
        return getattr(self.attributes.get("config"), "mode", "add")

    def mapped(self, function: Callable[[Array], Array], **attributes: Any) -> Case:
        """Return the case with ``function`` applied to its float and complex operands."""
        with np.errstate(all="ignore"):  # NaN that signals, in the cast to a wider dtype
            operands = [
                Tensor.from_numpy(np.asarray(function(each.to_numpy()))) if _is_inexact(each) else each
                for each in self.operands
            ]
        return replace(self, operands=tuple(operands), attributes={**self.attributes, **attributes})


def _is_inexact(x: Tensor) -> bool:
    return x.dtype.kind in "fc" and x.dtype is not bfloat16


def run_reference(case: Case) -> Array:
    """Return the reference backend's result; its dtype follows from the operands'."""
    session = _session()
    operands = tuple(session.upload_host_tensor(each) for each in case.operands)
    with np.errstate(all="ignore"):
        result = session.apply(case.operation.name, operands, **case.attributes)
    return session.runtime.array(result)


@cache
def _session() -> CpuExecSession:
    return CpuExecSession.ambient(CpuRuntime.new_default())


def widened(x: Array) -> Array:
    """Return ``x`` in the dtype that the reference computes in."""
    return x.astype(WIDER.get(x.dtype.name, x.dtype))


def flushed(x: Array) -> Array:
    """Return ``x`` with zeros, of the same sign, for the denormals of float32; other dtypes as they are."""
    if x.dtype.kind == "c":
        parts = flushed(np.ascontiguousarray(x).reshape(-1).view(x.real.dtype))
        return parts.view(x.dtype).reshape(x.shape)
    if x.dtype != np.float32:
        return x
    return np.where(np.abs(x) < SMALLEST_NORMAL, np.copysign(0, x), x).astype(x.dtype)


def magnitudes(case: Case) -> Array:
    """Return the sum of the magnitudes that each result of a sum combines; what is not finite counts as 0."""
    attributes = {
        name: abs(value) if name in ("alpha", "beta") else _absolute(value) for name, value in case.attributes.items()
    }
    return run_reference(case.mapped(lambda x: np.nan_to_num(np.abs(widened(x)), nan=0, posinf=0), **attributes))


def _absolute(value: Any) -> Any:
    if isinstance(value, DotGeneralAccumulation):
        return DotGeneralAccumulation(abs(value.alpha), abs(value.beta))
    return value


def combined_count(case: Case, results: int) -> int:
    """Return how many elements, or products, each of ``results`` results combines, at most."""
    count = _COUNTS.get(case.operation.name) or _COUNTS.get(case.operation.family)
    return count(case, results) if count else max((each.size for each in case.operands), default=1)


def _contracted(case: Case, results: int) -> int:
    dims: Sequence[int] = case.attributes["config"].lhs_contracting_dims
    return 1 + math.prod(case.operands[0].shape[axis] for axis in dims)


def _windows(case: Case, results: int) -> int:
    """Return how many windows a scatter has, each of which meets a result once, and the operand's own element."""
    starts, axis = case.operands[1].shape, case.attributes["config"].index_vector_dim
    return 1 + math.prod(starts[:axis] + starts[axis + 1 :])


def _longest_job(case: Case, results: int) -> int:
    return 1 + max((job.contracted for job in case.attributes["jobs"]), default=0)


_COUNTS: Final[dict[str | Family, Callable[[Case, int], int]]] = {
    Family.ELEMENTWISE: lambda case, results: 1,
    Family.ANALYTIC: lambda case, results: 1,
    Family.REDUCTION: lambda case, results: max(1, case.operands[0].size // max(results, 1)),
    Family.SCAN: lambda case, results: case.operands[0].shape[case.attributes["axis"]],
    "dot_general": _contracted,
    "dot_general_into_accum": _contracted,
    "grouped_gemm": _longest_job,
    "scatter": _windows,
}
