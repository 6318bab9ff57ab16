"""How much of what comparing one by one finds an HNSW index finds, asked as a search asks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from psycopg import sql

from memsieve.model import Vector
from memsieve.retrieval.fusion import candidates_per_leg
from memsieve.stores.postgres.database import Connection
from memsieve.stores.postgres.near import EF_SEARCH, SETTINGS, Part
from memsieve.stores.postgres.rows import fetch, half, vector_of

ENOUGH = 0.98
_FOUND = 10
_TEXTS = 30

_ACROSS = "SELECT set_config('role', 'memsieve_filter', true), set_config('app.across', 'on', true)"
_LARGEST = """
SELECT project_id, chinese, vectors FROM vector_sizes WHERE embedder = %s ORDER BY vectors DESC, project_id LIMIT 1
"""
# From here on behind the wall of the project, as every search is.
_ENTER = "SELECT set_config('app.across', '', true), set_config('app.project', %s, true)"
_SET = "SELECT set_config(%s, %s, true)"
_PICKED = """
SELECT sequence, embedding FROM memory_vectors
WHERE project_id = (SELECT asking_project()) AND embedder = %(embedder)s AND chinese = %(chinese)s
    AND vector_dims(embedding) = %(dimensions)s
ORDER BY random() LIMIT %(texts)s
"""
_NEAREST = sql.SQL("""
SELECT v.embedding <#> %(half)b::halfvec AS distance FROM ({part}) n
JOIN memory_vectors v
    ON v.project_id = (SELECT asking_project()) AND v.sequence = n.sequence AND v.embedder = {embedder}
WHERE n.sequence <> %(sequence)s ORDER BY 1 LIMIT {found}
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A text's vector to look around, and the text itself, which is no answer."""

    vector: Vector
    sequence: int

    @property
    def values(self) -> dict[str, Any]:
        """What the statement is told."""
        return {"half": half(self.vector), "sequence": self.sequence}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitness:
    """The share that an index finds, and how far it has to look for enough; None if it does not find enough."""

    recall: float
    ef_search: int | None


async def measured(connection: Connection, embedder: str, dimensions: int, index: str) -> Fitness | None:
    """Measure an index in the largest project; None if PostgreSQL does not use it, or has nothing to ask."""
    async with connection.transaction():
        await connection.execute(_ACROSS)
        [largest] = await fetch(connection, _LARGEST, (embedder,))
        await connection.execute(_ENTER, (largest["project_id"],))
        for setting in SETTINGS:
            await connection.execute(_SET, setting)
        asker = _Asker(connection, embedder, dimensions, chinese=largest["chinese"], vectors=largest["vectors"])
        return await asker.fitness(index)


@dataclass(frozen=True, slots=True)
class _Asker:
    connection: Connection
    embedder: str
    dimensions: int
    chinese: bool
    vectors: int

    async def fitness(self, index: str) -> Fitness | None:
        asked = await self._questions()
        if not asked:
            return None
        exact = [await self._nearest(one, exact=True) for one in asked]
        # The index is what is measured, even where the planner would do without it today.
        await self.connection.execute(_SET, ("enable_sort", "off"))
        recall = 0.0
        for ef_search in EF_SEARCH:
            await self.connection.execute(_SET, ("hnsw.ef_search", str(ef_search)))
            if not await self._uses(index, asked[0]):
                return None
            recall = _recall([await self._nearest(one, exact=False) for one in asked], exact)
            if recall >= ENOUGH:
                return Fitness(recall=recall, ef_search=ef_search)
        return Fitness(recall=recall, ef_search=None)

    async def _questions(self) -> list[Question]:
        """Pick texts, each of which asks for others like it."""
        values = {"embedder": self.embedder, "chinese": self.chinese, "dimensions": self.dimensions, "texts": _TEXTS}
        return [
            Question(vector=vector, sequence=row["sequence"])
            for row in await fetch(self.connection, _PICKED, values)
            if (vector := vector_of(row["embedding"])) is not None
        ]

    async def _nearest(self, question: Question, *, exact: bool) -> list[float]:
        rows = await fetch(self.connection, self._statement(exact=exact), question.values)
        return [row["distance"] for row in rows]

    async def _uses(self, index: str, question: Question) -> bool:
        statement = sql.SQL("EXPLAIN {}").format(self._statement(exact=False))
        plan = await (await self.connection.execute(statement, question.values)).fetchall()
        return any(index in row["QUERY PLAN"] for row in plan)

    def _statement(self, *, exact: bool) -> sql.Composed:
        part = Part(chinese=self.chinese, vectors=self.vectors, exact=exact)
        query = part.sql(self.embedder, self.dimensions, candidates_per_leg(_FOUND), since=False)
        return _NEAREST.format(part=query, embedder=sql.Literal(self.embedder), found=sql.Literal(_FOUND))


def _recall(found: Sequence[Sequence[float]], exact: Sequence[Sequence[float]]) -> float:
    """Return the mean share; of vectors that are equally near any is right."""
    shares = [
        sum(distance <= best[-1] for distance in one) / len(best)
        for one, best in zip(found, exact, strict=True)
        if best
    ]
    return fmean(shares) if shares else 0.0
