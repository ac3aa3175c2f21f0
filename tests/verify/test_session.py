"""``WGTENSOR_VERIFY=1``: sound programs pass, and a wrong kernel is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from contract.harness import LAYOUTS, Bench, values

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.contract import DotGeneralConfig, DotGeneralPrepareRequest, PadConfig, TensorSignature
from wgtensor.errors import VerificationError, WgTensorError
from wgtensor.tensor import Tensor
from wgtensor.verify.session import VerifyingSession
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession, WebGpuRuntime, lowerings
from wgtensor.webgpu import session as webgpu_session
from wgtensor.webgpu.adapters import choose_adapter
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS


def new_backend() -> WebGpuBackend:
    return WebGpuBackend.from_runtime(WebGpuRuntime.from_adapter_row(choose_adapter(None)))


@pytest.fixture(scope="module")
def opened() -> Iterator[WebGpuBackend]:
    backend = new_backend()
    yield backend
    backend.runtime.close()


@pytest.fixture
def backend(opened: WebGpuBackend, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebGpuBackend]:
    """A backend with verifying sessions, and without kernels, so that planted ones are compiled and forgotten."""
    monkeypatch.setenv("WGTENSOR_VERIFY", "1")
    opened.runtime_cache.clear()
    yield opened
    opened.runtime_cache.clear()


@pytest.fixture
def bench(backend: WebGpuBackend) -> Iterator[Bench]:
    with backend.session() as session:
        yield Bench(backend, session)


def plant(monkeypatch: pytest.MonkeyPatch, name: str, dtype: str, expression: str) -> None:
    """Put a WGSL expression in the place of an operation's own, ``{own}`` in it."""
    right = LOWERINGS[name, dtype]
    wrong = replace(right, expression=expression.replace("{own}", right.expression))
    monkeypatch.setitem(LOWERINGS, (name, dtype), wrong)


def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = new_backend()
    for value, kind in ((None, WebGpuExecSession), ("0", WebGpuExecSession), ("1", VerifyingSession)):
        monkeypatch.setenv("WGTENSOR_VERIFY", value) if value else monkeypatch.delenv("WGTENSOR_VERIFY", raising=False)
        assert type(backend.session()) is kind
    ambient = backend.runtime.domain.ambient_session
    assert ambient is not None
    assert type(ambient()) is VerifyingSession
    backend.runtime.close()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sound_programs_pass(bench: Bench, layout: str) -> None:
    session = bench.session
    x, y = (bench.up(values("float32", (5, 7), seed), layout) for seed in (1, 2))
    z = session.add(session.mul(x, y), 1.5)
    total = session.reduce_sum(session.exp(session.clamp(z, -2, 2)), (1,))
    session.sort(session.reverse(z, (0,)), 1)
    session.dot_general(session.transpose(x, (1, 0)), y, DotGeneralConfig((1,), (0,)))
    session.copy_into(total, session.reshape(session.full((5, 1), 0, "float32"), (5,)))
    assert bench.down(total).shape == (5,)


def test_sound_programs_of_arrays_pass(backend: WebGpuBackend) -> None:
    device = Device("webgpu:0", backend)
    x = wt.asarray(np.arange(24, dtype=np.float32).reshape(4, 6), device=device)
    x[1:, ::2] = -x[1:, ::-2]
    y = wt.matmul(x, wt.permute_dims(x, (1, 0))) / 3 + wt.astype(x[:, :1] > 2, wt.float32)
    assert isinstance(y, Array)
    assert wt.var(wt.cumulative_sum(y, axis=0)).to_numpy() > 0


def test_all_dtypes_are_moved(bench: Bench) -> None:
    for dtype in ("int8", "uint16", "int64", "float64", "complex128", "bool"):
        x = bench.up(values(dtype, (3, 5)), "strided")
        np.testing.assert_array_equal(bench.down(bench.session.to_contiguous(x)), values(dtype, (3, 5)))
    half = Tensor.from_numpy(np.array([1, 0x7FC0, 3], np.uint16), wt.bfloat16)
    bench.session.pad(bench.session.upload_host_tensor(half), PadConfig((1,), (0,)), 2.0)


def test_more_axes_than_numpy_has_pass(bench: Bench) -> None:
    x = bench.session.reshape(bench.up(np.array([1, 2], np.float32)), (*[1] * 70, 2))
    assert bench.down(bench.session.reshape(bench.session.neg(x), (2,))).tolist() == [-1, -2]


def test_a_wrong_kernel_is_named(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    plant(monkeypatch, "tanh", "float32", "select({own}, vec4<f32>(0.25), {0} > vec4<f32>(4.0))")
    array = np.zeros((3, 4), np.float32)
    array[2, 1] = 5
    x = bench.session.reverse(bench.up(array), (0,))
    with pytest.raises(VerificationError) as caught:
        bench.session.tanh(x)
    text = str(caught.value)
    for part in (
        "tanh on ",
        "4 ulp",
        "np.float32(0.25) for np.float64(0.9999",
        "at (0, 1)",
        "1 of 12 elements",
        "float32 of shape (3, 4) and strides (-4, 1)",
        "wgtensor info",
    ):
        assert part in text, text
    assert isinstance(caught.value, WgTensorError)
    assert isinstance(caught.value, AssertionError)


def test_arrays_name_it_too(monkeypatch: pytest.MonkeyPatch, backend: WebGpuBackend) -> None:
    plant(monkeypatch, "add", "int32", "({own} + vec4<i32>(1))")
    x = wt.asarray(np.arange(3, dtype=np.int32), device=Device("webgpu:0", backend))
    with pytest.raises(VerificationError, match=r"add on .*np.int32\(1\) for np.int32\(0\) at \(0,\)"):
        x + x


@pytest.mark.parametrize(
    ("name", "expression", "operand"),
    [
        ("exp", "({own} * vec4<f32>(1.0000012))", 1.0),
        ("abs", "{0}", -2.0),
        ("neg", "abs({own})", 0.0),
        ("sqrt", "max({own}, vec4<f32>(0.0))", -1.0),
    ],
)
def test_small_errors_lost_signs_and_lost_nans_are_found(
    monkeypatch: pytest.MonkeyPatch, bench: Bench, name: str, expression: str, operand: float
) -> None:
    plant(monkeypatch, name, "float32", expression)
    with pytest.raises(VerificationError, match=f"^{name} on"):
        getattr(bench.session, name)(bench.up(np.full(5, operand, np.float32)))


def test_errors_within_the_bound_pass(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    plant(monkeypatch, "exp", "float32", "({own} * vec4<f32>(1.0000001))")
    x = np.linspace(-3, 3, 20, dtype=np.float32)
    actual = bench.down(bench.session.exp(bench.up(x)))
    assert (actual != np.exp(x.astype(np.float64)).astype(np.float32)).any(), "the kernel was planted"


def test_a_wrong_reduction_is_found(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    right = lowerings.LOWERINGS["reduce_sum"]
    monkeypatch.setitem(lowerings.LOWERINGS, "reduce_sum", lambda call: right(call._replace(name="reduce_max")))
    x = bench.up(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(VerificationError, match=r"reduce_sum .*np.float32\(5.0\) for np.float64\(12.0\) at \(1,\)"):
        bench.session.reduce_sum(x, (1,))


def test_prepared_products_are_verified(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    x = bench.up(np.arange(1, 10, dtype=np.float32).reshape(3, 3))
    signature = TensorSignature.of(x)
    request = DotGeneralPrepareRequest(DotGeneralConfig((1,), (0,)), signature, signature)
    prepared = bench.backend.prepare(request)
    assert bench.down(prepared.run(bench.session, x, x))[0, 0] == 30
    monkeypatch.setattr(webgpu_session, "run_contraction", lambda runtime, compiled, lhs, rhs, result: lhs)
    with pytest.raises(VerificationError, match="dot_general on"):
        prepared.run(bench.session, x, x)


def test_a_wrong_write_is_found(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    monkeypatch.setitem(lowerings.LOWERINGS, "copy_into", lambda call: call.operands[1])
    out = bench.up(np.zeros(4, np.float32))
    with pytest.raises(VerificationError, match=r"copy_into .*np.float32\(0.0\) for np.float32\(1.0\)"):
        bench.session.copy_into(bench.up(np.ones(4, np.float32)), out)
