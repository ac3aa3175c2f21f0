"""The reduction family: sum, prod, max, min, any, all, argmax and argmin over any axes of any layout.

Every reduction is a pass over (kept, reduced) positions and, where one kept position is shared out or results are
smaller than a word, a second pass that joins the shares. See ``strategy`` for who does what. The first pass may compute
its operand, a result of a fusion window, instead of reading it: see ``prologue``.
"""

from wgtensor.webgpu.kernels.reduction.planner import plan_reduce, plan_reduce_window
from wgtensor.webgpu.kernels.reduction.prologue import Prologue

__all__ = ["Prologue", "plan_reduce", "plan_reduce_window"]
