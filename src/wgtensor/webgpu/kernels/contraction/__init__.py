"""The contraction family: ``dot_general`` on any layouts, without transposed copies."""

from wgtensor.webgpu.kernels.contraction.planner import plan_contraction
from wgtensor.webgpu.kernels.contraction.problem import ContractionProblem, flops

__all__ = ["ContractionProblem", "flops", "plan_contraction"]
