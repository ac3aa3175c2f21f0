"""What planners know of an adapter: its class and its limits. Selection tables are keyed by these facts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["AdapterClass", "AdapterFacts"]

_SOFTWARE_LOOP_LIMIT: Final = 60_000
"""Loop iterations that one invocation may take on a software adapter, over all its loops.

lavapipe ends all loops of an invocation silently after 65,535 iterations in total.
"""


class AdapterClass(Enum):
    """The kinds of adapter that want different kernels."""

    DISCRETE = "discrete"
    INTEGRATED = "integrated"
    SOFTWARE = "software"


@dataclass(frozen=True, slots=True)
class AdapterFacts:
    """Facts that decide which kernel is planned; hashable, so plans can be cached by them.

    Attributes
    ----------
    adapter_class
        Discrete, integrated (virtual ones too) or software.
    binding_limit
        Largest storage binding, bytes.
    buffer_limit
        Largest buffer, bytes.
    storage_buffers
        Storage buffers that one kernel may bind.
    workgroup_invocations
        Invocations of one workgroup.
    workgroup_storage
        Workgroup memory, bytes.
    workgroups
        Workgroups of one dispatch in one dimension.
    subgroup_size
        Measured subgroup size, 0 where subgroups cannot be used.
    offset_alignment
        Alignment of binding offsets, bytes.
    float16, int64
        Whether kernels may use ``f16``, and 64-bit integers.
    """

    adapter_class: AdapterClass
    binding_limit: int = 128 << 20
    buffer_limit: int = 256 << 20
    storage_buffers: int = 8
    workgroup_invocations: int = 256
    workgroup_storage: int = 16 << 10
    workgroups: int = 65_535
    subgroup_size: int = 0
    offset_alignment: int = 256
    float16: bool = False
    int64: bool = False

    @property
    def software(self) -> bool:
        """Whether kernels run on a CPU."""
        return self.adapter_class is AdapterClass.SOFTWARE

    @property
    def wide_loads(self) -> bool:
        """Whether reading 64 bits at a time pays: a software driver's reads cost per access, not per byte."""
        return self.software and self.int64

    @property
    def loop_limit(self) -> int:
        """Loop iterations that one invocation may take."""
        return _SOFTWARE_LOOP_LIMIT if self.software else 1 << 30
