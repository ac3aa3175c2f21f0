"""Elementwise fusion plans: several elementwise operations as one unit of work.

Values are numbered: 0 to ``input_count - 1`` are the inputs, then one per operation in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wgtensor.contract.arguments import instance_of
from wgtensor.contract.configs import CompareDirection
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules import OPERATIONS, Family
from wgtensor.rules.axes import as_integers
from wgtensor.tensor import DType, DTypeLike, as_dtype

__all__ = ["BroadcastInDim", "ElementwiseFusionPlan", "FusionOp", "attributes_of"]


@dataclass(frozen=True, slots=True)
class BroadcastInDim:
    """View of an input: its axis ``j`` lies on axis ``dims[j]`` of ``shape``; other axes repeat."""

    shape: tuple[int, ...]
    dims: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", as_integers("BroadcastInDim", "shape", self.shape))
        object.__setattr__(self, "dims", as_integers("BroadcastInDim", "dims", self.dims))


@dataclass(frozen=True, slots=True)
class FusionOp:
    """One operation of a plan.

    Parameters
    ----------
    name
        An elementwise or analytic operation of the session, for example ``"add"`` or ``"exp"``.
    operands
        Value numbers, all smaller than this operation's own.
    attribute
        The direction for ``"compare"``, the target dtype for ``"cast"``, else None.
    """

    name: str
    operands: tuple[int, ...]
    attribute: CompareDirection | DType | None = None

    def __post_init__(self) -> None:
        instance_of(str, "FusionOp", self.name)
        object.__setattr__(self, "operands", as_integers(f"{self.name} in a plan", "operands", self.operands))


class ElementwiseFusionPlan:
    """A validated list of elementwise operations with inputs and outputs; immutable and hashable.

    Parameters
    ----------
    dtype
        Dtype of every input (but see ``input_dtypes``).
    input_count
        Number of inputs; 0 is refused.
    input_views
        For each input a :class:`BroadcastInDim`, or None for identity; None for all-identity.
    ops
        :class:`FusionOp` objects or ``(name, operand ids)`` or ``(name, operand ids, attribute)``.
    outputs
        Value numbers to return, at least one.
    input_dtypes
        Dtypes of the inputs where they differ (a bool predicate of ``select``).

    Raises
    ------
    ValidationError
        An unknown operation, wrong arity, an operand that is not defined yet, no input, no output.
    DTypeError
        A value's dtype does not fit its operation.

    Examples
    --------
    ``(x * y) + z``:

    >>> plan = ElementwiseFusionPlan("float32", 3, ops=[("mul", (0, 1)), ("add", (3, 2))], outputs=[4])
    >>> plan.value_dtypes[4]
    wgtensor.float32
    """

    __slots__ = ("dtype", "input_count", "input_dtypes", "input_views", "ops", "outputs", "value_dtypes")

    def __init__(
        self,
        dtype: DTypeLike,
        input_count: int,
        input_views: Sequence[BroadcastInDim | None] | None = None,
        ops: Sequence[FusionOp | tuple[Any, ...]] = (),
        outputs: Sequence[int] = (),
        input_dtypes: Sequence[DTypeLike] | None = None,
    ) -> None:
        self.dtype = as_dtype(dtype)
        (self.input_count,) = as_integers("ElementwiseFusionPlan", "input_count", (input_count,))
        self.input_views = _entries("input_views", input_views) if input_views is not None else (None,) * input_count
        self.ops = tuple(op if isinstance(op, FusionOp) else _fusion_op(op) for op in _entries("ops", ops))
        self.outputs = as_integers("ElementwiseFusionPlan", "outputs", outputs)
        given = [dtype] * input_count if input_dtypes is None else _entries("input_dtypes", input_dtypes)
        self.input_dtypes = tuple(as_dtype(each) for each in given)
        self._check_frame()
        self.value_dtypes = self._infer_dtypes()

    def _check_frame(self) -> None:
        values = self.input_count + len(self.ops)
        if self.input_count < 1:
            raise ValidationError(f"ElementwiseFusionPlan needs at least one input, got {self.input_count}")
        if not len(self.input_views) == len(self.input_dtypes) == self.input_count:
            raise ValidationError(
                f"ElementwiseFusionPlan needs one view and one dtype per input, got {len(self.input_views)} views and "
                f"{len(self.input_dtypes)} dtypes for {self.input_count} inputs"
            )
        for view in self.input_views:
            if view is not None:
                instance_of(BroadcastInDim, "ElementwiseFusionPlan", view)
        if not self.outputs or any(not 0 <= value < values for value in self.outputs):
            raise ValidationError(f"ElementwiseFusionPlan needs outputs among 0 to {values - 1}, got {self.outputs}")

    def _infer_dtypes(self) -> tuple[DType, ...]:
        dtypes = list(self.input_dtypes)
        for op in self.ops:
            rule = OPERATIONS.get(op.name)
            if rule is None or rule.family not in (Family.ELEMENTWISE, Family.ANALYTIC, Family.CAST):
                raise ValidationError(f"ElementwiseFusionPlan takes elementwise operations, got {op.name!r}")
            if len(op.operands) != rule.arity:
                raise ValidationError(f"{op.name} takes {rule.arity} operands in a plan, got {op.operands}")
            if any(not 0 <= value < len(dtypes) for value in op.operands):
                raise ValidationError(
                    f"{op.name} as value {len(dtypes)} of a plan may use values 0 to {len(dtypes) - 1}, "
                    f"got {op.operands}"
                )
            dtypes.append(rule.dtype_rule(rule, [dtypes[value] for value in op.operands], **attributes_of(op)))
        return tuple(dtypes)

    def _key(self) -> tuple[Any, ...]:
        return self.input_dtypes, self.input_views, self.ops, self.outputs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ElementwiseFusionPlan) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        steps = ", ".join(f"v{self.input_count + i}={op.name}{op.operands}" for i, op in enumerate(self.ops))
        return f"ElementwiseFusionPlan({self.dtype}, {self.input_count} inputs, [{steps}] -> {self.outputs})"


def attributes_of(op: FusionOp) -> dict[str, Any]:
    """Return the keyword attributes with which the session would call ``op``.

    Raises
    ------
    ValidationError
        A ``compare`` without direction.
    DTypeError
        A ``cast`` without dtype.
    """
    if op.name == "compare":
        if not isinstance(op.attribute, CompareDirection):
            raise ValidationError(f"compare in a plan needs a CompareDirection, got {op.attribute!r}")
        return {"direction": op.attribute}
    if op.name == "cast":
        if not isinstance(op.attribute, DType):
            raise DTypeError(f"cast in a plan needs a DType, got {op.attribute!r}")
        return {"dtype": op.attribute}
    if op.attribute is not None:
        raise ValidationError(f"{op.name} in a plan takes no attribute, got {op.attribute!r}")
    return {}


def _entries(role: str, values: Sequence[Any]) -> tuple[Any, ...]:
    try:
        return tuple(values)
    except TypeError:
        raise ValidationError(f"ElementwiseFusionPlan needs a sequence as {role}, got {values!r}") from None


def _fusion_op(entry: tuple[Any, ...]) -> FusionOp:
    try:
        name, operands, *attribute = entry
        return FusionOp(name, operands, *attribute)
    except (TypeError, ValueError) as cause:
        raise ValidationError(
            f"ElementwiseFusionPlan takes ops as (name, operand ids) or (name, operand ids, attribute), got {entry!r}"
        ) from cause
