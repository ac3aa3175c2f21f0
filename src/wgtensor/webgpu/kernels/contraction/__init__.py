"""The contraction family: ``dot_general`` on any layouts, without transposed copies."""

from wgtensor.webgpu.kernels.contraction.planner import plan_contraction
from wgtensor.webgpu.kernels.contraction.problem import ContractionProblem, Start, flops

__all__ = ["ContractionProblem", "Start", "flops", "plan_contraction"]
