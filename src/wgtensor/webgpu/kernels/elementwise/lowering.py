"""What each elementwise operation is in WGSL, for each dtype.

A value is four consecutive elements: ``vec4<f32>``, ``vec4<i32>``, ``vec4<u32>``, ``vec4<bool>``,
``vec4<f16>``, and for complex64 the struct ``c64x4`` of two ``vec4<f32>``. ``LOWERINGS`` maps an operation
and the dtype of its operands to an expression over such values; ``FUNCTIONS`` names the WGSL files that the
expressions call, and ``function_source`` pastes the needed ones in order. The module that takes them provides
``fn wg_zero() -> u32``, a run-time zero.

An expression holds each operand as ``{0}``, ``{1}``, ``{2}`` and is safe wherever a primary expression is.
Nothing in it is a literal NaN or infinity, and no float is compared with ``!=``, which drivers answer with
False for NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wgtensor.webgpu.kernels.elementwise.expressions import (
    BOOL,
    CASTS,
    COMPLEX64,
    COMPLEX64_TO_FLOAT32,
    FLOAT,
    FLOAT16_ONLY,
    FLOAT32_ONLY,
    INT32,
    TO_FLOAT16,
    TO_FLOAT32,
    UINT32,
    Rows,
)
from wgtensor.webgpu.kernels.elementwise.functions import FUNCTIONS, Function, function_source

__all__ = [
    "FUNCTIONS",
    "LOWERINGS",
    "VALUE_TYPES",
    "Function",
    "Lowering",
    "function_source",
]

VALUE_TYPES: Mapping[str, str] = {
    "bool": "vec4<bool>",
    "int32": "vec4<i32>",
    "uint32": "vec4<u32>",
    "float16": "vec4<f16>",
    "float32": "vec4<f32>",
    "complex64": "c64x4",
}
"""WGSL type of four elements, by dtype name. ``c64x4`` is declared in the function file ``complex``, which a
module with complex operands includes."""


@dataclass(frozen=True, slots=True)
class Lowering:
    """One operation on one dtype.

    Attributes
    ----------
    expression
        WGSL over the operands ``{0}``, ``{1}``, ``{2}``.
    result
        Name of the result's dtype.
    functions
        The entries of ``FUNCTIONS`` that the expression calls.
    weight
        Cost in a fusion window: 1 for a cheap operation, 4 for exp, log and tanh, 8 for pow and sin;
        twice that and more for their complex forms.
    """

    expression: str
    result: str
    functions: tuple[str, ...] = ()
    weight: int = 1


_BOOLEAN_RESULT = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "signbit"})

_WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("exp", "log", "tanh", "expm1", "log1p", "rem", "floor_divide", "remainder", "hypot"), 4),
    **dict.fromkeys(("exp2", "log2", "log10", "asin", "acos", "atan", "atan2", "sinh", "cosh"), 4),
    **dict.fromkeys(("pow", "sin", "cos", "tan", "asinh", "acosh", "atanh", "logaddexp", "erf"), 8),
}

_COMPLEX_WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("div", "reciprocal", "sqrt", "sign", "abs"), 4),
    **dict.fromkeys(("rsqrt", "exp", "expm1", "log", "log1p", "log2", "log10"), 8),
    **dict.fromkeys(("sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "atanh"), 16),
    **dict.fromkeys(("pow", "asin", "acos", "asinh", "acosh"), 24),
}


def _lower(dtype: str, rows: Rows, weights: Mapping[str, int] = _WEIGHTS) -> dict[str, Lowering]:
    """Lowerings of operations whose result has the operands' dtype, or is bool by ``_BOOLEAN_RESULT``."""
    return {
        operation: Lowering(
            expression,
            "bool" if operation in _BOOLEAN_RESULT else dtype,
            tuple(functions),
            weights.get(operation, 1),
        )
        for operation, (expression, *functions) in rows.items()
    }


def _cast(rows: Rows) -> dict[str, Lowering]:
    """Lowerings of conversions, whose names end in the result's dtype."""
    return {
        operation: Lowering(expression, operation.removeprefix("cast_"), tuple(functions))
        for operation, (expression, *functions) in rows.items()
    }


def _through_float32(lowerings: Mapping[str, Lowering]) -> dict[str, Lowering]:
    """Make the float16 forms of float32 lowerings: widened exactly, computed, rounded once."""

    def widened(lowering: Lowering) -> Lowering:
        wide = lowering.expression.format(*(f"vec4<f32>({{{i}}})" for i in range(3)))
        if lowering.result != "float32":
            return replace(lowering, expression=wide)
        return replace(lowering, expression=f"vec4<f16>({wide})", result="float16")

    return {operation: widened(lowering) for operation, lowering in lowerings.items()}


_FLOAT32_CASTS = _cast(CASTS["float32"])
_FLOAT32 = {**_lower("float32", FLOAT), **_lower("float32", FLOAT32_ONLY), **_FLOAT32_CASTS}

_BY_DTYPE: Mapping[str, Mapping[str, Lowering]] = {
    "bool": {**_lower("bool", BOOL), **_cast(CASTS["bool"])},
    "int32": {**_lower("int32", INT32), **_cast(CASTS["int32"])},
    "uint32": {**_lower("uint32", UINT32), **_cast(CASTS["uint32"])},
    "float32": _FLOAT32,
    "float16": {
        **_through_float32(_lower("float32", FLOAT32_ONLY)),
        **_through_float32(_lower("float32", FLOAT16_ONLY)),
        **_lower("float16", FLOAT),
        **_through_float32(_FLOAT32_CASTS),
        TO_FLOAT32: Lowering("vec4<f32>({0})", "float32"),
        TO_FLOAT16: Lowering("{0}", "float16"),
    },
    "complex64": {
        **_lower("complex64", COMPLEX64, _COMPLEX_WEIGHTS),
        **_lower("float32", COMPLEX64_TO_FLOAT32, _COMPLEX_WEIGHTS),
        **_cast(CASTS["complex64"]),
    },
}

LOWERINGS: Mapping[tuple[str, str], Lowering] = {
    (operation, dtype): lowering for dtype, rows in _BY_DTYPE.items() for operation, lowering in rows.items()
}
"""WGSL by operation and operand dtype (for ``select`` that of the branches); what is absent is undefined."""
