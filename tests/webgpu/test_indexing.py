"""What gathers, scatters and writes into views cost in dispatches and kernels, and what happens to their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from webgpu.harness import down, new_backend, up

from wgtensor.contract import GatherConfig, ScatterConfig, SliceConfig
from wgtensor.errors import UnsupportedError
from wgtensor.webgpu import WebGpuBackend

ROWS = GatherConfig([1], [0], [0], 1, [1, 8])


def dispatches(backend: WebGpuBackend, call: Any) -> int:
    """Return how many dispatches a call adds."""
    before = backend.runtime.counters.dispatches
    call()
    return backend.runtime.counters.dispatches - before


def test_dispatches(fresh: WebGpuBackend) -> None:
    x, rows = up(fresh, np.ones((5, 8), np.float32)), up(fresh, np.array([3, 1, 3], np.int32))
    updates, starts = up(fresh, np.ones((3, 8), np.float32)), up(fresh, np.array([1, 1], np.int32))
    integers = up(fresh, np.ones((5, 8), np.int32)), up(fresh, np.ones((3, 8), np.int32))
    modes = {mode: ScatterConfig([1], [0], [0], 1, mode) for mode in ("set", "add", "min", "max")}
    with fresh.session() as s:
        assert dispatches(fresh, lambda: s.gather(x, rows, ROWS)) == 1
        assert dispatches(fresh, lambda: s.dynamic_slice(x, starts, (2, 2))) == 1
        assert (
            dispatches(fresh, lambda: s.dynamic_update_slice(x, s.slice(x, SliceConfig((0, 0), (2, 2))), starts)) == 2
        )
        assert dispatches(fresh, lambda: s.scatter(x, rows, updates, modes["set"])) == 3
        assert dispatches(fresh, lambda: s.scatter(x, rows, updates, modes["max"])) == 3
        assert dispatches(fresh, lambda: s.scatter(x, rows, updates, modes["add"])) == 4
        assert dispatches(fresh, lambda: s.scatter(integers[0], rows, integers[1], modes["add"])) == 3
        assert dispatches(fresh, lambda: s.full((100,), 1, "float32")) == 1
        assert dispatches(fresh, lambda: s.iota(100, "float32")) == 1
        part = s.slice(x, SliceConfig((1, 1), (4, 7)))
        assert (
            dispatches(
                fresh,
                lambda: s.copy_into(
                    s.slice(x, SliceConfig((0, 0), (3, 6))),
                    s.slice(s.full((5, 8), 0, "float32"), SliceConfig((1, 1), (4, 7))),
                ),
            )
            == 2
        )
        assert dispatches(fresh, lambda: s.copy_into(up(fresh, np.ones((5, 8), np.float32)), x)) == 0
        np.testing.assert_array_equal(down(fresh, part), np.ones((3, 6)))


def test_many_shapes_compile_few_kernels_and_none_again() -> None:
    backend, compiled = new_backend(), []
    for _ in range(2):
        rng = np.random.default_rng(11)
        before = backend.runtime.counters.pipelines_compiled
        with backend.session() as s:
            for _ in range(100):
                shape = tuple(int(n) for n in rng.integers(1, 7, rng.integers(1, 6)))
                x = up(backend, np.zeros(shape, np.float32))
                axes = list(range(1, len(shape)))
                count = int(rng.integers(1, 9))
                starts = up(backend, rng.integers(0, 9, count).astype(np.int32))
                config = ScatterConfig(axes, [0], [0], 1, "set")
                rows = s.gather(x, starts, GatherConfig(axes, [0], [0], 1, (1, *shape[1:])))
                s.scatter(x, starts, rows, config)
        compiled.append(backend.runtime.counters.pipelines_compiled - before)
    assert 1 <= compiled[0] <= 16
    assert compiled[1] == 0
    backend.runtime.close()


def test_cells_above_the_binding_limit_are_refused(fresh: WebGpuBackend) -> None:
    limit = fresh.runtime.facts.binding_limit
    with fresh.session() as s:
        x = s.full((limit // 2,), False, "bool")
        starts, updates = up(fresh, np.zeros(1, np.int32)), up(fresh, np.ones(1, bool))
        with pytest.raises(
            UnsupportedError, match=f"scatter, which keeps 4 bytes per element, needs .* at most {limit}"
        ):
            s.scatter(x, starts, updates, ScatterConfig([], [0], [0], 1, "set"))
        assert not down(fresh, s.slice(x, SliceConfig([0], [3]))).any()
