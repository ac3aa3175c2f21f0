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
from typing import TypeAlias

from wgtensor.webgpu.kernels.elementwise.functions import FUNCTIONS, Function, function_source

__all__ = [
    "BOUNDS",
    "COMPLEX_BOUNDS",
    "FUNCTIONS",
    "LOWERINGS",
    "VALUE_TYPES",
    "Function",
    "Lowering",
    "cast_operation",
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


def cast_operation(target: str) -> str:
    """Return the name of the conversion to dtype ``target`` in ``LOWERINGS``, for example ``cast_int32``."""
    return f"cast_{target}"


_Rows: TypeAlias = Mapping[str, tuple[str, ...]]
"""Operation to its expression and the function files that it calls."""

_BOOLEAN_RESULT = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite"})

_WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("exp", "log", "tanh", "expm1", "log1p", "rem"), 4),
    **dict.fromkeys(("pow", "sin", "cos"), 8),
}

_COMPLEX_WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("div", "sqrt", "sign", "abs"), 4),
    **dict.fromkeys(("rsqrt", "exp", "expm1", "log", "log1p"), 8),
    **dict.fromkeys(("sin", "cos", "tanh"), 16),
    "pow": 24,
}

_ARITHMETIC: _Rows = {
    "add": ("({0} + {1})",),
    "mul": ("({0} * {1})",),
}

_SELECT: _Rows = {"select": ("select({2}, {1}, {0})",)}

_ORDER: _Rows = {
    "eq": ("({0} == {1})",),
    "lt": ("({0} < {1})",),
    "le": ("({0} <= {1})",),
    "gt": ("({0} > {1})",),
    "ge": ("({0} >= {1})",),
}

_INTEGER: _Rows = {
    **_ARITHMETIC,
    **_SELECT,
    **_ORDER,
    "sub": ("({0} - {1})",),
    "ne": ("({0} != {1})",),
    "maximum": ("max({0}, {1})",),
    "minimum": ("min({0}, {1})",),
    "clamp": ("min(max({0}, {1}), {2})",),
}

_INT32: _Rows = {
    **_INTEGER,
    "div": ("wg_div_i32({0}, {1})", "integer"),
    "rem": ("wg_rem_i32({0}, {1})", "integer"),
    "pow": ("wg_pow_i32({0}, {1})", "integer"),
    "neg": ("(-{0})",),
    "abs": ("abs({0})",),
    "sign": ("sign({0})",),
}

_UINT32: _Rows = {
    **_INTEGER,
    "div": ("wg_div_u32({0}, {1})", "integer"),
    "rem": ("wg_rem_u32({0}, {1})", "integer"),
    "pow": ("wg_pow_u32({0}, {1})", "integer"),
    "neg": ("(~{0} + 1u)",),
    "abs": ("{0}",),
    "sign": ("min({0}, vec4<u32>(1u))",),
}

# NumPy's arithmetic of booleans: a sum is "or", a product "and"; differences are not defined.
_BOOL: _Rows = {
    **_SELECT,
    "add": ("({0} | {1})",),
    "mul": ("({0} & {1})",),
    "maximum": ("({0} | {1})",),
    "minimum": ("({0} & {1})",),
    "eq": ("({0} == {1})",),
    "ne": ("({0} != {1})",),
    "lt": ("(!{0} & {1})",),
    "le": ("(!{0} | {1})",),
    "gt": ("({0} & !{1})",),
    "ge": ("({0} | !{1})",),
    "logical_and": ("({0} & {1})",),
    "logical_or": ("({0} | {1})",),
    "logical_xor": ("({0} != {1})",),
    "logical_not": ("(!{0})",),
}

# What vec4<f32> and vec4<f16> share: the hardware's own.
_FLOAT: _Rows = {
    **_ARITHMETIC,
    **_SELECT,
    **_ORDER,
    "ne": ("(!({0} == {1}))",),
    "conj": ("{0}",),
    "real": ("{0}",),
}

_FLOAT32_ONLY: _Rows = {
    "sub": ("wg_sub({0}, {1})", "core"),
    "div": ("wg_div({0}, {1})", "rounded"),
    "rem": ("wg_rem({0}, {1})", "remainder"),
    "imag": ("vec4<f32>(0.0)",),
    "neg": ("wg_neg({0})", "core"),
    "abs": ("wg_abs({0})", "core"),
    "sign": ("wg_sign({0})", "core"),
    "isnan": ("wg_isnan({0})", "core"),
    "isinf": ("wg_isinf({0})", "core"),
    "isfinite": ("wg_isfinite({0})", "core"),
    "maximum": ("wg_maximum({0}, {1})", "extrema"),
    "minimum": ("wg_minimum({0}, {1})", "extrema"),
    "clamp": ("wg_clamp({0}, {1}, {2})", "extrema"),
    "sqrt": ("wg_sqrt({0})", "rounded"),
    "rsqrt": ("wg_div(vec4<f32>(1.0), wg_sqrt({0}))", "rounded"),
    "exp": ("wg_exp({0})", "exp"),
    "expm1": ("wg_expm1({0})", "exp"),
    "log": ("wg_log({0})", "log"),
    "log1p": ("wg_log1p({0})", "log"),
    "tanh": ("wg_tanh({0})", "hyperbolic"),
    "sin": ("wg_sin({0})", "trigonometric"),
    "cos": ("wg_cos({0})", "trigonometric"),
    "pow": ("wg_pow({0}, {1})", "pow"),
}

_COMPLEX64: _Rows = {
    "add": ("wg_cadd({0}, {1})", "complex"),
    "sub": ("wg_csub({0}, {1})", "complex"),
    "mul": ("wg_cmul({0}, {1})", "complex"),
    "div": ("wg_cdiv({0}, {1})", "complex"),
    "neg": ("wg_cneg({0})", "complex"),
    "conj": ("wg_cconj({0})", "complex"),
    "sign": ("wg_csign({0})", "complex"),
    "select": ("wg_cselect({2}, {1}, {0})", "complex"),
    "eq": ("wg_ceq({0}, {1})", "complex"),
    "ne": ("(!wg_ceq({0}, {1}))", "complex"),
    "isnan": ("wg_cisnan({0})", "complex"),
    "isinf": ("wg_cisinf({0})", "complex"),
    "isfinite": ("wg_cisfinite({0})", "complex"),
    "exp": ("wg_cexp({0})", "complex_exp"),
    "expm1": ("wg_cexpm1({0})", "complex_exp"),
    "log": ("wg_clog({0})", "complex_log"),
    "log1p": ("wg_clog1p({0})", "complex_log"),
    "sqrt": ("wg_csqrt({0})", "complex_sqrt"),
    "rsqrt": ("wg_crsqrt({0})", "complex_sqrt"),
    "sin": ("wg_csin({0})", "complex_hyperbolic"),
    "cos": ("wg_ccos({0})", "complex_hyperbolic"),
    "tanh": ("wg_ctanh({0})", "complex_hyperbolic"),
    "pow": ("wg_cpow({0}, {1})", "complex_pow"),
}

_COMPLEX64_TO_FLOAT32: _Rows = {
    "abs": ("wg_cabs({0})", "complex"),
    "real": ("{0}.re", "complex"),
    "imag": ("{0}.im", "complex"),
}

_TO_BOOL = cast_operation("bool")
_TO_INT32 = cast_operation("int32")
_TO_UINT32 = cast_operation("uint32")
_TO_FLOAT16 = cast_operation("float16")
_TO_FLOAT32 = cast_operation("float32")
_TO_COMPLEX64 = cast_operation("complex64")

_CASTS: Mapping[str, _Rows] = {
    "bool": {
        _TO_BOOL: ("{0}",),
        _TO_INT32: ("vec4<i32>({0})",),
        _TO_UINT32: ("vec4<u32>({0})",),
        _TO_FLOAT32: ("vec4<f32>({0})",),
        _TO_FLOAT16: ("vec4<f16>({0})",),
        _TO_COMPLEX64: ("c64x4(vec4<f32>({0}), vec4<f32>(0.0))", "complex"),
    },
    "int32": {
        _TO_BOOL: ("({0} != vec4<i32>(0))",),
        _TO_INT32: ("{0}",),
        _TO_UINT32: ("bitcast<vec4<u32>>({0})",),
        _TO_FLOAT32: ("wg_from_i32({0})", "cast"),
        _TO_FLOAT16: ("vec4<f16>(wg_from_i32({0}))", "cast"),
        _TO_COMPLEX64: ("c64x4(wg_from_i32({0}), vec4<f32>(0.0))", "complex", "cast"),
    },
    "uint32": {
        _TO_BOOL: ("({0} != vec4<u32>(0u))",),
        _TO_INT32: ("bitcast<vec4<i32>>({0})",),
        _TO_UINT32: ("{0}",),
        _TO_FLOAT32: ("wg_from_u32({0})", "cast"),
        _TO_FLOAT16: ("vec4<f16>(wg_from_u32({0}))", "cast"),
        _TO_COMPLEX64: ("c64x4(wg_from_u32({0}), vec4<f32>(0.0))", "complex", "cast"),
    },
    "float32": {
        _TO_BOOL: ("wg_nonzero({0})", "cast"),
        _TO_INT32: ("wg_to_i32({0})", "cast"),
        _TO_UINT32: ("wg_to_u32({0})", "cast"),
        _TO_FLOAT32: ("{0}",),
        _TO_FLOAT16: ("vec4<f16>({0})",),
        _TO_COMPLEX64: ("c64x4({0}, vec4<f32>(0.0))", "complex"),
    },
    # A complex number is true where either part is; every other dtype takes the real part.
    "complex64": {
        _TO_BOOL: ("(!wg_ciszero({0}))", "complex"),
        _TO_INT32: ("wg_to_i32({0}.re)", "complex", "cast"),
        _TO_UINT32: ("wg_to_u32({0}.re)", "complex", "cast"),
        _TO_FLOAT32: ("{0}.re", "complex"),
        _TO_FLOAT16: ("vec4<f16>({0}.re)", "complex"),
        _TO_COMPLEX64: ("{0}", "complex"),
    },
}


def _lower(dtype: str, rows: _Rows, weights: Mapping[str, int] = _WEIGHTS) -> dict[str, Lowering]:
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


def _cast(rows: _Rows) -> dict[str, Lowering]:
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


_FLOAT32_CASTS = _cast(_CASTS["float32"])
_FLOAT32 = {**_lower("float32", _FLOAT), **_lower("float32", _FLOAT32_ONLY), **_FLOAT32_CASTS}

_BY_DTYPE: Mapping[str, Mapping[str, Lowering]] = {
    "bool": {**_lower("bool", _BOOL), **_cast(_CASTS["bool"])},
    "int32": {**_lower("int32", _INT32), **_cast(_CASTS["int32"])},
    "uint32": {**_lower("uint32", _UINT32), **_cast(_CASTS["uint32"])},
    "float32": _FLOAT32,
    "float16": {
        **_through_float32(_lower("float32", _FLOAT32_ONLY)),
        **_lower("float16", _FLOAT),
        **_through_float32(_FLOAT32_CASTS),
        _TO_FLOAT32: Lowering("vec4<f32>({0})", "float32"),
        _TO_FLOAT16: Lowering("{0}", "float16"),
    },
    "complex64": {
        **_lower("complex64", _COMPLEX64, _COMPLEX_WEIGHTS),
        **_lower("float32", _COMPLEX64_TO_FLOAT32, _COMPLEX_WEIGHTS),
        **_cast(_CASTS["complex64"]),
    },
}

LOWERINGS: Mapping[tuple[str, str], Lowering] = {
    (operation, dtype): lowering for dtype, rows in _BY_DTYPE.items() for operation, lowering in rows.items()
}
"""WGSL by operation and operand dtype (for ``select`` that of the branches); what is absent is undefined."""

BOUNDS: Mapping[str, float] = {
    "exp": 1.5,
    "expm1": 1.5,
    "log": 1.0,
    "log1p": 1.5,
    "tanh": 1.5,
    "sin": 1.0,
    "cos": 1.0,
    "sqrt": 0.5,
    "rsqrt": 1.5,
    "pow": 4.0,
}
"""Largest error of float32 functions in ulp, over the whole range; what is absent is rounded correctly. Those
of float16 are float32's, rounded once: below 0.51 ulp. All bounds suppose that the adapter's + - and * are
rounded correctly, and that its / is within 2.5 ulp."""

COMPLEX_BOUNDS: Mapping[str, float] = {
    "mul": 1.5,
    "div": 2.0,
    "sign": 1.5,
    "abs": 1.5,
    "exp": 2.0,
    "expm1": 2.0,
    "log": 3.0,
    "log1p": 3.0,
    "sqrt": 1.5,
    "rsqrt": 2.0,
    "sin": 2.0,
    "cos": 2.0,
    "tanh": 3.0,
    "pow": 3.0,
}
"""Largest error of complex64 functions in units of 2^-23 |result|, of ``abs`` in ulp; that of ``pow`` is to
be multiplied by 1 + |b log a|. What is absent rounds each part correctly."""
