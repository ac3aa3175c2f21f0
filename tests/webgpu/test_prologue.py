"""Reductions that take a fusion window as their prologue: counts, what is written, and that no bit changes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from webgpu.harness import computed_or_refused, down, new_backend, up

from wgtensor.contract import CompareDirection, DotGeneralAccumulation, DotGeneralConfig, SliceConfig
from wgtensor.errors import BackendSourceError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession
from wgtensor.webgpu.recorder import WindowLimits

Session = WebGpuExecSession
EPS = 2.0**-24


def run(
    backend: WebGpuBackend, program: Callable[..., Any], *arrays: NDArray[Any]
) -> tuple[int, list[NDArray[Any]], int]:
    """Return the kernels that a program takes, its results, and the bytes that it leaves allocated."""
    tensors = [up(backend, each) for each in arrays]
    backend.synchronize()
    counters = backend.runtime.counters
    dispatches, live = counters.dispatches, counters.live_bytes
    with backend.session() as s:
        results = program(s, *tensors)
    backend.synchronize()
    counters = backend.runtime.counters
    kernels, nbytes = counters.dispatches - dispatches, counters.live_bytes - live
    held = list(results) if isinstance(results, (tuple, list)) else [results]
    return kernels, [down(backend, each) for each in held], nbytes


def assert_same_bits(fused: list[NDArray[Any]], alone: list[NDArray[Any]]) -> None:
    for got, want in zip(fused, alone, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        # Which operand's NaN survives is the compiler's choice, since it may swap the operands of a sum.
        number = ~np.isnan(want)
        np.testing.assert_array_equal(np.isnan(got), ~number)
        assert got[number].tobytes() == want[number].tobytes()


def softmax(s: Session, x: Tensor, axis: int) -> Tensor:
    others = [each for each in range(x.ndim) if each != axis]
    highest = s.reduce_max(x, (axis,))
    raised = s.exp(s.sub(x, s.broadcast_in_dim(highest, x.shape, others)))
    total = s.reduce_sum(raised, (axis,))
    return s.div(raised, s.broadcast_in_dim(total, x.shape, others))


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((64, 128), 1), ((64, 128), 0), ((33, 7), 1), ((33, 7), 0), ((32, 1000), 1), ((5, 6, 7), 1), ((3, 4, 2, 5, 3), 2)],
)
@pytest.mark.parametrize("pending", [False, True])
def test_a_softmax_takes_three_kernels(
    shape: tuple[int, ...], axis: int, pending: bool, native: WebGpuBackend, single: WebGpuBackend,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    x = rng.standard_normal(shape, np.float32) * 4

    def program(s: Session, x: Tensor) -> Tensor:
        return softmax(s, s.mul(x, 0.5) if pending else x, axis)

    count, fused, _ = run(native, program, x)
    many, alone, _ = run(single, program, x)
    assert count == 3
    assert many == 5 + pending
    assert_same_bits(fused, alone)
    raised = np.exp(x.astype(np.float64) * (0.5 if pending else 1.0))
    want = raised / raised.sum(axis, keepdims=True)
    # The rounding of x - max, below 16 here, moves exp by 16 eps; exp, the sum and the quotient add a few.
    assert np.all(np.abs(fused[0] - want) <= 64 * EPS * want)


def test_a_sum_of_products_reads_each_factor_once_and_writes_no_product(
    native: WebGpuBackend, single: WebGpuBackend, rng: np.random.Generator
) -> None:
    x, y = rng.standard_normal((2, 60, 50), np.float32)
    count, fused, nbytes = run(native, lambda s, x, y: s.reduce_sum(s.mul(x, y), (0, 1)), x, y)
    assert count == 1
    assert nbytes < x.nbytes
    assert_same_bits(fused, run(single, lambda s, x, y: s.reduce_sum(s.mul(x, y), (0, 1)), x, y)[1])
    products = x.astype(np.float64) * y
    assert abs(fused[0] - products.sum()) <= 320 * EPS * np.abs(products).sum()


# Windows by the form of their kernel: what each does with an operand x, a part y of its last axis, and a permuted z.
WINDOWS: dict[str, Callable[[Session, Tensor, Tensor, Tensor], Tensor]] = {
    "flat": lambda s, x, y, z: s.add(s.mul(x, 2.5), x),
    "rows": lambda s, x, y, z: s.sub(s.mul(x, s.broadcast_in_dim(y, x.shape, (x.ndim - 1,))), 0.25),
    "permuted": lambda s, x, y, z: s.mul(x, s.transpose(z, tuple(reversed(range(x.ndim))))),
}
SHAPES = [(40, 12), (9, 13), (6, 5, 8), (4, 3, 2, 2, 3, 2, 2, 4)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("held", [False, True])
def test_a_prologue_changes_no_bit_of_any_reduction(
    shape: tuple[int, ...], window: str, held: bool, native: WebGpuBackend, single: WebGpuBackend,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    x = rng.standard_normal(shape, np.float32)
    y, z = x.reshape(-1)[: shape[-1]] + 1, rng.standard_normal(shape[::-1], np.float32)
    reductions = ("sum",) if held else ("max", "argmin")
    for reduction, axes in itertools.product(reductions, ((0,), (1,), (len(shape) - 1,), tuple(range(len(shape))))):

        def program(
            s: Session, x: Tensor, y: Tensor, z: Tensor, reduction: str = reduction, axes: tuple[int, ...] = axes
        ) -> list[Tensor]:
            value = WINDOWS[window](s, x, y, z)
            result = (
                s.argmin(value, axes[0]) if reduction == "argmin" else getattr(s, f"reduce_{reduction}")(value, axes)
            )
            return [result, value] if held else [result]

        count, fused, _ = run(native, program, x, y, z)
        assert count == 1
        assert_same_bits(fused, run(single, program, x, y, z)[1])


def test_special_values_pass_through_a_prologue(native: WebGpuBackend, single: WebGpuBackend) -> None:
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e38], np.float32)
    x, y = np.array(list(itertools.product(special, special)), np.float32).T.reshape(2, 8, 8)
    for name in ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod"):

        def program(s: Session, x: Tensor, y: Tensor, name: str = name) -> Tensor:
            result: Tensor = getattr(s, name)(s.mul(x, y), (1,))
            return result

        count, fused, _ = run(native, program, x, y)
        assert count == 1
        assert_same_bits(fused, run(single, program, x, y)[1])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(native, program, x, y)[1][0], np.prod(x * y, 1))


DTYPES: dict[str, tuple[type, int, Callable[[Session, Tensor, Tensor], Any]]] = {
    "bool": (np.float32, 2, lambda s, x, y: s.reduce_any(s.compare(x, y, CompareDirection.LT), (0,))),
    "bool, held": (np.float32, 2, lambda s, x, y: [c := s.compare(x, y, CompareDirection.LT), s.reduce_all(c, (1,))]),
    "int32": (np.int32, 1, lambda s, x, y: s.reduce_sum(s.mul(x, y), (1,))),
    "uint32": (np.uint32, 1, lambda s, x, y: s.reduce_prod(s.add(x, y), (0,))),
    "float16": (np.float16, 2, lambda s, x, y: [p := s.mul(x, y), s.reduce_max(p, (1,))]),
    "cast": (np.float16, 1, lambda s, x, y: s.reduce_sum(s.cast(s.mul(x, y), "float32"), (0,))),
    "complex leaves": (np.complex64, 1, lambda s, x, y: [p := s.mul(x, y), s.reduce_sum(s.abs(p), (1,))]),
    "complex": (np.complex64, 2, lambda s, x, y: s.reduce_sum(s.mul(x, y), (1,))),
    "loops": (np.int32, 2, lambda s, x, y: s.reduce_sum(s.pow(x, 3), (1,))),
}


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_is_reduced_with_the_same_bits(
    name: str, native: WebGpuBackend, single: WebGpuBackend, rng: np.random.Generator
) -> None:
    """Two kernels where results share words, chunks are not of four elements, or an operation loops."""
    dtype, kernels, program = DTYPES[name]
    x, y = (rng.standard_normal((2, 16, 24)) * 8).astype(np.float32).astype(dtype)
    with computed_or_refused(native, dtype):
        count, fused, _ = run(native, program, x, y)
        assert count == kernels
        assert_same_bits(fused, run(single, program, x, y)[1])


def test_packed_results_that_single_elements_would_share_are_written_first(
    native: WebGpuBackend, single: WebGpuBackend, rng: np.random.Generator
) -> None:
    x = rng.standard_normal((9, 7), np.float32)

    def program(s: Session, x: Tensor) -> list[Tensor]:
        positive = s.compare(x, 0.0, CompareDirection.GT)
        return [positive, s.reduce_sum(s.select(positive, x, 0.0), (1,))]

    count, (positive, total), _ = run(native, program, x)
    assert count == 2
    np.testing.assert_array_equal(positive, x > 0)
    assert_same_bits([positive, total], run(single, program, x)[1])


VIEWS: dict[str, tuple[int, Callable[[Session, Tensor], Tensor]]] = {
    "reshape": (1, lambda s, p: s.reduce_sum(s.reshape(p, (3, 80)), (1,))),
    "transpose": (1, lambda s, p: s.reduce_sum(s.transpose(p, (2, 0, 1)), (1,))),
    "reverse": (1, lambda s, p: s.argmax(s.reverse(p, (0, 2)), 2)),
    "slice": (2, lambda s, p: s.reduce_sum(s.slice(p, SliceConfig((0, 0, 0), (4, 5, 12), (1, 1, 2))), (1,))),
    "broadcast": (2, lambda s, p: s.reduce_sum(s.broadcast_in_dim(p, (2, 4, 5, 12), (1, 2, 3)), (2,))),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("held", [False, True])
def test_views_of_every_element_are_computed_and_others_read(
    view: str, held: bool, native: WebGpuBackend, single: WebGpuBackend, rng: np.random.Generator
) -> None:
    x = rng.standard_normal((4, 5, 12), np.float32)
    kernels, reduce = VIEWS[view]

    def program(s: Session, x: Tensor) -> list[Tensor]:
        product = s.mul(x, x)
        return [reduce(s, product), product] if held else [reduce(s, product)]

    count, fused, _ = run(native, program, x)
    assert count == kernels
    assert_same_bits(fused, run(single, program, x)[1])


def test_long_rows_are_shared_out_as_without_a_prologue(
    native: WebGpuBackend, single: WebGpuBackend, rng: np.random.Generator
) -> None:
    x, y = rng.standard_normal((2, 3, 20_002), np.float32)
    for axes in ((1,), (0, 1)):

        def program(s: Session, x: Tensor, y: Tensor, axes: tuple[int, ...] = axes) -> list[Tensor]:
            product = s.mul(x, y)
            return [product, s.reduce_sum(product, axes)]

        count, fused, _ = run(native, program, x, y)
        many, alone, _ = run(single, program, x, y)
        assert count == many - 1  # one or two passes of the reduction, as the adapter wants it
        assert_same_bits(fused, alone)


def test_a_second_reduction_of_a_value_reads_what_the_first_wrote(
    native: WebGpuBackend, rng: np.random.Generator
) -> None:
    x = rng.standard_normal((8, 12), np.float32)

    def program(s: Session, x: Tensor) -> list[Tensor]:
        square = s.mul(x, x)
        return [s.reduce_max(square, (1,)), s.reduce_min(square, (1,))]

    count, (high, low), _ = run(native, program, x)
    assert count == 2
    np.testing.assert_array_equal(high, (x * x).max(1))
    np.testing.assert_array_equal(low, (x * x).min(1))


def test_what_nobody_holds_does_not_run(native: WebGpuBackend) -> None:
    x = np.ones((4, 8), np.float32)

    def dead_reduction(s: Session, x: Tensor) -> Tensor:
        value = s.add(x, 1.0)
        s.reduce_sum(value, (1,))
        return value

    count, (value,), _ = run(native, dead_reduction, x)
    assert count == 1
    np.testing.assert_array_equal(value, x + 1)
    assert run(native, lambda s, x: (s.reduce_sum(s.exp(x), (1,)), [])[1], x)[0] == 0


def test_a_reduction_waits_for_no_write_into_its_leaves(native: WebGpuBackend, rng: np.random.Generator) -> None:
    a, b, c = rng.integers(-3, 4, (3, 4, 4)).astype(np.float32)
    with native.session() as s:
        x, y, out = (up(native, each) for each in (a, b, c))
        total = s.reduce_sum(s.mul(out, 2.0), (0, 1))
        s.dot_general_into_accum(x, y, DotGeneralConfig((1,), (0,)), DotGeneralAccumulation(), out)
        assert down(native, total) == 2 * c.sum()
        np.testing.assert_array_equal(down(native, out), a @ b)


def test_scalars_of_a_prologue_are_data(native: WebGpuBackend, rng: np.random.Generator) -> None:
    x = rng.integers(-9, 9, (6, 8)).astype(np.float32)
    tensor = up(native, x)
    with native.session() as s:
        compiled = []
        for factor, term in ((2.0, 3.0), (-4.0, 0.5), (8.0, float("inf"))):
            got = down(native, s.reduce_sum(s.add(s.mul(tensor, factor), term), (1,)))
            np.testing.assert_array_equal(got, (x * np.float32(factor) + np.float32(term)).sum(1))
            compiled.append(native.runtime.counters.pipelines_compiled)
        assert len(set(compiled)) == 1


def test_more_results_than_buffers_run_before_the_reduction(rng: np.random.Generator) -> None:
    backend = new_backend()
    backend.runtime.recorder.limits = WindowLimits(weight=24, leaves=4, scalars=24, buffers=8)
    x = rng.integers(-2, 3, (4, 8)).astype(np.float32)
    tensor = up(backend, x)
    with backend.session() as s:
        held = [s.add(tensor, float(step)) for step in range(12)]
        total = s.reduce_sum(held[-1], (1,))
        for step, each in enumerate(held):
            np.testing.assert_array_equal(down(backend, each), x + step)
        np.testing.assert_array_equal(down(backend, total), (x + 11).sum(1))
    backend.runtime.close()


def test_a_refused_batch_poisons_the_reduction_and_what_it_writes(
    fresh: WebGpuBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = up(fresh, np.ones((4, 8), np.float32))
    with fresh.session() as s:
        square = s.mul(x, x)
        total = s.reduce_sum(square, (1,))
        with monkeypatch.context() as patch:
            patch.setattr(fresh.runtime._engine, "errors", lambda: ["refused"])
            with pytest.raises(BackendSourceError, match="dropped; it held mul reduce_sum"):
                fresh.synchronize()
        for tensor in (square, total):
            with pytest.raises(BackendSourceError, match="never computed"):
                s.download_to_host(tensor)
        np.testing.assert_array_equal(down(fresh, s.reduce_sum(s.mul(x, x), (1,))), [8] * 4)
