"""Run contractions on the default adapter and compare them with NumPy in double precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from kernels.executor import pipeline_of, shared_engine
from numpy.typing import NDArray

from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.tensor import Layout, as_dtype
from wgtensor.webgpu.engine import BufferKind
from wgtensor.webgpu.facts import AdapterClass, AdapterFacts
from wgtensor.webgpu.kernels.contraction import ContractionProblem, plan_contraction
from wgtensor.webgpu.kernels.contraction.variant import Tile
from wgtensor.webgpu.kernels.plan import LaunchPlan, Role
from wgtensor.webgpu.selfcheck import self_check

__all__ = [
    "DISCRETE",
    "MATMUL",
    "PLAIN",
    "Operand",
    "check",
    "contract",
    "contract_into",
    "operand",
    "random_array",
    "subgroup_facts",
]

Array = NDArray[Any]

MATMUL = DotGeneralConfig((1,), (0,))
PLAIN = AdapterFacts(AdapterClass.SOFTWARE)
DISCRETE = AdapterFacts(AdapterClass.DISCRETE, workgroup_storage=32 << 10)
DIRT = 0xFF
GUARD_BYTES = 64


@cache
def subgroup_facts() -> AdapterFacts:
    """Facts of a software adapter with this adapter's measured subgroup size."""
    return AdapterFacts(AdapterClass.SOFTWARE, subgroup_size=self_check(shared_engine()))


@dataclass(frozen=True)
class Operand:
    """A view of a flat array, as a tensor of a device holds it."""

    data: Array
    layout: Layout

    @property
    def view(self) -> Array:
        strides = [stride * self.data.itemsize for stride in self.layout.strides]
        return np.lib.stride_tricks.as_strided(self.data[self.layout.offset :], self.layout.shape, strides)


def operand(array: Array) -> Operand:
    """Take any NumPy view together with the whole buffer under it."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    flat = base.reshape(-1)
    offset = (array.__array_interface__["data"][0] - flat.__array_interface__["data"][0]) // array.itemsize
    assert base.dtype == array.dtype, "a view must keep the dtype of its buffer"
    strides = [stride // array.itemsize for stride in array.strides]
    return Operand(flat, Layout(array.shape, strides, offset if array.size else 0))


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Return normal values, or integers over the whole range."""
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 2**32, shape, np.uint64).astype(np.uint32).astype(dtype)
    values = rng.standard_normal(shape)
    if dtype == "complex64":
        return np.asarray(values + 1j * rng.standard_normal(shape), dtype)
    return np.asarray(values, dtype)


def execute(plan: LaunchPlan, operands: list[Array], out: Array) -> Array:
    """Run ``plan`` on an output that holds ``out``; all padding and scratch memory is NaN before."""
    engine = shared_engine()
    buffers = {(Role.OPERAND, i): _upload(data) for i, data in enumerate(operands)}
    buffers[Role.OUTPUT, 0] = _upload(out)
    buffers |= {(Role.TABLE, i): _upload(table) for i, table in enumerate(plan.tables)}
    buffers |= {(Role.WORKSPACE, i): _upload(np.full(n, DIRT, np.uint8)) for i, n in enumerate(plan.workspaces)}
    for step in plan.steps:
        bindings = [buffers[binding.role, binding.index] for binding in step.bindings]
        engine.dispatch(pipeline_of(step.kernel), [(h, 0, n) for h, n in bindings], step.params, step.grid)
    handle, nbytes = buffers[Role.OUTPUT, 0]
    data = bytes(engine.read(handle, 0, nbytes + GUARD_BYTES).result())
    for handle, _ in buffers.values():
        engine.release(handle)
    assert engine.errors() == []
    assert set(data[nbytes:]) == {DIRT}, "the plan wrote past its output"
    return np.frombuffer(data, out.dtype, out.size).copy()


def _upload(data: Array) -> tuple[Any, int]:
    """Return a buffer padded to 16 bytes, and its size; a guard of dirt lies behind."""
    nbytes = max(16, -(-data.nbytes // 16) * 16)
    raw = np.full(nbytes + GUARD_BYTES, DIRT, np.uint8)
    raw[: data.nbytes] = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    handle = shared_engine().buffer(raw.size, BufferKind.STORAGE)
    shared_engine().write(handle, 0, raw)
    return handle, nbytes


def contract(lhs: Array, rhs: Array, config: DotGeneralConfig, facts: AdapterFacts, **options: Any) -> Array:
    """Plan, check the plan, run it, and return the result."""
    return contract_into(None, lhs, rhs, config, facts, **options).view


def contract_into(
    out: Array | None,
    lhs: Array,
    rhs: Array,
    config: DotGeneralConfig,
    facts: AdapterFacts,
    tile: Tile | None = None,
    **options: Any,
) -> Operand:
    """Contract into a copy of the buffer under ``out``; None means a new result."""
    left, right = operand(lhs), operand(rhs)
    target = operand(out) if out is not None else None
    layout = target.layout if target else None
    problem = ContractionProblem(as_dtype(lhs.dtype), left.layout, right.layout, config, layout, **options)
    plan = plan_contraction(problem, facts, tile)
    plan.check(facts)
    shape = _shape(lhs, rhs, config)
    if not plan.steps:
        return Operand(np.zeros(math.prod(shape), lhs.dtype), Layout.contiguous(shape))
    if target is None:
        target = Operand(np.full(math.prod(shape), 7, lhs.dtype), Layout.contiguous(shape))
    return Operand(execute(plan, [left.data, right.data], target.data), target.layout)


def _shape(lhs: Array, rhs: Array, config: DotGeneralConfig) -> tuple[int, ...]:
    lhs_used = {*config.lhs_batch_dims, *config.lhs_contracting_dims}
    rhs_used = {*config.rhs_batch_dims, *config.rhs_contracting_dims}
    batch = tuple(lhs.shape[axis] for axis in config.lhs_batch_dims)
    lhs_free = tuple(length for axis, length in enumerate(lhs.shape) if axis not in lhs_used)
    return batch + lhs_free + tuple(length for axis, length in enumerate(rhs.shape) if axis not in rhs_used)


def reference(lhs: Array, rhs: Array, config: DotGeneralConfig) -> Array:
    """Return the contraction in the operands' own arithmetic, by NumPy: free axes moved out, batched matmul."""
    left = _as_matrices(lhs, config.lhs_batch_dims, config.lhs_contracting_dims, depth_last=True)
    right = _as_matrices(rhs, config.rhs_batch_dims, config.rhs_contracting_dims, depth_last=False)
    product: Array = np.matmul(left, right)
    return product.reshape(_shape(lhs, rhs, config))


def _as_matrices(array: Array, batch: Any, depth: Any, *, depth_last: bool) -> Array:
    free = [axis for axis in range(array.ndim) if axis not in {*batch, *depth}]
    order = [*batch, *free, *depth] if depth_last else [*batch, *depth, *free]
    sizes = [math.prod(array.shape[axis] for axis in axes) for axes in (batch, free, depth)]
    shape = (sizes[0], sizes[1], sizes[2]) if depth_last else (sizes[0], sizes[2], sizes[1])
    return array.transpose(order).reshape(shape)


def check(
    lhs: Array,
    rhs: Array,
    config: DotGeneralConfig = MATMUL,
    facts: AdapterFacts = PLAIN,
    tile: Tile | None = None,
    **options: Any,
) -> None:
    """Compare with NumPy: integers exactly, others within ``2 (depth + 8) eps sum |a| |b|``.

    That bounds any order of summation in float32, complex products included; float16 results are rounded once more.
    """
    got = contract(lhs, rhs, config, facts, tile=tile, **options)
    if lhs.dtype.kind in "iu":
        exact = reference(lhs.astype(np.uint64), rhs.astype(np.uint64), config)
        assert np.array_equal(got.view(np.uint32), exact.astype(np.uint32))
        return
    wide = np.complex128 if lhs.dtype.kind == "c" else np.float64
    left, right = lhs.astype(wide), rhs.astype(wide)
    left = left.conj() if options.get("lhs_conj") else left
    right = right.conj() if options.get("rhs_conj") else right
    want = reference(left, right, config)
    depth = math.prod(lhs.shape[axis] for axis in config.lhs_contracting_dims)
    bound = 2 * (depth + 8) * np.finfo(np.float32).eps * reference(np.abs(left), np.abs(right), config)
    if lhs.dtype == np.float16:
        bound = bound + np.abs(want) * 2.0**-11 + 2.0**-25
    excess = np.abs(got.astype(wide) - want) - bound
    assert np.all(excess <= 0), f"{np.sum(~(excess <= 0))} of {got.size} elements are off, by {np.nanmax(excess)}"
