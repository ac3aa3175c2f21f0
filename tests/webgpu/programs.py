"""Programs of many elementwise operations, written once by the Array API: they run on arrays and on NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

__all__ = [
    "adam",
    "black_scholes",
    "body",
    "frames",
    "gelu_of_pending",
    "leapfrog",
    "logistic_map",
    "lorenz",
    "mandelbrot",
    "multiply_add_chain",
    "named",
    "readers",
]


def _function(name: str) -> Callable[[Any], Any]:
    return lambda x: getattr(x.__array_namespace__(), name)(x)


exp, log, sqrt, tanh, magnitude = (_function(name) for name in ("exp", "log", "sqrt", "tanh", "abs"))


def where(condition: Any, on_true: Any, on_false: Any) -> Any:
    """Choose by a condition."""
    return condition.__array_namespace__().where(condition, on_true, on_false)


def gelu_of_pending(x: Any, y: Any) -> Any:
    """The tanh form of GELU, of a sum that is pending."""
    z = x + y
    return 0.5 * z * (1.0 + tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z * z * z)))


def multiply_add_chain(*arrays: Any) -> Any:
    """``x * y + z`` over and over, each array once."""
    total = arrays[0]
    for x, y in zip(arrays[1::2], arrays[2::2], strict=False):
        total = total * x + y
    return total * arrays[-1]


def _normal_cdf(x: Any) -> Any:
    """The rational approximation 7.1.26 of Abramowitz and Stegun."""
    z = magnitude(x) * math.sqrt(0.5)
    t = 1.0 / (1.0 + 0.3275911 * z)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    tail = 0.5 * series * exp(-z * z)
    return where(x < 0.0, tail, 1.0 - tail)


def black_scholes(spot: Any, strike: Any, years: Any, rate: Any, volatility: Any) -> tuple[Any, ...]:
    """Prices of a call and a put, and three of their derivatives."""
    root = sqrt(years)
    deviation = volatility * root
    d1 = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
    discounted = strike * exp(-rate * years)
    delta = _normal_cdf(d1)
    call = spot * delta - discounted * _normal_cdf(d1 - deviation)
    density = 0.3989423 * exp(-0.5 * d1 * d1)
    return call, call - spot + discounted, delta, density / (spot * deviation), spot * density * root


def adam(*arrays: Any, steps: int = 20) -> list[Any]:
    """Adam on four parameters, each drawn to its target."""
    parameters, targets = list(arrays[:4]), arrays[4:]
    first = [0.0 * each for each in parameters]
    second = [0.0 * each for each in parameters]
    for step in range(1, steps + 1):
        bias1, bias2 = 1 - 0.9**step, 1 - 0.999**step
        for i, target in enumerate(targets):
            gradient = 2.0 * (parameters[i] - target)
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * (gradient * gradient)
            parameters[i] = parameters[i] - 0.01 * (first[i] / bias1) / (sqrt(second[i] / bias2) + 1e-8)
    return parameters


def logistic_map(z: Any, steps: int = 1000) -> Any:
    """The logistic map where it settles on a cycle of two."""
    for _ in range(steps):
        z = 3.2 * z * (1.0 - z)
    return z


def mandelbrot(real: Any, imag: Any, steps: int = 60) -> Any:
    """Steps until escape."""
    x, y, count = 0.0 * real, 0.0 * imag, 0.0 * real
    for _ in range(steps):
        xx, yy = x * x, y * y
        inside = xx + yy <= 4.0
        y = where(inside, 2.0 * x * y + imag, y)
        x = where(inside, xx - yy + real, x)
        count = where(inside, count + 1.0, count)
    return count


def leapfrog(x: Any, v: Any, steps: int = 300) -> tuple[Any, Any]:
    """A harmonic oscillator."""
    for _ in range(steps):
        v = v - x * 0.01
        x = x + v * 0.01
    return x, v


def lorenz(x: Any, y: Any, z: Any, steps: int = 200) -> tuple[Any, ...]:
    """The Lorenz system by Euler's method."""
    for _ in range(steps):
        dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - (8 / 3) * z
        x, y, z = x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz
    return x, y, z


def body(x: Any, y: Any, steps: int = 60) -> Any:
    """A loop whose body has 37 operations."""
    for _ in range(steps):
        t = x
        for factor in (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1):
            t = (t * factor + y) * 0.5 + x
        x = t * 0.1
    return x


def frames(z: Any, count: int = 40) -> list[Any]:
    """Every step of a logistic map, kept."""
    kept = []
    for _ in range(count):
        z = 2.5 * z * (1.0 - z)
        kept.append(z)
    return kept


def readers(x: Any) -> list[Any]:
    """Thirty results of one pending value."""
    for _ in range(13):
        x = x * 0.9
    return [x * (1.0 + 0.1 * i) for i in range(30)]


def named(x: Any, y: Any) -> Any:
    """Six intermediates with names, of which the last is wanted."""
    a = x + y
    b = a * x
    c = b - y
    d = c * a
    e = d + b
    return e * c
