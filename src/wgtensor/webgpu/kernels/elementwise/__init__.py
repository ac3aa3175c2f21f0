"""The elementwise family: one generator from a fusion window and a geometry to WGSL.

``lowering`` holds what each operation is in WGSL, ``access`` how elements are read and written, ``geometry`` how leaves
are addressed, ``generator`` puts a kernel together, and ``rows`` is the table that the recorder reads while recording.
"""

from wgtensor.webgpu.kernels.elementwise.generator import ElementwiseKernel, KernelOp, generate
from wgtensor.webgpu.kernels.elementwise.geometry import Geometry, plan_geometry

__all__ = ["ElementwiseKernel", "Geometry", "KernelOp", "generate", "plan_geometry"]
