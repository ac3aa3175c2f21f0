"""The protocols of an owner: it opens sessions, moves tensors and keeps caches, and has no operations."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Generic, Protocol, TypeVar, runtime_checkable

from wgtensor.contract.cache import BackendRuntimeCache
from wgtensor.contract.protocols import BackendSession, TensorDeviceTransfer
from wgtensor.contract.session import SessionBase
from wgtensor.tensor import DType

__all__ = ["BackendSessionHost", "SessionHost", "TensorBackend"]

R = TypeVar("R")
S = TypeVar("S", bound=SessionBase)


@runtime_checkable
class BackendSessionHost(Protocol):
    """Something that opens execution sessions; operations live on the session."""

    def session(self) -> AbstractContextManager[BackendSession]:
        """Open a session for a ``with`` block.

        Raises
        ------
        SessionEntryError
            This thread is inside a session already (on any backend).
        """

    def with_backend_session(self, function: Callable[[BackendSession], R]) -> R:
        """Open a session, call ``function`` with it, close it, and return what ``function`` returned.

        Raises
        ------
        SessionEntryError
            This thread is inside a session already; ``function`` is not called.
        """


class SessionHost(Generic[S]):
    """What the owners of all backends share, given ``session``."""

    __slots__ = ()

    def session(self) -> S:
        """Open an execution session for a ``with`` block."""
        raise NotImplementedError

    def with_backend_session(self, function: Callable[[S], R]) -> R:
        """Open a session, call ``function`` with it, close it, and return what ``function`` returned.

        Raises
        ------
        SessionEntryError
            This thread is inside a session already; ``function`` is not called.
        """
        with self.session() as session:
            return function(session)


@runtime_checkable
class TensorBackend(TensorDeviceTransfer, BackendSessionHost, Protocol):
    """An owner: transfers, sessions, preparation and caches, and no operations."""

    @property
    def runtime_cache(self) -> BackendRuntimeCache:
        """The counted, clearable caches."""

    def computed_dtypes(self) -> tuple[DType, ...]:
        """Return the dtypes that it computes in; others are moved only. A single operation may take fewer."""

    def synchronize(self) -> None:
        """Block until all work recorded so far is done.

        Raises
        ------
        BackendSourceError
            A flush or the wait failed.
        DeviceLostError
            The device is lost.
        """
