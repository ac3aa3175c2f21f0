"""Launch plans: what a planner decides and a recorder executes.

A kernel family is a pure function from layouts, dtypes and adapter facts to a :class:`LaunchPlan`. The plan names
kernels, parameters, grids, tables and workspaces, and touches no device; so it can be cached, prepared, counted and
tested without one. The runtime uploads its tables once, compiles its kernels once, and then records its steps.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wgtensor.webgpu.facts import AdapterFacts

__all__ = ["Binding", "Grid", "KernelSource", "LaunchPlan", "Role", "Step", "fold_grid", "pack_params", "pack_words"]

Grid: TypeAlias = tuple[int, int, int]
PARAMS_ALIGNMENT: Final = 16


class Role(Enum):
    """Which buffer of a launch a binding means."""

    OPERAND = "operand"
    OUTPUT = "output"
    TABLE = "table"
    WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True)
class Binding:
    """One buffer of a step: the ``index``-th of its role, whole, or a window of it in bytes."""

    role: Role
    index: int = 0
    offset: int = 0
    nbytes: int | None = None


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A kernel that may be compiled: ``render()`` gives its WGSL; equal keys mean equal WGSL.

    Attributes
    ----------
    key
        Starts with the family's name. Holds no shapes and no strides: those are data.
    render
        Makes the WGSL, with entry point ``main``; called only when the key is not compiled yet.
    reads, writes
        Number of read-only and read-write storage bindings. The uniform ``params`` comes after them.
    """

    key: tuple[Hashable, ...]
    render: Callable[[], str] = field(compare=False)
    reads: int = 1
    writes: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One dispatch.

    Attributes
    ----------
    kernel
        What runs.
    bindings
        The reads, then the writes.
    params
        The uniform's bytes, a multiple of 16.
    grid
        Workgroups in x, y and z; each at least 1 and at most the adapter's limit.
    loop_iterations
        Upper bound of loop iterations that one invocation takes, over all its loops.
    """

    kernel: KernelSource
    bindings: tuple[Binding, ...]
    params: bytes
    grid: Grid
    loop_iterations: int = 0


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Steps in order, with the tables and the scratch memory that they need.

    Attributes
    ----------
    name
        The operation, for error texts and counters.
    steps
        Dispatches in order; none for an empty result.
    tables
        uint32 arrays, uploaded once per plan.
    workspaces
        Bytes of each scratch buffer.
    work
        Rough cost of a run in multiply-adds or element visits; the recorder submits big work early.
    """

    name: str
    steps: tuple[Step, ...]
    tables: tuple[NDArray[np.uint32], ...] = ()
    workspaces: tuple[int, ...] = ()
    work: int = 0

    @property
    def kernels(self) -> tuple[KernelSource, ...]:
        """The distinct kernels."""
        return tuple(dict.fromkeys(step.kernel for step in self.steps))

    def check(self, facts: AdapterFacts) -> None:
        """Assert that every step respects the adapter's limits; a failure is a planner's bug."""
        for step in self.steps:
            assert all(1 <= count <= facts.workgroups for count in step.grid), (self.name, step.grid)
            assert step.loop_iterations <= facts.loop_limit, (self.name, step.loop_iterations)
            assert len(step.bindings) == step.kernel.reads + step.kernel.writes, (self.name, step.bindings)
            assert len(step.bindings) <= facts.storage_buffers, (self.name, step.bindings)
            assert step.params, self.name
            assert len(step.params) % PARAMS_ALIGNMENT == 0, (self.name, len(step.params))


def pack_words(numbers: Sequence[int]) -> bytes:
    """Return integers as 32-bit little-endian words, negative ones in two's complement."""
    return struct.pack(f"<{len(numbers)}I", *[number & 0xFFFFFFFF for number in numbers])


def pack_params(*numbers: int) -> bytes:
    """Return ``numbers`` as 32-bit words, padded to a multiple of 16 bytes (and at least 16).

    Examples
    --------
    >>> len(pack_params(1, 2, 3, 4, 5))
    32
    """
    data = pack_words(numbers)
    return data + bytes(-len(data) % PARAMS_ALIGNMENT or (0 if data else PARAMS_ALIGNMENT))


def fold_grid(workgroups: int, limit: int) -> Grid:
    """Spread a linear count of workgroups over x, y and z, each within ``limit``.

    The product may exceed the count, so the kernel guards with its linear index
    ``x + y * grid_x + z * grid_x * grid_y``.

    Examples
    --------
    >>> fold_grid(10, 65535), fold_grid(70_000, 65535)
    ((10, 1, 1), (35000, 2, 1))
    """
    rows = -(-workgroups // limit)
    layers = -(-rows // limit)
    rows = math.ceil(rows / layers)
    return math.ceil(workgroups / (rows * layers)), rows, layers
