"""How far a result lies from the reference, in units of what the operation's row allows.

Rules, those of ``docs/operations.md``: NaN equals NaN; an infinity equals the same infinity; zeros of exact and of
elementwise operations carry their sign, but extrema may return either zero. Integers and bools are equal or wrong.
Complex results are compared by their distance in the plane, where no modulus leaves 2**-100 to 2**126. Nothing is
claimed where a sum or product of finite elements may leave the dtype on the way, and of complex powers whose angle has
no digit left. On adapters that flush denormals, a result may be that of flushed operands, and a denormal result zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.rules import Family
from wgtensor.rules.bounds import EXACT, ROUNDED, Bound, Scale, bound_of
from wgtensor.verify.reference import (
    SMALLEST_NORMAL,
    WIDER,
    Case,
    combined_count,
    flushed,
    magnitudes,
    run_reference,
    widened,
)

__all__ = ["Deviation", "find_deviation", "measure"]

Array = NDArray[Any]
Floats = NDArray[np.float64]

_MOVING: Final = (Family.BUFFER, Family.STRUCTURAL, Family.INDEXING)
_EITHER_ZERO: Final = frozenset(
    {"maximum", "minimum", "clamp", "reduce_max", "reduce_min", "cumulative_max", "cumulative_min", "scatter"}
)
_REMAINDERS: Final = frozenset({"floor_divide", "remainder"})
"""What goes by way of C's remainder, which may be a denormal that is flushed."""

_SMALLEST_MODULUS, _LARGEST_MODULUS = 2.0**-100, 2.0**126
_MOST_GROWTH: Final = 2.0**20
"""Of a complex power, ``abs(exponent * log(base))`` beyond which its angle has no digits left."""
_ROUNDING: Final = 1e-6
"""What the reference's own rounding may add, in ulp."""


@dataclass(frozen=True)
class Deviation:
    """A result against the reference, element by element.

    Attributes
    ----------
    actual, expected
        The result, and the reference's (of a wider dtype where the operation rounds).
    errors, allowed
        Ulps between the two, and of the bound; infinite where they have nothing in common, and where nothing is
        claimed.
    """

    actual: Array
    expected: Array
    errors: Floats
    allowed: Floats

    @property
    def excess(self) -> Floats:
        """Errors in units of what is allowed; infinite for any error where none is."""
        with np.errstate(all="ignore"):
            return np.asarray(np.where(~self.claimed | (self.errors == 0), 0.0, self.errors / self.allowed))

    @property
    def claimed(self) -> NDArray[np.bool_]:
        """Where the accuracy of the operation says something."""
        return np.isfinite(self.allowed)

    @property
    def wrong(self) -> int:
        """Number of elements beyond the bound."""
        return int(np.count_nonzero(self.excess > 1 + _ROUNDING))

    @property
    def worst(self) -> tuple[int, ...]:
        """Index of the claimed element with the largest excess."""
        ranked = np.where(self.claimed, self.excess, -1.0)
        return tuple(int(each) for each in np.unravel_index(np.argmax(ranked), self.errors.shape))


def measure(case: Case, actual: Array, *, flushes: bool = False) -> Deviation:
    """Compare a result with what the reference backend makes of the same case.

    Parameters
    ----------
    case
        The operation, its operands and its attributes.
    actual
        The result's elements, in the result's dtype (bfloat16 as uint16).
    flushes
        Whether the adapter's arithmetic flushes denormals.
    """
    return _deviation(case, actual, _expected(case, actual), flushes)


def find_deviation(case: Case, actual: Array, *, flushes: bool = False) -> Deviation | None:
    """Return None, at once, where every element is the number next to the reference's; else as :func:`measure` does."""
    expected = _expected(case, actual)
    with np.errstate(all="ignore"):
        nearest = expected.astype(actual.dtype)
    if nearest.tobytes() == actual.tobytes():
        return None
    return _deviation(case, actual, expected, flushes)


def _deviation(case: Case, actual: Array, expected: Array, flushes: bool) -> Deviation:
    with np.errstate(all="ignore"):
        found = _compared(case, actual, expected, flushes)
        if not flushes or case.operation.family in _MOVING:
            return found
        other = case.mapped(flushed)
        return _nearer(found, _compared(other, actual, _expected(other, actual), flushes))


def _nearer(first: Deviation, second: Deviation) -> Deviation:
    better = second.excess < first.excess
    pairs = ((second.expected, first.expected), (second.errors, first.errors), (second.allowed, first.allowed))
    expected, errors, allowed = (np.where(better, a, b) for a, b in pairs)
    return Deviation(first.actual, expected, errors, allowed)


def _bound(case: Case, actual: Array) -> Bound:
    kinds = actual.dtype.kind + "".join(each.dtype.kind for each in case.operands)
    return bound_of(case.operation, kinds, case.mode)


def _expected(case: Case, actual: Array) -> Array:
    """Return the reference's result, from wider operands where the operation rounds."""
    # A cast rounds once, in the reference too, and its rule depends on the dtype that it casts from.
    widens = _bound(case, actual) is not EXACT and case.operation.family is not Family.CAST
    return run_reference(case.mapped(widened) if widens else case)


def _compared(case: Case, actual: Array, expected: Array, flushes: bool) -> Deviation:
    bound = _bound(case, actual)
    if actual.dtype.kind == "c" and bound in (EXACT, ROUNDED):
        return _by_parts(case, actual, expected, bound, flushes)
    if actual.dtype.kind == "c":
        return Deviation(actual, expected, *_complex_errors(case, actual, expected, bound))
    return Deviation(actual, expected, *_real_errors(case, actual, expected, bound, flushes))


def _by_parts(case: Case, actual: Array, expected: Array, bound: Bound, flushes: bool) -> Deviation:
    pairs = ((actual.real, expected.real), (actual.imag, expected.imag))
    real, imag = (Deviation(*pair, *_real_errors(case, *pair, bound, flushes)) for pair in pairs)
    first = real.excess >= imag.excess
    errors, allowed = np.where(first, real.errors, imag.errors), np.where(first, real.allowed, imag.allowed)
    return Deviation(actual, expected, errors, allowed)


def _real_errors(case: Case, actual: Array, expected: Array, bound: Bound, flushes: bool) -> tuple[Floats, Floats]:
    """Return errors and bounds, in ulp, of results that are no complex numbers."""
    if actual.dtype.kind != "f":
        difference = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
        wrong = np.where(actual == expected, 0.0, np.maximum(difference, 1.0))
        return wrong, np.zeros(actual.shape)
    nearest = expected.astype(actual.dtype)
    unit, allowed = _SCALES[bound.scale](case, actual, expected, bound)
    if flushes and case.operation.name in _REMAINDERS:
        rest = np.abs(np.fmod(*(each.to_numpy() for each in case.operands)))
        allowed = np.where((rest < SMALLEST_NORMAL) & (rest != 0), np.inf, allowed)
    errors = _distance(actual, expected, flushes and bound is not EXACT and actual.dtype == np.float32) / unit
    same = (actual == nearest) | (np.isnan(actual) & np.isnan(nearest))
    if case.operation.name not in _EITHER_ZERO and bound.scale is Scale.RESULT:
        differs = (expected == 0) & (actual == 0) & (np.signbit(actual) != np.signbit(nearest))
        same, errors = same & ~differs, np.where(differs, np.inf, errors)
    errors = np.where(same & ~np.isfinite(errors), 0.0, np.where(np.isnan(errors), np.inf, errors))
    return np.where(same & np.isinf(nearest), 0.0, errors), allowed


def _distance(actual: Array, expected: Array, flushes: bool) -> Floats:
    """Return how far finite numbers are apart; an infinite result counts as the first number beyond the dtype."""
    beyond = np.copysign(2.0 ** np.finfo(actual.dtype).maxexp, actual) if actual.itemsize < 8 else actual
    shown = np.where(np.isinf(actual) & np.isfinite(expected), beyond, actual.astype(expected.dtype))
    distance = np.abs(shown - expected).astype(np.float64)
    tolerated = flushes & (np.abs(expected) <= 2 * SMALLEST_NORMAL)
    return np.asarray(np.where(tolerated, np.maximum(distance - SMALLEST_NORMAL, 0), distance))


def _complex_errors(case: Case, actual: Array, expected: Array, bound: Bound) -> tuple[Floats, Floats]:
    """Return errors and bounds, in ulp of the modulus."""
    unit, allowed = _SCALES[bound.scale](case, actual, expected, bound)
    errors = (np.abs(actual.astype(expected.dtype) - expected) / unit).astype(np.float64)
    is_finite = np.isfinite(actual) & np.isfinite(expected)
    lost = np.isfinite(actual) != np.isfinite(expected)
    errors = np.where(is_finite, errors, np.where(lost, np.inf, 0.0))
    return errors, np.where(_unclaimed(case, expected), np.inf, allowed)


def _unclaimed(case: Case, expected: Array) -> NDArray[np.bool_]:
    """Mark complex results beside moduli that are out of range; of analytic functions, beside what is not finite."""
    unclaimed = _out_of_range(expected)
    if case.operation.family in (Family.ELEMENTWISE, Family.ANALYTIC):
        for each in case.operands:
            operand = each.to_numpy()
            unclaimed = unclaimed | _out_of_range(operand)
            if case.operation.family is Family.ANALYTIC:
                unclaimed = unclaimed | ~np.isfinite(operand)
    return np.asarray(np.broadcast_to(unclaimed, expected.shape))


def _out_of_range(x: Array) -> NDArray[np.bool_]:
    modulus = np.abs(widened(x))
    outside = (modulus < _SMALLEST_MODULUS) | (modulus > _LARGEST_MODULUS)
    return np.asarray(np.isfinite(x) & (modulus != 0) & outside)


def _uniform(actual: Array, ulps: float, claimed: Any = True) -> Floats:
    """Return the bound of every element; of dtypes without a wider one, with an ulp for the reference itself."""
    own = 0.0 if actual.dtype.name in WIDER or ulps == 0 else max(1.0, ulps)
    return np.asarray(np.where(claimed, np.full(actual.shape, ulps + own), np.inf))


def _spacing(actual: Array, magnitude: Array) -> Floats:
    info = np.finfo(actual.dtype)
    if actual.dtype.kind == "c":
        return np.asarray(np.maximum(magnitude * float(info.eps), float(info.tiny)), np.float64)
    # NumPy's spacing of the largest number is infinite.
    return np.asarray(np.spacing(np.minimum(magnitude, 2.0 ** (int(info.maxexp) - 1)).astype(actual.dtype)), np.float64)


def _of_result(case: Case, actual: Array, expected: Array, bound: Bound) -> tuple[Floats, Floats]:
    return _spacing(actual, np.abs(expected)), _uniform(actual, bound.ulps())


def _of_one(case: Case, actual: Array, expected: Array, bound: Bound) -> tuple[Floats, Floats]:
    return _spacing(actual, np.maximum(np.abs(expected), 1)), _uniform(actual, bound.ulps())


def _of_terms(case: Case, actual: Array, expected: Array, bound: Bound) -> tuple[Floats, Floats]:
    """Sums: nothing is claimed where the magnitudes add up to more than the dtype holds."""
    info, count = np.finfo(actual.dtype), combined_count(case, actual.size)
    total = magnitudes(case)
    # A doubling, and an element, more than is stated: the first partial sum, and the rounding to the dtype.
    return np.maximum(total * float(info.eps), count * float(info.tiny)), _uniform(
        actual, bound.ulps(2 * count) if bound.per_doubling else bound.ulps(count), total <= info.max / 2
    )


def _of_product(case: Case, actual: Array, expected: Array, bound: Bound) -> tuple[Floats, Floats]:
    """Products: nothing is claimed where the elements above 1, or those below, leave the dtype by themselves."""
    info = np.finfo(actual.dtype)
    large = run_reference(case.mapped(lambda x: np.maximum(_finite_modulus(x), 1)))
    small = run_reference(case.mapped(lambda x: np.minimum(_finite_modulus(x), 1)))
    claimed = (large <= info.max / 2) & (small >= info.tiny)
    unit = np.maximum(np.abs(expected) * float(info.eps), float(info.tiny))
    return unit, _uniform(actual, bound.ulps(combined_count(case, actual.size)), claimed)


def _finite_modulus(x: Array) -> Array:
    modulus = np.abs(widened(x))
    return np.where(np.isfinite(modulus) & (modulus != 0), modulus, 1)


def _of_power(case: Case, actual: Array, expected: Array, bound: Bound) -> tuple[Floats, Floats]:
    base, exponent = (widened(each.to_numpy()) for each in case.operands)
    growth = np.nan_to_num(np.abs(exponent * np.log(base)), nan=0, posinf=0)
    allowed = np.where(growth < _MOST_GROWTH, bound.ulps() * (1 + growth), np.inf)
    return _spacing(actual, np.abs(expected)), np.asarray(np.broadcast_to(allowed, actual.shape))


_SCALES: Final[dict[Scale, Callable[[Case, Array, Array, Bound], tuple[Floats, Floats]]]] = {
    Scale.RESULT: _of_result,
    Scale.ONE: _of_one,
    Scale.TERMS: _of_terms,
    Scale.PRODUCT: _of_product,
    Scale.POWER: _of_power,
}
"""The size of an ulp of each element, and how many of them are allowed."""
