"""The reference backend's owner: transfers, sessions, preparation and caches, and no operations."""

from __future__ import annotations

from collections.abc import Callable

from wgtensor.contract import (
    BackendSession,
    DotGeneralPrepareRequest,
    NeedsSpecialization,
    PrepareCapability,
    Prepared,
    Unsupported,
)
from wgtensor.contract.owners import SessionHost
from wgtensor.cpu.runtime import CpuRuntime, CpuRuntimeIdentity, PlanCache
from wgtensor.cpu.session import CpuExecSession
from wgtensor.errors import DTypeError, PrepareError
from wgtensor.rules import OPERATIONS
from wgtensor.tensor import ALL_DTYPES, DType, Tensor

__all__ = ["CpuBackend"]


class CpuBackend(SessionHost[CpuExecSession]):
    """The contract on NumPy: the oracle of the other backends, and the default where no adapter is.

    Its clones share one runtime; every ``CpuBackend()`` has its own, with its own allocation domain.

    Examples
    --------
    >>> import numpy as np
    >>> backend = CpuBackend()
    >>> x = backend.upload_host_tensor(Tensor.from_numpy(np.float32([1, 2, 3])))
    >>> with backend.session() as session:
    ...     y = session.add(x, 1.0)
    >>> backend.download_to_host(y).to_numpy().tolist()
    [2.0, 3.0, 4.0]
    """

    def __init__(self, runtime: CpuRuntime | None = None) -> None:
        self._runtime = CpuRuntime.new_default() if runtime is None else runtime

    @staticmethod
    def new_default() -> CpuBackend:
        """Return an owner of a new runtime."""
        return CpuBackend()

    @staticmethod
    def from_runtime(runtime: CpuRuntime) -> CpuBackend:
        """Return an owner of ``runtime``."""
        return CpuBackend(runtime)

    def clone(self) -> CpuBackend:
        """Return another owner of the same runtime."""
        return CpuBackend(self._runtime)

    __copy__ = clone

    @property
    def runtime(self) -> CpuRuntime:
        """The runtime that this owner and its clones share."""
        return self._runtime

    @property
    def runtime_identity(self) -> CpuRuntimeIdentity:
        """Equal for clones; different for any other backend."""
        return self._runtime.identity

    @property
    def runtime_cache(self) -> PlanCache:
        """The counted, clearable cache of contraction plans."""
        return self._runtime.plans

    def computed_dtypes(self) -> tuple[DType, ...]:
        """Return all dtypes."""
        return ALL_DTYPES

    def synchronize(self) -> None:
        """Return at once, since operations run at the call.

        Raises
        ------
        DeviceLostError
            The runtime is closed.
        """
        self._runtime.require_alive("synchronize")

    def session(self) -> CpuExecSession:
        """Return a session for a ``with`` block; it is entered once."""
        return CpuExecSession(self._runtime)

    def upload_host_tensor(self, tensor: Tensor) -> Tensor:
        """Copy a host tensor (any view) to this domain."""
        return self._runtime.upload(tensor)

    def download_to_host(self, tensor: Tensor) -> Tensor:
        """Copy a tensor of this domain (any view) to the host, row-major."""
        return self._runtime.download(tensor)

    def prepare(self, request: DotGeneralPrepareRequest) -> PrepareCapability:
        """Plan one ``dot_general``.

        Raises
        ------
        PrepareError
            The request is no request, or its config does not fit its signatures.
        """
        DotGeneralPrepareRequest.require(request)
        if request.open_facts:
            return NeedsSpecialization(request.open_facts)
        request.result_shape()
        try:
            OPERATIONS["dot_general"].infer_dtype([request.lhs.dtype, request.rhs.dtype])
        except DTypeError as cause:
            return Unsupported(str(cause))
        self._runtime.plans.plan(request.config, request.lhs.layout().shape, request.rhs.layout().shape)
        return Prepared(request, self._runner(request), workspace_bytes=0, compiled=0)

    def _runner(self, request: DotGeneralPrepareRequest) -> Callable[[BackendSession, Tensor, Tensor], Tensor]:
        runtime = self._runtime

        def run(session: BackendSession, left: Tensor, right: Tensor) -> Tensor:
            if not isinstance(session, CpuExecSession) or session.runtime is not runtime:
                raise PrepareError(
                    f"a prepared dot_general runs on the runtime that prepared it ({runtime!r}), got {session!r}; "
                    "prepare it on this session's backend"
                )
            request.require_operands(left, right)
            return session.dot_general_with_conj(left, right, request.config, request.lhs_conj, request.rhs_conj)

        return run

    def __repr__(self) -> str:
        info = self._runtime.adapter_info
        return f"CpuBackend({info['device']} on {info['architecture']}, {self._runtime.domain!r})"
