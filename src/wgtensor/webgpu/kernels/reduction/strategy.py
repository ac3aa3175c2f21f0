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

__all__ = ["WORKGROUP", "Join", "Share", "plan_join", "plan_share"]

# Keyed by whether the adapter is a software one.
WORKGROUP: Final = {True: 64, False: 256}
"""Invocations of a workgroup."""
INVOCATIONS: Final = {True: 64 * 64, False: 2048 * 256}
"""Invocations that keep the adapter busy; more only cost a longer second pass."""
MOST_SPLITS: Final = {True: 1 << 12, False: 1 << 15}
"""Splits of one result that a second pass still joins quickly."""
LEAST_SPAN: Final = {True: 64, False: 8}
"""Turns of one invocation below which another split costs more than it saves."""
WHOLE_SPAN: Final = {True: 1024, False: 64}
"""Turns of one invocation up to which nothing is split: a second pass would cost more, however idle the adapter."""
LONGEST_SPAN: Final = 8192
"""Turns of one invocation above which work is split even if the adapter is busy."""
COALESCED_UNITS: Final = 1 << 16
"""Units whose invocations, side by side, keep a GPU busy without teams."""
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
        Parts of each unit, joined by a second pass; a power of two.
    team
        Invocations that share one split and meet in workgroup memory; a power of two.
    interleave
        Shares of a unit that take turns, so that they read neighbours; divides splits times team.
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
        return _root(self.span)

    @property
    def loop_iterations(self) -> int:
        """Upper bound of loop iterations of one invocation."""
        return _blocked_iterations(self.span) + self.team.bit_length()

    def workgroups(self, size: int) -> int:
        """Return the workgroups of ``size`` invocations that hold all shares."""
        return -(-self.units * self.splits * self.team // size)


@dataclass(frozen=True, slots=True)
class Join:
    """How a second pass joins: ``turns`` per invocation, by whole workgroups (``team``) or single invocations."""

    team: bool
    turns: int
    workgroups: int

    @property
    def block(self) -> int:
        """Turns that are joined before they are joined to the rest."""
        return _root(self.turns)

    @property
    def loop_iterations(self) -> int:
        """Upper bound of loop iterations of one invocation, for each result of its word."""
        return _blocked_iterations(self.turns) + WORKGROUP[False].bit_length()


def plan_share(problem: Problem, access: Access, lanes: int, facts: AdapterFacts) -> Share:
    """Share out a first pass that reads by ``access``, in chunks of ``lanes`` elements."""
    kept, reduced = problem.kept, problem.reduced
    units = kept.count // lanes if access is Access.COLUMNS else kept.count
    steps = math.prod(reduced.chunked(lanes).lengths) if access is Access.ROWS else reduced.count
    turns = -(-steps // lanes) if access is Access.GENERAL else steps
    closer = bool(kept.strides) and (kept.step < reduced.step or not reduced.strides)
    units_first = access is Access.COLUMNS or (access is Access.GENERAL and closer)
    team = 1 if facts.software or access is Access.COLUMNS else _team(units, turns, units_first)
    splits = _splits(units, turns, team, facts.software)
    interleave = team if team > 1 else min(splits, WORKGROUP[facts.software])
    return Share(units, steps, splits, team, interleave, -(-turns // (splits * team)), units_first)


def plan_join(words: int, splits: int, facts: AdapterFacts) -> Join:
    """Plan the second pass for ``words`` words of results, each of which joins ``splits`` partial results."""
    size = WORKGROUP[facts.software]
    if facts.software or splits <= SERIAL_SPLITS:
        return Join(False, splits, -(-words // size))
    return Join(True, -(-splits // size), words)


def _team(units: int, turns: int, units_first: bool) -> int:
    """Return the invocations per unit: few on short rows, a whole workgroup on long ones."""
    wanted = min(turns // 2, WORKGROUP[False])
    if units_first:  # invocations side by side read neighbours by themselves, as long as there are enough
        wanted = min(wanted, COALESCED_UNITS // units)
    return _power_of_two(wanted)


def _splits(units: int, turns: int, team: int, software: bool) -> int:
    if turns <= team * WHOLE_SPAN[software]:
        return 1
    idle = INVOCATIONS[software] // (units * team)
    useful = min(idle, turns // (team * LEAST_SPAN[software]), MOST_SPLITS[software])
    needed = -(-turns // (team * LONGEST_SPAN))
    return max(_power_of_two(useful), 1 << (needed - 1).bit_length())


def _power_of_two(number: int) -> int:
    """Return the largest power of two up to ``number``, at least 1."""
    return 1 << (max(number, 1).bit_length() - 1)


def _root(turns: int) -> int:
    """Return the block that makes the chain of joins shortest: the square root of ``turns``, rounded up."""
    return math.isqrt(max(turns - 1, 0)) + 1


def _blocked_iterations(turns: int) -> int:
    """Return the iterations of a loop over ``turns`` turns in blocks, with one for the end of each block."""
    return turns + 2 * -(-turns // _root(turns)) + 1
