"""The reference backend's runtime: its identity, domain, memory accounts and plan cache."""

from __future__ import annotations

import platform
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract import DotGeneralConfig
from wgtensor.contract.cache import CacheStats, LruCache
from wgtensor.contract.memory import available_memory, given_memory_limit
from wgtensor.contract.session import require_host, require_resident
from wgtensor.cpu.dot import MatmulPlan, matmul_plan
from wgtensor.errors import DeviceLostError, DeviceOutOfMemoryError
from wgtensor.tensor import AllocationDomain, ArrayStorage, Layout, Placement, Shape, Tensor, compact_copy

if TYPE_CHECKING:
    from wgtensor.cpu.session import CpuExecSession

__all__ = ["CpuCounters", "CpuRuntime", "CpuRuntimeIdentity", "PlanCache"]

_PLAN_BYTES: Final = 400


class CpuRuntimeIdentity:
    """An opaque, hashable token; equal only for the very same runtime."""

    __slots__ = ("__weakref__",)

    def __repr__(self) -> str:
        return f"<CpuRuntimeIdentity {id(self):#x}>"


@dataclass(slots=True)
class CpuCounters:
    """What a runtime did and holds; submits and compiled pipelines are always 0 on this backend.

    Attributes
    ----------
    dispatches
        Operations that computed or copied (views do neither).
    bytes_up, bytes_down, host_reads
        Bytes uploaded and downloaded, and the number of downloads.
    live_bytes, peak_bytes, pool_bytes
        Bytes of tensor storage now and at most, and bytes kept for reuse (none).
    """

    submits: int = 0
    dispatches: int = 0
    pipelines_compiled: int = 0
    bytes_up: int = 0
    bytes_down: int = 0
    host_reads: int = 0
    live_bytes: int = 0
    peak_bytes: int = 0
    pool_bytes: int = 0

    def reset_peak(self) -> None:
        """Forget the peak: it becomes what is live now."""
        self.peak_bytes = self.live_bytes


class PlanCache:
    """The contraction plans of a runtime, for all its threads; a ``BackendRuntimeCache``."""

    def __init__(self, capacity: int = 128) -> None:
        self._plans: Final[LruCache[MatmulPlan]] = LruCache(capacity, capacity * _PLAN_BYTES, lambda plan: _PLAN_BYTES)
        self._lock = threading.Lock()

    def plan(self, config: DotGeneralConfig, lhs: Shape, rhs: Shape) -> MatmulPlan:
        """Return the plan of a checked contraction."""
        key = (config, lhs, rhs)
        with self._lock:
            return self._plans.get(key) or self._plans.put(key, matmul_plan(*key))

    def stats(self) -> CacheStats:
        """Return what the cache holds and did."""
        with self._lock:
            return CacheStats.total({"plans": self._plans.stats()})

    def clear(self) -> None:
        """Drop every plan; prepared operations plan again when they run."""
        with self._lock:
            self._plans.clear()


class CpuRuntime:
    """One allocation domain with its accounts. Made by :meth:`new_default`.

    Attributes
    ----------
    identity
        Equal only for the very same runtime.
    domain, placement
        Whose tensors this runtime takes, and where its results are.
    counters
        What it did and holds.
    plans
        The cache behind ``runtime_cache``.
    memory_limit
        Bytes of tensor storage that may be live: ``WGTENSOR_MEMORY_LIMIT``, else what the machine can give.
    """

    device_ordinal: Final = 0
    limits: Final[Mapping[str, int]] = {}
    features: Final[frozenset[str]] = frozenset()

    def __init__(self) -> None:
        self.identity: Final = CpuRuntimeIdentity()
        self.domain: Final = AllocationDomain("cpu")
        self.domain.ambient_session = self._ambient_session
        self.placement: Final = Placement("cpu", 0, self.domain)
        self.counters: Final = CpuCounters()
        self.plans: Final = PlanCache()
        self.memory_limit: int = given_memory_limit() or available_memory()
        self._lock = threading.Lock()
        self._closed = False
        self._ambient: CpuExecSession | None = None

    @staticmethod
    def new_default() -> CpuRuntime:
        """Return a new runtime; no two share a domain."""
        return CpuRuntime()

    @property
    def adapter_info(self) -> dict[str, str]:
        """What computes: NumPy, on which processor."""
        return {
            "device": f"NumPy {np.__version__}",
            "adapter_type": "CPU",
            "backend_type": "numpy",
            "architecture": platform.machine(),
        }

    @property
    def lost(self) -> str | None:
        """Why nothing can run any more, or None."""
        return "closed" if self._closed else None

    def close(self) -> None:
        """End the runtime: every later use of it and of its tensors raises DeviceLostError."""
        self._closed = True

    def require_alive(self, operation: str) -> None:
        """Raise if the runtime is closed."""
        if self._closed:
            raise DeviceLostError(f"{operation} needs a live runtime, got one that was closed; make a new CpuBackend")

    def require_memory(self, operation: str, nbytes: int) -> None:
        """Raise if ``nbytes`` more would exceed the budget."""
        live = self.counters.live_bytes
        if live + nbytes > self.memory_limit:
            raise DeviceOutOfMemoryError(
                f"{operation} needs {nbytes} bytes, got {live} of {self.memory_limit} bytes in use; drop tensors, "
                "or raise WGTENSOR_MEMORY_LIMIT"
            )

    def adopt(self, flat: NDArray[Any]) -> ArrayStorage:
        """Return storage over a flat array that nobody else holds, and account for it until it is dropped."""
        self._account(flat.nbytes)
        weakref.finalize(flat, self._account, -flat.nbytes).atexit = False
        return ArrayStorage(flat, self.placement)

    def _ambient_session(self) -> CpuExecSession:
        from wgtensor.cpu.session import CpuExecSession  # noqa: PLC0415 - the session needs the runtime's type

        if self._ambient is None:
            self._ambient = CpuExecSession.ambient(self)
        return self._ambient

    def _account(self, nbytes: int) -> None:
        with self._lock:
            self.counters.live_bytes += nbytes
            self.counters.peak_bytes = max(self.counters.peak_bytes, self.counters.live_bytes)

    def upload(self, tensor: Tensor) -> Tensor:
        """Copy a host tensor into this domain; axis order, direction and repetition are kept, gaps are dropped."""
        require_host("upload_host_tensor", tensor)
        self.require_alive("upload_host_tensor")
        self.require_memory("upload_host_tensor", tensor.nbytes if tensor.size else 0)
        layout, flat = compact_copy(tensor.to_numpy())
        self.counters.bytes_up += flat.nbytes
        return Tensor(tensor.dtype, layout, self.adopt(flat))

    def download(self, tensor: Tensor) -> Tensor:
        """Copy a tensor of this domain to the host, row-major."""
        require_resident("download_to_host", tensor, self.domain)
        self.require_alive("download_to_host")
        flat = self.array(tensor).copy(order="C").reshape(-1)
        self.counters.bytes_down += flat.nbytes
        self.counters.host_reads += 1
        return Tensor(tensor.dtype, Layout.contiguous(tensor.shape), ArrayStorage(flat))

    def explain(self, tensor: Tensor) -> None:
        """Return None, after checking that ``tensor`` is of this domain: operations run one by one, at the call."""
        require_resident("explain", tensor, self.domain)

    def array(self, tensor: Tensor) -> NDArray[Any]:
        """Return the NumPy view of a tensor of this domain."""
        storage = tensor.storage
        assert isinstance(storage, ArrayStorage)
        return storage.view(tensor.layout)

    def __repr__(self) -> str:
        return f"CpuRuntime({self.adapter_info['device']}, {self.counters.live_bytes} bytes live)"
