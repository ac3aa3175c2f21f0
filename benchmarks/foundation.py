"""Does the foundation keep its promises? Speed and memory of the contract on this machine's adapter.

Usage: ``python benchmarks/foundation.py [NETWORK.json ...] [--json OUT]``. Prints one table; each row has a figure, its
bound, and whether it is kept. Every timed kernel is checked against float64 first; the adapter stands above the table.
Host times are medians of 1000 calls; a NumPy call stands beside them, since machines differ. Without network files the
project's own examples are contracted.
"""

from __future__ import annotations

import os

# NumPy is measured on one thread; BLAS reads this when it is loaded.
os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import opt_einsum
from measuring import Row, host_rows, least, most, parser_of, report, seconds
from numpy.typing import NDArray

from wgtensor.contract import DotGeneralConfig
from wgtensor.einsum import einsum, plan_einsum
from wgtensor.networks import NetworkInstance, fill_network, path_flops, read_instance
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession, WebGpuRuntime
from wgtensor.webgpu.adapters import choose_adapter

EXAMPLES = Path(__file__).parents[1] / "examples" / "networks"
MEBIBYTE = 1 << 20
MATMUL = DotGeneralConfig((1,), (0,))


def new_backend(engine: str = "native") -> WebGpuBackend:
    """Return a backend of its own on the default adapter."""
    return WebGpuBackend.from_runtime(WebGpuRuntime.from_adapter_row(choose_adapter(None), engine))


def up(backend: WebGpuBackend, array: NDArray[Any]) -> Tensor:
    """Upload an array."""
    return backend.upload_host_tensor(Tensor.from_numpy(array))


def down(backend: WebGpuBackend, tensor: Tensor) -> NDArray[Any]:
    """Download a tensor."""
    return backend.download_to_host(tensor).to_numpy()


def matmul_rows(backend: WebGpuBackend) -> Iterator[Row]:
    """Is a float32 product of 1024 x 1024 at least 30 times ferrotensor's?"""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 1024, 1024), np.float32)
    lhs, rhs = up(backend, a), up(backend, b)
    with backend.session() as s:
        want = a.astype(np.float64) @ b
        bound = 1024 * np.finfo(np.float32).eps * (np.abs(a).astype(np.float64) @ np.abs(b))
        assert np.all(np.abs(down(backend, s.dot_general(lhs, rhs, MATMUL)) - want) <= bound), "matmul is wrong"

        def product() -> None:
            s.dot_general(lhs, rhs, MATMUL)
            backend.synchronize()

        ours = seconds(product, 9)
    yield Row("matmul 1024 float32", 2 * 1024**3 / ours / 1e9, "GFLOP/s", "", True)
    yield Row("  NumPy, one thread", 2 * 1024**3 / seconds(lambda: a @ b, 5) / 1e9, "GFLOP/s", "", True)
    theirs = ferrotensor_seconds()
    if theirs is None:
        yield Row("  times ferrotensor's speed (not installed)", 0, "x", ">= 30", False)
    else:
        yield least("  times ferrotensor's speed", theirs / ours, "x", 30)


_FERROTENSOR = """
import time, ferrotensor
device = ferrotensor.Device.gpu()
a, b = (ferrotensor.randn(1024, 1024, device=device) for _ in range(2))
(a + b).sum().item()
start = time.perf_counter()
a.matmul(b).sum().item()
print(time.perf_counter() - start, flush=True)
"""


def ferrotensor_seconds() -> float | None:
    """Return the time of a product of the same size in ferrotensor on the GPU, or None where it does not run.

    In a process of its own, and once: on lavapipe a second product ends the process.
    """
    done = subprocess.run(
        [sys.executable, "-c", _FERROTENSOR], capture_output=True, text=True, timeout=120, check=False
    )
    return float(done.stdout) if done.stdout else None


def overhead_rows(engine: str, alone: float, chained: float | None) -> Iterator[Row]:
    """What does a small operation cost the host, from call to return?

    In microseconds, and in NumPy's own additions of as many elements, timed beside it: the bounds were set on a machine
    where one takes 0.35 us.
    """
    backend = new_backend(engine)
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 1024), np.float32)
    x, y = up(backend, a), up(backend, b)
    recorder = backend.runtime.recorder
    with backend.session() as s:

        def single() -> None:
            kept = s.add(x, y)
            recorder.close_all()
            del kept

        def numpy() -> None:
            a + b

        yield from host_rows(f"one operation alone, {engine}", single, numpy, alone, backend.synchronize)
        if chained is not None:
            step = _chained(s, x, y)
            yield from host_rows(f"one operation of a chain, {engine}", step, numpy, chained, backend.synchronize)
    backend.runtime.close()


def _chained(session: WebGpuExecSession, x: Tensor, y: Tensor) -> Callable[[], None]:
    state = [x]

    def step() -> None:
        state[0] = session.add(state[0], y)

    return step


def submit_rows(backend: WebGpuBackend) -> Iterator[Row]:
    """How many submits does a chain of 100 small operations need?"""
    x = up(backend, np.ones(64, np.float32))
    backend.synchronize()
    before = backend.runtime.counters.submits
    with backend.session() as s:
        z = x
        for _ in range(100):
            z = s.mul(s.add(z, x), 0.5) if _ % 2 else s.add(z, x)
    yield most("submits of 100 small operations", backend.runtime.counters.submits - before, "", 4)


def random_layouts(rng: np.random.Generator, backend: WebGpuBackend, s: WebGpuExecSession) -> tuple[Tensor, Tensor]:
    """Return two tensors of one random shape, the second permuted, reversed, broadcast or plain."""
    shape = tuple(int(n) for n in rng.integers(1, 9, rng.integers(1, 6)))
    x = up(backend, rng.standard_normal(shape, np.float32))
    order = tuple(int(axis) for axis in rng.permutation(len(shape)))
    source = up(backend, rng.standard_normal([shape[axis] for axis in np.argsort(order)], np.float32))
    views: list[Callable[[], Tensor]] = [
        lambda: s.reshape(source, shape),
        lambda: s.transpose(source, tuple(int(axis) for axis in np.argsort(np.argsort(order)))),
        lambda: s.reverse(x, (0,)),
        lambda: s.broadcast_in_dim(
            up(backend, np.float32(2) * np.ones(shape[-1:], np.float32)), shape, (len(shape) - 1,)
        ),
    ]
    view = views[rng.integers(len(views))]()
    return x, view if view.shape == shape else x


def compile_rows() -> Iterator[Row]:
    """How many kernels do 200 random shapes of one operation compile, and how many the second time?"""
    programs: dict[str, tuple[float, Callable[..., Any]]] = {
        "add": (8, lambda s, x, y: s.add(x, y)),
        "reduce_sum": (8, lambda s, x, y: s.reduce_sum(y, (x.ndim // 2,))),
        "dot_general": (24, lambda s, x, y: s.dot_general(x, y, DotGeneralConfig((x.ndim - 1,), (x.ndim - 1,)))),
    }
    for name, (limit, program) in programs.items():
        backend = new_backend()
        for again in (False, True):
            rng, count = np.random.default_rng(7), 0
            with backend.session() as s:
                for _ in range(200):
                    x, y = random_layouts(rng, backend, s)  # may compile copies of its own
                    before = backend.runtime.counters.pipelines_compiled
                    result = program(s, x, y)
                    backend.runtime.recorder.close_all()
                    count += backend.runtime.counters.pipelines_compiled - before
                    del result
            text = "again" if again else "200 random shapes"
            yield most(f"kernels of {name}, {text}", count, "", 0 if again else limit)
        backend.runtime.close()


def pool_rows() -> Iterator[Row]:
    """How many 100 MB tensors does a loop hold that makes and drops 200 of them?"""
    backend = new_backend()
    size = 25_000_000
    x = up(backend, np.zeros(1, np.float32))
    with backend.session() as s:
        for _ in range(200):
            big = s.broadcast_in_dim(x, (size,), (0,))
            made = s.add(big, 1.0)
            backend.runtime.recorder.close_all()
            del made
        backend.synchronize()
    yield most("100 MB tensors held by a loop over 200", backend.runtime.counters.peak_bytes / (4 * size), "", 3)
    backend.runtime.close()


def network_rows(backend: WebGpuBackend, instance: NetworkInstance) -> Iterator[Row]:
    """Is a network contracted right, within its plan's memory, and faster than one-thread NumPy?"""
    path = instance.paths["opt_flops"]
    kind = "complex64" if instance.dtype.startswith("complex") else "float32"
    filled = fill_network(instance, path, 0)
    arrays = [operand.astype(kind) for operand in filled.operands]
    flops = path_flops(instance.inputs, instance.output, path, instance.sizes, is_complex=kind == "complex64")
    labels = {label: number for number, label in enumerate(instance.sizes)}
    sublists = [[labels[label] for label in term] for term in (*instance.inputs, instance.output)]
    backend.runtime.reset_peak()
    operands = [up(backend, array) for array in arrays]
    with backend.session() as s:

        def contract() -> Tensor:
            pairs = [part for pair in zip(operands, sublists, strict=False) for part in pair]
            return einsum(*pairs, sublists[-1], optimize=path)

        got = down(backend, contract())
        error = np.max(np.abs(got - filled.reference)) / np.max(np.abs(filled.reference))
        assert error <= 2e-4, f"{instance.name} is wrong by {error}"

        def timed() -> None:
            contract()
            backend.synchronize()

        ours = seconds(timed, 5)
    plan = plan_einsum(
        [tuple(each) for each in sublists[:-1]],
        tuple(sublists[-1]),
        shapes=[array.shape for array in arrays],
        path=path,
        itemsize=arrays[0].itemsize,
        binding_limit=s.binding_limit,
    )
    equation = ",".join(instance.inputs) + "->" + instance.output
    theirs = seconds(lambda: opt_einsum.contract(equation, *arrays, optimize=list(path)), 3)
    yield Row(f"{instance.name}: error", float(error), "", "<= 2e-4", True)
    yield Row("  speed", flops / ours / 1e9, "GFLOP/s", "", True)
    yield Row("  times one-thread NumPy's speed", theirs / ours, "x", "", True)
    ratio = backend.runtime.counters.peak_bytes / plan.peak_bytes
    if plan.peak_bytes >= MEBIBYTE:
        yield most("  peak device bytes over the plan's", ratio, "x", 1.3)
    else:  # buffers of at least 256 bytes and offset tables outweigh so few values
        yield Row("  peak device bytes over the plan's", ratio, "x", "", True)


def all_rows(files: list[Path]) -> Iterator[Row]:
    """Measure everything."""
    backend = new_backend()
    yield from submit_rows(backend)
    yield from compile_rows()
    yield from pool_rows()
    yield from overhead_rows("native", 9, 3)
    yield from overhead_rows("portable", 40, None)
    yield from matmul_rows(backend)
    for file in files:
        yield from network_rows(backend, read_instance(file))


def main() -> int:
    """Print the table, and return 1 if a bound is broken."""
    parser = parser_of(__doc__)
    parser.add_argument("networks", nargs="*", type=Path, default=sorted(EXAMPLES.glob("*.json")))
    arguments = parser.parse_args()
    return report(all_rows(arguments.networks), arguments.json)


if __name__ == "__main__":
    sys.exit(main())
