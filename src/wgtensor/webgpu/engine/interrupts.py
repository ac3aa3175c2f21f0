"""Ctrl-C while the host records.

Python raises ``KeyboardInterrupt`` between any two bytecodes of the main thread, also halfway through recording and
inside functions that the driver's C code called, from where it cannot travel. So Ctrl-C waits while the main thread
holds a :class:`ShieldedLock`, and is delivered when the lock is free and everything is whole. What other signals'
handlers raise cannot be held back: a callback is finished all the same, and the lock's owner recovers.
"""

from __future__ import annotations

import signal
import threading
from _thread import RLock
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Final, Self
from weakref import WeakSet

__all__ = ["ShieldedLock", "finishing", "is_deferred", "raise_deferred", "shield"]

_locks: Final[WeakSet[ShieldedLock]] = WeakSet()
_waiting: Final[list[int]] = []
_left: Final[list[BaseException]] = []
_previous: Callable[[int, FrameType | None], Any] = signal.default_int_handler


class ShieldedLock(RLock):  # type: ignore[misc]  # typeshed calls it final, CPython does not
    """A reentrant lock that Ctrl-C waits for.

    Parameters
    ----------
    recover
        Called, still locked, where something that is no ``Exception`` leaves the lock halfway.
    """

    def __new__(cls, recover: Callable[[], None]) -> Self:  # noqa: D102 - the class says it
        lock: Self = super().__new__(cls)
        _locks.add(lock)
        return lock

    def __init__(self, recover: Callable[[], None]) -> None:
        self._recover: Final = recover

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is not None and not isinstance(error, Exception) and not is_deferred(error):
                self._recover()
        finally:
            self.release()
        if _waiting and not _recording() and threading.current_thread() is threading.main_thread():
            _waiting.clear()
            _previous(signal.SIGINT, None)


def shield() -> None:
    """Stand in front of the process's handler of Ctrl-C, whichever it is now; only the main thread may."""
    global _previous  # noqa: PLW0603 - the process's handler is the state
    if threading.current_thread() is not threading.main_thread():
        return
    handler = signal.getsignal(signal.SIGINT)
    if handler is not _on_interrupt and callable(handler):
        _previous = handler
        signal.signal(signal.SIGINT, _on_interrupt)


def _recording() -> bool:
    """Return whether this thread, the main one, holds a lock."""
    return any(lock._is_owned() for lock in _locks)  # type: ignore[attr-defined]  # typeshed leaves it out


def _on_interrupt(number: int, frame: FrameType | None) -> None:
    if _recording() or (frame is not None and frame.f_code.co_name == "__del__"):  # which would swallow it
        _waiting.append(number)
    else:
        _previous(number, frame)


def finishing(function: Callable[..., None]) -> Callable[..., None]:
    """Return what cffi calls when ``function``, a callback that may run twice, was left by an exception."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def finish(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _left.append(error)
        if trace is not None:
            arguments: dict[str, Any] = trace.tb_frame.f_locals
            function(*(arguments[name] for name in names))

    return finish


def raise_deferred() -> None:
    """Raise what a callback was left by, if anything; called where the engine's state is whole."""
    if _left:
        error = _left.pop()
        error.deferred = True  # type: ignore[attr-defined]  # for ``is_deferred``
        raise error


def is_deferred(error: BaseException) -> bool:
    """Return whether an exception was raised by ``raise_deferred``, so that nothing was left half done."""
    return getattr(error, "deferred", False)
