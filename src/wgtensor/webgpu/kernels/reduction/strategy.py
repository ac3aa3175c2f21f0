"""How a reduction is shared out: by adapter class, from the counts of kept positions and reduced steps alone.

Software adapters want no barriers: each invocation folds its share by itself, and shares are made until about 64
workgroups are busy. GPUs want neighbouring invocations on neighbouring elements: teams of up to 256 invocations share
one kept position and meet in workgroup memory, and long reductions are split over several teams.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.reduction.problem import Access, Problem

__all__ = ["SIZES", "Share", "finish_team", "plan_share", "root_block"]

SIZES: Final = {True: 64, False: 256}
"""Invocations of a workgroup, for software adapters (True) and others."""
SOFTWARE_INVOCATIONS: Final = 64 * 64
GPU_INVOCATIONS: Final = 2048 * 256
GPU_COLUMNS: Final = 1 << 16
MOST_SPLITS: Final = {True: 4096, False: 1 << 15}
LEAST_SPAN: Final = {True: 64, False: 4}
"""Turns of one invocation below which another split costs more than it saves."""
LONGEST_SPAN: Final = 8192
SERIAL_SPLITS: Final = 32
"""Splits that one invocation of a second pass joins by itself, on a GPU."""


@dataclass(frozen=True, slots=True)
class Share:
    """How the work of a first pass is shared.

    Attributes
    ----------
    units
        Kept positions, or chunks of them.
    steps
        Reduced elements, or chunks of them.
    splits
        Parts of each unit, joined by a second pass.
    team
        Invocations that share one split and meet in workgroup memory; a power of two.
    interleave
        Shares of a unit that take turns, so that they read neighbours.
    span
        Turns of one invocation.
    units_first
        Whether neighbouring invocations take neighbouring units, rather than steps.
    """

    units: int
    steps: int
    splits: int
    team: int
    interleave: int
    span: int
    units_first: bool

    @property
    def block(self) -> int:
        """Turns that are joined before they are joined to the rest."""
        return root_block(self.span)

    @property
    def loop_iterations(self) -> int:
        """Upper bound of loop iterations of one invocation."""
        return self.span + 2 * -(-self.span // self.block) + self.team.bit_length() + 1

    def workgroups(self, size: int) -> int:
        """Return the workgroups of ``size`` invocations that hold all shares."""
        return -(-self.units * self.splits * self.team // size)


def plan_share(problem: Problem, access: Access, lanes: int, facts: AdapterFacts) -> Share:
    """Share out a first pass that reads by ``access``, in chunks of ``lanes`` elements."""
    kept, reduced = problem.kept, problem.reduced
    units = kept.count // lanes if access is Access.COLUMNS else kept.count
    steps = math.prod(reduced.chunked(lanes).lengths) if access is Access.ROWS else reduced.count
    per_turn = lanes if access is Access.GENERAL else 1
    turns = -(-steps // per_turn)
    closer = bool(kept.strides) and (kept.step < reduced.step or not reduced.strides)
    units_first = access is Access.COLUMNS or (access is Access.GENERAL and closer)
    team = 1 if facts.software or access is Access.COLUMNS else _team(units, turns, units_first)
    splits = _splits(units, turns, team, facts.software)
    interleave = team if team > 1 else min(splits, SIZES[facts.software])
    span = -(-turns // (splits * team))
    return Share(units, steps, splits, team, interleave, span, units_first)


def finish_team(results: int, splits: int, facts: AdapterFacts) -> bool:
    """Return whether a workgroup joins the splits of one result, rather than one invocation."""
    return not facts.software and splits > SERIAL_SPLITS and results <= facts.workgroups


def root_block(turns: int) -> int:
    """Return the block that makes the chain of joins shortest: near the square root of ``turns``."""
    return max(math.isqrt(max(turns - 1, 0)) + 1, 1)


def _team(units: int, turns: int, units_first: bool) -> int:
    """Return the invocations per unit: none to spare on short rows, all of a workgroup on long ones."""
    wanted = min(turns // 2, SIZES[False])
    if units_first:  # neighbouring units keep the reads together, as long as there are enough of them
        wanted = min(wanted, GPU_COLUMNS // units)
    return _power_of_two(wanted)


def _splits(units: int, turns: int, team: int, software: bool) -> int:
    wanted = (SOFTWARE_INVOCATIONS if software else GPU_INVOCATIONS) // (units * team)
    useful = min(wanted, turns // (team * LEAST_SPAN[software]), MOST_SPLITS[software])
    needed = -(-turns // (team * LONGEST_SPAN))
    return max(_power_of_two(useful), 1 << (needed - 1).bit_length())


def _power_of_two(number: int) -> int:
    """Return the largest power of two up to ``number``, at least 1."""
    return 1 << (max(number, 1).bit_length() - 1)
