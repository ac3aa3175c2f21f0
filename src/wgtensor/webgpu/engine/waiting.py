"""Waiting without blocking the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["until"]

LONGEST_NAP = 0.005
"""Seconds; the first naps are shorter, since most results are there within a millisecond."""


async def until(done: Callable[[], bool]) -> None:
    """Nap, ever longer, until ``done``: the driver calls nobody back by itself, it must be polled."""
    nap = 0.0
    while not done():
        await asyncio.sleep(nap)
        nap = min(LONGEST_NAP, nap + 0.0002)
