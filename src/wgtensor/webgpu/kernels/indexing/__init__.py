"""The indexing family: gather, scatter and their one-window forms, with starts that lie on the device.

A gather is one dispatch. A scatter gives the same bits in every run although its updates meet in any order: each mode
combines through integer atomics whose result does not depend on order. The last update of mode set is the largest
number that reaches a cell; extremes are extremes of ordered keys; floats are summed as fixed-point numbers.
"""

from wgtensor.webgpu.kernels.indexing.combine import COMBINES
from wgtensor.webgpu.kernels.indexing.gather import plan_gather
from wgtensor.webgpu.kernels.indexing.place import plan_dynamic_update_slice
from wgtensor.webgpu.kernels.indexing.scatter import plan_scatter

__all__ = ["COMBINES", "plan_dynamic_update_slice", "plan_gather", "plan_scatter"]
