"""Each project's searchable rows in memory, kept in step with the file whoever writes it."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memsieve.model import Scope, Vector
from memsieve.retrieval.index import Index, Match, Row
from memsieve.stores.sqlite.rows import text_time, text_words, vector_from

MAX_BYTES = 1024**3
# Searching so many rows takes about two milliseconds.
SHORT_ROWS = 25_000

_REVISION = "SELECT added, removed FROM revisions WHERE project_id = ? AND kind = ?"


@dataclass(slots=True)
class Loaded:
    """A project's index with the row keys at its positions, and how far it was read."""

    index: Index = field(default_factory=Index)
    sequences: list[int] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Indexes:
    """Loads, extends, searches and forgets the indexes of one kind of row."""

    def __init__(self, kind: str, rows: str, embedder: str) -> None:
        """Read with `rows`, a query for a project's living rows after a sequence: sequence, words, at, vector."""
        self._kind = kind
        self._rows = rows
        self._embedder = embedder
        self._loaded: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = threading.Lock()

    def search(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        vector: Vector | None,
        words: Sequence[str],
        limit: int,
        since: datetime | None = None,
    ) -> dict[int, Match]:
        """Return the best rows of the project by their sequence, as of the connection's transaction."""
        revision = connection.execute(_REVISION, (scope.project_id, self._kind)).fetchone()
        if revision is None:
            return {}
        loaded = self._of(scope)
        with loaded.lock:
            self._refresh(connection, scope, loaded, revision)
            matches = loaded.index.search(vector, words, limit, since)
            return {loaded.sequences[match.position]: match for match in matches}

    def ready(self, connection: sqlite3.Connection, scope: Scope) -> bool:
        """Tell whether a search is short: nothing new to read, nobody reading, and not too many rows."""
        revision = connection.execute(_REVISION, (scope.project_id, self._kind)).fetchone()
        loaded = self._loaded.get(scope.project_id)
        if revision is None or loaded is None:
            return revision is None
        fresh = (loaded.added, loaded.removed) == (revision["added"], revision["removed"])
        return fresh and len(loaded.index) <= SHORT_ROWS and not loaded.lock.locked()

    def _of(self, scope: Scope) -> Loaded:
        with self._lock:
            loaded = self._loaded.pop(scope.project_id, None) or Loaded()
            self._loaded[scope.project_id] = loaded
            return loaded

    def _refresh(self, connection: sqlite3.Connection, scope: Scope, loaded: Loaded, revision: sqlite3.Row) -> None:
        if loaded.removed != revision["removed"]:
            loaded.index, loaded.sequences, loaded.added = Index(), [], 0
        if loaded.added < revision["added"]:
            rows = connection.execute(self._rows, (scope.project_id, loaded.added)).fetchall()
            loaded.index.extend([self._row(row) for row in rows])
            loaded.sequences += [row["sequence"] for row in rows]
            self._forget_the_longest_unused()
        loaded.added, loaded.removed = max(loaded.added, revision["added"]), revision["removed"]

    def _forget_the_longest_unused(self) -> None:
        with self._lock:
            while len(self._loaded) > 1 and sum(each.index.nbytes for each in self._loaded.values()) > MAX_BYTES:
                self._loaded.popitem(last=False)

    def _row(self, row: sqlite3.Row) -> Row:
        return Row(words=text_words(row["words"]), vector=vector_from(row, self._embedder), at=text_time(row["at"]))
