"""Run a launch plan on the default adapter: what the runtime does, with dirty buffers and no pool."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.webgpu.adapters import choose_adapter, engine_request
from wgtensor.webgpu.engine import BufferKind, Engine, open_engine
from wgtensor.webgpu.facts import AdapterClass, AdapterFacts
from wgtensor.webgpu.kernels.plan import KernelSource, LaunchPlan, Role

__all__ = ["DISCRETE", "SOFTWARE", "pipeline_of", "run_plan", "shared_engine"]

SOFTWARE = AdapterFacts(AdapterClass.SOFTWARE)
DISCRETE = AdapterFacts(AdapterClass.DISCRETE)
GUARD_BYTES = 64
DIRT = 0xFF


def run_plan(plan: LaunchPlan, operands: Sequence[NDArray[Any]], out_nbytes: int, facts: AdapterFacts) -> bytes:
    """Check ``plan``, run it with every output and scratch byte set to 0xFF, and return the output's bytes."""
    plan.check(facts)
    engine = shared_engine()
    buffers = {
        Role.OPERAND: [_upload(engine, operand) for operand in operands],
        Role.OUTPUT: [_upload(engine, np.full(_padded(out_nbytes) + GUARD_BYTES, DIRT, np.uint8))],
        Role.TABLE: [_upload(engine, table) for table in plan.tables],
        Role.WORKSPACE: [_upload(engine, np.full(nbytes, DIRT, np.uint8)) for nbytes in plan.workspaces],
    }
    sizes = {Role.OUTPUT: _padded(out_nbytes)}
    for step in plan.steps:
        bindings = []
        for binding in step.bindings:
            handle, nbytes = buffers[binding.role][binding.index]
            nbytes = binding.nbytes or sizes.get(binding.role, nbytes) - binding.offset
            bindings.append((handle, binding.offset, nbytes))
        engine.dispatch(pipeline_of(step.kernel), bindings, step.params, step.grid)
    handle, nbytes = buffers[Role.OUTPUT][0]
    data = bytes(engine.read(handle, 0, nbytes).result())
    assert engine.errors() == []
    for handle, _ in (entry for entries in buffers.values() for entry in entries):
        engine.release(handle)
    assert set(data[_padded(out_nbytes) :]) == {DIRT}, f"{plan.name} wrote past its output"
    return data[:out_nbytes]


def _padded(nbytes: int) -> int:
    return max(-(-nbytes // 16) * 16, 16)


def _upload(engine: Engine, array: NDArray[Any]) -> tuple[Any, int]:
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    handle = engine.buffer(_padded(data.size), BufferKind.STORAGE)
    if data.size:
        engine.write(handle, 0, np.concatenate([data, np.full(-data.size % 4, DIRT, np.uint8)]))
    return handle, _padded(data.size)


@cache
def shared_engine() -> Engine:
    """Return the native engine on the default adapter, of this process."""
    checked = os.environ.get("WGTENSOR_CHECKED") == "1"
    return open_engine(engine_request(choose_adapter(), checked=checked))


_pipelines: dict[object, tuple[str, Any]] = {}


def pipeline_of(kernel: KernelSource) -> Any:
    """Compile once per key, and assert that equal keys mean equal WGSL."""
    wgsl = kernel.render()
    if kernel.key not in _pipelines:
        _pipelines[kernel.key] = wgsl, shared_engine().pipeline(wgsl, kernel.reads, kernel.writes)
    known, pipeline = _pipelines[kernel.key]
    assert known == wgsl, f"two kernels share the key {kernel.key}"
    return pipeline
