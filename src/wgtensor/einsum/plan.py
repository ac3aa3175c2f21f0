"""Plans of an einsum: everything that depends on labels and shapes alone, made once and cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, TypeAlias

from wgtensor.contract import BackendSession
from wgtensor.einsum.cost import CostModel
from wgtensor.einsum.lowering import Program, lower
from wgtensor.einsum.network import Network, OperandView
from wgtensor.einsum.paths import Optimize, freeze_optimize, resolve_path
from wgtensor.einsum.slicing import Limits, choose_chunks
from wgtensor.einsum.steps import Values, live, run_steps
from wgtensor.einsum.tree import ContractionTree
from wgtensor.tensor import Shape, Tensor

__all__ = ["EinsumPlan", "plan_einsum"]

_CACHED_PLANS = 512

_Slice: TypeAlias = Mapping[int, range]
"""The positions that one slice takes of each sliced label."""


@dataclass(frozen=True, slots=True, eq=False)
class EinsumPlan:
    """A contraction, planned for labels, shapes and limits; made by :func:`plan_einsum`.

    Attributes
    ----------
    flops
        Operations of all slices by opt_einsum's rule (complex arithmetic has no other weight): one multiplication for
        each point of a step's index space, and one addition more where a label is summed.
    unsliced_flops
        The same without slices, so the difference is what slicing costs.
    peak_bytes
        Bytes that are live at the worst moment, all operands included.
    largest_bytes
        Bytes of the largest value that a step makes.
    chunks
        Chunk length of each sliced label; empty where nothing is sliced.
    """

    flops: int
    unsliced_flops: int
    peak_bytes: int
    largest_bytes: int
    chunks: Mapping[Hashable, int]
    _network: Network = field(repr=False)
    _tree: ContractionTree = field(repr=False)
    _ranges: Mapping[int, tuple[range, ...]] = field(repr=False)
    _first: Program = field(repr=False)
    _programs: dict[tuple[int, ...], Program] = field(repr=False)

    @property
    def slices(self) -> int:
        """How often the sliced part runs; 1 where nothing is sliced."""
        return prod(len(ranges) for ranges in self._ranges.values())

    @property
    def steps(self) -> int:
        """Number of reductions, products and contractions in one slice, with those that run once."""
        return len(self._first.invariant) + len(self._first.repeated)

    def execute(self, session: BackendSession, operands: Sequence[Tensor]) -> Tensor:
        """Contract operands of the planned shapes, in an open session that owns them.

        Returns
        -------
        Tensor
            The result; may be a view, in any layout.
        """
        values: Values = [None] * len(self._tree.labels)
        for number, (view, tensor) in enumerate(zip(self._network.operands, operands, strict=True)):
            values[number] = _with_diagonals(session, tensor, view)
        for number, shape in self._first.squeezed:
            values[number] = session.reshape(live(values, number), shape)
        run_steps(self._first.invariant, session, values)
        joined = self._joined(session, values, {})
        if self._first.labels == self._network.output:
            return joined
        return session.transpose(joined, [self._first.labels.index(label) for label in self._network.output])

    def _joined(self, session: BackendSession, values: Values, chosen: _Slice) -> Tensor:
        """Contract every slice within ``chosen``; join parts along the output's labels, sum them over the others."""
        left = [label for label in self._ranges if label not in chosen]
        if left and left[0] in self._network.output:
            parts = [{**chosen, left[0]: positions} for positions in self._ranges[left[0]]]
            return session.concatenate([self._joined(session, values, part) for part in parts], len(chosen))
        # One running total over all summed labels: a total per label would hold a part more for each.
        ranges = product(*(self._ranges[label] for label in left))
        first, *others = ({**chosen, **dict(zip(left, each, strict=True))} for each in ranges)
        total = self._part(session, values, first)
        for other in others:
            total = session.add(total, self._part(session, values, other))
        return total

    def _part(self, session: BackendSession, values: Values, chosen: _Slice) -> Tensor:
        program = self._program(chosen)
        values = values.copy()
        for number, shape in program.sliced:
            part = session.slice(live(values, number), self._network.operands[number].slice_config(chosen))
            values[number] = part if shape is None else session.reshape(part, shape)
        run_steps(program.repeated, session, values)
        return program.result.run(session, values)

    def _program(self, chosen: _Slice) -> Program:
        """Return the program for slices of these lengths; there are two lengths of a label at most."""
        lengths = {label: len(positions) for label, positions in chosen.items()}
        key = tuple(lengths.values())
        program = self._programs.get(key)
        if program is None:
            sizes = [lengths.get(label, size) for label, size in enumerate(self._network.sizes)]
            program = lower(self._network, self._tree, sizes, chosen, self._first.labels)
            self._programs[key] = program
        return program


def plan_einsum(
    inputs: Sequence[Sequence[Hashable]],
    output: Sequence[Hashable],
    shapes: Sequence[Sequence[int]],
    path: bool | str | Sequence[Any] | Callable[..., Any] = "auto",
    *,
    itemsize: int = 4,
    binding_limit: int | None = None,
    buffer_limit: int | None = None,
    memory_limit: int | None = None,
) -> EinsumPlan:
    """Plan a contraction; pure, and cached by all arguments.

    Parameters
    ----------
    inputs, output
        One label per axis of each operand, any hashable; distinct labels of the output.
    shapes
        The shape of each operand. A length of 1 stretches to another operand's length of that label.
    path
        ``"auto"`` or another of opt_einsum's names, ``False`` (left to right), or a path in opt_einsum's convention.
    itemsize
        Bytes of one element.
    binding_limit, buffer_limit, memory_limit
        Bytes of the largest tensor that a step may make, of the largest result that parts may be joined to, and bytes
        that may be live at once, operands included. A plan that exceeds the first or the last is sliced.

    Raises
    ------
    ValidationError
        Labels, shapes or path do not fit each other, or the memory limit cannot be met.
    UnsupportedError
        The result alone exceeds the buffer limit.

    Examples
    --------
    >>> plan = plan_einsum(["ij", "jk", "kl"], "il", [(2, 3), (3, 4), (4, 5)], path=[(0, 1), (0, 1)])
    >>> plan.flops, plan.steps, plan.slices
    (128, 2, 1)
    """
    return _cached_plan(
        tuple(tuple(labels) for labels in inputs),
        tuple(output),
        tuple(tuple(shape) for shape in shapes),
        optimize=freeze_optimize(path),
        itemsize=itemsize,
        limits=Limits(binding_limit, buffer_limit, memory_limit),
    )


@lru_cache(maxsize=_CACHED_PLANS)
def _cached_plan(
    inputs: tuple[tuple[Hashable, ...], ...],
    output: tuple[Hashable, ...],
    shapes: tuple[Shape, ...],
    *,
    optimize: Optimize,
    itemsize: int,
    limits: Limits,
) -> EinsumPlan:
    network = Network.of(inputs, output, shapes)
    terms = [view.active for view in network.operands]
    kept = frozenset(label for label in network.output if network.sizes[label] != 1)
    path = resolve_path(optimize, terms, kept, dict(enumerate(network.sizes)))
    tree = ContractionTree.of(terms, kept, path)
    model = CostModel(network, tree, itemsize)
    chunks, cost = choose_chunks(model, limits)
    ranges = _ranges(network, chunks)
    sizes = [chunks.get(label, size) for label, size in enumerate(network.sizes)]
    first = lower(network, tree, sizes, tuple(ranges))
    names = list(dict.fromkeys(label for labels in inputs for label in labels))
    return EinsumPlan(
        flops=cost.flops,
        unsliced_flops=model.measure({}).flops,
        peak_bytes=cost.peak,
        largest_bytes=cost.largest,
        chunks={names[label]: chunk for label, chunk in chunks.items()},
        _network=network,
        _tree=tree,
        _ranges=ranges,
        _first=first,
        _programs={tuple(chunks[label] for label in ranges): first},
    )


def _with_diagonals(session: BackendSession, tensor: Tensor, view: OperandView) -> Tensor:
    for axis, other in view.diagonals:
        tensor = session.extract_diagonal(tensor, axis, other)
    return tensor


def _ranges(network: Network, chunks: Mapping[int, int]) -> dict[int, tuple[range, ...]]:
    """Cut each sliced label into ranges; labels of the output come first, so that sums are the inner loops."""
    ordered = sorted(chunks, key=lambda label: label not in network.output)
    return {label: _cut(network.sizes[label], chunks[label]) for label in ordered}


def _cut(size: int, chunk: int) -> tuple[range, ...]:
    return tuple(range(start, min(start + chunk, size)) for start in range(0, size, chunk))
