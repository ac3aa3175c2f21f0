"""Type promotion of the Array API: the least dtype that holds the values of both, within one kind and to complex.

Defined between bools; between integers (a signed and an unsigned one meet in the next wider signed one); between
floats and complex numbers. Nothing else promotes: integers and floats do not mix. bfloat16 promotes with itself only.
Python numbers take the dtype of the arrays beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from wgtensor.errors import DTypeError
from wgtensor.tensor import DType, as_dtype, bfloat16

__all__ = ["is_promotable", "promoted", "result_dtype"]

_GROUPS: Final = {"b": "bool", "i": "integer", "u": "integer", "f": "float", "c": "float"}
"""Kinds that promote with each other have one group."""


def is_promotable(a: DType, b: DType) -> bool:
    """Return whether two dtypes have a common one that the Array API defines."""
    return a is b or _common(a, b) is not None


def _common(a: DType, b: DType) -> DType | None:
    """Return NumPy's common dtype if it is of the operands' own group, so not float64 for int64 beside uint64."""
    if bfloat16 in (a, b) or _GROUPS[a.kind] != _GROUPS[b.kind]:
        return None
    common = as_dtype(np.promote_types(np.dtype(a), np.dtype(b)))
    return common if _GROUPS[common.kind] == _GROUPS[a.kind] else None


@lru_cache(maxsize=1024)
def promoted(operation: str, a: DType, b: DType) -> DType:
    """Return the dtype in which ``a`` and ``b`` meet.

    Raises
    ------
    DTypeError
        The Array API defines none.
    """
    if a is b:
        return a
    common = _common(a, b)
    if common is None:
        raise DTypeError(
            f"{operation} needs dtypes that promote to a common one, got {a} and {b}, which the Array API does not "
            f"define; convert one with x.astype(wt.{a if a.kind in 'fc' else b})"
        )
    return common


def result_dtype(operation: str, dtypes: Sequence[DType]) -> DType:
    """Return the dtype in which all of ``dtypes`` (at least one) meet."""
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = promoted(operation, result, dtype)
    return result
