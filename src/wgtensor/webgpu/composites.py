"""Operations that are short programs of others.

The fusion window makes one kernel of the elementwise steps, and a reduction takes that as its prologue. float16 is
computed in float32 and rounded once, as the reference backend does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from wgtensor.contract.scalars import Scalar
from wgtensor.tensor import DType, Layout, Tensor, float16, float32

__all__ = ["PROGRAMS", "Step"]

Step: TypeAlias = Callable[..., Tensor]
"""``step(name, *operands, **attributes)`` runs an operation of the session whose operands are checked."""


def _axpby(step: Step, x: Tensor, y: Tensor, *, alpha: complex, beta: complex) -> Tensor:
    """Return ``alpha * x + beta * y``; ``y`` is not read where beta is 0."""
    wide = _widened(step, x)
    result = wide if alpha == 1 else step("mul", wide, Scalar(alpha, wide.dtype))
    if beta != 0:
        result = step("add", result, step("mul", _widened(step, y), Scalar(beta, wide.dtype)))
    return step("to_contiguous", x) if result is x else _narrowed(step, result, x.dtype)


def _vdot(step: Step, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Return ``sum(conj(lhs) * rhs)``."""
    left = step("conj", lhs) if lhs.dtype.is_complex else _widened(step, lhs)
    return _narrowed(step, _total(step, step("mul", left, _widened(step, rhs))), lhs.dtype)


def _norm_squared(step: Step, x: Tensor) -> Tensor:
    """Return ``sum(abs(x)**2)``: for complex numbers the sum of the squares of all parts."""
    parts = _parts(x) if x.dtype.is_complex else _widened(step, x)
    return _narrowed(step, _total(step, step("square", parts)), x.dtype.real)


def _widened(step: Step, x: Tensor) -> Tensor:
    return step("cast", x, dtype=float32) if x.dtype is float16 else x


def _narrowed(step: Step, x: Tensor, dtype: DType) -> Tensor:
    return x if x.dtype is dtype else step("cast", x, dtype=dtype)


def _total(step: Step, x: Tensor) -> Tensor:
    return step("reduce_sum", x, axes=tuple(range(x.ndim))) if x.ndim else x


def _parts(x: Tensor) -> Tensor:
    """Return the view of a complex tensor's real and imaginary parts, along a new last axis."""
    old = x.layout
    layout = Layout((*old.shape, 2), (*(2 * stride for stride in old.strides), 1), 2 * old.offset)
    return Tensor(x.dtype.real, Layout.contiguous(layout.shape) if layout.is_contiguous else layout, x.storage)


PROGRAMS: Final[Mapping[str, Callable[..., Tensor]]] = {"axpby": _axpby, "vdot": _vdot, "norm_squared": _norm_squared}
"""``program(step, *operands, **attributes)`` by operation."""
