"""The elementwise protocols of a session, arithmetic and analytic; ``protocols`` says what holds for all of them."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

from wgtensor.contract.arguments import direction_of
from wgtensor.contract.configs import CompareDirection
from wgtensor.tensor import Tensor

__all__ = ["Applies", "Operand", "TensorAnalytic", "TensorElementwise"]

Operand: TypeAlias = Tensor | complex
"""A tensor, or a number that takes the tensors' dtype (``complex`` includes int, float, bool and NumPy's scalars)."""


class Applies(Protocol):
    """What the bodies of all operations call."""

    def apply(self, name: str, operands: tuple[Operand, ...], **attributes: Any) -> Tensor:
        """Check and run the operation ``name`` of the table."""
        ...


@runtime_checkable
class TensorElementwise(Applies, Protocol):
    """Elementwise arithmetic. Shapes are equal, or one operand is rank-0; there is no other broadcasting."""

    def add(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return ``lhs + rhs``; integers wrap, bool is or."""
        return self.apply("add", (lhs, rhs))

    def sub(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return ``lhs - rhs``; integers wrap."""
        return self.apply("sub", (lhs, rhs))

    def mul(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return ``lhs * rhs``; integers wrap, bool is and."""
        return self.apply("mul", (lhs, rhs))

    def div(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return ``lhs / rhs``; integers truncate towards zero, x / 0 is 0, MIN / -1 wraps to MIN."""
        return self.apply("div", (lhs, rhs))

    def rem(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the remainder with the sign of ``lhs`` (C's ``fmod``); integer x % 0 and MIN % -1 are 0."""
        return self.apply("rem", (lhs, rhs))

    def neg(self, x: Operand) -> Tensor:
        """Return ``-x``; integers wrap."""
        return self.apply("neg", (x,))

    def abs(self, x: Operand) -> Tensor:
        """Return the magnitude; real for complex ``x``, abs(MIN) is MIN."""
        return self.apply("abs", (x,))

    def sign(self, x: Operand) -> Tensor:
        """Return -1, 0 or 1 with NaN and signed zeros kept; ``x / abs(x)`` for complex, 0 at 0."""
        return self.apply("sign", (x,))

    def conj(self, x: Operand) -> Tensor:
        """Return the complex conjugate; a copy for floats."""
        return self.apply("conj", (x,))

    def real(self, x: Operand) -> Tensor:
        """Return the real part, as a real dtype."""
        return self.apply("real", (x,))

    def imag(self, x: Operand) -> Tensor:
        """Return the imaginary part, as a real dtype; zeros for floats."""
        return self.apply("imag", (x,))

    def maximum(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the larger; NaN if either is NaN."""
        return self.apply("maximum", (lhs, rhs))

    def minimum(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the smaller; NaN if either is NaN."""
        return self.apply("minimum", (lhs, rhs))

    def compare(self, lhs: Operand, rhs: Operand, direction: CompareDirection) -> Tensor:
        """Return bool; complex allows EQ and NE only. NaN compares False, except NE."""
        return self.apply("compare", (lhs, rhs), direction=direction_of(direction))

    def select(self, predicate: Tensor, on_true: Operand, on_false: Operand) -> Tensor:
        """Return ``on_true`` where the bool ``predicate`` holds, else ``on_false``."""
        return self.apply("select", (predicate, on_true, on_false))

    def clamp(self, x: Operand, low: Operand, high: Operand) -> Tensor:
        """Return ``min(max(x, low), high)``; NaN in any operand gives NaN."""
        return self.apply("clamp", (x, low, high))

    def logical_and(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return bool ``lhs and rhs``."""
        return self.apply("logical_and", (lhs, rhs))

    def logical_or(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return bool ``lhs or rhs``."""
        return self.apply("logical_or", (lhs, rhs))

    def logical_xor(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return bool ``lhs xor rhs``."""
        return self.apply("logical_xor", (lhs, rhs))

    def logical_not(self, x: Operand) -> Tensor:
        """Return bool ``not x``."""
        return self.apply("logical_not", (x,))

    def isnan(self, x: Operand) -> Tensor:
        """Return whether each element is NaN (for complex: either part)."""
        return self.apply("isnan", (x,))

    def isinf(self, x: Operand) -> Tensor:
        """Return whether each element is infinite (for complex: either part)."""
        return self.apply("isinf", (x,))

    def isfinite(self, x: Operand) -> Tensor:
        """Return whether each element is neither infinite nor NaN (for complex: both parts)."""
        return self.apply("isfinite", (x,))

    def square(self, x: Operand) -> Tensor:
        """Return ``x * x``; integers wrap."""
        return self.apply("square", (x,))

    def reciprocal(self, x: Operand) -> Tensor:
        """Return ``1 / x``."""
        return self.apply("reciprocal", (x,))

    def floor_divide(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the floor of ``lhs / rhs``; integer x // 0 is 0, MIN // -1 wraps, inf // y is inf / y."""
        return self.apply("floor_divide", (lhs, rhs))

    def remainder(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the remainder with the sign of ``rhs``, Python's ``%``; integer x % 0 is 0."""
        return self.apply("remainder", (lhs, rhs))

    def floor(self, x: Operand) -> Tensor:
        """Return the largest whole number that is not above ``x``; integers as they are."""
        return self.apply("floor", (x,))

    def ceil(self, x: Operand) -> Tensor:
        """Return the smallest whole number that is not below ``x``; integers as they are."""
        return self.apply("ceil", (x,))

    def trunc(self, x: Operand) -> Tensor:
        """Return the whole number next to ``x`` towards zero; integers as they are."""
        return self.apply("trunc", (x,))

    def round(self, x: Operand) -> Tensor:
        """Return the nearest whole number, halves to even; complex by parts, integers as they are."""
        return self.apply("round", (x,))

    def signbit(self, x: Operand) -> Tensor:
        """Return whether the sign bit is set: below 0, -0, and NaN of that sign (some GPUs lose that of a float16)."""
        return self.apply("signbit", (x,))

    def copysign(self, magnitude: Operand, sign: Operand) -> Tensor:
        """Return ``magnitude`` with the sign of ``sign``, of NaN too (some GPUs lose that of a float16 NaN)."""
        return self.apply("copysign", (magnitude, sign))

    def nextafter(self, x: Operand, towards: Operand) -> Tensor:
        """Return the next number after ``x`` towards ``towards``, which is returned where it equals ``x``."""
        return self.apply("nextafter", (x, towards))

    def bitwise_and(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the bits that are set in both; of bools, whether both hold."""
        return self.apply("bitwise_and", (lhs, rhs))

    def bitwise_or(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the bits that are set in either; of bools, whether one holds."""
        return self.apply("bitwise_or", (lhs, rhs))

    def bitwise_xor(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return the bits that differ; of bools, whether they differ."""
        return self.apply("bitwise_xor", (lhs, rhs))

    def bitwise_not(self, x: Operand) -> Tensor:
        """Return the bits inverted; of bools, ``not x``."""
        return self.apply("bitwise_not", (x,))

    def shift_left(self, x: Operand, amount: Operand) -> Tensor:
        """Return ``x * 2**amount``, wrapping; 0 where the amount is negative or the dtype's width or more."""
        return self.apply("shift_left", (x, amount))

    def shift_right(self, x: Operand, amount: Operand) -> Tensor:
        """Return the floor of ``x / 2**amount``; 0 or -1 where the amount is negative or the width or more."""
        return self.apply("shift_right", (x, amount))


@runtime_checkable
class TensorAnalytic(Applies, Protocol):
    """Analytic functions of float and complex tensors, with IEEE special values and NumPy's branch cuts."""

    def exp(self, x: Operand) -> Tensor:
        """Return e**x."""
        return self.apply("exp", (x,))

    def log(self, x: Operand) -> Tensor:
        """Return the natural logarithm; log(0) is -inf, log(-1) is NaN for floats."""
        return self.apply("log", (x,))

    def sin(self, x: Operand) -> Tensor:
        """Return the sine of radians, over the whole range."""
        return self.apply("sin", (x,))

    def cos(self, x: Operand) -> Tensor:
        """Return the cosine of radians, over the whole range."""
        return self.apply("cos", (x,))

    def tanh(self, x: Operand) -> Tensor:
        """Return the hyperbolic tangent."""
        return self.apply("tanh", (x,))

    def sqrt(self, x: Operand) -> Tensor:
        """Return the square root; NaN below 0 for floats, sqrt(-0) is -0."""
        return self.apply("sqrt", (x,))

    def rsqrt(self, x: Operand) -> Tensor:
        """Return ``1 / sqrt(x)``."""
        return self.apply("rsqrt", (x,))

    def pow(self, base: Operand, exponent: Operand) -> Tensor:
        """Return ``base ** exponent``; integers wrap, negative integer exponents give 0 (bases 1 and -1 excepted)."""
        return self.apply("pow", (base, exponent))

    def expm1(self, x: Operand) -> Tensor:
        """Return ``exp(x) - 1`` without cancellation."""
        return self.apply("expm1", (x,))

    def log1p(self, x: Operand) -> Tensor:
        """Return ``log(1 + x)`` without cancellation."""
        return self.apply("log1p", (x,))

    def exp2(self, x: Operand) -> Tensor:
        """Return 2**x; exact for whole ``x``."""
        return self.apply("exp2", (x,))

    def log2(self, x: Operand) -> Tensor:
        """Return the logarithm to base 2; exact for powers of 2."""
        return self.apply("log2", (x,))

    def log10(self, x: Operand) -> Tensor:
        """Return the logarithm to base 10; exact for powers of 10."""
        return self.apply("log10", (x,))

    def logaddexp(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return ``log(exp(lhs) + exp(rhs))`` without overflow."""
        return self.apply("logaddexp", (lhs, rhs))

    def hypot(self, lhs: Operand, rhs: Operand) -> Tensor:
        """Return ``sqrt(lhs**2 + rhs**2)`` without overflow or underflow; inf if either is infinite."""
        return self.apply("hypot", (lhs, rhs))

    def tan(self, x: Operand) -> Tensor:
        """Return the tangent of radians, over the whole range."""
        return self.apply("tan", (x,))

    def asin(self, x: Operand) -> Tensor:
        """Return the inverse sine, -pi/2 to pi/2; NaN beyond 1 for floats."""
        return self.apply("asin", (x,))

    def acos(self, x: Operand) -> Tensor:
        """Return the inverse cosine, 0 to pi; NaN beyond 1 for floats."""
        return self.apply("acos", (x,))

    def atan(self, x: Operand) -> Tensor:
        """Return the inverse tangent, -pi/2 to pi/2."""
        return self.apply("atan", (x,))

    def atan2(self, y: Operand, x: Operand) -> Tensor:
        """Return the angle of the point (x, y), -pi to pi, the signs of zeros respected."""
        return self.apply("atan2", (y, x))

    def sinh(self, x: Operand) -> Tensor:
        """Return the hyperbolic sine."""
        return self.apply("sinh", (x,))

    def cosh(self, x: Operand) -> Tensor:
        """Return the hyperbolic cosine."""
        return self.apply("cosh", (x,))

    def asinh(self, x: Operand) -> Tensor:
        """Return the inverse hyperbolic sine."""
        return self.apply("asinh", (x,))

    def acosh(self, x: Operand) -> Tensor:
        """Return the inverse hyperbolic cosine, 0 or more; NaN below 1 for floats."""
        return self.apply("acosh", (x,))

    def atanh(self, x: Operand) -> Tensor:
        """Return the inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond for floats."""
        return self.apply("atanh", (x,))

    def erf(self, x: Operand) -> Tensor:
        """Return the error function."""
        return self.apply("erf", (x,))
