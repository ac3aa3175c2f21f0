"""The runtime cache seen from outside: counts, bytes, and a way to clear it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

__all__ = ["BackendRuntimeCache", "CacheStats"]


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a runtime's caches hold and did.

    Attributes
    ----------
    entries, bytes
        Entries held now, and the bytes that they account for (an estimate, not process memory).
    hits, misses, evictions, clears
        Counts since the runtime was made.
    by_kind
        The same facts for each cache: pipelines, plans, tables, buffers.
    """

    entries: int = 0
    bytes: int = 0
    hits: int = 0
    misses: int = 0
    evictions: int = 0
    clears: int = 0
    by_kind: Mapping[str, CacheStats] = field(default_factory=dict)

    @staticmethod
    def total(by_kind: Mapping[str, CacheStats]) -> CacheStats:
        """Return the sum over ``by_kind``, with the parts kept."""
        parts = by_kind.values()
        return CacheStats(
            entries=sum(part.entries for part in parts),
            bytes=sum(part.bytes for part in parts),
            hits=sum(part.hits for part in parts),
            misses=sum(part.misses for part in parts),
            evictions=sum(part.evictions for part in parts),
            clears=max((part.clears for part in parts), default=0),
            by_kind=dict(by_kind),
        )


@runtime_checkable
class BackendRuntimeCache(Protocol):
    """Counted, clearable caches. Results are the same cold, warm and cleared."""

    def stats(self) -> CacheStats:
        """Return what the caches hold and did."""

    def clear(self) -> None:
        """Drop every entry. Live tensors and prepared operations stay valid."""
