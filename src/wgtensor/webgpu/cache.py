"""Counted caches: least recently used goes first, by entries and by bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from wgtensor.contract.cache import CacheStats

__all__ = ["LruCache"]

V = TypeVar("V")


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
