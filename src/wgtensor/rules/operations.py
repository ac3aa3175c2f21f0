"""The table of operations: one row each, shared by all backends.

Sessions check operands by these rows and backends look their lowerings up by name. Tests hold the protocols, both
backends and ``docs/operations.md`` to them.
"""

from __future__ import annotations

from typing import Final

from wgtensor.rules import buffers as bu
from wgtensor.rules import dot
from wgtensor.rules import dtypes as dt
from wgtensor.rules import indexing as ix
from wgtensor.rules import scans as sc
from wgtensor.rules import shapes as sh
from wgtensor.rules.operation import VARIADIC, Family, Operation

__all__ = ["OPERATIONS"]

_ROUNDED: Final = "correctly rounded"
_POWER: Final = "6 ulp; integers exact; complex 4 (1 + abs(exponent log base)) ulp"
_PRODUCT: Final = "correctly rounded; complex 2 ulp"
_DOT: Final = "k ulp of the sum of magnitudes"
_SCATTER: Final = "exact; mode add: n ulp of the sum of magnitudes"

_RUNNING_SUM: Final = "log2(n) + 384 ulp of the running sum of magnitudes"

_ROWS: Final = (
    # name, family, arity, shape rule, dtype rule, kinds, accuracy
    Operation("to_contiguous", Family.BUFFER, 1, sh.same, dt.same),
    Operation("copy_into", Family.BUFFER, 2, bu.copy_into, dt.arithmetic, writes=True),
    Operation("full", Family.BUFFER, 0, bu.full, bu.full_dtype),
    Operation("iota", Family.BUFFER, 0, bu.iota, bu.iota_dtype, "iuf"),
    Operation("add", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "biufc", _ROUNDED),
    Operation("sub", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "iufc", _ROUNDED),
    Operation("mul", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "biufc", _PRODUCT),
    Operation("div", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "iufc", "2.5 ulp"),
    Operation("rem", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "iuf", "exact"),
    Operation("neg", Family.ELEMENTWISE, 1, sh.same, dt.same, "iufc"),
    Operation("abs", Family.ELEMENTWISE, 1, sh.same, dt.magnitude, "iufc", "exact; complex 4 ulp"),
    Operation("sign", Family.ELEMENTWISE, 1, sh.same, dt.same, "iufc", "exact; complex 4 ulp"),
    Operation("conj", Family.ELEMENTWISE, 1, sh.same, dt.same, "fc"),
    Operation("real", Family.ELEMENTWISE, 1, sh.same, dt.magnitude, "fc"),
    Operation("imag", Family.ELEMENTWISE, 1, sh.same, dt.magnitude, "fc"),
    Operation("maximum", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "biuf"),
    Operation("minimum", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "biuf"),
    Operation("compare", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.comparison, "biufc"),
    Operation("select", Family.ELEMENTWISE, 3, sh.broadcast_scalar, dt.select, "biufc"),
    Operation("clamp", Family.ELEMENTWISE, 3, sh.broadcast_scalar, dt.arithmetic, "iuf"),
    Operation("logical_and", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "b"),
    Operation("logical_or", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "b"),
    Operation("logical_xor", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "b"),
    Operation("logical_not", Family.ELEMENTWISE, 1, sh.same, dt.same, "b"),
    Operation("isnan", Family.ELEMENTWISE, 1, sh.same, dt.predicate, "fc"),
    Operation("isinf", Family.ELEMENTWISE, 1, sh.same, dt.predicate, "fc"),
    Operation("isfinite", Family.ELEMENTWISE, 1, sh.same, dt.predicate, "fc"),
    Operation("square", Family.ELEMENTWISE, 1, sh.same, dt.same, "iufc", _PRODUCT),
    Operation("reciprocal", Family.ELEMENTWISE, 1, sh.same, dt.same, "fc", "2.5 ulp; complex 4 ulp"),
    Operation("floor_divide", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "iuf", "2 ulp"),
    Operation("remainder", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "iuf", _ROUNDED),
    Operation("floor", Family.ELEMENTWISE, 1, sh.same, dt.same, "iuf"),
    Operation("ceil", Family.ELEMENTWISE, 1, sh.same, dt.same, "iuf"),
    Operation("trunc", Family.ELEMENTWISE, 1, sh.same, dt.same, "iuf"),
    Operation("round", Family.ELEMENTWISE, 1, sh.same, dt.same, "iufc"),
    Operation("signbit", Family.ELEMENTWISE, 1, sh.same, dt.predicate, "f"),
    Operation("copysign", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "f"),
    Operation("nextafter", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "f"),
    Operation("bitwise_and", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "biu"),
    Operation("bitwise_or", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "biu"),
    Operation("bitwise_xor", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "biu"),
    Operation("bitwise_not", Family.ELEMENTWISE, 1, sh.same, dt.same, "biu"),
    Operation("shift_left", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "iu"),
    Operation("shift_right", Family.ELEMENTWISE, 2, sh.broadcast_scalar, dt.arithmetic, "iu"),
    Operation("exp", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("log", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("sin", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("cos", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("tanh", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("sqrt", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "2.5 ulp"),
    Operation("rsqrt", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("pow", Family.ANALYTIC, 2, sh.broadcast_scalar, dt.arithmetic, "iufc", _POWER),
    Operation("expm1", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "6 ulp"),
    Operation("log1p", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("exp2", Family.ANALYTIC, 1, sh.same, dt.same, "f", "4 ulp"),
    Operation("log2", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("log10", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("logaddexp", Family.ANALYTIC, 2, sh.broadcast_scalar, dt.arithmetic, "f", "2 ulp of max(1, abs(result))"),
    Operation("hypot", Family.ANALYTIC, 2, sh.broadcast_scalar, dt.arithmetic, "f", "2 ulp"),
    Operation("tan", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "6 ulp"),
    Operation("asin", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("acos", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("atan", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("atan2", Family.ANALYTIC, 2, sh.broadcast_scalar, dt.arithmetic, "f", "4 ulp"),
    Operation("sinh", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "6 ulp"),
    Operation("cosh", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "6 ulp"),
    Operation("asinh", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("acosh", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("atanh", Family.ANALYTIC, 1, sh.same, dt.same, "fc", "4 ulp"),
    Operation("erf", Family.ANALYTIC, 1, sh.same, dt.same, "f", "4 ulp"),
    Operation("cast", Family.CAST, 1, sh.same, dt.cast, accuracy=_ROUNDED),
    Operation("convert", Family.CAST, 1, sh.same, dt.convert, accuracy=_ROUNDED),
    Operation("transpose", Family.STRUCTURAL, 1, sh.transpose, dt.same),
    Operation("reshape", Family.STRUCTURAL, 1, sh.reshape, dt.same),
    Operation("broadcast_in_dim", Family.STRUCTURAL, 1, sh.broadcast_in_dim, dt.same),
    Operation("extract_diagonal", Family.STRUCTURAL, 1, sh.extract_diagonal, dt.same),
    Operation("embed_diagonal", Family.STRUCTURAL, 1, sh.embed_diagonal, dt.same),
    Operation("tril", Family.STRUCTURAL, 1, sh.triangle, dt.same),
    Operation("triu", Family.STRUCTURAL, 1, sh.triangle, dt.same),
    Operation("reduce_sum", Family.REDUCTION, 1, sh.reduce, dt.same, "iufc", "log2(n) ulp of the sum of magnitudes"),
    Operation("reduce_prod", Family.REDUCTION, 1, sh.reduce, dt.same, "iufc", "n ulp"),
    Operation("reduce_max", Family.REDUCTION, 1, sh.reduce_nonempty, dt.same, "iuf"),
    Operation("reduce_min", Family.REDUCTION, 1, sh.reduce_nonempty, dt.same, "iuf"),
    Operation("reduce_any", Family.REDUCTION, 1, sh.reduce, dt.same, "b"),
    Operation("reduce_all", Family.REDUCTION, 1, sh.reduce, dt.same, "b"),
    Operation("argmax", Family.REDUCTION, 1, sh.arg_reduce, dt.index, "biuf"),
    Operation("argmin", Family.REDUCTION, 1, sh.arg_reduce, dt.index, "biuf"),
    Operation("cumulative_sum", Family.SCAN, 1, sc.along_axis, dt.same, "iufc", _RUNNING_SUM),
    Operation("cumulative_prod", Family.SCAN, 1, sc.along_axis, dt.same, "iufc", "n ulp"),
    Operation("cumulative_max", Family.SCAN, 1, sc.along_axis, dt.same, "iuf"),
    Operation("cumulative_min", Family.SCAN, 1, sc.along_axis, dt.same, "iuf"),
    Operation("flat_nonzero", Family.SCAN, 1, sc.flat_nonzero, dt.index, "b"),
    Operation("sort", Family.SORT, 1, sc.positions, dt.same, "biuf"),
    Operation("argsort", Family.SORT, 1, sc.positions, dt.index, "biuf"),
    Operation("searchsorted", Family.SORT, 2, sc.searchsorted, sc.searched, "biuf"),
    Operation("slice", Family.INDEXING, 1, ix.slice_, dt.same),
    Operation("reverse", Family.INDEXING, 1, ix.reverse, dt.same),
    Operation("pad", Family.INDEXING, 2, ix.pad, dt.arithmetic),
    Operation("concatenate", Family.INDEXING, VARIADIC, ix.concatenate, dt.arithmetic),
    Operation("gather", Family.INDEXING, 2, ix.gather, dt.indexed),
    Operation("scatter", Family.INDEXING, 3, ix.scatter, dt.scattered, accuracy=_SCATTER),
    Operation("dynamic_slice", Family.INDEXING, 2, ix.dynamic_slice, dt.indexed),
    Operation("dynamic_update_slice", Family.INDEXING, 3, ix.dynamic_update_slice, dt.updated),
    Operation("dot_general", Family.DOT, 2, dot.dot_general, dt.product, "iufc", _DOT),
    Operation("dot_general_into_accum", Family.DOT, 3, dot.dot_general_into, dt.accumulated, "iufc", _DOT, writes=True),
    Operation("grouped_gemm", Family.DOT, 3, dot.grouped_gemm, dt.accumulated, "iufc", _DOT, writes=True),
    Operation("vdot", Family.DOT, 2, sh.scalar_result, dt.product, "fc", _DOT),
    Operation("norm_squared", Family.DOT, 1, sh.scalar_result, dt.magnitude, "fc", _DOT),
    Operation("axpby", Family.DOT, 2, sh.equal, dt.combined, "iufc", "4 ulp of the sum of magnitudes"),
)

OPERATIONS: Final = {row.name: row for row in _ROWS}
"""Operation by session method name."""
