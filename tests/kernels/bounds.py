"""Error bounds of the WGSL functions, to which tests hold every adapter."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BOUNDS", "COMPLEX_BOUNDS"]

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
    "exp2": 1.0,
    "log2": 1.0,
    "log10": 1.0,
    "logaddexp": 2.0,
    "hypot": 1.5,
    "tan": 3.0,
    "asin": 2.5,
    "acos": 1.5,
    "atan": 2.0,
    "atan2": 2.0,
    "sinh": 3.0,
    "cosh": 2.0,
    "asinh": 3.0,
    "acosh": 3.0,
    "atanh": 3.0,
    "erf": 2.0,
}
"""Largest error of float32 functions in ulp, over the whole range; what is absent is rounded correctly. That of
logaddexp counts ulps of max(1, |result|). Those of float16 are float32's, rounded once: below 0.51 ulp. All bounds
suppose that the adapter's + - and * are rounded correctly, and that its / is within 2.5 ulp."""

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
    "square": 1.5,
    "reciprocal": 2.0,
    "log2": 4.0,
    "log10": 4.0,
    "tan": 3.0,
    "sinh": 2.0,
    "cosh": 2.0,
    **dict.fromkeys(("asin", "acos", "atan", "asinh", "acosh", "atanh"), 3.0),
}
"""Largest error of complex64 functions in units of 2^-23 |result|, of ``abs`` in ulp; that of ``pow`` is to
be multiplied by 1 + |b log a|. What is absent rounds each part correctly."""
