"""An LRU cache with one value per project."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

MAX_PROJECTS = 64

T = TypeVar("T")


class ProjectCache(Generic[T]):
    """LRU cache, one value per project, at most 64 projects."""

    def __init__(self) -> None:
        self._values: OrderedDict[str, T] = OrderedDict()

    def get(self, project_id: str) -> T | None:
        """Return the project's value, or None; it becomes the most recently used one."""
        if project_id not in self._values:
            return None
        self._values.move_to_end(project_id)
        return self._values[project_id]

    def set(self, project_id: str, value: T) -> None:
        """Store the project's value and evict the least recently used one if there are too many."""
        self._values[project_id] = value
        self._values.move_to_end(project_id)
        if len(self._values) > MAX_PROJECTS:
            self._values.popitem(last=False)
