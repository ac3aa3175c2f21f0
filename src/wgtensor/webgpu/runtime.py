"""The runtime: one initialised device and queue, with its memory, recorder and compiled kernels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from wgtensor.contract.arguments import instance_of
from wgtensor.contract.session import require_resident
from wgtensor.errors import AdapterNotFoundError, BackendSourceError, WgTensorError
from wgtensor.tensor import AllocationDomain, Placement, Tensor
from wgtensor.webgpu.adapters import (
    AdapterRow,
    choose_adapter,
    engine_request,
    list_adapters,
    warn_about_cpu_adapter,
)
from wgtensor.webgpu.budget import memory_budget
from wgtensor.webgpu.counters import Counters
from wgtensor.webgpu.engine import Engine, open_engine
from wgtensor.webgpu.facts import AdapterClass, AdapterFacts
from wgtensor.webgpu.history import Explanation
from wgtensor.webgpu.kernel_cache import KernelCache
from wgtensor.webgpu.pool import BufferPool, PoolStats
from wgtensor.webgpu.recorder import Recorder
from wgtensor.webgpu.selfcheck import self_check
from wgtensor.webgpu.storage import device_storage

if TYPE_CHECKING:
    from wgtensor.webgpu.session import WebGpuExecSession

__all__ = ["WebGpuRuntime", "WebGpuRuntimeIdentity", "adapter_facts"]

_CLASSES: Final = {
    "discrete": AdapterClass.DISCRETE,
    "integrated": AdapterClass.INTEGRATED,
    "virtual": AdapterClass.INTEGRATED,
    "cpu": AdapterClass.SOFTWARE,
}


class WebGpuRuntimeIdentity:
    """An opaque token: equal only for the very same runtime instance, hashable, without device facts."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<WebGpuRuntimeIdentity {id(self):#x}>"


class WebGpuRuntime:
    """One initialised device and queue.

    Made by :meth:`new` or :meth:`new_default`; shared by the backends made from it. Each runtime has its own allocation
    domain, also when two of them use one GPU.

    Attributes
    ----------
    identity
        Opaque identity of this instance.
    domain, placement
        The allocation domain and the placement of its tensors.
    adapter_info
        ``device``, ``description``, ``vendor``, ``adapter_type``, ``backend_type`` ...
    limits, features
        What the device offers, by WebGPU's names.
    facts
        The facts that decide which kernels are used.
    device_ordinal
        The adapter's row in ``wgtensor info``.
    memory_limit
        The byte budget, or None where only the driver limits.
    counters
        Submits, dispatches, compiled pipelines, bytes moved and held.
    recorder, kernels, pool
        The runtime's parts, for sessions; not for users.
    """

    def __init__(self, engine: Engine, row: AdapterRow) -> None:
        self._engine: Final = engine
        self.identity: Final = WebGpuRuntimeIdentity()
        self.domain: Final = AllocationDomain(f"WebGpuRuntime on {row.info['device']}")
        self.placement: Final = Placement("webgpu", row.index, self.domain)
        self.adapter_info: Final[Mapping[str, str]] = engine.facts.adapter_info
        self.limits: Final[Mapping[str, int]] = engine.facts.limits
        self.features: Final[frozenset[str]] = engine.facts.features
        self.device_ordinal: Final = row.index
        self.facts: Final = adapter_facts(engine, _CLASSES[row.kind], self_check(engine))
        self.memory_limit: Final = memory_budget(self.facts.adapter_class)
        self._counters: Final = Counters()
        self.pool: Final = BufferPool(
            engine, self._counters, self.memory_limit, self.facts, self.placement, self._flush_for_memory
        )
        self.kernels: Final = KernelCache(engine, self.pool, self._counters, self.facts)
        self.recorder: Final = Recorder(engine, self.pool, self.kernels, self._counters, self.facts)
        self._ambient: WebGpuExecSession | None = None
        self.domain.ambient_session = self._ambient_session

    @staticmethod
    def new(device_ordinal: int) -> WebGpuRuntime:
        """Initialise the ``device_ordinal``-th discrete GPU.

        Raises
        ------
        AdapterNotFoundError
            There is no such GPU.
        BackendSourceError
            Initialisation failed after the adapter was chosen.
        """
        return WebGpuRuntime.from_adapter_row(choose_adapter(device_ordinal))

    @staticmethod
    def new_default() -> WebGpuRuntime:
        """Initialise the best adapter: discrete, integrated, virtual, then CPU (with one notice).

        Raises
        ------
        AdapterNotFoundError
            No adapter can be used; the text says what to install.
        BackendSourceError
            Initialisation failed after the adapter was chosen.
        """
        row = choose_adapter(None)
        warn_about_cpu_adapter(row)
        return WebGpuRuntime.from_adapter_row(row)

    @staticmethod
    def from_adapter_row(
        row: AdapterRow | int, engine: str | None = None, checked: bool | None = None
    ) -> WebGpuRuntime:
        """Initialise an adapter of ``wgtensor info``.

        Parameters
        ----------
        row
            The row, or its number (the ``N`` of ``webgpu:N``).
        engine
            ``"native"`` or ``"portable"``; by default ``WGTENSOR_ENGINE``, else the first that can be loaded.
        checked
            Compile kernels with wgpu's injected bounds and loop checks; by default ``WGTENSOR_CHECKED=1`` decides.

        Raises
        ------
        AdapterNotFoundError
            There is no such row, or its adapter is refused.
        RuntimeStateError
            The adapter fails the self-check.
        BackendSourceError
            Initialisation failed; has a cause.
        """
        if isinstance(row, int):
            rows = list_adapters()
            row = choose_adapter(rows[row] if 0 <= row < len(rows) else _no_such_row(row, rows))
        instance_of(AdapterRow, "from_adapter_row", row)
        if checked is None:
            checked = os.environ.get("WGTENSOR_CHECKED") == "1"
        opened: Engine | None = None
        try:
            opened = open_engine(engine_request(row, checked=checked), engine)
            return WebGpuRuntime(opened, row)
        except Exception as error:
            if opened is not None:
                opened.close()
            if isinstance(error, WgTensorError):
                raise
            raise BackendSourceError(f"initialising {row.summary} failed: {error}") from error

    @property
    def counters(self) -> Counters:
        """What the runtime did and holds now; buffers of dropped tensors count as waiting at once."""
        with self.recorder.lock:
            self.pool.drain()
        return self._counters

    @property
    def engine_name(self) -> str:
        """``"native"`` or ``"portable"``."""
        return self._engine.facts.name

    @property
    def lost(self) -> str | None:
        """Why the device is lost, or None."""
        return self.recorder.lost or self._engine.lost

    @property
    def pool_stats(self) -> PoolStats:
        """What the buffer pool holds and did."""
        with self.recorder.lock:
            return self.pool.stats()

    def trim(self) -> None:
        """Give all waiting buffers back to the driver."""
        with self.recorder.lock:
            self.pool.trim()

    def reset_peak(self) -> None:
        """Start ``counters.peak_bytes`` anew from what is live now; waiting buffers are given back."""
        with self.recorder.lock:
            self.pool.reset_peak()

    def synchronize(self) -> None:
        """Block until all work recorded so far is done.

        Raises
        ------
        BackendSourceError
            A batch was refused, or the wait failed.
        DeviceLostError
            The device is lost.
        """
        with self.recorder.lock:
            self.recorder.check_alive("synchronize")
            self.recorder.synchronize()

    def explain(self, tensor: Tensor) -> Explanation:
        """Return the launches that led to a tensor of this runtime, and the operations that it still waits for.

        Runs nothing and reads nothing. The last 4096 launches are remembered.

        Raises
        ------
        ForeignDomainError, RuntimeStateError
            The tensor is of another runtime, or on the host.
        """
        require_resident("explain", tensor, self.domain)
        storage = device_storage(tensor)
        with self.recorder.lock:
            return Explanation(tuple(self.recorder.behind(storage)), tuple(self.recorder.waiting(storage)))

    def close(self) -> None:
        """Destroy the device; idempotent. Every later use of its tensors raises ``DeviceLostError``."""
        with self.recorder.lock:
            self.recorder.lost = self.recorder.lost or "closed"
            self._engine.close()

    def _ambient_session(self) -> WebGpuExecSession:
        from wgtensor.webgpu.session import WebGpuExecSession  # noqa: PLC0415 - the session needs the runtime's type

        if self._ambient is None:
            self._ambient = WebGpuExecSession.ambient(self)
        return self._ambient

    def _flush_for_memory(self) -> None:
        self._engine.wait(self.recorder.submit())

    def __repr__(self) -> str:
        info = self.adapter_info
        state = f"lost: {self.lost}" if self.lost else f"{self._counters.live_bytes} bytes live"
        return f"WebGpuRuntime(webgpu:{self.device_ordinal}, {info.get('device')}, {self.engine_name}, {state})"


def _no_such_row(number: int, rows: list[AdapterRow]) -> AdapterRow:
    raise AdapterNotFoundError(
        f"webgpu:{number} needs a row of `wgtensor info`, which lists {len(rows)} adapters; run it to see them"
    )


def adapter_facts(engine: Engine, adapter_class: AdapterClass, subgroup_size: int) -> AdapterFacts:
    """Return the facts that planners see, from an engine's limits and features."""
    limits = engine.facts.limits
    return AdapterFacts(
        adapter_class=adapter_class,
        binding_limit=min(limits["max-storage-buffer-binding-size"], (1 << 32) - 256) & ~15,
        buffer_limit=limits["max-buffer-size"] & ~255,
        storage_buffers=limits["max-storage-buffers-per-shader-stage"],
        workgroup_invocations=limits["max-compute-invocations-per-workgroup"],
        workgroup_storage=limits["max-compute-workgroup-storage-size"],
        workgroups=min(limits["max-compute-workgroups-per-dimension"], 65_535),
        subgroup_size=subgroup_size,
        offset_alignment=engine.facts.offset_alignment,
        float16="shader-f16" in engine.facts.features,
        int64="shader-int64" in engine.facts.features,
    )
