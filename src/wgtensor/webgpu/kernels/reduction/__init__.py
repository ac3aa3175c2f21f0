"""The reduction family: sum, prod, max, min, any, all, argmax and argmin over any axes of any layout.

Every reduction is a pass over (kept, reduced) positions and, where one kept position is shared out or results are
smaller than a word, a second pass that joins the shares. See ``strategy`` for who does what.
"""

from wgtensor.webgpu.kernels.reduction.planner import plan_reduce

__all__ = ["plan_reduce"]
