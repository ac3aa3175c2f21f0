"""Run one row of the elementwise lowering table on the default adapter, through plain wgpu."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import wgpu
from numpy.typing import NDArray

from wgtensor.webgpu.adapters import choose_adapter
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS, VALUE_TYPES, function_source

__all__ = [
    "DTYPES",
    "FLOATS",
    "compiled",
    "evaluate",
    "flushed",
    "flushes_denormals",
    "needs_float16",
    "resolution",
    "smallest_modulus",
]

Array = NDArray[Any]

_MODULE = """
{enable}
{bindings}
fn wg_zero() -> u32 {{ return params.x; }}
{functions}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let i = id.x;
    if (i < params.y) {{ result[i] = {store}; }}
}}
"""
_LANES = 4


@cache
def _device() -> wgpu.GPUDevice:
    adapter: wgpu.GPUAdapter = choose_adapter(None).adapter
    wanted = [name for name in ("shader-f16",) if name in adapter.features]
    return adapter.request_device_sync(required_features=wanted)


needs_float16 = pytest.mark.skipif(
    "shader-f16" not in _device().features, reason="this adapter has no float16 arithmetic (shader-f16)"
)
FLOATS = ["float32", pytest.param("float16", marks=needs_float16)]
DTYPES = ["bool", "int32", "uint32", "complex64", *FLOATS]


@cache
def flushes_denormals() -> bool:
    """Whether arithmetic of this adapter flushes denormals (allowed by WGSL; moves never do)."""
    denormal = np.full(4, 1e-40, np.float32)
    return not evaluate("mul", "float32", denormal, np.full(4, 0.5, np.float32)).all()


def flushed(*values: Array) -> NDArray[np.bool_]:
    """Mark the samples that a flushed operand or result may touch: none on adapters that keep denormals."""
    touched = np.zeros(values[0].shape, np.bool_)
    if flushes_denormals():
        for value in values:
            # A result that rounds up to the smallest normal float may be flushed before it is rounded.
            touched |= (np.abs(value) <= np.finfo(np.float32).tiny) & (value != 0)
    return touched


def resolution() -> float:
    """Absolute error of results in the denormal range: two steps, or all of it where that is flushed."""
    return 2.0**-126 if flushes_denormals() else 2.0**-148


def smallest_modulus() -> float:
    """Modulus above which a denormal part, flushed or not, is below the rounding of the other part."""
    return 2.0**-100 if flushes_denormals() else 2.0**-126


def evaluate(operation: str, dtype: str, *operands: Array) -> Array:
    """Apply an operation to one-dimensional operands of one length, a multiple of 4."""
    lowering = LOWERINGS[operation, dtype]
    pipeline = compiled(operation, dtype, tuple(operand.dtype.name for operand in operands))
    groups = operands[0].size // _LANES
    device = _device()
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [device.create_buffer_with_data(data=_encode(operand), usage=usage) for operand in operands]
    result = device.create_buffer(size=groups * _LANES * _itemsize(lowering.result), usage=usage)
    params = device.create_buffer_with_data(data=np.array([0, groups, 0, 0], np.uint32), usage=wgpu.BufferUsage.UNIFORM)
    entries = [{"binding": i, "resource": {"buffer": buffer}} for i, buffer in enumerate([*buffers, result, params])]
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(pipeline)
    compute.set_bind_group(0, device.create_bind_group(layout=_layout(len(operands)), entries=entries))
    compute.dispatch_workgroups(-(-groups // 64))
    compute.end()
    device.queue.submit([encoder.finish()])
    return _decode(device.queue.read_buffer(result), lowering.result)


@cache
def compiled(operation: str, dtype: str, operand_dtypes: tuple[str, ...]) -> wgpu.GPUComputePipeline:
    """Return the kernel of one operation, made once."""
    lowering = LOWERINGS[operation, dtype]
    loads = [_load(f"operand{i}[i]", name) for i, name in enumerate(operand_dtypes)]
    dtypes = (*operand_dtypes, lowering.result)
    functions = [*lowering.functions, *(["complex"] if "complex64" in dtypes else [])]
    code = _MODULE.format(
        enable="enable f16;" if "float16" in dtypes else "",
        bindings=_bindings(operand_dtypes, lowering.result),
        functions=function_source(functions),
        store=_store(lowering.expression.format(*loads), lowering.result),
    )
    device = _device()
    layout = device.create_pipeline_layout(bind_group_layouts=[_layout(len(operand_dtypes))])
    module = device.create_shader_module(code=code)
    return device.create_compute_pipeline(layout=layout, compute={"module": module, "entry_point": "main"})


@cache
def _layout(operands: int) -> wgpu.GPUBindGroupLayout:
    """Explicit, since an expression may ignore its operand (the imaginary part of a real)."""
    kinds = ["read-only-storage"] * operands + ["storage", "uniform"]
    return _device().create_bind_group_layout(
        entries=[
            {"binding": i, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}
            for i, kind in enumerate(kinds)
        ]
    )


def _bindings(operands: tuple[str, ...], result: str) -> str:
    names = [f"operand{i}" for i in range(len(operands))]
    lines = [
        f"@group(0) @binding({i}) var<storage, read> {name}: array<{_stored(dtype)}>;"
        for i, (name, dtype) in enumerate(zip(names, operands, strict=True))
    ]
    count = len(operands)
    lines.append(
        f"@group(0) @binding({count}) var<storage, read_write> result: array<{_stored(result)}>;"
        f"@group(0) @binding({count + 1}) var<uniform> params: vec4<u32>;"
    )
    return "\n".join(lines)


def _stored(dtype: str) -> str:
    return "vec4<u32>" if dtype == "bool" else VALUE_TYPES[dtype]


def _load(word: str, dtype: str) -> str:
    return f"({word} == vec4<u32>(1u))" if dtype == "bool" else word


def _store(value: str, dtype: str) -> str:
    return f"vec4<u32>({value})" if dtype == "bool" else value


def _itemsize(dtype: str) -> int:
    return 4 if dtype == "bool" else np.dtype(dtype).itemsize


def _encode(operand: Array) -> Array:
    if operand.dtype == np.bool_:
        return operand.astype(np.uint32)
    if operand.dtype == np.complex64:
        lanes = operand.reshape(-1, _LANES)
        return np.stack([lanes.real, lanes.imag], axis=1)
    return np.ascontiguousarray(operand)


def _decode(data: memoryview, dtype: str) -> Array:
    if dtype == "bool":
        return np.frombuffer(data, np.uint32).astype(np.bool_)
    if dtype == "complex64":
        planes = np.frombuffer(data, np.float32).reshape(-1, 2, _LANES)
        values = np.empty((planes.shape[0], _LANES), np.complex64)
        values.real, values.imag = planes[:, 0], planes[:, 1]
        return values.reshape(-1)
    return np.frombuffer(data, dtype)
