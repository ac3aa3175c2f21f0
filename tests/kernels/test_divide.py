"""Division by a reciprocal is exact for every u32, on the adapter and by arithmetic."""

from __future__ import annotations

import numpy as np
from webgpu.harness import shared_backend

from wgtensor.tensor import Layout, Tensor, uint32
from wgtensor.webgpu.kernels.elementwise.geometry import divisor_words
from wgtensor.webgpu.kernels.plan import pack_params
from wgtensor.webgpu.kernels.templating import render
from wgtensor.webgpu.storage import device_storage

KERNEL = """
@group(0) @binding(0) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> quotient: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> params: vec4<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    quotient[id.x] = divide(x[id.x], params.x, params.y);
}
"""
COUNT = 1 << 14


def test_every_quotient_is_exact() -> None:
    backend = shared_backend("native")
    rng = np.random.default_rng(5)
    engine = backend.runtime._engine
    pipeline = engine.pipeline(render("common/divide.wgsl") + KERNEL, 1, 1)
    out = backend.runtime.pool.allocate(4 * COUNT)
    result = Tensor(uint32, Layout.contiguous((COUNT,)), out)
    lengths = [1, 2, 3, 5, 7, 10, 641, 1000, 4095, 4096, 65_537, 2**24 - 1, 2**31 + 11, 2**32 - 1]
    for length in [*lengths, *(int(n) for n in 2 ** rng.uniform(0, 32, 20))]:
        whole = np.uint64(length) * rng.integers(0, 2**32 // length + 1, COUNT // 4, dtype=np.uint64)
        near = np.concatenate([whole, whole - np.uint64(1), whole + np.uint64(length - 1)])
        x = np.concatenate([near, rng.integers(0, 2**32, COUNT - near.size, dtype=np.uint64)])
        x = np.clip(x, 0, 2**32 - 1).astype(np.uint32)
        tensor = backend.upload_host_tensor(Tensor.from_numpy(x))
        params = pack_params(*divisor_words(length))
        bindings = [(device_storage(each).handle, 0, 4 * COUNT) for each in (tensor, result)]
        engine.dispatch(pipeline, bindings, params, (COUNT // 256, 1, 1))
        got = np.frombuffer(engine.read(out.handle, 0, 4 * COUNT).result(), np.uint32)
        np.testing.assert_array_equal(got, x // np.uint32(length))
