"""The reference backend's owner: transfers, sessions, preparation and caches, and no operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wgtensor.contract import (
    BackendSession,
    DotGeneralPrepareRequest,
    NeedsSpecialization,
    PrepareCapability,
    Prepared,
    TensorSignature,
    Unsupported,
)
from wgtensor.cpu.runtime import CpuRuntime, CpuRuntimeIdentity, PlanCache
from wgtensor.cpu.session import CpuExecSession
from wgtensor.errors import DTypeError, PrepareError, ValidationError
from wgtensor.rules import OPERATIONS
from wgtensor.tensor import ALL_DTYPES, DType, Layout, Tensor

__all__ = ["CpuBackend"]

R = TypeVar("R")


class CpuBackend:
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

    def with_backend_session(self, function: Callable[[CpuExecSession], R]) -> R:
        """Call ``function`` with an open session, and return what it returned.

        Raises
        ------
        SessionEntryError
            This thread is inside a session already; ``function`` is not called.
        """
        with self.session() as session:
            return function(session)

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
        if not isinstance(request, DotGeneralPrepareRequest):
            raise PrepareError(f"prepare takes a DotGeneralPrepareRequest, got {type(request).__name__}")
        open_facts = _open_facts(request)
        if open_facts:
            return NeedsSpecialization(open_facts)
        operation = OPERATIONS["dot_general"]
        try:
            lhs, rhs = request.lhs.layout(), request.rhs.layout()
            operation.infer_shape([lhs.shape, rhs.shape], config=request.config)
            operation.infer_dtype([request.lhs.dtype, request.rhs.dtype])
        except ValidationError as cause:
            raise PrepareError(f"prepare: {cause}") from cause
        except DTypeError as cause:
            return Unsupported(str(cause))
        self._runtime.plans.plan(request.config, lhs.shape, rhs.shape)
        return Prepared(request, self._runner(request, lhs, rhs), workspace_bytes=0, compiled=0)

    def _runner(
        self, request: DotGeneralPrepareRequest, lhs: Layout, rhs: Layout
    ) -> Callable[[BackendSession, Tensor, Tensor], Tensor]:
        runtime = self._runtime

        def run(session: BackendSession, left: Tensor, right: Tensor) -> Tensor:
            if not isinstance(session, CpuExecSession) or session.runtime is not runtime:
                raise PrepareError(
                    f"a prepared dot_general runs on the runtime that prepared it ({runtime!r}), got {session!r}; "
                    "prepare it on this session's backend"
                )
            _require_signature("lhs", left, request.lhs, lhs)
            _require_signature("rhs", right, request.rhs, rhs)
            return session.dot_general_with_conj(left, right, request.config, request.lhs_conj, request.rhs_conj)

        return run

    def __repr__(self) -> str:
        info = self._runtime.adapter_info
        return f"CpuBackend({info['device']} on {info['architecture']}, {self._runtime.domain!r})"


def _open_facts(request: DotGeneralPrepareRequest) -> tuple[str, ...]:
    sides = (("lhs", request.lhs), ("rhs", request.rhs))
    return tuple(f"{side}.shape[{axis}]" for side, signature in sides for axis in signature.symbolic_axes)


def _require_signature(side: str, tensor: Tensor, signature: TensorSignature, layout: Layout) -> None:
    if tensor.dtype is not signature.dtype or tensor.layout != layout:
        raise PrepareError(
            f"a prepared dot_general needs {side} as prepared ({signature}), got {TensorSignature.of(tensor)}; "
            "prepare this signature too, or call dot_general"
        )
