"""Engines on this machine's adapter, and a small kit to drive one."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.webgpu.adapters import choose_adapter, engine_request
from wgtensor.webgpu.engine import BufferKind, Engine, EngineRequest, open_engine

AFFINE = """
struct Params { count: u32, scale: u32, shift: u32, row: u32 }
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> p: Params;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let i = at.x + at.y * p.row;
    if (i < p.count) { y[i] = x[i] * p.scale + p.shift; }
}
"""

HORNER = """
struct Params { scale: u32, shift: u32, a: u32, b: u32 }
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<uniform> p: Params;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) at: vec3u) { y[at.x] = y[at.x] * p.scale + p.shift; }
"""

MODES = {
    "native": ("native", False, True),
    "native-checked": ("native", True, True),
    "native-staged": ("native", False, False),
    "portable": ("portable", True, True),
}
"""Engine, checked shaders, and storage buffers mapped in place where the adapter can."""


class Kit:
    """An engine with two kernels: ``y = x * scale + shift``, and the same in place."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.affine_kernel = engine.pipeline(AFFINE, 1, 1)
        self.horner_kernel = engine.pipeline(HORNER, 0, 1)

    def buffer(self, count: int) -> Any:
        return self.engine.buffer(4 * count, BufferKind.STORAGE)

    def put(self, values: Any) -> Any:
        array = np.ascontiguousarray(values, np.uint32)
        handle = self.buffer(array.size)
        self.engine.write(handle, 0, array)
        return handle

    def get(self, handle: Any, count: int, offset: int = 0) -> NDArray[np.uint32]:
        return np.frombuffer(self.engine.read(handle, offset, 4 * count).result(), np.uint32)

    def affine(self, x: Any, y: Any, count: int, scale: int, shift: int = 0) -> None:
        params = struct.pack("<4I", count, scale, shift, 64 * 1024)
        groups = -(-count // 64)
        grid = (min(groups, 1024), -(-groups // 1024), 1)
        self.engine.dispatch(self.affine_kernel, [(x, 0, 4 * count), (y, 0, 4 * count)], params, grid)

    def horner(self, y: Any, scale: int, shift: int, padding: int = 0) -> None:
        params = struct.pack("<4I", scale, shift, 0, 0) + bytes(padding)
        self.engine.dispatch(self.horner_kernel, [(y, 0, 4)], params, (1, 1, 1))


def request(mode: str) -> EngineRequest:
    """Return the request for one of ``MODES`` on the default adapter."""
    _, checked, mapped = MODES[mode]
    asked = engine_request(choose_adapter(), checked=checked)
    return asked if mapped else replace(asked, features=asked.features - {"mappable-primary-buffers"})


@pytest.fixture(params=MODES)
def fresh(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine of its own, for tests that lose it."""
    engine = open_engine(_request(request.param), MODES[request.param][0])
    yield engine
    engine.close()


@pytest.fixture(scope="session", params=MODES)
def shared_kit(request: pytest.FixtureRequest) -> Iterator[Kit]:
    """One engine for each mode and the whole session."""
    engine = open_engine(_request(request.param), MODES[request.param][0])
    yield Kit(engine)
    engine.close()


@pytest.fixture
def kit(shared_kit: Kit) -> Iterator[Kit]:
    """The shared kit, checked to be clean before and after: no open batch, no error that nobody asked for."""
    yield shared_kit
    shared_kit.engine.submit()
    assert shared_kit.engine.errors() == []


@pytest.fixture
def make_kit() -> type[Kit]:
    """The kit's class, for engines that a test opens itself."""
    return Kit


_request = request
