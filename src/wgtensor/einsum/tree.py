"""The contraction tree: which two values each step joins, and which labels are left.

Values are numbered: the operands first, then one per step. Every value is consumed by exactly one step, so it can be
freed right after it. Labels that only one value still carries are summed before that value meets another one, since a
reduction reads it once while a contraction would multiply it into every product.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wgtensor.einsum.paths import Path

__all__ = ["ContractionTree"]


@dataclass(frozen=True, slots=True)
class ContractionTree:
    """Steps without lengths or layouts.

    Attributes
    ----------
    operands
        Number of operands.
    labels
        The labels of every value.
    sources
        Of every step: one value to reduce, or two to contract. Step ``k`` makes value ``operands + k``.
    """

    operands: int
    labels: tuple[frozenset[int], ...]
    sources: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(inputs: Sequence[frozenset[int]], output: frozenset[int], path: Path) -> ContractionTree:
        """Resolve a checked path."""
        builder = _Builder(inputs, output)
        values = list(range(len(inputs)))
        for step in path:
            chosen = [values[position] for position in step]
            values = [value for value in values if value not in chosen]
            values.append(builder.contract(chosen))
        builder.contract(values)
        return ContractionTree(len(inputs), tuple(builder.labels), tuple(builder.sources))

    @property
    def result(self) -> int:
        """The value that is the result."""
        return len(self.labels) - 1 if self.sources else 0

    def target(self, step: int) -> int:
        """Return the value that a step makes."""
        return self.operands + step

    def joint_labels(self, step: int) -> frozenset[int]:
        """Return the labels that a step iterates over."""
        return frozenset().union(*(self.labels[source] for source in self.sources[step]))

    def label_order(self, output: Sequence[int]) -> dict[int, int]:
        """Return the position of each label in the one order in which all intermediates keep their axes.

        Labels that live longest come first, those summed next come last, output labels lead in the order of the
        output. So the axes that a step sums are neighbours, in one order in both of its operands, and innermost.
        """
        gone: dict[int, int] = {}
        for step in range(len(self.sources)):
            for label in self.joint_labels(step) - self.labels[self.target(step)]:
                gone[label] = step
        place = {label: position for position, label in enumerate(output)}
        known = frozenset().union(*self.labels)
        ordered = sorted(known, key=lambda label: (-gone.get(label, math.inf), place.get(label, 0), label))
        return {label: position for position, label in enumerate(ordered)}

    def reach(self) -> list[frozenset[int]]:
        """Return, of every value, the labels of all operands that it was made from."""
        reached = list(self.labels[: self.operands])
        for sources in self.sources:
            reached.append(frozenset().union(*(reached[source] for source in sources)))
        return reached


class _Builder:
    """Collects steps; ``uses`` counts the live values (and the output) that carry a label."""

    def __init__(self, inputs: Sequence[frozenset[int]], output: Iterable[int]) -> None:
        self.labels = list(inputs)
        self.sources: list[tuple[int, ...]] = []
        self.uses = Counter(label for term in (*inputs, output) for label in term)

    def contract(self, values: Sequence[int]) -> int:
        """Contract the values from left to right and return what is left of them."""
        joined = self._reduced(values[0])
        for value in values[1:]:
            joined = self._pair(joined, self._reduced(value))
        return joined

    def _reduced(self, value: int) -> int:
        private = frozenset(label for label in self.labels[value] if self.uses[label] == 1)
        if not private:
            return value
        self.uses.subtract(private)
        return self._append((value,), self.labels[value] - private)

    def _pair(self, lhs: int, rhs: int) -> int:
        shared = self.labels[lhs] & self.labels[rhs]
        self.uses.subtract(shared)
        summed = frozenset(label for label in shared if self.uses[label] == 1)
        self.uses.subtract(summed)
        return self._append((lhs, rhs), (self.labels[lhs] | self.labels[rhs]) - summed)

    def _append(self, sources: tuple[int, ...], labels: frozenset[int]) -> int:
        self.sources.append(sources)
        self.labels.append(labels)
        return len(self.labels) - 1
