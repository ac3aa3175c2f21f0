"""What a runtime did so far, in numbers that do not wobble."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counters"]


@dataclass(slots=True)
class Counters:
    """Counts since the runtime was made.

    Attributes
    ----------
    submits, dispatches
        Command buffers submitted, kernels recorded.
    pipelines_compiled
        Kernels compiled.
    bytes_up, bytes_down
        Bytes that explicit transfers moved.
    host_reads
        Reads of device memory by the host, of any size.
    live_bytes
        Bytes of the buffers that tensors, tables and scratch hold now (size classes included).
    pool_bytes
        Bytes of the buffers that wait for reuse.
    peak_bytes
        Largest sum of the two since the runtime was made or ``reset_peak`` was called.
    """

    submits: int = 0
    dispatches: int = 0
    pipelines_compiled: int = 0
    bytes_up: int = 0
    bytes_down: int = 0
    host_reads: int = 0
    live_bytes: int = 0
    pool_bytes: int = 0
    peak_bytes: int = 0
