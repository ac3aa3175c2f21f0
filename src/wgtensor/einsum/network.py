"""The network that an einsum describes: labels as small integers, one length each, operands without repeats.

An operand's repeated labels become diagonals. Axes of length 1 carry no label from here on: they constrain nothing,
and where another operand is longer they stretch, which is the same as not being there.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from wgtensor.contract import SliceConfig
from wgtensor.errors import ValidationError
from wgtensor.tensor import Shape

__all__ = ["Network", "OperandView"]


@dataclass(frozen=True, slots=True)
class OperandView:
    """How an operand enters the network: its diagonals taken, its axes labelled.

    Attributes
    ----------
    diagonals
        Pairs of axes, to be merged one after another; the second of a pair disappears.
    labels, shape
        Label and length of each axis that is left; lengths of 1 included.
    elements
        Elements of the operand, diagonals or not.
    """

    diagonals: tuple[tuple[int, int], ...]
    labels: tuple[int, ...]
    shape: Shape
    elements: int

    @property
    def active(self) -> frozenset[int]:
        """The labels of the axes that are not of length 1."""
        return frozenset(label for label, length in zip(self.labels, self.shape, strict=True) if length != 1)

    def slice_config(self, chosen: Mapping[int, range]) -> SliceConfig:
        """Return the slice that keeps the chosen positions of sliced labels and all others; length 1 stretches."""
        kept = [
            chosen.get(label, range(length)) if length != 1 else range(1)
            for label, length in zip(self.labels, self.shape, strict=True)
        ]
        return SliceConfig([positions.start for positions in kept], [positions.stop for positions in kept])


@dataclass(frozen=True, slots=True)
class Network:
    """Operands, label lengths and the output.

    Attributes
    ----------
    operands
        One view per operand.
    sizes
        Length of each label; labels are ``0 .. len(sizes) - 1``, numbered as they first appear.
    output
        The labels of the result, those of length 1 included.
    """

    operands: tuple[OperandView, ...]
    sizes: tuple[int, ...]
    output: tuple[int, ...]

    @property
    def output_shape(self) -> Shape:
        """The shape of the result."""
        return tuple(self.sizes[label] for label in self.output)

    @staticmethod
    def of(inputs: Sequence[Sequence[Hashable]], output: Sequence[Hashable], shapes: Sequence[Shape]) -> Network:
        """Number the labels and check every operand's shape against them.

        Raises
        ------
        ValidationError
            Labels and shapes do not fit; the text names the operand and the label.
        """
        if not inputs or len(inputs) != len(shapes):
            raise ValidationError(
                f"einsum needs one shape per operand and at least one, got {len(shapes)} for {len(inputs)}"
            )
        sizes = _label_sizes(inputs, shapes)
        numbers = {label: number for number, label in enumerate(sizes)}
        _check_output(output, numbers)
        operands = tuple(
            _operand_view([numbers[label] for label in labels], shape)
            for labels, shape in zip(inputs, shapes, strict=True)
        )
        return Network(operands, tuple(sizes.values()), tuple(numbers[label] for label in output))


def _label_sizes(inputs: Sequence[Sequence[Hashable]], shapes: Sequence[Shape]) -> dict[Hashable, int]:
    """Return the length of each label in order of appearance; length 1 gives way to any other."""
    sizes: dict[Hashable, int] = {}
    source: dict[Hashable, int] = {}
    for number, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        for label, length in _own_sizes(number, labels, shape).items():
            known = sizes.setdefault(label, length)
            if 1 not in (known, length) and known != length:
                raise ValidationError(
                    f"einsum needs one length per label (or length 1), got {known} in operand {source[label]} "
                    f"and {length} in operand {number} for label {label!r}"
                )
            if label not in source or known == 1:
                sizes[label], source[label] = length, number
    return sizes


def _own_sizes(number: int, labels: Sequence[Hashable], shape: Shape) -> dict[Hashable, int]:
    if len(labels) != len(shape):
        raise ValidationError(
            f"einsum needs one label per axis, got {len(labels)} labels for operand {number} of shape {shape}"
        )
    sizes: dict[Hashable, int] = {}
    for label, length in zip(labels, shape, strict=True):
        if sizes.setdefault(label, length) != length:
            raise ValidationError(
                f"einsum takes the diagonal of axes of one length only, got lengths {sizes[label]} and {length} "
                f"for label {label!r} of operand {number}"
            )
    return sizes


def _check_output(output: Sequence[Hashable], known: dict[Hashable, int]) -> None:
    for label in output:
        if label not in known:
            raise ValidationError(f"einsum needs every output label in some operand, got {label!r} in none")
    if len(set(output)) != len(output):
        raise ValidationError(f"einsum needs distinct output labels, got {tuple(output)}")


def _operand_view(labels: list[int], shape: Shape) -> OperandView:
    lengths = list(shape)
    diagonals: list[tuple[int, int]] = []
    axis = 0
    while axis < len(labels):
        first = labels.index(labels[axis])
        if first == axis:
            axis += 1
            continue
        diagonals.append((first, axis))
        del labels[axis], lengths[axis]
    return OperandView(tuple(diagonals), tuple(labels), tuple(lengths), math.prod(shape))
