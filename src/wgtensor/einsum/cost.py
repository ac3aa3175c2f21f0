"""What a contraction tree costs when some of its labels are cut into chunks: operations and bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wgtensor.einsum.network import Network
from wgtensor.einsum.tree import ContractionTree

__all__ = ["Chunks", "Cost", "CostModel", "part_count"]

Chunks = Mapping[int, int]
"""Chunk length of each sliced label; the last chunk of a label may be shorter."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a plan costs.

    Attributes
    ----------
    flops
        Operations of all slices by opt_einsum's rule: one multiplication for each point of a step's index space, and
        one addition more where a label is summed; a reduction takes one addition per element.
    sizes
        Bytes of every value that a step makes.
    peak
        Bytes that are live at the worst moment, all operands included.
    crowd
        The values, other than operands, that are live at that moment.
    """

    flops: int
    sizes: Mapping[int, int]
    peak: int
    crowd: frozenset[int]

    @property
    def largest(self) -> int:
        """Bytes of the largest value that a step makes."""
        return max(self.sizes.values(), default=0)


class CostModel:
    """Costs of one network and tree.

    Parameters
    ----------
    network, tree
        What is contracted, and in which order.
    itemsize
        Bytes of one element.
    """

    def __init__(self, network: Network, tree: ContractionTree, itemsize: int) -> None:
        self.network = network
        self.tree = tree
        self.itemsize = itemsize
        self.operand_bytes = itemsize * sum(view.elements for view in network.operands)
        self.output_bytes = itemsize * math.prod(network.output_shape) if tree.sources else 0
        self._reach = tree.reach()

    def measure(self, chunks: Chunks) -> Cost:
        """Return the cost of contracting the network in these chunks."""
        sizes = self._value_bytes(chunks)
        peak, crowd = self._peak(chunks, sizes)
        return Cost(self._flops(chunks), sizes, self.operand_bytes + peak, crowd)

    def part_bytes(self, chunks: Chunks) -> int:
        """Return the bytes of the largest part of the result."""
        return self.itemsize * math.prod(self._lengths(chunks, self.network.output))

    def _value_bytes(self, chunks: Chunks) -> dict[int, int]:
        made = range(self.tree.operands, len(self.tree.labels))
        return {value: self.itemsize * math.prod(self._lengths(chunks, self.tree.labels[value])) for value in made}

    def _lengths(self, chunks: Chunks, labels: Iterable[int]) -> list[int]:
        sizes = self.network.sizes
        return [chunks.get(label, sizes[label]) for label in labels]

    def _touched(self, chunks: Chunks, value: int) -> bool:
        return not self._reach[value].isdisjoint(chunks)

    def _flops(self, chunks: Chunks) -> int:
        sizes = self.network.sizes
        parts = {label: part_count(sizes[label], chunk) for label, chunk in chunks.items()}
        total = 0
        for step, sources in enumerate(self.tree.sources):
            joint, target = self.tree.joint_labels(step), self.tree.target(step)
            both = len(sources) == 2 and joint != self.tree.labels[target]
            flops = (2 if both else 1) * math.prod(sizes[label] for label in joint)
            if self._touched(chunks, target):
                flops *= math.prod(count for label, count in parts.items() if label not in joint)
            total += flops
        return total

    def _peak(self, chunks: Chunks, sizes: Mapping[int, int]) -> tuple[int, frozenset[int]]:
        """Follow the live values through the steps that run once, then through those of one slice."""
        held, joining = self._result_bytes(chunks)
        live: set[int] = set()
        total, peak, crowd = 0, 0, frozenset[int]()
        for phase in (False, True):
            total += held if phase else 0
            for step, sources in enumerate(self.tree.sources):
                target = self.tree.target(step)
                if self._touched(chunks, target) != phase:
                    continue
                live.add(target)
                total += sizes[target]
                if total > peak:
                    peak, crowd = total, frozenset(live)
                for source in sources:
                    if source in live and self._touched(chunks, source) == phase:
                        live.remove(source)
                        total -= sizes[source]
        kept = sum(sizes[value] for value in live if not self._touched(chunks, value))
        return max(peak, kept + joining), crowd

    def _result_bytes(self, chunks: Chunks) -> tuple[int, int]:
        """Return what finished parts hold while the last slice runs, and what joining them takes at its worst."""
        if not chunks:
            return 0, 0
        part = self.part_bytes(chunks)
        stacked = any(label in self.network.output for label in chunks)
        summed = any(label not in self.network.output for label in chunks)
        others = self.output_bytes - part if stacked else 0
        while_summing = others + 3 * part if summed else 0
        return others + (part if summed else 0), max(while_summing, 2 * self.output_bytes if stacked else 0)


def part_count(size: int, chunk: int) -> int:
    """Return the number of chunks that cover ``size``."""
    return -(-size // chunk)
