"""The sort family: stable sorts and argsorts along one axis, and the search in a sorted line.

Elements become u32 keys that grow with them, each with its position. Runs of 8 are sorted in registers, on GPUs merged
up to 2048 in workgroup memory, and then pair by pair until lines are whole: by single invocations on software adapters,
by workgroups on GPUs. There are no atomics, and equal keys keep their order by construction.
"""

from wgtensor.webgpu.kernels.sort.planner import ORDERED, plan_search, plan_sort

__all__ = ["ORDERED", "plan_search", "plan_sort"]
