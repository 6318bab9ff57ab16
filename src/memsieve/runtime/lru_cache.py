"""LRU caches: of any keys, and with one value per project."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ValuesView
from typing import Generic, TypeVar

MAX_PROJECTS = 64

K = TypeVar("K")
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """LRU cache; without a `max_size` its owner decides when to call `pop_oldest`."""

    def __init__(self, max_size: int | None = None) -> None:
        self._max_size = max_size
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def get(self, key: K) -> V | None:
        """Return the value, or None; it becomes the most recently used one."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def set(self, key: K, value: V) -> None:
        """Store a value, and evict the least recently used one if there are too many."""
        self._values[key] = value
        self._values.move_to_end(key)
        if self._max_size is not None and len(self._values) > self._max_size:
            self.pop_oldest()

    def discard(self, key: K) -> None:
        """Remove a value, if there is one."""
        self._values.pop(key, None)

    def pop_oldest(self) -> V:
        """Remove and return the least recently used value."""
        return self._values.popitem(last=False)[1]

    def values(self) -> ValuesView[V]:
        """Return all values, the least recently used one first."""
        return self._values.values()


class ProjectCache(LRUCache[str, V]):
    """LRU cache, one value per project, at most 64 projects."""

    def __init__(self) -> None:
        super().__init__(MAX_PROJECTS)
