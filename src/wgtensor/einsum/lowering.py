"""From a contraction tree and label lengths to steps: which operation, which axes, in which order.

``dot_general`` lays its result out as batch, lhs free, rhs free axes, each group in the order of the views that it is
given. So the layout of an intermediate is free: its axes are put in the tree's one label order, group by group, and
the side with the label that is summed soonest becomes the right one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wgtensor.contract import DotGeneralConfig
from wgtensor.einsum.network import Network
from wgtensor.einsum.steps import Axes, Contract, Multiply, Reduce, Result, Scheduled, Step
from wgtensor.einsum.tree import ContractionTree
from wgtensor.tensor import Shape

__all__ = ["Program", "lower"]


@dataclass(frozen=True, slots=True)
class Program:
    """A tree lowered for one length of each label.

    Attributes
    ----------
    squeezed
        Number and shape without axes of length 1 of each operand that has some and is not sliced.
    invariant
        Steps that no sliced label touches; they run once.
    sliced
        Number of each sliced operand, and its shape without axes of length 1 (None: it has none).
    repeated
        Steps that run for every slice.
    result
        The view of the last value that is one part of the output, with its axes ordered as ``labels``.
    labels
        The labels of the parts' axes. Parts of a sliced output lead with its sliced labels and keep the order that
        they have in memory, so that joining them moves whole blocks.
    """

    squeezed: tuple[tuple[int, Shape], ...]
    invariant: Scheduled
    sliced: tuple[tuple[int, Shape | None], ...]
    repeated: Scheduled
    result: Result
    labels: tuple[int, ...]


def lower(
    network: Network,
    tree: ContractionTree,
    lengths: Sequence[int],
    sliced: Collection[int],
    labels: tuple[int, ...] | None = None,
) -> Program:
    """Lower a tree for the given lengths of labels, of which those in ``sliced`` may be shorter than the network's.

    ``labels`` is the order of the parts' axes, if it is decided already.
    """
    leading = [label for label in sliced if label in network.output]
    lowering = _Lowering(network, tree, lengths, list(dict.fromkeys([*leading, *network.output])))
    touched = [not reached.isdisjoint(sliced) for reached in tree.reach()]
    phases: dict[bool, list[tuple[Step, Axes]]] = {False: [], True: []}
    for number, sources in enumerate(tree.sources):
        target = tree.target(number)
        step = lowering.step(number)
        if step is not None:
            dead = tuple(lowering.slot[source] for source in sources if touched[source] == touched[target])
            phases[touched[target]].append((step, dead))
    squeezed = lowering.squeezed
    labels = labels or lowering.part_labels(leading, network.output)
    return Program(
        squeezed=tuple((number, shape) for number, shape in squeezed.items() if not touched[number]),
        invariant=tuple(phases[False]),
        sliced=tuple((number, squeezed.get(number)) for number in range(tree.operands) if touched[number]),
        repeated=tuple(phases[True]),
        result=lowering.result(labels),
        labels=labels,
    )


class _Lowering:
    """Follows where each value is (``slot``) and in which order its axes lie (``axes``)."""

    def __init__(self, network: Network, tree: ContractionTree, lengths: Sequence[int], output: Sequence[int]) -> None:
        self.tree = tree
        self.lengths = lengths
        self.order = tree.label_order(output)
        self.slot = list(range(tree.operands))
        self.axes: list[tuple[int, ...]] = []
        self.squeezed: dict[int, Shape] = {}
        for number, view in enumerate(network.operands):
            kept = tuple(label for label in view.labels if label in view.active and lengths[label] != 1)
            if len(kept) != len(view.labels):
                self.squeezed[number] = self._shape(kept)
            self.axes.append(kept)

    def step(self, number: int) -> Step | None:
        """Lower the next step; None where only axes of length 1 would be summed."""
        sources, target = self.tree.sources[number], self.tree.target(number)
        kept = [label for label in self.tree.labels[target] if self.lengths[label] != 1]
        kept.sort(key=self.order.__getitem__)
        if len(sources) == 2:
            return self._pair(target, *sources, kept)
        return self._reduction(target, sources[0], kept)

    def part_labels(self, leading: Sequence[int], output: Sequence[int]) -> tuple[int, ...]:
        """Return the output's order, or where it is sliced one that leads with these labels and then follows memory."""
        if not leading:
            return tuple(output)
        return tuple(dict.fromkeys([*leading, *self.axes[self.tree.result], *output]))

    def result(self, output: Sequence[int]) -> Result:
        """Return the view of the last value with the axes in this order, those of length 1 included."""
        value = self.tree.result
        axes = self.axes[value]
        if len(axes) != len(output):
            dims = tuple(output.index(label) for label in axes)
            return Result(self.slot[value], None, self._shape(output), dims)
        return Result(self.slot[value], _unless_identity(tuple(axes.index(label) for label in output)), None, ())

    def _reduction(self, target: int, source: int, kept: Collection[int]) -> Reduce | None:
        axes = self.axes[source]
        summed = tuple(axis for axis, label in enumerate(axes) if label not in kept)
        self._place(target if summed else self.slot[source], tuple(label for label in axes if label in kept))
        return Reduce(target, self.slot[source], summed) if summed else None

    def _pair(self, target: int, lhs: int, rhs: int, kept: list[int]) -> Step:
        summed = [label for label in self.axes[lhs] if label in self.axes[rhs] and label not in kept]
        if summed:
            return self._contraction(target, lhs, rhs, kept, summed)
        self._place(target, tuple(kept))
        dims = [self._stretch(value, kept) for value in (lhs, rhs)]
        return Multiply(target, self.slot[lhs], self.slot[rhs], self._shape(kept), *dims)

    def _contraction(self, target: int, lhs: int, rhs: int, kept: list[int], summed: list[int]) -> Contract:
        batch = [label for label in kept if label in self.axes[lhs] and label in self.axes[rhs]]
        if self._goes_right(target, self._free(lhs, kept, batch), self._free(rhs, kept, batch)):
            lhs, rhs = rhs, lhs
        free = [self._free(value, kept, batch) for value in (lhs, rhs)]
        orders = [self._with_free_order(lhs, free[0]), self._with_free_order(rhs, free[1])]
        left = [self.axes[lhs][axis] for axis in orders[0]]
        right = [self.axes[rhs][axis] for axis in orders[1]]
        config = DotGeneralConfig(
            [left.index(label) for label in summed],
            [right.index(label) for label in summed],
            [left.index(label) for label in batch],
            [right.index(label) for label in batch],
        )
        self._place(target, (*batch, *free[0], *free[1]))
        return Contract(target, self.slot[lhs], self.slot[rhs], config, *map(_unless_identity, orders))

    def _free(self, value: int, kept: Sequence[int], batch: Sequence[int]) -> list[int]:
        return [label for label in kept if label in self.axes[value] and label not in batch]

    def _goes_right(self, target: int, lhs: list[int], rhs: list[int]) -> bool:
        """Say whether the free axes of lhs come last: those summed soonest do; of the result, those not leading."""
        if not lhs or not rhs:
            return bool(lhs)
        if target == self.tree.result:
            return self.order[lhs[0]] > self.order[rhs[0]]
        return self.order[lhs[-1]] > self.order[rhs[-1]]

    def _with_free_order(self, value: int, free: Sequence[int]) -> Axes:
        """Return the permutation that puts the free axes in order and leaves all others where they are."""
        axes = self.axes[value]
        ordered = iter(free)
        return tuple(axes.index(next(ordered)) if label in free else axis for axis, label in enumerate(axes))

    def _stretch(self, value: int, kept: Sequence[int]) -> Axes | None:
        """Return where the value's axes lie in the product; None for a scalar, or where they are the product's."""
        axes = self.axes[value]
        return tuple(kept.index(label) for label in axes) if axes and axes != tuple(kept) else None

    def _place(self, slot: int, axes: tuple[int, ...]) -> None:
        self.slot.append(slot)
        self.axes.append(axes)

    def _shape(self, labels: Sequence[int]) -> Shape:
        return tuple(self.lengths[label] for label in labels)


def _unless_identity(order: Axes) -> Axes | None:
    return None if order == tuple(range(len(order))) else order
