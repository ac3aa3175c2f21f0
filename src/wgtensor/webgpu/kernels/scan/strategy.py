"""How a scan is shared out: shares of a line, one after the other, each walked in turns of four elements.

Software adapters want no barriers: each invocation walks its share by itself. On GPUs, a team of up to 256 invocations
walks a share side by side and meets in workgroup memory at every turn; where neighbouring lines lie closer than
neighbours on a line, single invocations take neighbouring lines instead. Lines are split until the adapter is busy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.scan.lines import Lines

__all__ = ["LANES", "WORKGROUP", "Share", "plan_share"]

LANES: Final = 4
"""Neighbouring elements that an invocation takes in one turn."""

# Keyed by whether the adapter is a software one.
WORKGROUP: Final = {True: 64, False: 256}
"""Invocations of a workgroup."""
INVOCATIONS: Final = {True: 64 * 64, False: 2048 * 256}
"""Invocations that keep the adapter busy; more only make the pass over the shares longer."""
MOST_SHARES: Final = {True: 1 << 12, False: 1 << 14}
"""Shares of one line over which another pass still walks quickly."""
LEAST_SPAN: Final = {True: 64, False: 4}
"""Turns of one share below which another split costs more than it saves."""
LONGEST_SPAN: Final = 8192
"""Turns of one share above which a line is split even if the adapter is busy."""
LEAST_ACROSS: Final = 32
"""Lines from which on neighbouring invocations take neighbouring lines."""


@dataclass(frozen=True, slots=True)
class Share:
    """How lines are shared.

    Attributes
    ----------
    lines, steps
        Lines, and elements of each.
    splits
        Shares of each line.
    team
        Invocations that walk one share side by side; a power of two.
    span
        Turns of a team, each of ``LANES`` elements per invocation.
    across
        Whether neighbouring invocations take neighbouring lines, rather than shares of a line.
    """

    lines: int
    steps: int
    splits: int
    team: int
    span: int
    across: bool

    @property
    def block(self) -> int:
        """Turns that are joined before they are joined to what came before: the root of all, so chains are short."""
        return math.isqrt(max(self.span - 1, 0)) + 1

    @property
    def total_strides(self) -> tuple[int, int]:
        """Distances of totals, from one line and from one share to the next: as neighbours write them."""
        return (1, self.lines) if self.across else (self.splits, 1)

    @property
    def loop_iterations(self) -> int:
        """Upper bound of loop iterations of one invocation."""
        return self.span * self.team.bit_length() + 2 * -(-self.span // self.block) + 1

    def workgroups(self, size: int) -> int:
        """Return the workgroups of ``size`` invocations that hold all shares."""
        return -(-self.lines * self.splits * self.team // size)


def plan_share(lines: Lines, facts: AdapterFacts, *, whole: bool = False) -> Share:
    """Share out ``lines``; with ``whole``, one share per line."""
    software = facts.software
    turns = -(-lines.length // LANES)
    across = lines.across and lines.count >= LEAST_ACROSS
    team = 1 if software or across else _power_of_two(min(turns // 2, WORKGROUP[software]))
    splits = 1 if whole else _splits(lines.count, turns, team, software)
    span = -(-turns // (splits * team))
    return Share(lines.count, lines.length, -(-turns // (span * team)), team, span, across)


def _splits(lines: int, turns: int, team: int, software: bool) -> int:
    idle = INVOCATIONS[software] // (lines * team)
    useful = min(idle, turns // (team * LEAST_SPAN[software]), MOST_SHARES[software])
    return max(useful, -(-turns // (team * LONGEST_SPAN)), 1)


def _power_of_two(number: int) -> int:
    """Return the largest power of two up to ``number``, at least 1."""
    return 1 << (max(number, 1).bit_length() - 1)
