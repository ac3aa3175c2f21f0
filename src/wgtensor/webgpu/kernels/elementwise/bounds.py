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
