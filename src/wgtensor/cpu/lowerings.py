"""The NumPy function behind each operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wgtensor.cpu import analytic, casts, dot, elementwise, indexing, reduction, structural

__all__ = ["LOWERINGS"]

LOWERINGS: Final[dict[str, Callable[..., Any]]] = {
    "to_contiguous": structural.to_contiguous,
    "add": elementwise.add,
    "sub": elementwise.sub,
    "mul": elementwise.mul,
    "div": elementwise.div,
    "rem": elementwise.rem,
    "neg": elementwise.neg,
    "abs": elementwise.abs_,
    "sign": elementwise.sign,
    "conj": elementwise.conj,
    "real": elementwise.real,
    "imag": elementwise.imag,
    "maximum": elementwise.maximum,
    "minimum": elementwise.minimum,
    "compare": elementwise.compare,
    "select": elementwise.select,
    "clamp": elementwise.clamp,
    "logical_and": elementwise.logical_and,
    "logical_or": elementwise.logical_or,
    "logical_xor": elementwise.logical_xor,
    "logical_not": elementwise.logical_not,
    "isnan": elementwise.isnan,
    "isinf": elementwise.isinf,
    "isfinite": elementwise.isfinite,
    "exp": analytic.exp,
    "log": analytic.log,
    "sin": analytic.sin,
    "cos": analytic.cos,
    "tanh": analytic.tanh,
    "sqrt": analytic.sqrt,
    "rsqrt": analytic.rsqrt,
    "pow": analytic.pow_,
    "expm1": analytic.expm1,
    "log1p": analytic.log1p,
    "cast": casts.cast,
    "convert": casts.cast,
    "reshape": structural.reshape,
    "embed_diagonal": structural.embed_diagonal,
    "tril": structural.tril,
    "triu": structural.triu,
    "reduce_sum": reduction.reduce_sum,
    "reduce_prod": reduction.reduce_prod,
    "reduce_max": reduction.reduce_max,
    "reduce_min": reduction.reduce_min,
    "reduce_any": reduction.reduce_any,
    "reduce_all": reduction.reduce_all,
    "argmax": reduction.argmax,
    "argmin": reduction.argmin,
    "pad": indexing.pad,
    "concatenate": indexing.concatenate,
    "gather": indexing.gather,
    "scatter": indexing.scatter,
    "dynamic_slice": indexing.dynamic_slice,
    "dynamic_update_slice": indexing.dynamic_update_slice,
    "dot_general": dot.dot_general,
    "dot_general_into_accum": dot.dot_general_into_accum,
    "grouped_gemm": dot.grouped_gemm,
    "vdot": dot.vdot,
    "norm_squared": dot.norm_squared,
    "axpby": dot.axpby,
}
"""By session method name; operations that are always views have none (``reshape`` is one where strides allow)."""
