"""Pairwise contraction in NumPy, in double precision, with the exponent tracked.

Device results are measured against this, and the operands' common scale is found with it. Each step is
one batched matrix product, so it runs at BLAS speed and knows no limit on the number of labels. After a step
the intermediate is divided by its largest magnitude, whose logarithm is kept, so that nothing over- or
underflows, however many tensors there are.
"""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wgtensor.networks.paths import Path, contraction_steps

__all__ = ["Contracted", "contract_network", "contract_pair", "contract_single"]

Array = NDArray[Any]
Term = tuple[Array, str]


class Contracted(NamedTuple):
    """A result as ``mantissa * 2**exponent``, with ``max|mantissa|`` 1 unless the result is all zero."""

    mantissa: Array
    exponent: float


def contract_network(operands: Sequence[Array], inputs: Sequence[str], output: str, path: Path) -> Contracted:
    """Contract a network along a path, each intermediate scaled to magnitude 1.

    Parameters
    ----------
    operands
        Real or complex arrays, usually float64 or complex128.
    inputs, output
        Their labels and the result's, one character a label.
    path
        As `wgtensor.networks.paths.check_path` accepts it.
    """
    terms: list[Term] = list(zip(operands, inputs, strict=True))
    exponent = 0.0
    for step in contraction_steps(inputs, output, path):
        chosen = [terms[position] for position in step.positions]
        for position in sorted(step.positions, reverse=True):
            del terms[position]
        array, labels = _contract(chosen, step.result)
        array, shift = _normalise(array)
        exponent += shift
        terms.append((array, labels))
    array, labels = terms[0]
    return Contracted(_transpose(array, labels, output), exponent)


def contract_pair(left: Term, right: Term, keep: str) -> Term:
    """Contract two labelled arrays and keep the labels in ``keep``.

    Labels in only one operand and not kept are summed first; labels in both are batch axes if they are kept,
    else contracted. A label may appear twice in one operand, which takes its diagonal.

    Returns
    -------
    The array and its labels: those of ``keep``, batch axes first, then the left's, then the right's.
    """
    a, a_labels = contract_single(*left, keep + right[1])
    b, b_labels = contract_single(*right, keep + left[1])
    shared = [label for label in a_labels if label in b_labels]
    batch = "".join(label for label in shared if label in keep)
    summed = "".join(label for label in shared if label not in keep)
    a_free = _without(a_labels, shared)
    b_free = _without(b_labels, shared)
    sizes = dict(zip(a_labels + b_labels, a.shape + b.shape, strict=True))
    a_matrix = _transpose(a, a_labels, batch + a_free + summed).reshape(_group(sizes, batch, a_free, summed))
    b_matrix = _transpose(b, b_labels, batch + summed + b_free).reshape(_group(sizes, batch, summed, b_free))
    labels = batch + a_free + b_free
    return _multiply(a_matrix, b_matrix).reshape([sizes[label] for label in labels]), labels


def contract_single(array: Array, labels: str, keep: str) -> Term:
    """Take the diagonal of repeated labels and sum those that are not in ``keep``."""
    while len(set(labels)) < len(labels):
        repeated = next(label for label in labels if labels.count(label) > 1)
        first = labels.index(repeated)
        second = labels.index(repeated, first + 1)
        array = array.diagonal(axis1=first, axis2=second)
        labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + repeated
    axes = tuple(axis for axis, label in enumerate(labels) if label not in keep)
    if axes:
        array = array.sum(axis=axes)
    return array, "".join(label for label in labels if label in keep)


def _contract(terms: list[Term], keep: str) -> Term:
    if len(terms) == 2:
        return contract_pair(terms[0], terms[1], keep)
    array, labels = contract_single(*terms[0], keep)
    return array.copy(), labels  # it may be a view of an operand


def _multiply(a: Array, b: Array) -> Array:
    """Matrix product of (batch, m, k) and (batch, k, n), by the loop that suits the shape."""
    batch, m, k = a.shape
    product: Array
    if k == 1:
        product = a * b
    elif batch > m * b.shape[2]:  # matmul calls BLAS once a batch entry, which costs more than such a product
        product = np.einsum("bmk,bkn->bmn", a, b)
    else:
        product = np.matmul(a, b)
    return product


def _normalise(array: Array) -> tuple[Array, float]:
    """Divide in place, since the large intermediates are a gigabyte."""
    peak = _largest_magnitude(array)
    if peak == 0.0:
        return array, 0.0
    array /= peak
    return array, float(np.log2(peak))


def _largest_magnitude(array: Array) -> float:
    if array.dtype.kind == "c":
        return float(np.abs(array).max())
    return float(max(array.max(), -array.min()))


def _group(sizes: dict[str, int], *groups: str) -> list[int]:
    return [prod(sizes[label] for label in group) for group in groups]


def _without(labels: str, excluded: Iterable[str]) -> str:
    unwanted = set(excluded)
    return "".join(label for label in labels if label not in unwanted)


def _transpose(array: Array, labels: str, order: str) -> Array:
    return array.transpose([labels.index(label) for label in order])
