"""What the native engine hands out and keeps: buffers, bind group layouts and pipelines."""

from __future__ import annotations

import sys
from typing import Any

from wgtensor.webgpu.engine.guard import inherited
from wgtensor.webgpu.engine.native_library import ffi, lib

__all__ = ["Buffer", "Layout", "MappableBuffer", "Pipeline"]


class Buffer:
    """A device buffer.

    Attributes
    ----------
    raw
        The driver's handle; None once released, so that cffi itself refuses a stale one.
    nbytes
        Its size.
    grouped
        Whether a bind group ever bound it.
    """

    __slots__ = ("grouped", "nbytes", "raw")
    mappable = False

    def __init__(self, raw: Any, nbytes: int) -> None:
        self.raw = raw
        self.nbytes = nbytes
        self.grouped = False


class MappableBuffer(Buffer):
    """A buffer in shared memory, which is read without a copy on the device."""

    __slots__ = ()
    mappable = True


class Layout:
    """Bind group layout of one (reads, writes) and the descriptor that its bind groups are made from."""

    __slots__ = ("bound", "count", "descriptor", "entries", "pipeline_layout", "raw")

    def __init__(self, device: Any, reads: int, writes: int, ring: Any) -> None:
        self.count = reads + writes
        slots = ffi.new("WGPUBindGroupLayoutEntry[]", self.count + 1)
        self.entries = ffi.new("WGPUBindGroupEntry[]", self.count + 1)
        for i in range(self.count + 1):
            slots[i].binding = self.entries[i].binding = i
            slots[i].visibility = lib.WGPUShaderStage_Compute
            slots[i].buffer.type = (
                lib.WGPUBufferBindingType_ReadOnlyStorage if i < reads else lib.WGPUBufferBindingType_Storage
            )
        slots[self.count].buffer.type = lib.WGPUBufferBindingType_Uniform
        slots[self.count].buffer.hasDynamicOffset = True
        layout = ffi.new("WGPUBindGroupLayoutDescriptor *")
        layout.entryCount, layout.entries = self.count + 1, slots
        self.raw = lib.wgpuDeviceCreateBindGroupLayout(device, layout)
        pipeline = ffi.new("WGPUPipelineLayoutDescriptor *")
        layouts = ffi.new("WGPUBindGroupLayout[]", [self.raw])
        pipeline.bindGroupLayoutCount, pipeline.bindGroupLayouts = 1, layouts
        self.pipeline_layout = lib.wgpuDeviceCreatePipelineLayout(device, pipeline)
        self.entries[self.count].buffer = ring
        self.descriptor = ffi.new("WGPUBindGroupDescriptor *")
        self.descriptor.layout = self.raw
        self.descriptor.entryCount, self.descriptor.entries = self.count + 1, self.entries
        # Views of the entries, made once: indexing the array makes a new one each time.
        self.bound = [self.entries[i] for i in range(self.count + 1)]


class Pipeline:
    """A compute pipeline and the layout its bind groups are made with."""

    __slots__ = ("layout", "raw")

    def __init__(self, raw: Any, layout: Layout) -> None:
        self.raw = raw
        self.layout = layout

    def __del__(self) -> None:
        if not inherited() and not sys.is_finalizing():
            lib.wgpuComputePipelineRelease(self.raw)
