"""Each project's searchable rows in memory, kept in step with the database, whichever process writes it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from memsieve.model import Scope, Vector
from memsieve.retrieval.index import Index, Match, Row
from memsieve.runtime.lru_cache import LRUCache

MAX_BYTES = 1024**3

Lock = TypeVar("Lock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """How far a project's rows go, by their sequence, and how often some were removed or changed."""

    added: int
    removed: int


@dataclass(slots=True)
class Loaded(Generic[Lock]):
    """A project's index with the row keys at its positions, and how far it was read; used under its lock."""

    lock: Lock
    index: Index = field(default_factory=Index)
    sequences: list[int] = field(default_factory=list)
    revision: Revision = field(default_factory=lambda: Revision(added=0, removed=0))

    def in_step(self, now: Revision) -> bool:
        """Tell whether there is nothing new to read."""
        return self.revision.removed == now.removed and self.revision.added >= now.added

    def begin(self, now: Revision) -> int:
        """Return after which sequence rows are to be read; where some are gone, all are read again."""
        if self.revision.removed != now.removed:
            self.index, self.sequences, self.revision = Index(), [], Revision(added=0, removed=now.removed)
        return self.revision.added

    def extend(self, now: Revision, rows: Sequence[tuple[int, Row]]) -> None:
        """Add what was read, by its sequence: all there was at that revision, and maybe newer."""
        self.index.extend([row for _, row in rows])
        self.sequences += [sequence for sequence, _ in rows]
        newest = max(self.revision.added, now.added, self.sequences[-1] if self.sequences else 0)
        self.revision = Revision(added=newest, removed=now.removed)

    def search(
        self, vector: Vector | None, words: Sequence[str], limit: int, since: datetime | None = None
    ) -> dict[int, Match]:
        """Return the best rows by their sequence."""
        matches = self.index.search(vector, words, limit, since)
        return {self.sequences[match.position]: match for match in matches}


class LoadedIndexes(Generic[Lock]):
    """The indexes of one kind of row, as many as fit; the one that was not used the longest goes first."""

    def __init__(self, lock: Callable[[], Lock]) -> None:
        self._make_lock = lock
        self._loaded: LRUCache[str, Loaded[Lock]] = LRUCache()
        self._lock = threading.Lock()

    def get(self, scope: Scope) -> Loaded[Lock] | None:
        """Return what is loaded of a project, or None."""
        with self._lock:
            return self._loaded.get(scope.project_id)

    def use(self, scope: Scope) -> Loaded[Lock]:
        """Return what is loaded of a project, which may be nothing yet."""
        with self._lock:
            loaded = self._loaded.get(scope.project_id) or Loaded(self._make_lock())
            self._loaded.set(scope.project_id, loaded)
            return loaded

    def make_room(self) -> None:
        """Forget those that were not used the longest, after one has grown."""
        with self._lock:
            while len(self._loaded) > 1 and sum(each.index.nbytes for each in self._loaded.values()) > MAX_BYTES:
                self._loaded.pop_oldest()
