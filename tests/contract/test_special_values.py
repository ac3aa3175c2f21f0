"""The special cases that the Array API standard demands of elementwise functions, one by one.

Those of the floats' exp, log, sin, cos, tanh, sqrt, expm1 and log1p are in ``test_operations_analytic``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from contract.harness import Bench, dtypes_of_kind
from numpy.typing import NDArray

NAN, INF, PI = math.nan, math.inf, math.pi

# name: rows of operands and result; results that are no float of every dtype are rounded to it
CASES: dict[str, list[tuple[float, ...]]] = {
    "acos": [(NAN, NAN), (1.5, NAN), (-1.5, NAN), (1.0, 0.0), (-1.0, PI), (0.0, PI / 2), (INF, NAN)],
    "acosh": [(NAN, NAN), (0.5, NAN), (-INF, NAN), (1.0, 0.0), (INF, INF)],
    "asin": [(NAN, NAN), (1.5, NAN), (-1.5, NAN), (0.0, 0.0), (-0.0, -0.0), (1.0, PI / 2), (-1.0, -PI / 2)],
    "asinh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "atan": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, PI / 2), (-INF, -PI / 2), (1.0, PI / 4)],
    "atanh": [(NAN, NAN), (-1.5, NAN), (1.5, NAN), (-1.0, -INF), (1.0, INF), (0.0, 0.0), (-0.0, -0.0), (INF, NAN)],
    "cosh": [(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (1000.0, INF)],
    "sinh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (-1000.0, -INF)],
    "tan": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "exp2": [(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (10.0, 1024.0), (2000.0, INF)],
    "log2": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (8.0, 3.0), (-INF, NAN)],
    "log10": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (1000.0, 3.0)],
    "erf": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (10.0, 1.0)],
    "square": [(NAN, NAN), (-0.0, 0.0), (INF, INF), (-INF, INF)],
    "reciprocal": [(NAN, NAN), (0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (4.0, 0.25)],
    "floor": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (0.5, 0.0), (-0.5, -1.0)],
    "ceil": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (0.5, 1.0), (-0.5, -0.0)],
    "trunc": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (1.5, 1.0), (-0.5, -0.0)],
    "round": [(NAN, NAN), (-0.0, -0.0), (INF, INF), (-INF, -INF), (0.5, 0.0), (1.5, 2.0), (-2.5, -2.0), (-0.5, -0.0)],
    "signbit": [(0.0, 0), (-0.0, 1), (INF, 0), (-INF, 1), (3.0, 0), (-3.0, 1), (NAN, 0), (-NAN, 1)],
    "copysign": [(3.0, -0.0, -3.0), (-3.0, 0.0, 3.0), (0.0, -INF, -0.0), (INF, -NAN, -INF), (NAN, 1.0, NAN)],
    "hypot": [
        *[(INF, NAN, INF), (NAN, -INF, INF), (-INF, 1.0, INF), (2.0, NAN, NAN), (NAN, 0.0, NAN)],
        *[(0.0, -3.0, 3.0), (-3.0, -0.0, 3.0), (-0.0, -0.0, 0.0), (3.0, 4.0, 5.0)],
    ],
    "logaddexp": [
        *[(NAN, 1.0, NAN), (1.0, NAN, NAN), (NAN, INF, NAN), (INF, 1.0, INF), (-3.0, INF, INF), (INF, INF, INF)],
        *[(-INF, 2.0, 2.0), (-INF, -INF, -INF), (INF, -INF, INF)],
    ],
    "atan2": [
        *[(NAN, 1.0, NAN), (1.0, NAN, NAN), (2.0, 0.0, PI / 2), (2.0, -0.0, PI / 2), (-2.0, 0.0, -PI / 2)],
        *[(0.0, 2.0, 0.0), (0.0, 0.0, 0.0), (0.0, -0.0, PI), (0.0, -2.0, PI), (-2.0, -0.0, -PI / 2)],
        *[(-0.0, 2.0, -0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, -PI), (-0.0, -2.0, -PI)],
        *[(2.0, INF, 0.0), (2.0, -INF, PI), (-2.0, INF, -0.0), (-2.0, -INF, -PI), (INF, 2.0, PI / 2)],
        *[(-INF, 2.0, -PI / 2), (INF, INF, PI / 4), (INF, -INF, 3 * PI / 4), (-INF, INF, -PI / 4)],
        *[(-INF, -INF, -3 * PI / 4)],
    ],
    # The standard lets a library return Python's NaN for inf // y and -1 for finite // inf of unlike signs; not here.
    "floor_divide": [
        *[(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, INF, NAN), (INF, -INF, NAN), (0.0, 0.0, NAN), (-0.0, 0.0, NAN)],
        *[(0.0, 2.0, 0.0), (-0.0, 2.0, -0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, 0.0)],
        *[(2.0, 0.0, INF), (2.0, -0.0, -INF), (-2.0, 0.0, -INF), (-2.0, -0.0, INF)],
        *[(2.0, INF, 0.0), (-2.0, -INF, 0.0), (2.0, -INF, -0.0), (-2.0, INF, -0.0)],
        *[(INF, 2.0, INF), (INF, -2.0, -INF), (-INF, 2.0, -INF), (-INF, -2.0, INF), (INF, -0.0, -INF)],
        *[(7.0, 2.0, 3.0), (-7.0, 2.0, -4.0), (7.0, -2.0, -4.0), (1.0, 2.0, 0.0), (INF, 0.0, INF)],
    ],
    "remainder": [
        *[(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, 2.0, NAN), (INF, INF, NAN), (0.0, 0.0, NAN), (2.0, -0.0, NAN)],
        *[(0.0, 2.0, 0.0), (-0.0, 2.0, 0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, -0.0)],
        *[(2.0, INF, 2.0), (2.0, -INF, -INF), (-2.0, INF, INF), (-2.0, -INF, -2.0)],
        *[(7.0, 2.0, 1.0), (-7.0, 2.0, 1.0), (7.0, -2.0, -1.0), (-6.0, 2.0, 0.0), (6.0, -2.0, -0.0)],
    ],
}


def close(actual: NDArray[Any], expected: NDArray[Any], eps: float) -> NDArray[np.bool_]:
    """Equal to 4 eps of each value, with the sign of zeros; NaN equals NaN."""
    with np.errstate(invalid="ignore"):
        near = np.abs(actual - expected) <= 4 * eps * np.abs(expected)
    same_sign = np.signbit(actual) == np.signbit(expected)
    return np.asarray((((actual == expected) | near) & same_sign) | (np.isnan(actual) & np.isnan(expected)))


SIGNS = frozenset({"signbit", "copysign"})


@pytest.mark.parametrize("dtype", dtypes_of_kind("f"))
@pytest.mark.parametrize("name", CASES)
def test_floats(bench: Bench, name: str, dtype: str) -> None:
    *operands, expected = np.array(CASES[name]).T.astype(dtype)
    actual = bench.run(name, *operands)
    if actual is not None:
        good = close(actual.astype(dtype), expected, float(np.finfo(dtype).eps))
        if dtype == "float16" and name in (
            "signbit",
            "copysign",
        ):  # widened on GPUs, of which some lose the sign of NaN on the way
            good |= np.isnan(operands[-1]) & (np.abs(actual) == np.abs(expected) if name == "copysign" else True)
        assert good.all(), [*zip(*operands, actual, expected, strict=True)]


# Operand and result, as the standard has them from annex G of C99, without those whose sign it leaves open.
COMPLEX_CASES: dict[str, list[tuple[complex, complex]]] = {
    "acos": [
        *[(complex(0, 0), complex(PI / 2, -0.0)), (complex(-0.0, 0), complex(PI / 2, -0.0))],
        *[(complex(0, NAN), complex(PI / 2, NAN)), (complex(3, INF), complex(PI / 2, -INF))],
        *[(complex(3, NAN), complex(NAN, NAN)), (complex(-INF, 2), complex(PI, -INF))],
        *[(complex(INF, 2), complex(0, -INF)), (complex(-INF, INF), complex(3 * PI / 4, -INF))],
        *[(complex(INF, INF), complex(PI / 4, -INF)), (complex(NAN, 2), complex(NAN, NAN))],
        *[(complex(NAN, INF), complex(NAN, -INF)), (complex(NAN, NAN), complex(NAN, NAN))],
        *[(complex(2, 0), complex(0, -math.acosh(2))), (complex(2, -0.0), complex(0, math.acosh(2)))],
        *[(complex(-2, 0), complex(PI, -math.acosh(2))), (complex(-2, -0.0), complex(PI, math.acosh(2)))],
    ],
    "acosh": [
        *[(complex(0, 0), complex(0, PI / 2)), (complex(-0.0, 0), complex(0, PI / 2))],
        *[(complex(3, INF), complex(INF, PI / 2)), (complex(3, NAN), complex(NAN, NAN))],
        *[(complex(-INF, 2), complex(INF, PI)), (complex(INF, 2), complex(INF, 0))],
        *[(complex(-INF, INF), complex(INF, 3 * PI / 4)), (complex(INF, INF), complex(INF, PI / 4))],
        *[(complex(INF, NAN), complex(INF, NAN)), (complex(-INF, NAN), complex(INF, NAN))],
        *[(complex(NAN, 2), complex(NAN, NAN)), (complex(NAN, INF), complex(INF, NAN))],
        *[(complex(-2, 0), complex(math.acosh(2), PI)), (complex(-2, -0.0), complex(math.acosh(2), -PI))],
        *[(complex(0.5, 0), complex(0, PI / 3)), (complex(0.5, -0.0), complex(0, -PI / 3))],
    ],
    "asinh": [
        *[
            (complex(0, 0), complex(0, 0)),
            (complex(3, INF), complex(INF, PI / 2)),
            (complex(3, NAN), complex(NAN, NAN)),
        ],
        *[(complex(INF, 2), complex(INF, 0)), (complex(INF, INF), complex(INF, PI / 4))],
        *[(complex(INF, NAN), complex(INF, NAN)), (complex(NAN, 0), complex(NAN, 0))],
        *[(complex(NAN, 2), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
        *[(complex(0, 2), complex(math.acosh(2), PI / 2)), (complex(-0.0, 2), complex(-math.acosh(2), PI / 2))],
        *[(complex(0, -2), complex(math.acosh(2), -PI / 2)), (complex(-0.0, -0.0), complex(-0.0, -0.0))],
    ],
    "asin": [
        *[(complex(0, 0), complex(0, 0)), (complex(INF, 3), complex(PI / 2, INF)), (complex(0, NAN), complex(0, NAN))],
        *[(complex(2, INF), complex(0, INF)), (complex(INF, INF), complex(PI / 4, INF))],
        *[(complex(NAN, 2), complex(NAN, NAN)), (complex(2, 0), complex(PI / 2, math.acosh(2)))],
        *[(complex(2, -0.0), complex(PI / 2, -math.acosh(2))), (complex(-2, 0), complex(-PI / 2, math.acosh(2)))],
    ],
    "atanh": [
        *[(complex(0, 0), complex(0, 0)), (complex(0, NAN), complex(0, NAN)), (complex(1, 0), complex(INF, 0))],
        *[(complex(3, INF), complex(0, PI / 2)), (complex(3, NAN), complex(NAN, NAN))],
        *[(complex(INF, 2), complex(0, PI / 2)), (complex(INF, INF), complex(0, PI / 2))],
        *[(complex(INF, NAN), complex(0, NAN)), (complex(NAN, 2), complex(NAN, NAN))],
        *[(complex(-1, -0.0), complex(-INF, -0.0)), (complex(2, 0), complex(math.atanh(0.5), PI / 2))],
        *[(complex(2, -0.0), complex(math.atanh(0.5), -PI / 2)), (complex(NAN, NAN), complex(NAN, NAN))],
    ],
    "atan": [
        *[(complex(0, 0), complex(0, 0)), (complex(NAN, 0), complex(NAN, 0)), (complex(0, 1), complex(0, INF))],
        *[(complex(INF, 3), complex(PI / 2, 0)), (complex(2, INF), complex(PI / 2, 0))],
        *[(complex(0, 2), complex(PI / 2, math.atanh(0.5))), (complex(-0.0, 2), complex(-PI / 2, math.atanh(0.5)))],
    ],
    "cosh": [
        *[(complex(0, 0), complex(1, 0)), (complex(3, INF), complex(NAN, NAN)), (complex(3, NAN), complex(NAN, NAN))],
        *[(complex(INF, 0), complex(INF, 0)), (complex(INF, 2), complex(-INF, INF))],
        *[(complex(INF, NAN), complex(INF, NAN)), (complex(NAN, 2), complex(NAN, NAN))],
        *[(complex(NAN, NAN), complex(NAN, NAN)), (complex(-INF, 2), complex(-INF, -INF))],
    ],
    "sinh": [
        *[(complex(0, 0), complex(0, 0)), (complex(3, INF), complex(NAN, NAN)), (complex(3, NAN), complex(NAN, NAN))],
        *[
            (complex(INF, 0), complex(INF, 0)),
            (complex(INF, 2), complex(-INF, INF)),
            (complex(NAN, 0), complex(NAN, 0)),
        ],
        *[(complex(NAN, 2), complex(NAN, NAN)), (complex(-INF, 2), complex(INF, INF))],
    ],
    "tan": [
        *[(complex(0, 0), complex(0, 0)), (complex(INF, 3), complex(NAN, NAN)), (complex(NAN, 3), complex(NAN, NAN))],
        *[(complex(2, INF), complex(0, 1)), (complex(1, INF), complex(0, 1)), (complex(1, -INF), complex(0, -1))],
        *[(complex(0, NAN), complex(0, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    ],
    "expm1": [
        *[(complex(-0.0, 0), complex(0, 0)), (complex(-INF, 2), complex(-1, 0)), (complex(-INF, INF), complex(-1, 0))],
        *[
            (complex(INF, 0), complex(INF, 0)),
            (complex(INF, INF), complex(INF, NAN)),
            (complex(NAN, 0), complex(NAN, 0)),
        ],
        *[
            (complex(-INF, NAN), complex(-1, 0)),
            (complex(INF, NAN), complex(INF, NAN)),
            (complex(3, INF), complex(NAN, NAN)),
        ],
    ],
    "tanh": [
        *[(complex(INF, 2), complex(1, 0)), (complex(INF, -2), complex(1, -0.0)), (complex(-INF, 2), complex(-1, 0))],
        *[(complex(3, INF), complex(NAN, NAN)), (complex(NAN, 0), complex(NAN, 0)), (complex(0, 0), complex(0, 0))],
    ],
    "log2": [
        *[(complex(-0.0, 0), complex(-INF, PI / math.log(2))), (complex(0, 0), complex(-INF, 0))],
        *[(complex(3, INF), complex(INF, PI / 2 / math.log(2))), (complex(3, NAN), complex(NAN, NAN))],
        *[(complex(INF, NAN), complex(INF, NAN)), (complex(NAN, INF), complex(INF, NAN)), (8 + 0j, 3 + 0j)],
    ],
    "log10": [
        *[(complex(-0.0, 0), complex(-INF, PI / math.log(10))), (complex(0, 0), complex(-INF, 0))],
        *[(complex(-INF, 2), complex(INF, PI / math.log(10))), (complex(INF, 2), complex(INF, 0))],
        *[(complex(NAN, 2), complex(NAN, NAN)), (complex(-INF, INF), complex(INF, 0.75 * PI / math.log(10)))],
    ],
    "round": [(complex(0.5, -0.5), complex(0, -0.0)), (complex(NAN, 1.5), complex(NAN, 2)), (2.5 - 3.5j, 2 - 4j)],
    "square": [(1j, -1 + 0j), (complex(NAN, 1), complex(NAN, NAN)), (complex(3, -4), complex(-7, -24))],
    "reciprocal": [(2j, complex(0, -0.5)), (complex(NAN, 1), complex(NAN, NAN)), (complex(3, -4), complex(0.12, 0.16))],
}


@pytest.mark.parametrize("dtype", dtypes_of_kind("c"))
@pytest.mark.parametrize("name", COMPLEX_CASES)
def test_complex(bench: Bench, name: str, dtype: str) -> None:
    x, expected = np.array(COMPLEX_CASES[name]).T.astype(dtype)
    actual = bench.run(name, x)
    if actual is None:
        return
    eps = float(np.finfo(dtype).eps)
    good = close(actual.real, expected.real, eps) & close(actual.imag, expected.imag, eps)
    assert good.all(), [*zip(x[~good], actual[~good], expected[~good], strict=True)]
