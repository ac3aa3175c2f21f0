"""The double-precision contraction against ``numpy.einsum``."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wgtensor.networks.paths import Path, contraction_steps, find_path
from wgtensor.networks.reference import contract_network, contract_pair, contract_single

Array = NDArray[Any]

EQUATIONS = [
    "ab,bc->ac",
    "ab,bc->ca",
    "bij,bjk->bik",
    "ab,ab->ab",
    "a,b->ba",
    "ab,ab->",
    "ab,cd->",
    "aab,bc->ac",
    "aba,b->a",
    "aaa,->a",
    "abc,cd,ce->abde",
    "ab,ac,ad,bcd->a",
    "ab,ac,ad,abcd->",
    "ab->ba",
    "aab->b",
    "abc->",
    "ab,ab,ab,ab->b",
]
SIZES = {"a": 3, "b": 4, "c": 2, "d": 5, "e": 1, "i": 3, "j": 5, "k": 7}


def operands_of(inputs: list[str], dtype: str, seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(seed)
    shapes = [tuple(SIZES[label] for label in term) for term in inputs]
    if dtype == "complex128":
        return [rng.standard_normal(shape) + 1j * rng.standard_normal(shape) for shape in shapes]
    return [np.asarray(rng.standard_normal(shape)) for shape in shapes]


def contract(equation: str, operands: list[Array]) -> Array:
    inputs, output = equation.split("->")
    terms = inputs.split(",")
    sizes = {label: SIZES[label] for label in "".join(terms)}
    mantissa, exponent = contract_network(operands, terms, output, find_path(terms, output, sizes))
    return np.asarray(mantissa * 2.0**exponent)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("equation", EQUATIONS)
def test_contraction_agrees_with_numpy_einsum(equation: str, dtype: str) -> None:
    operands = operands_of(equation.partition("->")[0].split(","), dtype)
    want = np.einsum(equation, *operands)
    got = contract(equation, operands)
    assert got.shape == want.shape
    # Float64 sums of at most 120 terms of magnitude near 1.
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    left=st.text("abcd", max_size=4),
    right=st.text("abcd", max_size=4),
    keep=st.sets(st.sampled_from("abcd")),
)
def test_any_pair_agrees_with_numpy_einsum(left: str, right: str, keep: set[str]) -> None:
    a, b = operands_of([left, right], "float64")
    wanted = "".join(sorted(keep & set(left + right)))
    array, labels = contract_pair((a, left), (b, right), wanted)
    assert sorted(labels) == sorted(wanted)
    want = np.einsum(f"{left},{right}->{labels}", a, b)
    # As above: the same float64 sums in another order.
    np.testing.assert_allclose(array, want, rtol=1e-12, atol=1e-12)


def test_single_takes_diagonals_and_sums() -> None:
    (array,) = operands_of(["abab"], "float64")
    got, labels = contract_single(array, "abab", "b")
    assert labels == "b"
    np.testing.assert_allclose(got, np.einsum("abab->b", array), rtol=1e-13)


def test_operands_are_left_alone() -> None:
    operands = operands_of(["ab"], "float64")
    before = operands[0].copy()
    contract_network(operands, ["ab"], "ab", ((0,),))
    np.testing.assert_array_equal(operands[0], before)


@pytest.mark.parametrize("magnitude", [1e-100, 1e100])
def test_exponent_survives_where_float64_does_not(magnitude: float) -> None:
    matrices = [np.full((2, 2), magnitude)] * 10
    inputs = [chr(97 + index) + chr(98 + index) for index in range(10)]
    mantissa, exponent = contract_network(matrices, inputs, "", ((0, 1),) * 9)
    assert mantissa == 1.0
    # Each matrix is magnitude * ones: 2 ** 11 paths from end to end.
    assert exponent == pytest.approx(10 * np.log2(magnitude) + 11, rel=1e-12)


def test_zero_result_has_exponent_zero() -> None:
    mantissa, exponent = contract_network([np.zeros((2, 2)), np.ones((2, 2))], ["ab", "bc"], "", ((0, 1),))
    assert (float(mantissa), exponent) == (0.0, 0.0)


def test_more_than_52_labels() -> None:
    inputs = [chr(1000 + site) + chr(1001 + site) for site in range(100)]
    path: Path = ((0, 1), *((0, last) for last in range(98, 0, -1)))  # left to right
    matrices = [np.array([[0.0, 1.0], [1.0, 0.0]])] * 99 + [np.array([[1.0, 2.0], [3.0, 4.0]])]
    mantissa, exponent = contract_network(matrices, inputs, chr(1100) + chr(1000), path)
    want = np.linalg.multi_dot(matrices).T
    np.testing.assert_allclose(mantissa * 2.0**exponent, want, rtol=1e-13)


def test_a_hyperedge_stays_until_its_last_tensor() -> None:
    steps = contraction_steps(["ab", "ac", "ad"], "", ((0, 1), (0, 1)))
    assert steps[0].result == "a"
    assert steps[1].result == ""
