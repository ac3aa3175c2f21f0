"""Operands: reproducible, scaled to a result of magnitude 1, exact where they are constants."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.networks import NetworkInstance, contract_network, fill_network, fill_operands
from wgtensor.networks.constants import CONSTANTS, constant

LEFT_TO_RIGHT = ((0, 1), (0, 1))
CHAIN = NetworkInstance("chain", ("ab", "bc", "cd"), "ad", ((2, 3), (3, 4), (4, 5)))


def long_ring(tensors: int) -> NetworkInstance:
    """A ring of large matrices: unscaled, its trace is far above what float32 can hold."""
    labels = "".join(chr(1000 + index) for index in range(tensors))
    inputs = tuple(labels[index] + labels[(index + 1) % tensors] for index in range(tensors))
    path = ((0, 1), *((0, last) for last in range(tensors - 2, 0, -1)))
    return NetworkInstance("ring", inputs, "", ((40, 40),) * tensors, {"opt_flops": path})


@pytest.mark.parametrize("is_complex", [False, True])
def test_the_largest_result_is_one(is_complex: bool) -> None:
    filled = fill_network(CHAIN, LEFT_TO_RIGHT, seed=3, is_complex=is_complex)
    want = np.linalg.multi_dot(filled.operands)
    # Float64 in two orders of multiplication: some tens of roundings, which cancellation may magnify in small entries.
    assert np.abs(want).max() == pytest.approx(1.0, rel=1e-13)
    np.testing.assert_allclose(filled.reference, want, rtol=1e-12, atol=1e-14)
    assert filled.operands[0].dtype == (np.complex128 if is_complex else np.float64)


def test_one_common_factor() -> None:
    filled = fill_network(CHAIN, LEFT_TO_RIGHT, seed=3)
    for operand, raw in zip(filled.operands, fill_operands(CHAIN, seed=3), strict=True):
        np.testing.assert_array_equal(operand, raw * filled.scale)


def test_a_network_beyond_float32_and_float64() -> None:
    ring = long_ring(450)
    path = ring.paths["opt_flops"]
    unscaled = fill_operands(ring, seed=1)
    _, exponent = contract_network(unscaled, ring.inputs, "", path)
    assert exponent > 1024
    filled = fill_network(ring, path, seed=1)
    product = np.linalg.multi_dot(filled.operands[:2])
    for operand in filled.operands[2:]:
        product = product @ operand
    assert abs(filled.reference) == 1.0
    # The common factor's rounding error enters once a tensor; a trace cancels, hence the slack.
    np.testing.assert_allclose(np.trace(product), filled.reference, rtol=1e-9)


def test_fills_are_standard_normal_and_reproducible() -> None:
    big = NetworkInstance("big", ("ab",), "ab", ((500, 400),))
    (values,) = fill_operands(big, seed=5)
    np.testing.assert_array_equal(values, np.random.default_rng(5).standard_normal((500, 400)))
    assert not np.array_equal(values, fill_operands(big, seed=6)[0])


def test_complex_fill_is_normal_in_both_parts() -> None:
    (values,) = fill_operands(NetworkInstance("big", ("ab",), "ab", ((300, 300),), dtype="complex128"))
    assert values.real.std() == pytest.approx(1.0, abs=0.02)
    assert values.imag.std() == pytest.approx(1.0, abs=0.02)
    assert abs(np.mean(values.real * values.imag)) < 0.02


def test_constants_are_not_scaled() -> None:
    triangle = NetworkInstance("triangle", ("ab", "bc", "ca"), "", ((3, 3),) * 3, fill=("not_equal",) * 3)
    filled = fill_network(triangle, LEFT_TO_RIGHT)
    np.testing.assert_array_equal(filled.operands[0], [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert filled.scale == 1.0
    assert filled.reference == pytest.approx(6.0, rel=1e-14)


def test_an_all_zero_result_is_not_scaled() -> None:
    network = NetworkInstance("zero", ("aa", "b"), "", ((2, 2), (3,)), fill=("not_equal", "normal"))
    filled = fill_network(network, ((0, 1),))
    assert (float(filled.reference), filled.scale) == (0.0, 1.0)


PAULI_X = np.array([[0, 1], [1, 0]])
PAULI_Y = np.array([[0, -1j], [1j, 0]])


@pytest.mark.parametrize(
    ("name", "gate"),
    [("sqrt_x", PAULI_X), ("sqrt_y", PAULI_Y), ("sqrt_w", (PAULI_X + PAULI_Y) / np.sqrt(2))],
)
def test_root_gates_square_to_their_gate(name: str, gate: NDArray[Any]) -> None:
    root = constant(name, (2, 2))
    np.testing.assert_allclose(root @ root.conj().T, np.eye(2), atol=1e-15)
    np.testing.assert_allclose(root @ root, -1j * gate, atol=1e-15)


def test_every_constant_says_whether_it_is_complex() -> None:
    shapes = {"ket0": (2,)}
    for name, entry in CONSTANTS.items():
        assert np.iscomplexobj(entry.make(shapes.get(name, (2, 2)))) == entry.is_complex
