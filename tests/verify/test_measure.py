"""Results that are right, nearly right and wrong, against bounds that are known beforehand; no adapter takes part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.contract import DotGeneralAccumulation, DotGeneralConfig, ScatterConfig
from wgtensor.rules import OPERATIONS
from wgtensor.tensor import Tensor
from wgtensor.verify.measure import Deviation, measure
from wgtensor.verify.reference import Case

Array = NDArray[Any]
F32 = np.float32


def deviation(name: str, operands: Any, actual: Any, *, flushes: bool = False, **attributes: Any) -> Deviation:
    arrays = [each if isinstance(each, np.ndarray) else np.array(each, F32) for each in operands]
    case = Case(OPERATIONS[name], tuple(Tensor.from_numpy(each) for each in arrays), attributes)
    return measure(case, np.asarray(actual, None if isinstance(actual, np.ndarray) else F32), flushes=flushes)


def steps(x: Array, count: int) -> Array:
    """Return the float32 numbers ``count`` steps above ``x``."""
    return np.asarray((x.astype(F32).view(np.int32) + count).view(F32))


@pytest.mark.parametrize("count", [1, 3, 7, 100])
def test_errors_count_ulps(count: int) -> None:
    x = np.array([0.3, 1.7, 5.0], F32)
    found = deviation("exp", [x], steps(np.exp(x.astype(np.float64)), count))
    np.testing.assert_allclose(found.errors, count, atol=0.51)
    assert found.allowed.tolist() == [4, 4, 4]
    assert found.wrong == (3 if count > 4 else 0)


def test_the_worst_element_is_found() -> None:
    x = np.ones((3, 4), F32)
    actual = np.full((3, 4), np.e, F32)
    actual[1, 2], actual[2, 0] = 3, 2.7183
    found = deviation("exp", [x], actual)
    assert found.worst == (1, 2)
    assert found.wrong == 2
    assert found.actual[found.worst] == 3
    assert abs(found.expected[found.worst] - np.e) < 1e-15


@pytest.mark.parametrize("dtype", ["int32", "uint32", "bool"])
def test_integers_are_equal_or_wrong(dtype: str) -> None:
    x = np.array([0, 1, 1], dtype)
    assert deviation("bitwise_or", [x, x], x).wrong == 0
    assert deviation("bitwise_or", [x, x], np.array([1, 1, 1], dtype)).worst == (0,)


def test_a_correctly_rounded_result_has_one_value() -> None:
    x, y = np.array([1.0, 3.0], F32), np.array([2.0**-30, 7.0], F32)
    assert deviation("add", [x, y], x + y).wrong == 0
    assert deviation("add", [x, y], steps(x + y, 1)).wrong == 2


@pytest.mark.parametrize(
    ("name", "operands", "right", "wrong"),
    [
        ("neg", [[0.0]], -0.0, 0.0),
        ("mul", [[-1.0], [0.0]], -0.0, 0.0),
        ("sin", [[-0.0]], -0.0, 0.0),
        ("log", [[-1.0]], np.nan, 0.0),
        ("log", [[0.0]], -np.inf, -3e38),
        ("exp", [[100.0]], np.inf, -np.inf),
        ("exp", [[1.0]], np.e, np.nan),
        ("exp", [[1.0]], np.e, np.inf),
        ("div", [[1.0], [0.0]], np.inf, np.nan),
    ],
)
def test_special_values(name: str, operands: list[Any], right: float, wrong: float) -> None:
    assert deviation(name, operands, [right]).wrong == 0
    assert deviation(name, operands, [wrong]).wrong == 1


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extrema_may_return_either_zero_but_not_drop_nan(name: str) -> None:
    for zero in (0.0, -0.0):
        assert deviation(name, [[0.0], [-0.0]], [zero]).wrong == 0
    assert deviation(name, [[1.0], [np.nan]], [1.0]).wrong == 1


def test_the_largest_number_and_infinity_are_neighbours() -> None:
    largest = np.array([np.finfo(F32).max], F32)
    # 2**128, which is infinite, is one step beyond the largest number; the bound is 4.
    assert deviation("exp2", [[128.0]], largest).errors.tolist() == [1]
    assert deviation("exp2", [[128.0]], [np.inf]).errors.tolist() == [0]
    assert deviation("exp2", [[128.001]], largest).wrong == 1
    assert deviation("exp2", [[127.999]], [np.inf]).wrong == 1


def test_sums_are_measured_by_their_magnitudes() -> None:
    x = np.array([1e6, -1e6, 1.0, 0.5], F32)
    assert deviation("reduce_sum", [x], [1.6], axes=(0,)).wrong == 0
    assert deviation("reduce_sum", [x], [3.0], axes=(0,)).wrong == 1
    assert deviation("reduce_sum", [x], [np.nan], axes=(0,)).wrong == 1


def test_sums_and_products_that_leave_the_dtype_on_the_way_claim_nothing() -> None:
    assert deviation("reduce_sum", [[3e38, 3e38, -3e38, -3e38]], [np.nan], axes=(0,)).wrong == 0
    assert deviation("reduce_prod", [[1e30, 1e30, 1e-30, 1e-30]], [np.inf], axes=(0,)).wrong == 0
    assert deviation("reduce_prod", [[1e10, 1e10, 1e-10, 1e-10]], [np.inf], axes=(0,)).wrong == 1


def test_products_of_matrices_and_their_destinations() -> None:
    rng = np.random.default_rng(0)
    x, y, out = (rng.normal(size=(9, 9)).astype(F32) for _ in range(3))
    config = DotGeneralConfig((1,), (0,))
    accumulation = DotGeneralAccumulation(alpha=-2, beta=3)
    right = -2 * (x.astype(np.float64) @ y) + 3 * out.astype(np.float64)
    for shift, wrong in ((0, 0), (1e-3, 81)):
        found = deviation(
            "dot_general_into_accum",
            [x, y, out],
            (right + shift).astype(F32),
            config=config,
            accumulation=accumulation,
        )
        assert found.wrong == wrong


def test_scatter_add_is_a_sum_and_scatter_set_is_exact() -> None:
    x, starts, updates = np.zeros(3, F32), np.array([1, 1], np.int32), np.array([0.1, 0.2], F32)
    actual = np.array([0, 0.3, 0], F32)
    for mode, right in (("add", actual), ("set", np.array([0, 0.2, 0], F32))):
        config = ScatterConfig((), (0,), (0,), 1, mode=mode)
        assert deviation("scatter", [x, starts, updates], right, config=config).wrong == 0
        nudged = steps(right, 1)
        assert deviation("scatter", [x, starts, updates], nudged, config=config).wrong == (3 if mode == "set" else 0)


def test_complex_results_are_measured_in_the_plane() -> None:
    z = np.array([1 + 1e-5j, 2j, 3], np.complex64)
    exact = z.astype(np.complex128) ** 2
    assert deviation("square", [z], exact.astype(np.complex64)).wrong == 0
    assert deviation("square", [z], (exact * (1 + 1.5e-7)).astype(np.complex64)).wrong == 0
    assert deviation("square", [z], (exact * (1 + 1e-6)).astype(np.complex64)).wrong == 3


def test_parts_of_exact_complex_results_are_compared_one_by_one() -> None:
    z = np.array([1e10 + 1e-10j], np.complex64)
    assert deviation("conj", [z], z.conj()).wrong == 0
    assert deviation("conj", [z], z.real.astype(np.complex64)).wrong == 1


def test_only_adapters_that_flush_may_lose_denormals() -> None:
    x, half = np.array([1e-39, 2e-38], F32), np.array([0.5, 0.5], F32)
    lost = np.array([0, 0], F32)
    assert deviation("mul", [x, half], lost).wrong == 2
    assert deviation("mul", [x, half], lost, flushes=True).wrong == 0
    assert deviation("log", [x[:1]], [-np.inf], flushes=True).wrong == 0
    assert deviation("transpose", [x], lost, permutation=(0,), flushes=True).wrong == 2


@pytest.mark.parametrize("name", ["remainder", "floor_divide"])
def test_a_flushed_remainder_claims_nothing(name: str) -> None:
    assert deviation(name, [[-0.4146717], [3.6788395e-38]], [0.0], flushes=True).wrong == 0
    assert deviation(name, [[-5.0], [3.0]], [0.0], flushes=True).wrong == 1


def test_float16_is_rounded_once() -> None:
    x = np.array([0.1, 2.5, 1000], np.float16)
    right = np.tanh(x.astype(np.float64)).astype(np.float16)
    assert deviation("tanh", [x], right).wrong == 0
    assert deviation("tanh", [x], right * np.float16(0.98)).wrong == 3
