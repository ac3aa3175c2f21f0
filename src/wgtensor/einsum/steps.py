"""What a plan executes: steps with every permutation and config made in advance.

A step reads values by number and returns its result; the plan stores that and drops what is dead. No step copies an
operand: permutations and broadcasts are views, and contractions take any layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from wgtensor.contract import BackendSession, DotGeneralConfig
from wgtensor.tensor import Shape, Tensor

__all__ = ["Axes", "Contract", "Multiply", "Reduce", "Result", "Scheduled", "Step", "Values", "live", "run_steps"]

Axes: TypeAlias = tuple[int, ...]

Values: TypeAlias = list[Tensor | None]
"""Tensors by value number; None before they are made and after their last use."""


class Step(Protocol):
    """One operation of a plan."""

    @property
    def target(self) -> int:
        """The value that it makes."""

    def run(self, session: BackendSession, values: Values) -> Tensor:
        """Return the result."""


@dataclass(frozen=True, slots=True)
class Reduce:
    """Sum ``axes`` of one value."""

    target: int
    source: int
    axes: Axes

    def run(self, session: BackendSession, values: Values) -> Tensor:
        """Return the sums."""
        return session.reduce_sum(live(values, self.source), self.axes)


@dataclass(frozen=True, slots=True)
class Multiply:
    """Multiply two values elementwise, each stretched to ``shape`` along ``dims`` (None: it fits as it is)."""

    target: int
    lhs: int
    rhs: int
    shape: Shape
    lhs_dims: Axes | None
    rhs_dims: Axes | None

    def run(self, session: BackendSession, values: Values) -> Tensor:
        """Return the product; both operands stay views."""
        lhs, rhs = live(values, self.lhs), live(values, self.rhs)
        if self.lhs_dims is not None:
            lhs = session.broadcast_in_dim(lhs, self.shape, self.lhs_dims)
        if self.rhs_dims is not None:
            rhs = session.broadcast_in_dim(rhs, self.shape, self.rhs_dims)
        return session.mul(lhs, rhs)


@dataclass(frozen=True, slots=True)
class Contract:
    """Contract two values, each seen through a permutation (None: as it is) that orders the result's axes."""

    target: int
    lhs: int
    rhs: int
    config: DotGeneralConfig
    lhs_order: Axes | None
    rhs_order: Axes | None

    def run(self, session: BackendSession, values: Values) -> Tensor:
        """Return the contraction."""
        lhs, rhs = live(values, self.lhs), live(values, self.rhs)
        if self.lhs_order is not None:
            lhs = session.transpose(lhs, self.lhs_order)
        if self.rhs_order is not None:
            rhs = session.transpose(rhs, self.rhs_order)
        return session.dot_general(lhs, rhs, self.config)


@dataclass(frozen=True, slots=True)
class Result:
    """The last value as it was asked for: permuted, or laid on ``dims`` of a shape that has axes of length 1."""

    source: int
    order: Axes | None
    shape: Shape | None
    dims: Axes

    def run(self, session: BackendSession, values: Values) -> Tensor:
        """Return the view."""
        tensor = live(values, self.source)
        if self.shape is not None:
            return session.broadcast_in_dim(tensor, self.shape, self.dims)
        return tensor if self.order is None else session.transpose(tensor, self.order)


Scheduled: TypeAlias = tuple[tuple[Step, tuple[int, ...]], ...]
"""Steps in order, each with the values that are dead after it."""


def run_steps(scheduled: Scheduled, session: BackendSession, values: Values) -> None:
    """Run steps in order; every value is dropped as soon as no step needs it."""
    for step, dead in scheduled:
        values[step.target] = step.run(session, values)
        for number in dead:
            values[number] = None


def live(values: Values, number: int) -> Tensor:
    """Return a value that is made and still needed."""
    tensor = values[number]
    assert tensor is not None, "a plan reads values only between their making and their last use"
    return tensor
