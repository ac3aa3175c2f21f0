"""The owner of a runtime: transfers, sessions, preparation and caches. Operations live on the session."""

from __future__ import annotations

from wgtensor.contract import CacheStats, DotGeneralPrepareRequest, PrepareCapability
from wgtensor.contract.arguments import instance_of
from wgtensor.contract.owners import SessionHost
from wgtensor.errors import RuntimeStateError
from wgtensor.tensor import DType, Tensor, float16
from wgtensor.webgpu import transfers
from wgtensor.webgpu.lowerings import computed_dtypes
from wgtensor.webgpu.preparation import prepare_dot_general
from wgtensor.webgpu.runtime import WebGpuRuntime, WebGpuRuntimeIdentity
from wgtensor.webgpu.session import WebGpuExecSession

__all__ = ["WebGpuBackend", "WebGpuRuntimeCache"]


class WebGpuRuntimeCache:
    """The counted, clearable caches of one runtime: pipelines, plans, tables and waiting buffers."""

    __slots__ = ("_runtime",)

    def __init__(self, runtime: WebGpuRuntime) -> None:
        self._runtime = runtime

    def stats(self) -> CacheStats:
        """Return what the caches hold and did."""
        with self._runtime.recorder.lock:
            return self._runtime.kernels.stats()

    def clear(self) -> None:
        """Drop every entry. Live tensors and prepared operations stay valid; results do not change."""
        with self._runtime.recorder.lock:
            self._runtime.kernels.clear()


class WebGpuBackend(SessionHost[WebGpuExecSession]):
    """A cheap owner of a :class:`WebGpuRuntime`. It has no operations itself; sessions have them.

    Examples
    --------
    >>> import numpy as np
    >>> from wgtensor.tensor import Tensor
    >>> backend = WebGpuBackend.new_default()
    >>> x = backend.upload_host_tensor(Tensor.from_numpy(np.arange(3, dtype=np.float32)))
    >>> with backend.session() as session:
    ...     y = session.mul(x, 2.0)
    >>> backend.download_to_host(y).to_numpy()
    array([0., 2., 4.], dtype=float32)
    """

    __slots__ = ("_runtime",)

    def __init__(self, runtime: WebGpuRuntime) -> None:
        self._runtime = runtime

    @staticmethod
    def new(device_ordinal: int) -> WebGpuBackend:
        """Return a backend on a new runtime of the ``device_ordinal``-th discrete GPU.

        Raises
        ------
        AdapterNotFoundError
            There is no such GPU.
        BackendSourceError
            Initialisation failed.
        """
        return WebGpuBackend(WebGpuRuntime.new(device_ordinal))

    @staticmethod
    def new_default() -> WebGpuBackend:
        """Return a backend on a new runtime of the best adapter.

        Raises
        ------
        AdapterNotFoundError
            No adapter can be used; the text says what to install.
        BackendSourceError
            Initialisation failed.
        """
        return WebGpuBackend(WebGpuRuntime.new_default())

    @staticmethod
    def from_runtime(runtime: WebGpuRuntime) -> WebGpuBackend:
        """Return a backend that shares an initialised runtime."""
        instance_of(WebGpuRuntime, "from_runtime", runtime)
        return WebGpuBackend(runtime)

    @property
    def runtime(self) -> WebGpuRuntime:
        """This backend's runtime."""
        return self._runtime

    @property
    def runtime_identity(self) -> WebGpuRuntimeIdentity:
        """Opaque identity: clones share it, separate initialisations never do, even on one device."""
        return self._runtime.identity

    @property
    def runtime_cache(self) -> WebGpuRuntimeCache:
        """The counted, clearable caches."""
        return WebGpuRuntimeCache(self._runtime)

    def clone(self) -> WebGpuBackend:
        """Return another owner of the same runtime."""
        return WebGpuBackend(self._runtime)

    __copy__ = clone

    def __deepcopy__(self, memo: object) -> WebGpuBackend:
        return self.clone()

    def __reduce__(self) -> str:
        raise RuntimeStateError("a WebGpuBackend owns a device and cannot be pickled; make one in each process")

    def computed_dtypes(self) -> tuple[DType, ...]:
        """Return the dtypes that it computes in: those that casts convert; float16 where the adapter has it."""
        has_float16 = self._runtime.facts.float16
        return tuple(dtype for dtype in computed_dtypes("cast") if has_float16 or dtype is not float16)

    def synchronize(self) -> None:
        """Block until all work recorded so far is done.

        Raises
        ------
        BackendSourceError
            A flush or the wait failed; the text names the operations of the batch.
        DeviceLostError
            The device is lost.
        """
        self._runtime.synchronize()

    def session(self) -> WebGpuExecSession:
        """Open an execution session for a ``with`` block.

        Raises
        ------
        SessionEntryError
            On entry, if this thread is inside a session already (on any backend).
        """
        return WebGpuExecSession(self._runtime)

    def upload_host_tensor(self, tensor: Tensor) -> Tensor:
        """Copy a host tensor (any view) to the device; see :func:`wgtensor.webgpu.transfers.upload_host_tensor`."""
        return transfers.upload_host_tensor(self._runtime, tensor)

    def download_to_host(self, tensor: Tensor) -> Tensor:
        """Copy a tensor of this runtime to the host; see :func:`wgtensor.webgpu.transfers.download_to_host`."""
        return transfers.download_to_host(self._runtime, tensor)

    def prepare(self, request: DotGeneralPrepareRequest) -> PrepareCapability:
        """Plan and compile one ``dot_general``, so that its first run compiles nothing.

        Raises
        ------
        PrepareError
            The request is no request, or its config does not fit its signatures.
        """
        return prepare_dot_general(self._runtime, request)

    def __repr__(self) -> str:
        return f"WebGpuBackend({self._runtime!r})"
