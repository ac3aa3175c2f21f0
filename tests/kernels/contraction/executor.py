"""Run a contraction plan on the default adapter and compare with NumPy in float64."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.tensor import Layout, as_dtype
from wgtensor.webgpu.adapters import choose_adapter, engine_request
from wgtensor.webgpu.engine import BufferKind, Engine, open_engine
from wgtensor.webgpu.facts import AdapterClass, AdapterFacts
from wgtensor.webgpu.kernels.contraction import ContractionProblem, plan_contraction
from wgtensor.webgpu.kernels.contraction.variant import Tile
from wgtensor.webgpu.kernels.plan import LaunchPlan, Role

__all__ = ["DISCRETE", "PLAIN", "SUBGROUP", "Operand", "check", "contract", "execute", "operand", "random_operand"]

Array = NDArray[Any]

SUBGROUP = AdapterFacts(AdapterClass.SOFTWARE, subgroup_size=8)
PLAIN = AdapterFacts(AdapterClass.SOFTWARE)
DISCRETE = AdapterFacts(AdapterClass.DISCRETE, workgroup_storage=48 << 10, workgroup_invocations=1024)


@cache
def engine() -> Engine:
    row = choose_adapter(None)
    request = engine_request(row)
    return open_engine(replace(request, features=request.features | {"subgroup"}))


@cache
def pipeline(key: tuple[Any, ...], wgsl: str, reads: int, writes: int) -> Any:
    return engine().pipeline(wgsl, reads, writes)


@dataclass(frozen=True)
class Operand:
    """A view of a flat array, as a device tensor would hold it."""

    data: Array
    layout: Layout

    @property
    def view(self) -> Array:
        strides = [stride * self.data.itemsize for stride in self.layout.strides]
        return np.lib.stride_tricks.as_strided(self.data[self.layout.offset :], self.layout.shape, strides)


def operand(array: Array) -> Operand:
    """Take any NumPy view of a one-dimensional buffer."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    flat = base.reshape(-1)
    offset = (array.__array_interface__["data"][0] - flat.__array_interface__["data"][0]) // array.itemsize
    strides = [stride // array.itemsize for stride in array.strides]
    return Operand(flat, Layout(array.shape, strides, offset))


def random_operand(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 2**32, shape, np.uint64).astype(np.uint32).view(dtype).reshape(shape)
    values = rng.standard_normal(shape)
    if dtype == "complex64":
        return (values + 1j * rng.standard_normal(shape)).astype(dtype)
    return values.astype(dtype)


def execute(plan: LaunchPlan, operands: list[Array], out: Array) -> Array:
    """Run ``plan`` and return the output buffer; ``out`` is what it holds before."""
    device = engine()
    buffers = {(Role.OPERAND, i): _upload(data) for i, data in enumerate(operands)}
    buffers[Role.OUTPUT, 0] = _upload(out)
    buffers |= {(Role.TABLE, i): _upload(table) for i, table in enumerate(plan.tables)}
    for i, nbytes in enumerate(plan.workspaces):
        buffers[Role.WORKSPACE, i] = _upload(np.full(-(-nbytes // 16) * 4, np.nan, np.float32))
    for step in plan.steps:
        kernel = step.kernel
        compiled = pipeline(kernel.key, kernel.render(), kernel.reads, kernel.writes)
        bindings = [(*_window(buffers[b.role, b.index], b.offset, b.nbytes),) for b in step.bindings]
        device.dispatch(compiled, bindings, step.params, step.grid)
    handle, nbytes = buffers[Role.OUTPUT, 0]
    result = np.frombuffer(device.read(handle, 0, nbytes).result(), out.dtype)[: out.size].copy()
    for handle, _ in buffers.values():
        device.release(handle)
    assert device.errors() == []
    return result


def _window(buffer: tuple[Any, int], offset: int, nbytes: int | None) -> tuple[Any, int, int]:
    handle, size = buffer
    return handle, offset, size - offset if nbytes is None else nbytes


def _upload(data: Array) -> tuple[Any, int]:
    """Make a buffer that is padded to 16 bytes; the padding holds NaN so that none may leak."""
    nbytes = max(16, -(-data.nbytes // 16) * 16)
    raw = np.full(nbytes, 0xFF, np.uint8)
    raw[: data.nbytes] = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    handle = engine().buffer(nbytes, BufferKind.STORAGE)
    engine().write(handle, 0, raw)
    return handle, nbytes


def contract(
    lhs: Operand,
    rhs: Operand,
    config: DotGeneralConfig,
    facts: AdapterFacts,
    out: Operand | None = None,
    tile: Tile | None = None,
    **options: Any,
) -> Array:
    """Plan, check and run; returns the result as an array."""
    dtype = as_dtype(lhs.data.dtype)
    problem = ContractionProblem(dtype, lhs.layout, rhs.layout, config, out.layout if out else None, **options)
    plan = plan_contraction(problem, facts, tile)
    plan.check(facts)
    shape = result_shape(lhs.layout, rhs.layout, config)
    if not plan.steps:
        return np.zeros(shape, lhs.data.dtype)
    held = out or operand(np.full(int(np.prod(shape, dtype=int)), 7, lhs.data.dtype).reshape(shape))
    data = execute(plan, [lhs.data, rhs.data], held.data)
    return Operand(data, held.layout).view


def result_shape(lhs: Layout, rhs: Layout, config: DotGeneralConfig) -> tuple[int, ...]:
    lhs_used = {*config.lhs_batch_dims, *config.lhs_contracting_dims}
    rhs_used = {*config.rhs_batch_dims, *config.rhs_contracting_dims}
    return (
        *(lhs.shape[axis] for axis in config.lhs_batch_dims),
        *(length for axis, length in enumerate(lhs.shape) if axis not in lhs_used),
        *(length for axis, length in enumerate(rhs.shape) if axis not in rhs_used),
    )


def reference(lhs: Array, rhs: Array, config: DotGeneralConfig) -> Array:
    """The contraction in the operands' own arithmetic, by NumPy."""
    names = iter(range(60))
    lhs_names = [next(names) for _ in lhs.shape]
    rhs_names = [next(names) for _ in rhs.shape]
    pairs = [
        *zip(config.lhs_batch_dims, config.rhs_batch_dims),
        *zip(config.lhs_contracting_dims, config.rhs_contracting_dims),
    ]
    for left, right in pairs:
        rhs_names[right] = lhs_names[left]
    batch = [lhs_names[axis] for axis in config.lhs_batch_dims]
    contracted = [lhs_names[axis] for axis in config.lhs_contracting_dims]
    free = [name for name in (*lhs_names, *rhs_names) if name not in batch + contracted]
    return np.einsum(lhs, lhs_names, rhs, rhs_names, batch + free, optimize=True)


def check(
    lhs: Array, rhs: Array, config: DotGeneralConfig, facts: AdapterFacts, tile: Tile | None = None, **options: Any
) -> None:
    """Compare with NumPy: exact for integers, else within ``(depth + 8) eps sum |a| |b|``.

    That bound holds for any order of summation; complex products add their own rounding, hence a factor of 2.
    """
    got = contract(operand(lhs), operand(rhs), config, facts, tile=tile)
    compare(got, lhs, rhs, config)


def compare(got: Array, lhs: Array, rhs: Array, config: DotGeneralConfig) -> None:
    depth = int(np.prod([lhs.shape[axis] for axis in config.lhs_contracting_dims], dtype=int))
    if lhs.dtype.kind in "iu":
        want = reference(lhs.astype(np.int64), rhs.astype(np.int64), config) if depth < 2 else None
        want = reference(lhs.astype(np.uint64), rhs.astype(np.uint64), config)
        assert np.array_equal(got.view(np.uint32), want.astype(np.uint32))
        return
    wide = np.complex128 if lhs.dtype.kind == "c" else np.float64
    want = reference(lhs.astype(wide), rhs.astype(wide), config)
    scale = reference(np.abs(lhs.astype(wide)), np.abs(rhs.astype(wide)), config)
    eps = np.finfo(np.float32).eps
    bound = 2 * (depth + 8) * eps * scale
    if lhs.dtype == np.float16:
        bound = bound + np.abs(want) * 2.0**-11 + 2.0**-25
    error = np.abs(got.astype(wide) - want)
    assert np.all(error <= bound), float(np.nanmax(error / np.maximum(bound, 1e-300)))
