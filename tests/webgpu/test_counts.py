"""Counts that do not wobble: kernels compiled for many shapes, and submits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from webgpu.harness import new_backend, up

from wgtensor.contract import DotGeneralConfig
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession

SHAPES = 200


def random_operand(rng: np.random.Generator, backend: WebGpuBackend, s: WebGpuExecSession, shape: Any) -> Tensor:
    """Return a tensor of ``shape``: plain, permuted, reversed, broadcast, or part of a larger one."""
    kind = rng.integers(5)
    if kind == 0:
        order = rng.permutation(len(shape))
        source = up(backend, rng.standard_normal([shape[axis] for axis in order], np.float32))
        return s.transpose(source, [int(axis) for axis in np.argsort(order)])
    if kind == 1:
        return s.reverse(up(backend, rng.standard_normal(shape, np.float32)), (0,))
    if kind == 2:
        return s.broadcast_in_dim(up(backend, rng.standard_normal(shape[-1:], np.float32)), shape, (len(shape) - 1,))
    if kind == 3:
        return s.broadcast_in_dim(up(backend, np.float32(rng.standard_normal())), shape, ())
    return up(backend, rng.standard_normal(shape, np.float32))


PROGRAMS: dict[str, tuple[int, Callable[[WebGpuExecSession, Tensor, Tensor], Tensor]]] = {
    "add": (8, lambda s, x, y: s.add(x, y)),
    "reduce_sum": (8, lambda s, x, y: s.reduce_sum(y, (x.ndim // 2,))),
    "cumulative_sum": (8, lambda s, x, y: s.cumulative_sum(y, x.ndim // 2)),
    "sort": (8, lambda s, x, y: s.sort(y, x.ndim // 2)),
    "dot_general": (24, lambda s, x, y: s.dot_general(x, y, DotGeneralConfig((x.ndim - 1,), (x.ndim - 1,)))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_many_shapes_compile_few_kernels_and_none_again(name: str) -> None:
    most, program = PROGRAMS[name]
    backend = new_backend()
    compiled = []
    for _ in range(2):
        rng = np.random.default_rng(11)
        before = backend.runtime.counters.pipelines_compiled
        with backend.session() as s:
            for _ in range(SHAPES):
                shape = tuple(int(n) for n in rng.integers(1, 9, rng.integers(1, 6)))
                x, y = (random_operand(rng, backend, s, shape) for _ in range(2))
                result = program(s, x, y)
                backend.runtime.recorder.close_all()
                del result
        compiled.append(backend.runtime.counters.pipelines_compiled - before)
    assert 1 <= compiled[0] <= most
    assert compiled[1] == 0
    backend.runtime.close()


def test_a_small_chain_needs_few_submits() -> None:
    backend = new_backend()
    x = up(backend, np.ones(64, np.float32))
    before = backend.runtime.counters.submits
    with backend.session() as s:
        z = x
        for step in range(100):
            z = s.mul(s.add(z, x), 0.5) if step % 2 else s.add(z, x)
    assert backend.runtime.counters.submits - before <= 4
    backend.runtime.close()
