"""A launch plan in the making: planners add tables, scratch buffers and dispatches in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.plan import Binding, KernelSource, LaunchPlan, Role, Step, fold_grid, pack_params

__all__ = ["OPERAND", "OUTPUT", "Draft"]

OPERAND = Binding(Role.OPERAND)
OUTPUT = Binding(Role.OUTPUT)


class Draft:
    """Collects the parts of a :class:`LaunchPlan` for one adapter."""

    def __init__(self, name: str, facts: AdapterFacts) -> None:
        self.name = name
        self.facts = facts
        self._steps: list[Step] = []
        self._tables: list[NDArray[np.uint32]] = []
        self._workspaces: list[int] = []

    def tables(self, tables: Sequence[NDArray[np.uint32]]) -> tuple[Binding, ...]:
        """Add tables and return their bindings."""
        first = len(self._tables)
        self._tables += tables
        return tuple(Binding(Role.TABLE, first + i) for i in range(len(tables)))

    def workspace(self, nbytes: int) -> Binding:
        """Add a scratch buffer and return its binding."""
        self._workspaces.append(-(-nbytes // 16) * 16)
        return Binding(Role.WORKSPACE, len(self._workspaces) - 1)

    def dispatch(
        self,
        kernel: KernelSource,
        bindings: Sequence[Binding],
        params: Sequence[int],
        workgroups: int,
        loop_iterations: int = 0,
    ) -> None:
        """Add a dispatch of ``workgroups`` workgroups, folded into the adapter's grid."""
        grid = fold_grid(workgroups, self.facts.workgroups)
        self._steps.append(Step(kernel, tuple(bindings), pack_params(*params), grid, loop_iterations))

    def finish(self, work: int = 0) -> LaunchPlan:
        """Return the plan; no step at all for an empty result."""
        return LaunchPlan(self.name, tuple(self._steps), tuple(self._tables), tuple(self._workspaces), work)
