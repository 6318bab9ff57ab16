"""What is held in memory of the projects that were asked for last."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

HELD_PROJECTS = 64

T = TypeVar("T")


class HeldByProject(Generic[T]):
    """One thing for each project, for so many projects; the one that was not asked for the longest goes first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, T] = OrderedDict()

    def get(self, project_id: str) -> T | None:
        """Return what is held of a project, or None."""
        return self._held.get(project_id)

    def keep(self, project_id: str, thing: T) -> None:
        """Hold this of a project from now on."""
        self._held[project_id] = thing
        self._held.move_to_end(project_id)
        while len(self._held) > HELD_PROJECTS:
            self._held.popitem(last=False)
