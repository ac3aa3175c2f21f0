"""The project's own networks: what they count, and that the shipped files are what the generator makes."""

from collections.abc import Callable
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.errors import ValidationError
from wgtensor.networks import NetworkInstance, fill_network, fill_operands, read_instance, write_instance
from wgtensor.networks.generate import KINDS, chain, circuit, grid, mps, queen

Array = NDArray[Any]

EXAMPLES = Path(__file__).parents[2] / "examples" / "networks"


def count_colourings(neighbours: list[list[int]], colours: int) -> int:
    """Count by trying all colours square after square; a new colour stands for every unused one."""

    def extend(chosen: list[int]) -> int:
        if len(chosen) == len(neighbours):
            return 1
        taken = {chosen[other] for other in neighbours[len(chosen)] if other < len(chosen)}
        used = max(chosen, default=-1) + 1
        old = sum(extend([*chosen, colour]) for colour in range(used) if colour not in taken)
        return old + ((colours - used) * extend([*chosen, used]) if used < colours else 0)

    return extend([])


def queen_neighbours(n: int) -> list[list[int]]:
    lines = [(1, 0), (0, 1), (1, 1), (1, -1)]
    reach = {(step * a, step * b) for a, b in lines for step in range(-n, n + 1) if step}
    squares = list(product(range(n), repeat=2))
    return [[other for other, (r, c) in enumerate(squares) if (r - i, c - j) in reach] for i, j in squares]


def count_grid(n: int, colours: int) -> int:
    """Count colourings of a grid row after row (transfer matrix)."""
    rows = [row for row in product(range(colours), repeat=n) if all(a != b for a, b in pairwise(row))]
    fits = np.array(
        [[all(a != b for a, b in zip(up, down, strict=True)) for up in rows] for down in rows], dtype=object
    )
    ways = np.ones(len(rows), dtype=object)
    for _ in range(n - 1):
        ways = fits.astype(int) @ ways
    return int(ways.sum())


def exact(instance: NetworkInstance) -> float:
    return float(fill_network(instance, instance.paths["opt_flops"]).reference)


def test_queen_colourings() -> None:
    instance = queen(3, 5)
    assert instance.num_tensors == 28
    assert instance.expected == count_colourings(queen_neighbours(3), 5) == 240
    assert exact(instance) == pytest.approx(240, rel=1e-13)


def test_grid_colourings() -> None:
    instance = grid(5, 3)
    assert instance.num_tensors == 40
    assert instance.expected == count_grid(5, 3) == 580986
    assert exact(instance) == pytest.approx(580986, rel=1e-13)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_other_sizes_count_too(n: int) -> None:
    assert exact(grid(n, 4)) == pytest.approx(count_grid(n, 4), rel=1e-13)
    assert queen(n, 2).expected is None


def float32_result(instance: NetworkInstance, path_name: str) -> np.float32:
    """Contract in float32 alone, by ``numpy.einsum`` along the path."""
    operands = [operand.astype(np.float32) for operand in fill_operands(instance)]
    path = ["einsum_path", *instance.paths[path_name]]
    numbers = {label: number for number, label in enumerate(instance.sizes)}
    sublists = [[numbers[label] for label in labels] for labels in instance.inputs]
    arguments: list[Any] = [part for pair in zip(operands, sublists, strict=True) for part in pair]
    return np.float32(np.einsum(*arguments, [], optimize=path))


@pytest.mark.parametrize("path_name", ["opt_flops", "opt_size"])
@pytest.mark.parametrize("instance", [queen(3, 5), grid(5, 3)], ids=lambda instance: instance.name)
def test_counts_are_exact_in_float32(instance: NetworkInstance, path_name: str) -> None:
    assert float32_result(instance, path_name) == instance.expected


def test_mps_is_an_overlap_of_two_states() -> None:
    instance = mps(sites=4, bond=3, physical=2)
    filled = fill_network(instance, instance.paths["opt_flops"])

    def state(tensors: list[Array]) -> Array:
        first, *inner, last = tensors
        # Each tensor is (left bond, site, right bond); the ends have one bond.
        vector = first
        for tensor in inner:
            vector = np.tensordot(vector, tensor, axes=(-1, 0))
        return np.tensordot(vector, last, axes=(-1, 0)).ravel()

    overlap = state(filled.operands[:4]) @ state(filled.operands[4:])
    assert overlap == pytest.approx(float(filled.reference), rel=1e-12)


def test_chain_is_a_matrix_product() -> None:
    instance = chain(matrices=5, size=12)
    filled = fill_network(instance, instance.paths["opt_flops"])
    want = np.linalg.multi_dot(filled.operands)
    np.testing.assert_allclose(filled.reference, want, rtol=1e-11, atol=1e-14)
    assert all(3 <= dimension <= 12 for shape in instance.shapes for dimension in shape)


def amplitude(instance: NetworkInstance, qubits: int) -> complex:
    """Run a circuit on a state vector: apply its tensors in order, ending on all zeros."""
    state = np.zeros((2,) * qubits, dtype=complex)
    state[(0,) * qubits] = 1.0
    wires = [chr(ord("a") + qubit) for qubit in range(qubits)]
    for labels, gate in list(zip(instance.inputs, instance.fills, strict=True))[qubits:-qubits]:
        values = fill_operands(NetworkInstance("gate", (labels,), "", ((2, 2),), dtype="complex64", fill=(gate,)))[0]
        if gate == "cz":
            axes = [wires.index(label) for label in labels]
            phases = values.reshape([2 if axis in axes else 1 for axis in range(qubits)])
            state = state * phases
        else:
            qubit = wires.index(labels[1])
            state = np.moveaxis(np.tensordot(values, state, axes=(1, qubit)), 0, qubit)
            wires[qubit] = labels[0]
    return complex(state[(0,) * qubits])


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 2, 3), (3, 3, 5)])
def test_circuit_agrees_with_a_state_vector(shape: tuple[int, int, int]) -> None:
    rows, columns, depth = shape
    instance = circuit(rows, columns, depth, seed=2)
    got = complex(fill_network(instance, instance.paths["opt_flops"]).reference)
    want = amplitude(instance, rows * columns)
    assert abs(want) > 1e-4
    assert got == pytest.approx(want, rel=1e-12)


def test_a_gate_never_repeats_on_its_qubit() -> None:
    instance = circuit(2, 2, 10)
    turned = {
        labels[1]: (gate, labels[0])
        for labels, gate in zip(instance.inputs, instance.fills, strict=True)
        if "sqrt" in gate
    }
    for gate, following in turned.values():
        assert following not in turned or turned[following][0] != gate


@pytest.mark.parametrize("kind", KINDS)
def test_shipped_files_are_what_the_generator_makes(kind: str, tmp_path: Path) -> None:
    instance = KINDS[kind]()
    shipped = EXAMPLES / f"{instance.name}.json"
    write_instance(instance, tmp_path / "made.json")
    assert (tmp_path / "made.json").read_text(encoding="utf-8") == shipped.read_text(encoding="utf-8")
    assert read_instance(shipped) == instance


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: queen(1), "network queen needs n of at least 2, got 1"),
        (lambda: grid(3, 0), "network grid needs colours of at least 1, got 0"),
        (lambda: mps(sites=1), "network mps needs sites of at least 2, got 1"),
        (lambda: chain(size=2), "network chain needs size of at least 4, got 2"),
        (lambda: chain(seed=-1), "network chain needs seed of at least 0, got -1"),
        (lambda: chain(size=10**20), "network chain needs size of at most 2147483647, got 1"),
        (lambda: circuit(depth=0), "network circuit needs depth of at least 1, got 0"),
    ],
)
def test_impossible_sizes(make: Callable[[], NetworkInstance], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        make()


def test_pairs_of_the_queen_graph() -> None:
    joined = {frozenset(pair) for pair in combinations(range(9), 2) if pair[1] in queen_neighbours(3)[pair[0]]}
    assert {frozenset(ord(label) - ord("a") for label in labels) for labels in queen(3, 5).inputs} == joined
