"""The reference backend: the whole contract in plain NumPy, one function per operation."""

from wgtensor.cpu.backend import CpuBackend
from wgtensor.cpu.runtime import CpuCounters, CpuRuntime, CpuRuntimeIdentity
from wgtensor.cpu.session import CpuExecSession

__all__ = ["CpuBackend", "CpuCounters", "CpuExecSession", "CpuRuntime", "CpuRuntimeIdentity"]
