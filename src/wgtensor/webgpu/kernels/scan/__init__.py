"""The scan family: cumulative sum, product, maximum and minimum along one axis, and the positions of True.

Reduce, then scan: lines are cut into shares; a first pass joins each share, a second scans the joins, a third scans
each share from there. Lines that keep the adapter busy by themselves are scanned in one pass. No pass waits for
another workgroup, which WebGPU could not promise. See ``strategy`` for who does what.
"""

from wgtensor.webgpu.kernels.scan.planner import is_one_line, plan_flat_nonzero, plan_scan

__all__ = ["is_one_line", "plan_flat_nonzero", "plan_scan"]
