"""Which class a backend's sessions are of: its own, or one that a layer above offers and the environment asks for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, TypeVar

__all__ = ["offer_session_type", "session_type"]

S = TypeVar("S")

_offers: Final[dict[str, Callable[[], type[Any]]]] = {}


def offer_session_type(variable: str, load: Callable[[], type[Any]]) -> None:
    """Offer a session class in the place of a backend's own, where the environment says ``variable=1``.

    Parameters
    ----------
    variable
        Name of the environment variable.
    load
        Returns the class, a subclass of the backend's own; called only when asked for.
    """
    _offers[variable] = load


def session_type(own: type[S]) -> type[S]:
    """Return the class of a backend's new sessions: ``own``, or the subclass of it that the environment asks for."""
    for variable, load in _offers.items():
        if os.environ.get(variable) == "1" and issubclass(offered := load(), own):
            return offered
    return own
