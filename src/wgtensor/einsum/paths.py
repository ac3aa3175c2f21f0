"""Contraction paths in opt_einsum's convention: found by opt_einsum, or given and checked.

A step names positions in the list of tensors that are left; these leave the list and their result is appended.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from wgtensor.errors import ValidationError

__all__ = ["Optimize", "Path", "freeze_optimize", "resolve_path"]

Path: TypeAlias = tuple[tuple[int, ...], ...]

Optimize: TypeAlias = bool | str | Path | Callable[..., Any]
"""``True`` or ``"auto"``, another of opt_einsum's names, ``False``, a path, or an opt_einsum ``PathOptimizer``."""


def freeze_optimize(optimize: bool | str | Sequence[Any] | Callable[..., Any]) -> Optimize:
    """Return ``optimize`` in hashable form: lists of positions as tuples, without a leading ``"einsum_path"``.

    Raises
    ------
    ValidationError
        It is neither a name, a bool, a callable nor a sequence of sequences of integers.
    """
    if isinstance(optimize, bool | str) or callable(optimize):
        return optimize
    try:
        steps = list(optimize)
        if steps and isinstance(steps[0], str) and steps[0] == "einsum_path":
            del steps[0]
        return tuple(tuple(position.__index__() for position in step) for step in steps)
    except (TypeError, AttributeError) as cause:
        raise ValidationError(
            f"einsum takes a name, a bool or a path such as [(0, 1), (0, 1)] as optimize, got {optimize!r}"
        ) from cause


def resolve_path(
    optimize: Optimize, inputs: Sequence[frozenset[int]], output: frozenset[int], sizes: Mapping[int, int]
) -> Path:
    """Return the checked path that ``optimize`` stands for.

    Raises
    ------
    ValidationError
        Unknown name, or a path that does not contract the operands to one.
    """
    count = len(inputs)
    if isinstance(optimize, tuple):
        return _checked(optimize, count)
    if isinstance(optimize, str):
        _named_search(optimize)
    if optimize is False or count <= 2:
        return (tuple(range(count)),)
    search = optimize if callable(optimize) else _named_search("auto" if optimize is True else optimize)
    state = random.getstate()  # opt_einsum's random searches seed the global generator
    try:
        # opt_einsum's dynamic programming finds no path at a cost of zero
        found = search(list(inputs), output, {label: max(size, 1) for label, size in sizes.items()})
    finally:
        random.setstate(state)
    return _checked(tuple(tuple(int(position) for position in step) for step in found), count)


def _named_search(name: str) -> Callable[..., Any]:
    from opt_einsum.paths import get_path_fn  # noqa: PLC0415 - importing wgtensor stays quick

    try:
        search: Callable[..., Any] = get_path_fn(name)
    except KeyError as cause:
        raise ValidationError(
            f"einsum takes one of opt_einsum's names as optimize, such as 'auto', 'greedy' or 'optimal', got {name!r}"
        ) from cause
    return search


def _checked(path: Path, count: int) -> Path:
    left = count
    for number, step in enumerate(path):
        distinct = len(set(step)) == len(step) > 0
        if not distinct or not all(0 <= position < left for position in step):
            raise ValidationError(
                f"einsum needs distinct positions of 0 to {left - 1} in step {number} of the path, got {step}"
            )
        left -= len(step) - 1
    if left != 1:
        raise ValidationError(
            f"einsum needs a path that leaves one tensor, got {len(path)} steps that leave {left} of {count} operands"
        )
    return path
