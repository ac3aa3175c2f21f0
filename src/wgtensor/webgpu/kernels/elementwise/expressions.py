"""The WGSL of each elementwise operation: one table per dtype of the operands.

A row holds an expression over the operands ``{0}``, ``{1}``, ``{2}`` and the function files that it calls. How the
tables become lowerings, and what an expression may hold, is said in ``lowering``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

__all__ = [
    "BOOL",
    "CASTS",
    "COMPLEX64",
    "COMPLEX64_TO_FLOAT32",
    "FLOAT",
    "FLOAT16_ONLY",
    "FLOAT32_ONLY",
    "INT32",
    "TO_FLOAT16",
    "TO_FLOAT32",
    "UINT32",
    "Rows",
    "cast_operation",
]

Rows: TypeAlias = Mapping[str, tuple[str, ...]]
"""Operation to its expression and the function files that it calls."""


def cast_operation(target: str) -> str:
    """Return the name of the conversion to dtype ``target`` in ``LOWERINGS``, for example ``cast_int32``."""
    return f"cast_{target}"


_ARITHMETIC: Rows = {
    "add": ("({0} + {1})",),
    "mul": ("({0} * {1})",),
}

_SELECT: Rows = {"select": ("select({2}, {1}, {0})",)}

_ORDER: Rows = {
    "eq": ("({0} == {1})",),
    "lt": ("({0} < {1})",),
    "le": ("({0} <= {1})",),
    "gt": ("({0} > {1})",),
    "ge": ("({0} >= {1})",),
}

_INTEGER: Rows = {
    **_ARITHMETIC,
    **_SELECT,
    **_ORDER,
    "sub": ("({0} - {1})",),
    "ne": ("({0} != {1})",),
    "maximum": ("max({0}, {1})",),
    "minimum": ("min({0}, {1})",),
    "clamp": ("min(max({0}, {1}), {2})",),
    "floor": ("{0}",),
    "ceil": ("{0}",),
    "trunc": ("{0}",),
    "round": ("{0}",),
    "square": ("({0} * {0})",),
    "bitwise_and": ("({0} & {1})",),
    "bitwise_or": ("({0} | {1})",),
    "bitwise_xor": ("({0} ^ {1})",),
    "bitwise_not": ("(~{0})",),
}

INT32: Rows = {
    **_INTEGER,
    "div": ("wg_div_i32({0}, {1})", "integer"),
    "rem": ("wg_rem_i32({0}, {1})", "integer"),
    "floor_divide": ("wg_floor_div_i32({0}, {1})", "integer"),
    "remainder": ("wg_mod_i32({0}, {1})", "integer"),
    "shift_left": ("wg_shift_left_i32({0}, {1})", "shift"),
    "shift_right": ("wg_shift_right_i32({0}, {1})", "shift"),
    "pow": ("wg_pow_i32({0}, {1})", "integer"),
    "neg": ("(-{0})",),
    "abs": ("abs({0})",),
    "sign": ("sign({0})",),
}

UINT32: Rows = {
    **_INTEGER,
    "div": ("wg_div_u32({0}, {1})", "integer"),
    "rem": ("wg_rem_u32({0}, {1})", "integer"),
    "floor_divide": ("wg_div_u32({0}, {1})", "integer"),
    "remainder": ("wg_rem_u32({0}, {1})", "integer"),
    "shift_left": ("wg_shift_left_u32({0}, {1})", "shift"),
    "shift_right": ("wg_shift_right_u32({0}, {1})", "shift"),
    "pow": ("wg_pow_u32({0}, {1})", "integer"),
    "neg": ("(~{0} + 1u)",),
    "abs": ("{0}",),
    "sign": ("min({0}, vec4<u32>(1u))",),
}

# NumPy's arithmetic of booleans: a sum is "or", a product "and"; differences are not defined.
BOOL: Rows = {
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
    "bitwise_and": ("({0} & {1})",),
    "bitwise_or": ("({0} | {1})",),
    "bitwise_xor": ("({0} != {1})",),
    "bitwise_not": ("(!{0})",),
}

# What vec4<f32> and vec4<f16> share: the hardware's own.
FLOAT: Rows = {
    **_ARITHMETIC,
    **_SELECT,
    **_ORDER,
    "ne": ("(!({0} == {1}))",),
    "conj": ("{0}",),
    "real": ("{0}",),
    "square": ("({0} * {0})",),
}

FLOAT32_ONLY: Rows = {
    "sub": ("wg_sub({0}, {1})", "core"),
    "div": ("wg_div({0}, {1})", "rounded"),
    "rem": ("wg_rem({0}, {1})", "remainder"),
    "floor_divide": ("wg_floor_div({0}, {1})", "floor_division"),
    "remainder": ("wg_mod({0}, {1})", "floor_division"),
    "reciprocal": ("wg_div(vec4<f32>(1.0), {0})", "rounded"),
    "floor": ("wg_floor({0})", "rounding"),
    "ceil": ("wg_ceil({0})", "rounding"),
    "trunc": ("wg_trunc({0})", "rounding"),
    "round": ("wg_round({0})", "rounding"),
    "signbit": ("(wg_signs({0}) != vec4<u32>(0u))", "core"),
    "copysign": ("wg_copysign({0}, {1})", "core"),
    "nextafter": ("wg_nextafter({0}, {1})", "neighbor"),
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
    "exp2": ("wg_exp2({0})", "base2"),
    "log2": ("wg_log2({0})", "base2"),
    "log10": ("wg_log10({0})", "base2"),
    "logaddexp": ("wg_logaddexp({0}, {1})", "logaddexp"),
    "hypot": ("wg_cabs(c64x4({0}, {1}))", "complex"),
    "tan": ("wg_tan({0})", "tangent"),
    "asin": ("wg_asin({0})", "inverse_trigonometric"),
    "acos": ("wg_acos({0})", "inverse_trigonometric"),
    "atan": ("wg_atan({0})", "angle"),
    "atan2": ("wg_atan2({0}, {1})", "angle"),
    "sinh": ("wg_sinh({0})", "hyperbolic"),
    "cosh": ("wg_cosh({0})", "hyperbolic"),
    "asinh": ("wg_asinh({0})", "inverse_hyperbolic"),
    "acosh": ("wg_acosh({0})", "inverse_hyperbolic"),
    "atanh": ("wg_atanh({0})", "inverse_hyperbolic"),
    "erf": ("wg_erf({0})", "erf"),
}

# Where a float32 function of widened operands would give another value.
FLOAT16_ONLY: Rows = {"nextafter": ("wg_nextafter_half({0}, {1})", "neighbor")}

COMPLEX64: Rows = {
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
    "square": ("wg_cmul({0}, {0})", "complex"),
    "reciprocal": ("wg_creciprocal({0})", "complex"),
    "round": ("c64x4(wg_round({0}.re), wg_round({0}.im))", "complex", "rounding"),
    "log2": ("wg_clog2({0})", "complex_log"),
    "log10": ("wg_clog10({0})", "complex_log"),
    "tan": ("wg_ctan({0})", "complex_hyperbolic"),
    "sinh": ("wg_csinh({0})", "complex_hyperbolic"),
    "cosh": ("wg_ccosh({0})", "complex_hyperbolic"),
    "asin": ("wg_casin({0})", "complex_inverse"),
    "acos": ("wg_cacos({0})", "complex_inverse"),
    "asinh": ("wg_casinh({0})", "complex_inverse"),
    "acosh": ("wg_cacosh({0})", "complex_inverse"),
    "atan": ("wg_catan({0})", "complex_atanh"),
    "atanh": ("wg_catanh({0})", "complex_atanh"),
}

COMPLEX64_TO_FLOAT32: Rows = {
    "abs": ("wg_cabs({0})", "complex"),
    "real": ("{0}.re", "complex"),
    "imag": ("{0}.im", "complex"),
}

_TO_BOOL = cast_operation("bool")
_TO_INT32 = cast_operation("int32")
_TO_UINT32 = cast_operation("uint32")
TO_FLOAT16 = cast_operation("float16")
TO_FLOAT32 = cast_operation("float32")
_TO_COMPLEX64 = cast_operation("complex64")

CASTS: Mapping[str, Rows] = {
    "bool": {
        _TO_BOOL: ("{0}",),
        _TO_INT32: ("vec4<i32>({0})",),
        _TO_UINT32: ("vec4<u32>({0})",),
        TO_FLOAT32: ("vec4<f32>({0})",),
        TO_FLOAT16: ("vec4<f16>({0})",),
        _TO_COMPLEX64: ("c64x4(vec4<f32>({0}), vec4<f32>(0.0))", "complex"),
    },
    "int32": {
        _TO_BOOL: ("({0} != vec4<i32>(0))",),
        _TO_INT32: ("{0}",),
        _TO_UINT32: ("bitcast<vec4<u32>>({0})",),
        TO_FLOAT32: ("wg_from_i32({0})", "cast"),
        TO_FLOAT16: ("vec4<f16>(wg_from_i32({0}))", "cast"),
        _TO_COMPLEX64: ("c64x4(wg_from_i32({0}), vec4<f32>(0.0))", "complex", "cast"),
    },
    "uint32": {
        _TO_BOOL: ("({0} != vec4<u32>(0u))",),
        _TO_INT32: ("bitcast<vec4<i32>>({0})",),
        _TO_UINT32: ("{0}",),
        TO_FLOAT32: ("wg_from_u32({0})", "cast"),
        TO_FLOAT16: ("vec4<f16>(wg_from_u32({0}))", "cast"),
        _TO_COMPLEX64: ("c64x4(wg_from_u32({0}), vec4<f32>(0.0))", "complex", "cast"),
    },
    "float32": {
        _TO_BOOL: ("wg_nonzero({0})", "cast"),
        _TO_INT32: ("wg_to_i32({0})", "cast"),
        _TO_UINT32: ("wg_to_u32({0})", "cast"),
        TO_FLOAT32: ("{0}",),
        TO_FLOAT16: ("vec4<f16>({0})",),
        _TO_COMPLEX64: ("c64x4({0}, vec4<f32>(0.0))", "complex"),
    },
    # A complex number is true where either part is; every other dtype takes the real part.
    "complex64": {
        _TO_BOOL: ("(!wg_ciszero({0}))", "complex"),
        _TO_INT32: ("wg_to_i32({0}.re)", "complex", "cast"),
        _TO_UINT32: ("wg_to_u32({0}.re)", "complex", "cast"),
        TO_FLOAT32: ("{0}.re", "complex"),
        TO_FLOAT16: ("vec4<f16>({0}.re)", "complex"),
        _TO_COMPLEX64: ("{0}", "complex"),
    },
}
