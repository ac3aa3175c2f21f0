"""Dtype rules: what operands an operation takes, and its result's dtype.

A rule takes the operation, its operands' dtypes and its attributes, and returns the result's dtype or raises
DTypeError. There is no promotion: operands have one dtype. bfloat16 is for storage and conversion, so only moves
take it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wgtensor.errors import DTypeError
from wgtensor.rules.numbers import fitting_number
from wgtensor.rules.operation import Family, Operation
from wgtensor.tensor import DType, bfloat16, bool_, float32, int8, int32, uint8

if TYPE_CHECKING:
    from wgtensor.contract.configs import CompareDirection, DotGeneralAccumulation, ScatterConfig

__all__ = [
    "accumulated",
    "arithmetic",
    "cast",
    "combined",
    "comparison",
    "convert",
    "index",
    "indexed",
    "is_convertible",
    "kind_names",
    "magnitude",
    "predicate",
    "product",
    "same",
    "scattered",
    "select",
    "updated",
]

_KIND_NAMES: Final = {"b": "bool", "i": "signed integer", "u": "unsigned integer", "f": "float", "c": "complex"}
_MOVES: Final = (Family.BUFFER, Family.CAST, Family.STRUCTURAL, Family.INDEXING)
_SCATTER_KINDS: Final = {"set": "biufc", "add": "iufc", "min": "iuf", "max": "iuf"}


def same(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """The operand's dtype."""
    return _allowed(operation, dtypes[0])


def arithmetic(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """Operands of one dtype, which is the result's."""
    return _allowed(operation, _common(operation, dtypes))


def magnitude(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """The real dtype of the operand's precision."""
    return _allowed(operation, dtypes[0]).real


def predicate(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """Bool."""
    _allowed(operation, dtypes[0])
    return bool_


def comparison(operation: Operation, dtypes: Sequence[DType], *, direction: CompareDirection) -> DType:
    """Bool; complex operands have no order."""
    dtype = arithmetic(operation, dtypes)
    if dtype.is_complex and direction.value not in ("eq", "ne"):
        raise DTypeError(
            f"compare takes EQ and NE for complex tensors, which have no order, got {direction.name} of {dtype}; "
            "compare abs, real or imag instead"
        )
    return bool_


def select(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """A bool predicate, and two values of one dtype."""
    if dtypes[0] is not bool_:
        raise DTypeError(f"select needs a bool predicate, got {dtypes[0]}; compare it with 0 first")
    return _allowed(operation, _common(operation, dtypes[1:]))


def cast(operation: Operation, dtypes: Sequence[DType], *, dtype: DType) -> DType:
    """Any dtype to any."""
    return dtype


def convert(operation: Operation, dtypes: Sequence[DType], *, dtype: DType) -> DType:
    """Upwards in the promotion lattice."""
    if not is_convertible(dtypes[0], dtype):
        raise DTypeError(
            f"convert needs a dtype that holds every value of the operand's, got {dtypes[0]} to {dtype}; "
            "use cast where loss is meant"
        )
    return dtype


def is_convertible(source: DType, target: DType) -> bool:
    """Return whether promotion leads from ``source`` to ``target``: NumPy's safe casting, bfloat16 below float32."""
    if source is target:
        return True
    if target is bfloat16:
        return source in (bool_, int8, uint8)
    return np.can_cast(np.dtype(float32 if source is bfloat16 else source), np.dtype(target), "safe")


def index(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """Int32 positions."""
    _allowed(operation, dtypes[0])
    return int32


def indexed(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """Values of any dtype at integer starts."""
    _require_index(operation, dtypes[1])
    return _allowed(operation, dtypes[0])


def updated(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """Operand and update of one dtype, at integer starts."""
    _require_index(operation, dtypes[2])
    return _allowed(operation, _common(operation, dtypes[:2]))


def scattered(operation: Operation, dtypes: Sequence[DType], *, config: ScatterConfig) -> DType:
    """Operand and updates of one dtype that the mode can combine, at integer starts."""
    _require_index(operation, dtypes[1])
    dtype = _common(operation, (dtypes[0], dtypes[2]))
    kinds = _SCATTER_KINDS[config.mode]
    if dtype.kind not in kinds or (dtype is bfloat16 and config.mode != "set"):
        raise DTypeError(
            f"scatter with mode {config.mode!r} takes {kind_names(kinds)} tensors, got {dtype}; cast first"
        )
    return dtype


def product(operation: Operation, dtypes: Sequence[DType], **attributes: Any) -> DType:
    """Operands of one numeric dtype."""
    return arithmetic(operation, dtypes)


def combined(operation: Operation, dtypes: Sequence[DType], *, alpha: complex, beta: complex) -> DType:
    """Operands of one dtype, and factors that fit it."""
    dtype = arithmetic(operation, dtypes)
    fitting_number(operation.name, alpha, dtype)
    fitting_number(operation.name, beta, dtype)
    return dtype


def accumulated(
    operation: Operation, dtypes: Sequence[DType], *, accumulation: DotGeneralAccumulation, **attributes: Any
) -> DType:
    """Operands and destination of one dtype, and factors that fit it."""
    return combined(operation, dtypes, alpha=accumulation.alpha, beta=accumulation.beta)


def _common(operation: Operation, dtypes: Sequence[DType]) -> DType:
    for dtype in dtypes:
        if dtype is not dtypes[0]:
            raise DTypeError(
                f"{operation.name} needs operands of one dtype, got {' and '.join(str(each) for each in dtypes)}; "
                "convert or cast one of them first"
            )
    return dtypes[0]


def _allowed(operation: Operation, dtype: DType) -> DType:
    if dtype.kind not in operation.dtypes:
        raise DTypeError(f"{operation.name} takes {kind_names(operation.dtypes)} tensors, got {dtype}; cast first")
    if dtype is bfloat16 and operation.family not in _MOVES:
        raise DTypeError(
            f"{operation.name} takes no bfloat16, which is for storage and conversion; cast to float32 first"
        )
    return dtype


def _require_index(operation: Operation, dtype: DType) -> None:
    if not dtype.is_integer:
        raise DTypeError(f"{operation.name} needs starts of an integer dtype, got {dtype}; cast them to int32 first")


def kind_names(kinds: str) -> str:
    """Return kind letters as words: ``"signed integer and float"``."""
    *head, last = (_KIND_NAMES[kind] for kind in kinds)
    return f"{', '.join(head)} and {last}" if head else last
