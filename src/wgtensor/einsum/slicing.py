"""Which labels to slice where a plan does not fit.

A network sliced over some labels is contracted once per slice, and the parts are summed (labels that the network
sums) or joined (labels of the output). The labels are chosen greedily, as contraction slicers do: each time the one
that adds the fewest operations per bit that it takes off what does not fit, and no more of it than is needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from wgtensor.einsum.cost import Chunks, Cost, CostModel, part_count
from wgtensor.errors import UnsupportedError, ValidationError

__all__ = ["Limits", "choose_chunks"]


class Limits(NamedTuple):
    """What a plan must fit.

    Attributes
    ----------
    binding
        Bytes of the largest tensor that the adapter can bind, so of all that a step makes; None for no limit.
    buffer
        Bytes of the largest tensor that the adapter can hold, so of the result; None for no limit.
    memory
        Bytes that may be live at once, operands included; None for no limit.
    """

    binding: int | None = None
    buffer: int | None = None
    memory: int | None = None


def choose_chunks(model: CostModel, limits: Limits) -> tuple[Chunks, Cost]:
    """Return chunk lengths, of as few labels as it takes, with which the plan fits, and what it then costs.

    Raises
    ------
    UnsupportedError
        The result alone exceeds the buffer limit.
    ValidationError
        No slicing meets the memory limit.
    """
    _check_limits(model, limits)
    chunks: dict[int, int] = {}
    cost = model.measure(chunks)
    while _shed(limits, cost) > 0:
        best = min(_candidates(model, limits, chunks, cost), default=None)
        if best is None:
            raise ValidationError(_no_way(model, limits, cost))
        chunks[best.label] = best.chunk
        cost = model.measure(chunks)
    return chunks, cost


class _Candidate(NamedTuple):
    """A possible next cut; the smallest is the best: the cheapest, and of equally cheap ones that which gains most."""

    price: float
    loss: float
    label: int
    chunk: int


def _candidates(model: CostModel, limits: Limits, chunks: Chunks, cost: Cost) -> Iterator[_Candidate]:
    shed = _shed(limits, cost)
    excess = _excess(model, limits, cost)
    for label in _worst_labels(model, limits, cost):
        size = model.network.sizes[label]
        chunk = _smaller(size, chunks.get(label, size), excess)
        trial = model.measure({**chunks, label: chunk})
        gain = shed - _shed(limits, trial)
        if gain > 0:
            price = round(math.log2(trial.flops / cost.flops) / gain, 3)
            yield _Candidate(price, -gain, label, chunk)


def _smaller(size: int, chunk: int, excess: float) -> int:
    """Return the chunk that is smaller by ``excess`` (at least by one), with all chunks about equally long."""
    wanted = max(1, min(math.floor(chunk / excess), chunk - 1))
    return part_count(size, part_count(size, wanted))


def _worst_labels(model: CostModel, limits: Limits, cost: Cost) -> list[int]:
    """Return the labels of the worst offender: any solution has to cut it."""
    worst = max(cost.sizes, key=cost.sizes.__getitem__)
    if limits.binding is None or cost.sizes[worst] <= limits.binding:
        return sorted(frozenset().union(*(model.tree.labels[value] for value in cost.crowd)))
    return sorted(model.tree.labels[worst])


def _shed(limits: Limits, cost: Cost) -> float:
    """Return how many bits (powers of two in bytes) still have to come off."""
    bits = 0.0
    if limits.binding is not None:
        bits += sum(math.log2(size / limits.binding) for size in cost.sizes.values() if size > limits.binding)
    if limits.memory is not None and cost.peak > limits.memory:
        bits += math.log2(cost.peak / limits.memory)
    return bits


def _excess(model: CostModel, limits: Limits, cost: Cost) -> float:
    """Return by which factor the worst offender is too large; operands cannot shrink."""
    binding = cost.largest / limits.binding if limits.binding else 1.0
    if limits.memory is None:
        return binding
    return max(binding, (cost.peak - model.operand_bytes) / max(limits.memory - model.operand_bytes, 1))


def _check_limits(model: CostModel, limits: Limits) -> None:
    if limits.buffer is not None and model.output_bytes > limits.buffer:
        raise UnsupportedError(
            f"einsum needs a result within the adapter's buffer limit of {limits.buffer} bytes, got one of shape "
            f"{model.network.output_shape} with {model.output_bytes} bytes; contract it in parts, or sum more labels"
        )
    needed = model.operand_bytes + model.output_bytes
    if limits.memory is not None and needed > limits.memory:
        raise ValidationError(
            f"einsum needs a memory_limit of at least {needed} bytes for its operands ({model.operand_bytes}) and its "
            f"result ({model.output_bytes}), got {limits.memory}"
        )


def _no_way(model: CostModel, limits: Limits, cost: Cost) -> str:
    return (
        f"einsum found no slices within a memory_limit of {limits.memory} bytes: operands take "
        f"{model.operand_bytes}, the result {model.output_bytes}, and the smallest peak found is {cost.peak}; "
        "raise memory_limit, or give another path"
    )
