"""Making network instances: graph colourings, matrix products, matrix chains, random quantum circuits.

Each kind is a function of a few integers and always makes the same instance. ``KINDS`` is the table that the
command line reads: the parameters of a function are the options of its kind.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import opt_einsum

from wgtensor.errors import ValidationError
from wgtensor.networks.instance import NetworkInstance
from wgtensor.networks.paths import find_path

__all__ = ["KINDS", "chain", "circuit", "grid", "mps", "queen"]

Site = tuple[int, int]


class _Tensor(NamedTuple):
    labels: tuple[int, ...]
    fill: str = "normal"


def queen(n: int = 3, colours: int = 5) -> NetworkInstance:
    """Count the colourings of the ``n`` x ``n`` queen graph: squares that attack each other differ.

    One label a square, and one ``colours`` x ``colours`` matrix of zeros and ones a pair that attacks.
    """
    return _colouring(f"queen_{n}x{n}_{colours}_colours", n, colours, _attack)


def grid(n: int = 5, colours: int = 3) -> NetworkInstance:
    """Count the colourings of the ``n`` x ``n`` square grid: neighbours differ."""
    return _colouring(f"grid_{n}x{n}_{colours}_colours", n, colours, _touch)


def mps(sites: int = 24, bond: int = 32, physical: int = 4) -> NetworkInstance:
    """Overlap of two random matrix product states with open ends."""
    _require("mps", sites=(sites, 2), bond=(bond, 1), physical=(physical, 1))
    upper = [sites + site for site in range(sites - 1)]
    lower = [2 * sites + site for site in range(sites - 1)]

    def state(bonds: list[int]) -> list[_Tensor]:
        return [_Tensor((*bonds[max(site - 1, 0) : site], site, *bonds[site : site + 1])) for site in range(sites)]

    dimensions = dict.fromkeys(range(sites), physical) | dict.fromkeys(upper + lower, bond)
    return _instance(f"mps_{sites}_sites_bond_{bond}", state(upper) + state(lower), (), dimensions)


def chain(matrices: int = 24, size: int = 256, seed: int = 0) -> NetworkInstance:
    """Product of a chain of matrices, whose dimensions are drawn between ``size / 4`` and ``size``."""
    _require("chain", matrices=(matrices, 2), size=(size, 4), seed=(seed, 0))
    drawn = np.random.default_rng(seed).integers(size // 4, size, size=matrices + 1, endpoint=True)
    dimensions = {label: int(dimension) for label, dimension in enumerate(drawn)}
    tensors = [_Tensor((left, left + 1)) for left in range(matrices)]
    return _instance(f"chain_{matrices}_matrices_{size}", tensors, (0, matrices), dimensions)


def circuit(rows: int = 4, columns: int = 5, depth: int = 12, seed: int = 0) -> NetworkInstance:
    """Amplitude of the all-zeros outcome of a random quantum circuit on a lattice of qubits.

    Each layer turns every qubit by a random square root of X, Y or W, never the one before, and then joins
    neighbours with CZ gates along one of four bond patterns in turn. CZ is diagonal, so it keeps its qubits'
    labels, which become hyperedges.
    """
    _require("circuit", rows=(rows, 1), columns=(columns, 1), depth=(depth, 1), seed=(seed, 0))
    rng = np.random.default_rng(seed)
    lattice = list(product(range(rows), range(columns)))
    wires = {site: label for label, site in enumerate(lattice)}
    tensors = [_Tensor((wires[site],), "ket0") for site in lattice]
    last = dict.fromkeys(lattice, "")
    label = len(lattice)
    for layer in range(depth):
        for site in lattice:
            last[site] = str(rng.choice([gate for gate in _TURNS if gate != last[site]]))
            tensors.append(_Tensor((label, wires[site]), last[site]))
            wires[site], label = label, label + 1
        tensors += [_Tensor((wires[a], wires[b]), "cz") for a, b in _bonds(lattice, layer)]
    tensors += [_Tensor((wires[site],), "ket0") for site in lattice]
    name = f"circuit_{rows}x{columns}_depth_{depth}"
    return _instance(name, tensors, (), dict.fromkeys(range(label), 2), dtype="complex64")


KINDS: Mapping[str, Callable[..., NetworkInstance]] = {
    "queen": queen,
    "grid": grid,
    "mps": mps,
    "chain": chain,
    "circuit": circuit,
}

_TURNS = ("sqrt_x", "sqrt_y", "sqrt_w")

_LARGEST = (1 << 31) - 1
"""Of every parameter: no dimension is larger on a device."""

_KNOWN_COUNTS = {"queen_3x3_5_colours": 240, "grid_5x5_3_colours": 580986}
"""Colourings that float32 holds exactly, counted elsewhere: the tests count them by brute force."""


def _colouring(name: str, n: int, colours: int, joined: Callable[[Site, Site], bool]) -> NetworkInstance:
    _require(name.partition("_")[0], n=(n, 2), colours=(colours, 1))
    squares = list(product(range(n), range(n)))
    pairs = [(a, b) for a, b in combinations(range(n * n), 2) if joined(squares[a], squares[b])]
    tensors = [_Tensor(pair, "not_equal") for pair in pairs]
    dimensions = dict.fromkeys(range(n * n), colours)
    return _instance(name, tensors, (), dimensions, dtype="float32", expected=_KNOWN_COUNTS.get(name))


def _attack(a: Site, b: Site) -> bool:
    down, across = b[0] - a[0], b[1] - a[1]
    return down == 0 or across == 0 or abs(down) == abs(across)


def _touch(a: Site, b: Site) -> bool:
    return abs(b[0] - a[0]) + abs(b[1] - a[1]) == 1


def _bonds(lattice: list[Site], layer: int) -> list[tuple[Site, Site]]:
    """Neighbours along one direction, every other bond: each qubit is in at most one."""
    direction, parity = layer % 2, layer // 2 % 2
    step = ((0, 1), (1, 0))[direction]
    starts = [site for site in lattice if site[1 - direction] % 2 == parity]
    return [(site, end) for site in starts if (end := (site[0] + step[0], site[1] + step[1])) in lattice]


def _instance(
    name: str,
    tensors: list[_Tensor],
    output: tuple[int, ...],
    dimensions: Mapping[int, int],
    *,
    dtype: str = "float64",
    expected: int | None = None,
) -> NetworkInstance:
    """Give each label its character, and find the paths."""
    inputs = tuple(_symbols(tensor.labels) for tensor in tensors)
    sizes = {opt_einsum.get_symbol(label): dimension for label, dimension in dimensions.items()}
    result = _symbols(output)
    fills = tuple(tensor.fill for tensor in tensors)
    return NetworkInstance(
        name=name,
        inputs=inputs,
        output=result,
        shapes=tuple(tuple(dimensions[label] for label in tensor.labels) for tensor in tensors),
        paths={f"opt_{goal}": find_path(inputs, result, sizes, goal) for goal in ("flops", "size")},
        dtype=dtype,
        fill=fills[0] if len(set(fills)) == 1 else fills,
        expected=expected,
    )


def _symbols(labels: Iterable[int]) -> str:
    return "".join(opt_einsum.get_symbol(label) for label in labels)


def _require(kind: str, **values: tuple[int, int]) -> None:
    for name, (value, least) in values.items():
        if value < least:
            raise ValidationError(f"network {kind} needs {name} of at least {least}, got {value}")
        if value > _LARGEST:
            raise ValidationError(f"network {kind} needs {name} of at most {_LARGEST}, got {value}")
