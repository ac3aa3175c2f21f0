"""The runtime cache seen from outside: counts, bytes, and a way to clear it; and what backends keep entries in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar, runtime_checkable

__all__ = ["BackendRuntimeCache", "CacheStats", "LruCache"]

V = TypeVar("V")


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


class LruCache(Generic[V]):
    """A mapping that counts hits and misses and evicts the least recently used.

    Parameters
    ----------
    entries
        Most entries to hold.
    nbytes
        Most bytes to hold, as told by ``size``.
    size
        Bytes that a value accounts for.
    """

    def __init__(self, entries: int, nbytes: int, size: Callable[[V], int]) -> None:
        self._entries: Final = entries
        self._limit: Final = nbytes
        self._size: Final = size
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._bytes = 0
        self._hits = self._misses = self._evictions = self._clears = 0

    def get(self, key: Hashable) -> V | None:
        """Return the value of ``key``, or None; counted either way."""
        value = self._values.get(key)
        if value is None:
            self._misses += 1
            return None
        self._hits += 1
        self._values.move_to_end(key)
        return value

    def put(self, key: Hashable, value: V) -> V:
        """Keep ``value`` and return it; older entries may go."""
        self._values[key] = value
        self._bytes += self._size(value)
        while len(self._values) > self._entries or (self._bytes > self._limit and len(self._values) > 1):
            _, oldest = self._values.popitem(last=False)
            self._bytes -= self._size(oldest)
            self._evictions += 1
        return value

    def clear(self) -> None:
        """Drop every entry."""
        self._values.clear()
        self._bytes = 0
        self._clears += 1

    def stats(self) -> CacheStats:
        """Return the counts."""
        return CacheStats(len(self._values), self._bytes, self._hits, self._misses, self._evictions, self._clears)
