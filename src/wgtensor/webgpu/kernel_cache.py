"""Compiled things, counted and clearable: pipelines, window kernels, geometries, launch plans and their tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract.cache import CacheStats, LruCache
from wgtensor.webgpu.counters import Counters
from wgtensor.webgpu.engine.base import Engine, Pipeline
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.elementwise.generator import generate
from wgtensor.webgpu.kernels.elementwise.geometry import Geometry, plan_geometry
from wgtensor.webgpu.kernels.plan import KernelSource, LaunchPlan, Role
from wgtensor.webgpu.pool import BufferPool
from wgtensor.webgpu.storage import DeviceStorage
from wgtensor.webgpu.window import FusionWindow, kernel_of

__all__ = ["ROLES", "CompiledPlan", "KernelCache", "PlacedGeometry"]

ROLES: Final = (Role.OPERAND, Role.OUTPUT, Role.TABLE, Role.WORKSPACE)
"""The roles of bindings, in the order in which a launch holds their buffers."""
_ENTRIES: Final = 16_384
_BYTES: Final = 256 << 20


class PlacedGeometry:
    """A geometry with its table on the device and its uniform packed."""

    __slots__ = ("geometry", "grid", "params", "table")

    def __init__(self, geometry: Geometry, table: DeviceStorage | None) -> None:
        self.geometry: Final = geometry
        self.table: Final = table
        self.grid: Final = geometry.grid
        self.params: Final = geometry.params()


class CompiledPlan:
    """A launch plan with its pipelines compiled and its tables on the device.

    Attributes
    ----------
    plan
        What was planned.
    tables
        Device storage of the plan's tables.
    launches
        Each step as the recorder runs it: pipeline, bindings as (position of the role in ``ROLES``, index, offset,
        bytes), parameters, grid.
    """

    __slots__ = ("launches", "plan", "tables")

    def __init__(self, plan: LaunchPlan, pipelines: Sequence[Pipeline], tables: tuple[DeviceStorage, ...]) -> None:
        self.plan: Final = plan
        self.tables: Final = tables
        self.launches: Final = tuple(
            (
                pipeline,
                [(ROLES.index(each.role), each.index, each.offset, each.nbytes) for each in step.bindings],
                step.params,
                step.grid,
            )
            for step, pipeline in zip(plan.steps, pipelines, strict=True)
        )


class KernelCache:
    """Compiles each kernel once, uploads each table once, and counts both; callers hold the runtime's lock."""

    def __init__(self, engine: Engine, pool: BufferPool, counters: Counters, facts: AdapterFacts) -> None:
        self._engine: Final = engine
        self._pool: Final = pool
        self._counters: Final = counters
        self._facts: Final = facts
        self._pipelines: LruCache[Pipeline] = LruCache(_ENTRIES, _BYTES, lambda pipeline: 16 << 10)
        self._windows: LruCache[tuple[Pipeline, PlacedGeometry]] = LruCache(_ENTRIES, _BYTES, lambda found: 0)
        self._geometries: LruCache[PlacedGeometry] = LruCache(_ENTRIES, _BYTES, _geometry_bytes)
        self._plans: LruCache[CompiledPlan] = LruCache(_ENTRIES, _BYTES, _plan_bytes)

    def window(self, window: FusionWindow, live: tuple[int, ...]) -> tuple[Pipeline, PlacedGeometry]:
        """Return what runs a window and writes its results ``live``: one lookup, after the first sight of its shape."""
        scalars = tuple([dtype for _, dtype in window.scalars]) if window.scalars else ()
        leaves = len(window.leaves) if window.plain else tuple(window.layouts)
        key = (tuple(window.key), live, leaves, window.shape, scalars)
        found = self._windows.get(key)
        if found is None:
            placed = self._geometry(window)
            found = self._windows.put(key, (self._window_pipeline(window, live, placed.geometry), placed))
        return found

    def _geometry(self, window: FusionWindow) -> PlacedGeometry:
        """Return how a window's leaves are addressed; windows of the same layouts share it and its table."""
        key = (window.layout, tuple(window.layouts))
        placed = self._geometries.get(key)
        if placed is None:
            geometry = plan_geometry(window.shape, window.layouts, self._facts.workgroups)
            table = None if geometry.table is None else self.upload(geometry.table)
            placed = self._geometries.put(key, PlacedGeometry(geometry, table))
        return placed

    def _window_pipeline(self, window: FusionWindow, live: tuple[int, ...], geometry: Geometry) -> Pipeline:
        kernel = kernel_of(window, live, geometry.form, geometry.classes, self._facts.wide_loads)
        source = KernelSource(("elementwise", kernel), partial(generate, kernel), kernel.reads, len(kernel.outputs))
        return self.pipeline(source)

    def pipeline(self, source: KernelSource) -> Pipeline:
        """Return the pipeline of a kernel, compiled on the first sight.

        Raises
        ------
        BackendSourceError
            The kernel does not compile.
        """
        pipeline = self._pipelines.get(source.key)
        if pipeline is None:
            pipeline = self._engine.pipeline(source.render(), source.reads, source.writes)
            self._counters.pipelines_compiled += 1
            self._pipelines.put(source.key, pipeline)
        return pipeline

    def plan(self, key: Hashable, build: Callable[[], LaunchPlan]) -> CompiledPlan:
        """Return the compiled plan of ``key``, planned, compiled and uploaded on the first sight."""
        compiled = self._plans.get(key)
        if compiled is None:
            plan = build()
            plan.check(self._facts)
            pipelines = tuple(self.pipeline(step.kernel) for step in plan.steps)
            compiled = self._plans.put(key, CompiledPlan(plan, pipelines, tuple(self.upload(t) for t in plan.tables)))
        return compiled

    def upload(self, table: NDArray[np.uint32]) -> DeviceStorage:
        """Return a table's device storage."""
        data = np.ascontiguousarray(table, np.uint32)
        storage = self._pool.allocate(data.nbytes, for_host_write=True)
        self._engine.write(storage.handle, 0, data.view(np.uint8).reshape(-1))
        return storage

    def stats(self) -> CacheStats:
        """Return the counts of each cache, buffers included."""
        pool = self._pool.stats()
        kinds = {
            "pipelines": self._pipelines.stats(),
            "windows": self._windows.stats(),
            "geometries": self._geometries.stats(),
            "plans": self._plans.stats(),
            "buffers": CacheStats(pool.entries, pool.bytes, pool.reused, pool.made, pool.trimmed),
        }
        return CacheStats.total(kinds)

    def clear(self) -> None:
        """Drop every entry and give waiting buffers back; what is in use stays alive."""
        for cache in self._caches:
            cache.clear()
        self._pool.trim()

    @property
    def _caches(self) -> tuple[LruCache[Any], ...]:
        return self._pipelines, self._windows, self._geometries, self._plans


def _geometry_bytes(placed: PlacedGeometry) -> int:
    return len(placed.params) + (placed.table.capacity if placed.table is not None else 0)


def _plan_bytes(compiled: CompiledPlan) -> int:
    return sum(len(step.params) for step in compiled.plan.steps) + sum(table.capacity for table in compiled.tables)
