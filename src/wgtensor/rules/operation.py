"""What an operation is: a name, a family, an arity and two rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from wgtensor.tensor import DType, Shape

__all__ = ["VARIADIC", "DTypeRule", "Family", "Operation", "ShapeRule"]

VARIADIC = -1
"""Arity of operations that take a list of operands."""

ShapeRule: TypeAlias = Callable[..., Shape]
"""``rule(operation, shapes, **attributes) -> shape``; raises ValidationError."""
DTypeRule: TypeAlias = Callable[..., DType]
"""``rule(operation, dtypes, **attributes) -> dtype``; raises DTypeError."""


class Family(Enum):
    """Families of operations; one protocol of ``wgtensor.contract`` each (casts belong to the structural one)."""

    BUFFER = "buffer"
    ELEMENTWISE = "elementwise"
    ANALYTIC = "analytic"
    CAST = "cast"
    STRUCTURAL = "structural"
    REDUCTION = "reduction"
    SCAN = "scan"
    SORT = "sort"
    INDEXING = "indexing"
    DOT = "dot"


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One row of the table: everything about an operation that no backend changes.

    Attributes
    ----------
    name
        The session method's name.
    family
        Which protocol it belongs to.
    arity
        Number of tensor operands; ``VARIADIC`` for a list.
    shape_rule
        Result shape from operand shapes and attributes. Runs first.
    dtype_rule
        Result dtype from operand dtypes and attributes. Runs second.
    dtypes
        Kind letters of the operands that the operation is defined for (``"biufc"``).
    accuracy
        Worst error of floats against the exact result, as text for ``docs/operations.md``: ``"exact"``,
        ``"correctly rounded"``, ``"4 ulp"`` ...
    writes
        Whether the last operand is the destination, which must not overlap the others.
    """

    name: str
    family: Family
    arity: int
    shape_rule: ShapeRule
    dtype_rule: DTypeRule
    dtypes: str = "biufc"
    accuracy: str = "exact"
    writes: bool = False

    @property
    def takes_real_scalar(self) -> bool:
        """Whether a real rank-0 tensor may stand beside a complex one of the same precision."""
        return self.arity == 2 and self.family in (Family.ELEMENTWISE, Family.ANALYTIC) and "c" in self.dtypes

    def infer_shape(self, shapes: Sequence[Shape], **attributes: Any) -> Shape:
        """Return the result's shape, or raise ValidationError."""
        return self.shape_rule(self, shapes, **attributes)

    def infer_dtype(self, dtypes: Sequence[DType], **attributes: Any) -> DType:
        """Return the result's dtype, or raise DTypeError."""
        return self.dtype_rule(self, dtypes, **attributes)
