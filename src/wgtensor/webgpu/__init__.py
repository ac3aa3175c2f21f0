"""The WebGPU backend: an owner of a GPU runtime, its execution sessions, and nothing that computes by itself.

``import wgtensor.webgpu`` loads no driver; the first ``WebGpuBackend.new_default()`` or ``WebGpuRuntime.new_default()``
does.
"""

from wgtensor.webgpu.backend import WebGpuBackend
from wgtensor.webgpu.counters import Counters
from wgtensor.webgpu.facts import AdapterClass, AdapterFacts
from wgtensor.webgpu.runtime import WebGpuRuntime, WebGpuRuntimeIdentity
from wgtensor.webgpu.session import WebGpuExecSession

__all__ = [
    "AdapterClass",
    "AdapterFacts",
    "Counters",
    "WebGpuBackend",
    "WebGpuExecSession",
    "WebGpuRuntime",
    "WebGpuRuntimeIdentity",
]
