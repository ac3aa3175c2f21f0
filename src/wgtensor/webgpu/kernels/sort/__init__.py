"""The sort family: stable sorts and argsorts along one axis, and the search in a sorted line.

Elements become u32 keys that grow with them, each with its position. Runs of 8 are sorted in registers, then merged
pair by pair until they are whole: no atomics, no barriers, no workgroup memory, the same on every adapter.
"""

from wgtensor.webgpu.kernels.sort.planner import ORDERED, plan_search, plan_sort

__all__ = ["ORDERED", "plan_search", "plan_sort"]
