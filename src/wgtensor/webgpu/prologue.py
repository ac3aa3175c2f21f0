"""Reductions that wait: the last operation of a fusion window may be a reduction of one of its results.

It waits for the window's close, since only then is known which results are still held: those are written by the kernel
that reduces, and the others never touch memory. Only one reduction waits per window, and it fills the window.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from wgtensor.tensor import DType, Layout, Tensor
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.elementwise import plan_geometry
from wgtensor.webgpu.kernels.plan import LaunchPlan
from wgtensor.webgpu.kernels.reduction import Prologue, plan_reduce, plan_reduce_window
from wgtensor.webgpu.storage import device_storage
from wgtensor.webgpu.window import FusionWindow, kernel_of, names_of

__all__ = ["WindowReduction", "window_of"]


def window_of(x: Tensor) -> FusionWindow | None:
    """Return the open window that a reduction of ``x`` may join, or None.

    ``x`` must be pending and hold every element of the window once: the result itself, reshaped, permuted or reversed.
    """
    window = device_storage(x).window
    if not isinstance(window, FusionWindow) or window.reduction is not None:
        return None
    layout = x.layout
    if layout.size != window.size or layout.bounds()[1] >= window.size or layout.overlaps_itself():
        return None
    return window


@dataclass(frozen=True, slots=True)
class WindowReduction:
    """A reduction at the end of a window.

    Attributes
    ----------
    name
        The session's method.
    dtype, layout, axes
        Dtype and layout of the operand, and what is reduced.
    slot
        The operand's number among the window's results.
    """

    name: str
    dtype: DType
    layout: Layout
    axes: tuple[int, ...]
    slot: int

    @property
    def op(self) -> str:
        """The operation's name among the kernels."""
        return self.name.removeprefix("reduce_")

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What decides the plan of the stored operand."""
        return (self.name, self.dtype, self.layout, self.axes)

    def plan(self, facts: AdapterFacts) -> LaunchPlan:
        """Return the plan that reduces the stored operand."""
        return plan_reduce(self.op, self.dtype, self.layout, self.axes, facts)

    def key_with(self, window: FusionWindow, live: tuple[int, ...]) -> tuple[Hashable, ...]:
        """Return what decides the plan of this reduction, of the window before it, and of its results ``live``."""
        scalars = tuple([dtype for _, dtype in window.scalars])
        return ("prologue", self, tuple(window.key), live, window.layout, tuple(window.layouts), scalars)

    def plan_with(self, window: FusionWindow, live: tuple[int, ...], facts: AdapterFacts, buffers: int) -> LaunchPlan:
        """Return the plan that computes the operand; one without steps if the kernel or ``buffers`` do not allow it."""
        geometry = plan_geometry(window.shape, window.layouts, facts.workgroups)
        kernel = kernel_of(window, (self.slot, *live), geometry.form, geometry.classes, facts.wide_loads)
        plan = plan_reduce_window(self.op, self.dtype, self.layout, self.axes, facts, Prologue(kernel, geometry))
        name = f"{names_of(window.key)} {self.name}"
        fits = all(len(step.bindings) <= buffers for step in plan.steps)
        return replace(plan, name=name) if fits else LaunchPlan(name, ())
