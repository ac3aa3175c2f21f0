"""The accuracy column as numbers: every phrase has a meaning, and the meaning is the phrase's."""

from __future__ import annotations

import math
import re

import pytest

from wgtensor.rules import OPERATIONS
from wgtensor.rules.bounds import BOUNDS, EXACT, Scale, bound_of


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_accuracy_has_numbers(name: str) -> None:
    assert OPERATIONS[name].accuracy in BOUNDS, "say in rules/bounds.py what this phrase allows"


def test_every_phrase_is_used() -> None:
    assert set(BOUNDS) == {operation.accuracy for operation in OPERATIONS.values()}


@pytest.mark.parametrize("phrase", BOUNDS)
def test_numbers_are_those_of_the_phrase(phrase: str) -> None:
    real, _, rest = phrase.partition("; ")
    for bound, part in zip(BOUNDS[phrase], (real, rest or real), strict=True):
        constant = re.search(r"(?<![\w(])(\d+(\.\d+)?)(?= \(| ulp)", part)
        if "ulp" in part and constant:
            assert bound.constant == float(constant[1])
        assert ("sum of magnitudes" in part) == (bound.scale is Scale.TERMS) or "mode add" in phrase
        assert ("log2(n)" in part) == (bound.per_doubling == 1)


def test_bounds_grow_with_the_number_of_elements() -> None:
    assert bound_of(OPERATIONS["reduce_sum"], "ff").ulps(1024) == 10
    assert bound_of(OPERATIONS["dot_general"], "fff").ulps(200) == 200
    assert bound_of(OPERATIONS["cumulative_sum"], "ff").ulps(8) == 387
    assert bound_of(OPERATIONS["exp"], "ff").ulps(1024) == 4
    assert math.isclose(bound_of(OPERATIONS["reduce_sum"], "ff").ulps(0), 0)


@pytest.mark.parametrize(
    ("name", "kinds", "ulps"),
    [("abs", "ff", 0), ("abs", "fc", 4), ("mul", "fff", 0.5), ("mul", "ccc", 2), ("exp", "cc", 4), ("pow", "iii", 0)],
)
def test_complex_operands_and_integers_have_bounds_of_their_own(name: str, kinds: str, ulps: float) -> None:
    assert bound_of(OPERATIONS[name], kinds).ulps() == ulps


@pytest.mark.parametrize("mode", ["set", "min", "max"])
def test_scatters_that_do_not_sum_are_exact(mode: str) -> None:
    assert bound_of(OPERATIONS["scatter"], "ffif", mode) is EXACT
    assert bound_of(OPERATIONS["scatter"], "ffif").ulps(3) == 3
