"""Einstein summation over any number of tensors, on any backend: parsing, planning, slicing, execution.

Built on the session protocols alone. A plan depends on labels, shapes and limits only, and is cached; what runs is a
tight loop over steps whose permutations and configs were made in advance.
"""

from wgtensor.einsum.api import einsum
from wgtensor.einsum.plan import EinsumPlan, plan_einsum

__all__ = ["EinsumPlan", "einsum", "plan_einsum"]
