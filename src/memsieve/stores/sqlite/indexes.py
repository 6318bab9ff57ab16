"""Search in memory over the rows of a SQLite file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from datetime import datetime

from memsieve.model import Scope, Vector
from memsieve.retrieval.index import Match, Row
from memsieve.stores.indexes import Loaded, LoadedIndexes, Revision
from memsieve.stores.rows import text_words
from memsieve.stores.sqlite.rows import origin_from, text_time, vector_from

# Searching this many rows takes about two milliseconds.
SHORT_ROWS = 25_000

_REVISION = "SELECT added, removed FROM revisions WHERE project_id = ? AND kind = ?"


class Indexes:
    """Loads, extends and searches the indexes of one kind of row."""

    def __init__(self, kind: str, rows: str, embedder: str) -> None:
        """Read with `rows`, a query for a project's living rows after a sequence: with words, time, vector, place."""
        self._kind = kind
        self._rows = rows
        self._embedder = embedder
        self._loaded = LoadedIndexes(threading.Lock)

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
        revision = self._revision(connection, scope)
        if revision is None:
            return {}
        loaded = self._loaded.use(scope)
        with loaded.lock:
            if not loaded.in_step(revision):
                self._refresh(connection, scope, loaded, revision)
            return loaded.search(vector, words, limit, since)

    def ready(self, connection: sqlite3.Connection, scope: Scope) -> bool:
        """Tell whether a search is short: nothing new to read, nobody reading, and not too many rows."""
        revision = self._revision(connection, scope)
        loaded = self._loaded.get(scope)
        if revision is None or loaded is None:
            return revision is None
        return loaded.in_step(revision) and len(loaded.index) <= SHORT_ROWS and not loaded.lock.locked()

    def _revision(self, connection: sqlite3.Connection, scope: Scope) -> Revision | None:
        row = connection.execute(_REVISION, (scope.project_id, self._kind)).fetchone()
        return None if row is None else Revision(**row)

    def _refresh(
        self, connection: sqlite3.Connection, scope: Scope, loaded: Loaded[threading.Lock], revision: Revision
    ) -> None:
        rows = connection.execute(self._rows, (scope.project_id, loaded.begin(revision)))
        loaded.extend(revision, [(row["sequence"], self._row(row)) for row in rows])
        self._loaded.make_room()

    def _row(self, row: sqlite3.Row) -> Row:
        return Row(
            words=text_words(row["words"]),
            vector=vector_from(row, self._embedder),
            at=text_time(row["at"]),
            origin=origin_from(row),
        )
