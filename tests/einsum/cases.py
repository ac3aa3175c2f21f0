"""Random einsums with their own idea of what is valid, for hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

__all__ = ["Case", "cases", "paths"]


@dataclass
class Case:
    """An equation that NumPy accepts, and arrays of small integers in float64, so that every sum is exact."""

    equation: str
    arrays: list[NDArray[Any]]

    def expected(self) -> NDArray[Any]:
        """Return NumPy's result, computed without a path."""
        return np.asarray(np.einsum(self.equation, *self.arrays, optimize=False))


@st.composite
def cases(draw: st.DrawFn, max_operands: int = 5, min_size: int = 0, ellipses: bool = True) -> Case:
    """Draw operands with repeated, shared and lonely labels, lengths 1 that stretch, ellipses, any kind of output."""
    sizes = {label: draw(st.integers(min_size, 4)) for label in "abcdeF"}
    dots = draw(st.lists(st.integers(max(min_size, 1), 3), max_size=2)) if ellipses else []
    terms, shapes = [], []
    for _ in range(draw(st.integers(1, max_operands))):
        labels = draw(st.lists(st.sampled_from(sorted(sizes)), max_size=4))
        ones = draw(st.sets(st.sampled_from(sorted(sizes)), max_size=1)) if draw(st.booleans()) else set()
        shape = [1 if label in ones else sizes[label] for label in labels]
        if ellipses and draw(st.booleans()):
            under = [draw(st.sampled_from([1, length])) for length in dots[draw(st.integers(0, len(dots))) :]]
            at = draw(st.integers(0, len(labels)))
            labels, shape = [*labels[:at], "...", *labels[at:]], [*shape[:at], *under, *shape[at:]]
        terms.append("".join(labels))
        shapes.append(shape)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    arrays = [rng.integers(-3, 4, shape).astype(np.float64) for shape in shapes]
    return Case(",".join(terms) + draw(_outputs(terms)), arrays)


@st.composite
def _outputs(draw: st.DrawFn, terms: list[str]) -> str:
    if draw(st.booleans()):
        return ""
    known = sorted(set("".join(terms)) - {"."})
    output = draw(st.permutations(known))[: draw(st.integers(0, len(known)))]
    if any("..." in term for term in terms):
        output.insert(draw(st.integers(0, len(output))), "...")
    return "->" + "".join(output)


@st.composite
def paths(draw: st.DrawFn, operands: int) -> list[tuple[int, ...]]:
    """Draw a path whose steps name one, two, three or four positions."""
    path: list[tuple[int, ...]] = []
    left = operands
    while left > 1:
        width = min(draw(st.integers(1 if len(path) < 8 else 2, 4)), left)
        path.append(tuple(draw(st.permutations(range(left)))[:width]))
        left -= width - 1
    return path
