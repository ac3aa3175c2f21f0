"""wgtensor: tensors on any GPU, from Python, through WebGPU.

Two backends stand behind one contract: ``wgtensor.webgpu.WebGpuBackend`` on Vulkan, Metal and DX12, and
``wgtensor.cpu.CpuBackend``, the NumPy reference. Importing this package loads no driver.
"""

from wgtensor.einsum import einsum

__all__ = ["__version__", "einsum"]

__version__ = "0.1.0"
