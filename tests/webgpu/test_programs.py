"""Programs of many operations on arrays: few kernels, right values, and the very bits of one operation at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from webgpu import programs
from webgpu.harness import down, up

from wgtensor.array import Array, Device
from wgtensor.webgpu import WebGpuBackend

SIZE = 4096


@dataclass(frozen=True)
class Case:
    """A program, its inputs (each a range), the most kernels that it may take, and its relative error."""

    program: Callable[..., Any]
    ranges: tuple[tuple[float, float], ...]
    kernels: int
    error: float


UNIT = (0.1, 0.9)
SIGNED = (-2.0, 2.0)
EPS = 2.0**-24

# Errors, of 1 + |value|: a few roundings, and what the program makes of them. Contractions forget them, a rotation adds
# them up, the Lorenz system (which starts near a fixed point) stretches them; prices are differences of larger numbers.
CASES = {
    "gelu": Case(programs.gelu_of_pending, (SIGNED,) * 2, 1, 8 * EPS),
    "ten arrays": Case(programs.multiply_add_chain, (UNIT,) * 10, 1, 8 * EPS),
    "black-scholes": Case(
        programs.black_scholes, ((50.0, 150.0), (50.0, 150.0), (0.2, 1.0), (0.0, 0.1), (0.1, 0.5)), 4, 512 * EPS
    ),
    "adam": Case(programs.adam, (UNIT,) * 8, 122, 16 * EPS),
    "logistic map": Case(programs.logistic_map, (UNIT,), 125, 4 * EPS),
    "mandelbrot": Case(programs.mandelbrot, ((-0.2, 0.2), (-0.2, 0.2)), 88, 0.0),
    "mandelbrot, outside": Case(programs.mandelbrot, ((0.6, 2.0), (-0.2, 0.2)), 88, 0.0),
    "leapfrog": Case(programs.leapfrog, (SIGNED,) * 2, 50, 64 * EPS),
    "lorenz": Case(programs.lorenz, ((8.0, 9.0), (8.0, 9.0), (26.0, 28.0)), 198, 256 * EPS),
    "body": Case(programs.body, (SIGNED,) * 2, 115, 4 * EPS),
    "frames": Case(programs.frames, (UNIT,), 5, 4 * EPS),
    "readers": Case(programs.readers, (SIGNED,), 5, 16 * EPS),
    "named": Case(programs.named, (SIGNED,) * 2, 1, 32 * EPS),
}


def run(backend: WebGpuBackend, case: Case, inputs: NDArray[np.float32]) -> tuple[int, list[NDArray[np.float32]]]:
    """Return the kernels that a program takes, and its results."""
    device = Device("webgpu:0", backend)
    arrays = [Array(up(backend, each), device) for each in inputs]
    backend.synchronize()
    before = backend.runtime.counters.dispatches
    results = as_list(case.program(*arrays))
    backend.synchronize()
    return backend.runtime.counters.dispatches - before, [each.to_numpy() for each in results]


def as_list(results: Any) -> list[Any]:
    return list(results) if isinstance(results, (tuple, list)) else [results]


@pytest.mark.parametrize("name", CASES)
def test_a_program_takes_few_kernels_and_keeps_its_bits(
    name: str, native: WebGpuBackend, single: WebGpuBackend, rng: np.random.Generator
) -> None:
    case = CASES[name]
    inputs = np.array([rng.uniform(low, high, SIZE) for low, high in case.ranges], np.float32)
    count, fused = run(native, case, inputs)
    assert count <= case.kernels
    many, plain = run(single, case, inputs)
    assert many > 4 * count
    with np.errstate(all="ignore"):
        wanted = as_list(case.program(*inputs.astype(np.float64)))
    for got, alone, want in zip(fused, plain, wanted, strict=True):
        np.testing.assert_array_equal(got.view(np.uint32), alone.view(np.uint32))
        assert np.max(np.abs(got - want) / (1 + np.abs(want))) <= case.error


@pytest.mark.parametrize("axis", [-1, 0])
def test_a_softmax_of_arrays_takes_three_kernels(
    axis: int, native: WebGpuBackend, single: WebGpuBackend, rng: np.random.Generator
) -> None:
    def softmax(x: Any) -> Any:
        xp = x.__array_namespace__()
        powers = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
        return powers / xp.sum(powers, axis=axis, keepdims=True)

    inputs = rng.standard_normal((1, 33, 40)).astype(np.float32)
    case = Case(softmax, (), 3, 16 * EPS)
    count, (fused,) = run(native, case, inputs)
    assert count <= 3
    _, (plain,) = run(single, case, inputs)
    np.testing.assert_array_equal(fused.view(np.uint32), plain.view(np.uint32))
    assert np.max(np.abs(fused - softmax(inputs[0].astype(np.float64)))) <= case.error


@pytest.mark.parametrize("size", [SIZE, 1 << 18])
def test_a_long_recurrence_holds_a_few_tensors(size: int, fresh: WebGpuBackend, rng: np.random.Generator) -> None:
    """Windows hold their leaves and one result each of x and v; the pool keeps what waits within the live peak."""
    start = rng.uniform(-1, 1, (2, size)).astype(np.float32)
    steps = 1000 if size == SIZE else 50
    device = Device("webgpu:0", fresh)
    x, v = (Array(up(fresh, each), device) for each in start)
    fresh.runtime.reset_peak()
    x, v = programs.leapfrog(x, v, steps=steps)
    want = programs.leapfrog(start[0], start[1], steps=steps)[0]
    np.testing.assert_array_equal(x.to_numpy()[:3], want[:3])
    assert fresh.runtime.counters.peak_bytes <= 8 * size * 4
    assert v.size == size


def test_sums_of_fresh_products_hold_a_few_tensors(fresh: WebGpuBackend, rng: np.random.Generator) -> None:
    """A reduction that waits lets go of its leaves when the next one comes."""
    size = 1 << 18
    data = rng.integers(-4, 5, (4, size)).astype(np.float32)
    with fresh.session() as s:
        y = up(fresh, data[0])
        total = s.reduce_sum(s.mul(up(fresh, data[1]), y), (0,))
        for step in range(30):
            total = s.add(total, s.reduce_sum(s.mul(up(fresh, data[1 + step % 3]), y), (0,)))
        want = data[0] @ data[1] + 10 * (data[0] @ data[1:].sum(0))
        np.testing.assert_array_equal(down(fresh, total), want)
    assert fresh.runtime.counters.peak_bytes <= 8 * size * 4
