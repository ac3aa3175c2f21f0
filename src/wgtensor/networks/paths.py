"""Contraction paths: finding them, checking them, what they cost.

A path is a sequence of steps. Each step names the positions of the one or two operands it contracts; these
leave the list and their result is appended to its end, as in opt_einsum and ``numpy.einsum_path``.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

import opt_einsum

from wgtensor.errors import ValidationError

__all__ = ["Path", "Step", "check_path", "contraction_steps", "find_path", "path_flops"]

Path = tuple[tuple[int, ...], ...]

TRIALS = 32
"""Randomised greedy searches per path: about 0.1 s for 30 tensors, 1 s for 400."""


class Step(NamedTuple):
    """One contraction of a path.

    Attributes
    ----------
    positions
        Which operands of the current list are contracted.
    operands
        The labels of each of them.
    result
        The labels of what is appended to the list.
    """

    positions: tuple[int, ...]
    operands: tuple[str, ...]
    result: str


def check_path(path: Path, tensors: int) -> None:
    """Refuse a path that does not contract ``tensors`` operands to one.

    Raises
    ------
    ValidationError
        A step does not name one or two operands that exist, or the number of steps is wrong.
    """
    left = tensors
    for number, step in enumerate(path):
        if len(step) not in (1, 2) or len(set(step)) != len(step):
            raise ValidationError(f"step {number} must name one or two different operands, got {list(step)}")
        if not all(0 <= position < left for position in step):
            raise ValidationError(f"step {number} must name operands 0 to {left - 1}, got {list(step)}")
        left -= len(step) - 1
    if left != 1 or not path:
        raise ValidationError(
            f"{len(path)} steps leave {left} of {tensors} tensors; at least one step must leave exactly one"
        )


def contraction_steps(inputs: Sequence[str], output: str, path: Path) -> list[Step]:
    """Resolve a path's positions to labels.

    A label is summed in the step after which neither another operand nor the output carries it, so labels of
    three and more tensors (hyperedges) stay for as long as they are needed.

    Examples
    --------
    >>> contraction_steps(["ab", "bc", "cd"], "ad", ((0, 1), (0, 1)))[0]
    Step(positions=(0, 1), operands=('ab', 'bc'), result='ac')
    """
    terms = list(inputs)
    uses = Counter(label for term in (*terms, output) for label in set(term))
    steps = []
    for positions in path:
        operands = tuple(terms[position] for position in positions)
        for position in sorted(positions, reverse=True):
            del terms[position]
        uses.subtract(label for term in operands for label in set(term))
        result = "".join(label for label in dict.fromkeys("".join(operands)) if uses[label] > 0)
        uses.update(result)
        terms.append(result)
        steps.append(Step(tuple(positions), operands, result))
    steps[-1] = steps[-1]._replace(result=output)
    return steps


def _step_flops(step: Step, sizes: Mapping[str, int], *, is_complex: bool = False) -> int:
    """Count the operations of one step, by opt_einsum's rule.

    Each point of the joint index space costs one multiplication, and one addition more where a label is
    summed; complex arithmetic costs four times as much.
    """
    labels = set("".join(step.operands))
    per_point = 2 if labels - set(step.result) else 1
    return prod(sizes[label] for label in labels) * per_point * (4 if is_complex else 1)


def path_flops(
    inputs: Sequence[str], output: str, path: Path, sizes: Mapping[str, int], *, is_complex: bool = False
) -> int:
    """Count the operations of a whole path; see `_step_flops`."""
    steps = contraction_steps(inputs, output, path)
    return sum(_step_flops(step, sizes, is_complex=is_complex) for step in steps)


def find_path(inputs: Sequence[str], output: str, sizes: Mapping[str, int], minimize: str = "flops") -> Path:
    """Find a contraction path with opt_einsum's randomised greedy search.

    Parameters
    ----------
    minimize
        ``"flops"``, or ``"size"`` for the smallest largest intermediate.

    Notes
    -----
    Deterministic: the trials are seeded, and labels are handed over as integers, since the order of a set of
    strings, by which opt_einsum breaks ties, changes with every process.
    """
    if len(inputs) == 1:
        return ((0,),)
    numbers = {label: number for number, label in enumerate(sizes)}
    terms = [frozenset(numbers[label] for label in term) for term in inputs]
    dimensions = {numbers[label]: size for label, size in sizes.items()}
    search = opt_einsum.RandomGreedy(minimize=minimize, max_repeats=TRIALS)
    state = random.getstate()  # opt_einsum seeds the global generator
    try:
        found = search(terms, frozenset(numbers[label] for label in output), dimensions)
    finally:
        random.setstate(state)
    return tuple(tuple(int(position) for position in step) for step in found)
