"""Do arrays keep their promises? Host time and fusion of the array namespace on this machine's adapter.

Usage: ``python benchmarks/arrays.py [--json OUT]``. Every timed result is checked against float64 first. Host times are
medians of 1000 calls, judged in NumPy additions timed in the same run.
"""

from __future__ import annotations

import os

# NumPy is measured on one thread; BLAS reads this when it is loaded.
os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import operator
import sys
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final

import numpy as np
from measuring import Row, host_rows, least, most, parser_of, report, seconds
from numpy.typing import NDArray

import wgtensor as wt
from wgtensor.array import Array
from wgtensor.contract import DotGeneralConfig

MATRIX_PRODUCT: Final = DotGeneralConfig((1,), (0,))
LONG: Final = 1 << 24


def normal(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Return random numbers."""
    return rng.standard_normal(shape, np.float32)


def host_time_rows() -> Iterator[Row]:
    """What does a small operation on arrays cost the host, alone and in a chain?"""
    rng = np.random.default_rng(0)
    a, b = normal(rng, 1024), normal(rng, 1024)
    x, y = wt.asarray(a), wt.asarray(b)
    settle, recorder = wt.synchronize, wt.default_device().backend.runtime.recorder
    state: list[Array] = [x]

    def alone() -> None:
        kept = x + y
        recorder.close_all()
        del kept

    def chained(step: Callable[[Array], Array]) -> Callable[[], None]:
        def call() -> None:
            state[0] = step(state[0])

        return call

    def numpy() -> None:
        a + b

    yield from host_rows("x + y, alone", alone, numpy, 9, settle)
    for what, step in {
        "x + y": lambda x: x + y,
        "x * 0.5": lambda x: x * 0.5,
        "wt.add(x, y)": lambda x: wt.add(x, y),
    }.items():
        state[0] = x
        yield from host_rows(f"{what}, in a chain", chained(step), numpy, 3, settle)


def session_rows() -> Iterator[Row]:
    """How much longer do a product and a sum of about a millisecond take through arrays than through the session?"""
    rng = np.random.default_rng(1)
    device = wt.default_device()
    session = device.session
    a, b, c = normal(rng, 256, 256), normal(rng, 256, 256), normal(rng, 512, 512)
    x, y, z = (wt.asarray(each) for each in (a, b, c))
    want = a.astype(np.float64) @ b
    bound = 256 * np.finfo(np.float32).eps * (np.abs(a) @ np.abs(b))
    assert np.all(np.abs((x @ y).to_numpy() - want) <= bound), "matmul is wrong"
    assert abs(float(wt.sum(z)) - c.sum(dtype=np.float64)) <= 1e-6 * np.abs(c).sum(), "sum is wrong"
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "matmul 256": (lambda: x @ y, lambda: session.dot_general(x.tensor, y.tensor, MATRIX_PRODUCT)),
        "sum of 512 x 512": (lambda: wt.sum(z), lambda: session.reduce_sum(z.tensor, (0, 1))),
    }
    for what, (ours, theirs) in pairs.items():
        rounds = interleaved(ours, theirs)
        yield Row(f"{what} through the session", median(sessions for _, sessions in rounds) * 1e3, "ms", "", True)
        yield most(f"{what} through arrays", median(arrays / sessions for arrays, sessions in rounds), "x", 1.05)


def interleaved(*calls: Callable[[], Any]) -> list[list[float]]:
    """Return the median time of each call in each of nine rounds, taken in turn and run to the end."""

    def done(call: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            call()
            wt.synchronize()

        return run

    return [[seconds(done(call), 15) for call in calls] for _ in range(9)]


def chain(x: Any, y: Any, minus: Callable[[Any, Any], Any] = operator.sub) -> Any:
    """Run eight elementwise operations, on arrays of either library."""
    return minus((minus((x + y) * 0.5, x) * y + 1.5) * x, y) * 0.25


def fusion_rows() -> Iterator[Row]:
    """How much faster than NumPy is a fused chain of eight operations on 2^24 numbers, and is it one kernel?"""
    rng = np.random.default_rng(2)
    a, b = normal(rng, LONG), normal(rng, LONG)
    x, y = wt.asarray(a), wt.asarray(b)
    want, magnitude = chain(a.astype(np.float64), b), chain(np.abs(a).astype(np.float64), np.abs(b), np.add)
    bound = 16 * np.finfo(np.float32).eps * magnitude
    assert np.all(np.abs(chain(x, y).to_numpy() - want) <= bound), "the chain is wrong"
    counters = wt.default_device().backend.runtime.counters
    wt.synchronize()
    before = counters.dispatches

    def evaluated(program: Callable[[], Array]) -> Callable[[], None]:
        def run() -> None:
            wt.evaluate(program())
            wt.synchronize()

        return run

    evaluated(lambda: chain(x, y))()
    yield most("dispatches of a chain of 8", counters.dispatches - before, "", 1)
    ours = seconds(evaluated(lambda: chain(x, y)), 5)
    one = seconds(evaluated(lambda: x + y), 5)
    theirs = seconds(lambda: chain(a, b), 5)
    yield Row("chain of 8 at 2^24", ours * 1e3, "ms", "", True)
    yield Row("  one addition, which moves as many bytes", one * 1e3, "ms", "", True)
    yield Row("  NumPy, one thread", theirs * 1e3, "ms", "", True)
    yield most("chain of 8, in additions", ours / one, "x", 1.5)
    yield least("chain of 8, times NumPy's speed", theirs / ours, "x", 2)


def all_rows() -> Iterator[Row]:
    """Measure everything."""
    yield from host_time_rows()
    yield from session_rows()
    yield from fusion_rows()


if __name__ == "__main__":
    sys.exit(report(all_rows(), parser_of(__doc__).parse_args().json))
