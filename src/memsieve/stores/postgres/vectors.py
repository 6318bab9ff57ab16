"""Vectors that another embedder made, on PostgreSQL: how many, the next ones, and others beside or in their place."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from memsieve.errors import Forbidden, InvalidInput, StoreUnavailable
from memsieve.model import Vector
from memsieve.ports import StaleText, VectorStore
from memsieve.stores.postgres.database import Connection, Database, enter
from memsieve.stores.postgres.rows import fetch, half
from memsieve.stores.postgres.search.hnsw import drop_indexes
from memsieve.stores.rows import BEYOND_ALL

# A memory has a vector for each embedder, so that those who ask by the former one go on being answered: it is stale
# while it lives and has none of this embedder. Entries' vectors lie beside the filter's decisions.
_TEXTS = {
    "memories": """
        SELECT t.project_id, t.sequence, t.embedder, t.content FROM memories t
        JOIN memory_words w ON w.project_id = t.project_id AND w.sequence = t.sequence
        WHERE NOT EXISTS (
            SELECT FROM memory_vectors v
            WHERE v.project_id = t.project_id AND v.sequence = t.sequence AND v.embedder = %(name)s
        )""",
    "tombstones": "SELECT t.project_id, t.sequence, t.embedder, t.content FROM tombstones t WHERE true",
    "insights": "SELECT t.project_id, t.sequence, t.embedder, t.content FROM insights t WHERE true",
    "quarantine_logs": """
        SELECT t.project_id, t.sequence, t.embedder, q.content FROM admissions t
        JOIN quarantine_logs q ON q.project_id = t.project_id AND q.id = t.entry_id WHERE true""",
}
_TABLES = {kind: "admissions" if kind == "quarantine_logs" else kind for kind in _TEXTS}
_KINDS = ("memories", "tombstones", "insights", "working", "quarantine_logs")

# By these two ranges an index finds what `<>` would look for in every row.
_COUNT = "SELECT count(*) AS stale FROM ({texts} AND (t.embedder < %(name)s OR t.embedder > %(name)s)) s"
_NEXT = """
WITH RECURSIVE names (name) AS (
    SELECT min(embedder) FROM {table}
    UNION ALL
    SELECT (SELECT min(t.embedder) FROM {table} t WHERE t.embedder > names.name) FROM names WHERE name IS NOT NULL
)
SELECT s.* FROM names CROSS JOIN LATERAL (
    {texts} AND t.embedder = names.name AND {after} ORDER BY {order} LIMIT %(limit)s
) s
WHERE names.name <> %(name)s ORDER BY {outer} LIMIT %(limit)s
"""
# Project by project where somebody waits for the last vector of a project; else what is newest first.
_BY_PROJECT = {"after": "(t.project_id, t.sequence) > (%(project_id)s, %(sequence)s)", "order": "project_id, sequence"}
_NEWEST = {"after": "t.sequence < %(sequence)s", "order": "sequence DESC"}
_ORDER = {"memories": _BY_PROJECT, "tombstones": _BY_PROJECT, "insights": _NEWEST, "quarantine_logs": _NEWEST}

_MADE = """
FROM unnest(%(sequences)s::bigint[], %(embedders)s::text[], %(vectors)s::halfvec[]) m (sequence, embedder, embedding)
WHERE t.project_id = (SELECT asking_project()) AND t.sequence = m.sequence AND t.embedder = m.embedder
"""
# A text that was deleted or embedded anew while its vector was made stays as it is.
_REPLACE = f"UPDATE {{table}} t SET embedder = %(name)s, embedding = m.embedding {_MADE} RETURNING t.sequence"  # noqa: S608 - made of constants
_ADD = f"""
WITH seen AS (UPDATE memories t SET embedder = %(name)s {_MADE} RETURNING t.sequence, m.embedding),
added AS (
    INSERT INTO memory_vectors (project_id, sequence, embedder, at, chinese, embedding)
    SELECT w.project_id, w.sequence, %(name)s, w.at, w.chinese, s.embedding
    FROM seen s JOIN memory_words w ON w.project_id = (SELECT asking_project()) AND w.sequence = s.sequence
    WHERE s.embedding IS NOT NULL
    ON CONFLICT DO NOTHING
)
SELECT sequence FROM seen
"""  # noqa: S608 - made of constants
_HOLDING = "SELECT DISTINCT project_id FROM vector_sizes WHERE embedder = %s AND vectors > 0 ORDER BY project_id"
_FORGET = "DELETE FROM memory_vectors WHERE project_id = %s AND embedder = %s"

_log = logging.getLogger(__name__)


class PostgresVectors:
    """Implements `ports.VectorStore`; working memory, which lies elsewhere, has one of its own."""

    def __init__(self, database: Database, embedder: str, working: VectorStore) -> None:
        self._database = database
        self._embedder = embedder
        self._working = working

    async def stale(self) -> int:
        async def work(connection: Connection) -> int:
            values = {"name": self._embedder}
            counts = [await fetch(connection, _COUNT.format(texts=texts), values) for texts in _TEXTS.values()]
            return sum(int(row["stale"]) for [row] in counts)

        return await self._database.cross_project(work) + await self._working.stale()

    async def next_stale(self, after: StaleText | None, limit: int) -> list[StaleText]:
        found: list[StaleText] = []
        for kind in _KINDS if after is None else _KINDS[_KINDS.index(after.kind) :]:
            begin = after if after is not None and after.kind == kind else None
            found += await self._next(kind, begin, limit - len(found))
            if len(found) == limit:
                break
        return found

    async def put(self, made: Sequence[tuple[StaleText, Vector | None]]) -> list[StaleText]:
        groups: dict[tuple[str, str], list[tuple[StaleText, Vector | None]]] = defaultdict(list)
        for text, vector in made:
            if text.kind not in _KINDS:
                raise InvalidInput(f"There are no texts of kind {text.kind!r}.", field="kind")
            groups[text.project_id, text.kind].append((text, vector))
        working = [one for one in made if one[0].kind == "working"]

        async def work(connection: Connection) -> set[StaleText]:
            put: set[StaleText] = set()
            # In one order, so that no two who do this wait for each other.
            for (project_id, kind), texts in sorted(groups.items(), key=lambda group: group[0]):
                if kind in _TEXTS:
                    await enter(connection, project_id)
                    put |= await self._put(connection, kind, texts)
            return put

        put = await self._database.cross_project(work)
        put.update(await self._working.put(working) if working else ())
        return [text for text, _ in made if text in put]

    async def forget(self, embedder: str) -> int:
        """Drop them, and their index if the database user may drop it now; else it is empty, and a warning says so."""

        async def work(connection: Connection) -> int:
            dropped = 0
            for row in await fetch(connection, _HOLDING, (embedder,)):
                await enter(connection, row["project_id"])
                dropped += (await connection.execute(_FORGET, (row["project_id"], embedder))).rowcount
            return dropped

        dropped = await self._database.cross_project(work)
        try:
            await self._database.cross_project(lambda connection: drop_indexes(connection, embedder))
        except (Forbidden, StoreUnavailable) as exc:
            _log.warning(
                "The vectors of %s are gone, and their index stays: %s Forget them again when the database is less "
                "busy, as a user who may act as memsieve_owner.",
                embedder,
                exc,
            )
        return dropped

    async def _next(self, kind: str, after: StaleText | None, limit: int) -> list[StaleText]:
        if kind == "working":
            return await self._working.next_stale(after, limit)
        order = _ORDER[kind]
        query = _NEXT.format(
            table=_TABLES[kind],
            texts=_TEXTS[kind],
            after=order["after"],
            order=", ".join(f"t.{column}" for column in order["order"].split(", ")),
            outer=order["order"],
        )
        values: dict[str, Any] = {"name": self._embedder, "limit": limit, "project_id": "", "sequence": 0}
        if after is not None:
            values |= {"project_id": after.project_id, "sequence": after.sequence}
        elif order is _NEWEST:
            values["sequence"] = BEYOND_ALL
        rows = await self._database.cross_project(lambda connection: fetch(connection, query, values))
        return [StaleText(kind=kind, **row) for row in rows]

    async def _put(
        self, connection: Connection, kind: str, made: Sequence[tuple[StaleText, Vector | None]]
    ) -> set[StaleText]:
        query = _ADD if kind == "memories" else _REPLACE.format(table=_TABLES[kind])
        values = {
            "name": self._embedder,
            "sequences": [text.sequence for text, _ in made],
            "embedders": [text.embedder for text, _ in made],
            "vectors": [half(vector) for _, vector in made],
        }
        done = {row["sequence"] for row in await fetch(connection, query, values)}
        return {text for text, _ in made if text.sequence in done}
