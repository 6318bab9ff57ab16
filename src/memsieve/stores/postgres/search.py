"""Long-term memory searched by vectors and words on PostgreSQL, with the scores of `retrieval.index`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from pgvector import SparseVector
from psycopg import sql
from psycopg.rows import DictRow

from memsieve.model import Hit, Place, Scope, Vector
from memsieve.retrieval.fuse import fuse, legs
from memsieve.retrieval.index import LENGTH_WEIGHT, SATURATION, rarity
from memsieve.retrieval.languages import is_chinese, likely_words
from memsieve.retrieval.lending import SHARES, Parts, Sessions
from memsieve.stores.postgres.database import Connection, Database, Door
from memsieve.stores.postgres.near import EXACT_ROWS, SETTINGS, Fit, Part, exactly, parts
from memsieve.stores.postgres.rows import array_text, fetch, half
from memsieve.stores.postgres.words import MOST_TEXTS, NUMBERS, lookup, number, told

# The database ranks as if a word that is there many times were there once in a shorter text: the right score is made
# here, for twice as many as are wanted.
_ROUGHLY = 2

# Here as elsewhere the project is the one that asks, not a value: the planner would think that a project which is new
# since it last counted has one row, and read all of it instead of what is looked for.
_SETTINGS = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in SETTINGS.items())
_SIZES = f"""
SELECT s.*, set_config('hnsw.ef_search', s.ef_search::text, true), {_SETTINGS}
FROM search_sizes(%(words)s::integer[], %(embedder)s, %(dimensions)s::integer) s
"""  # noqa: S608 - made of constants
# No further than it takes to know that they are too many to be compared one by one.
_VECTORS_SINCE = f"""
SELECT (
    SELECT count(*) FROM (
        SELECT FROM memory_vectors WHERE project_id = (SELECT asking_project()) AND embedder = %(embedder)s
            AND chinese = l.chinese AND at >= %(since)s LIMIT {EXACT_ROWS + 1}
    ) counted
) AS vectors FROM unnest(ARRAY[false, true]) l (chinese) ORDER BY l.chinese
"""  # noqa: S608 - made of constants
# OFFSET 0 keeps the order: from the few rows that were found to their texts, not through the whole project.
# What was said around the rows that were found comes along, and is neither near nor not.
_FOUND = sql.SQL("""
WITH found AS MATERIALIZED (SELECT sequence, bool_or(near) AS near FROM ({legs}) leg GROUP BY sequence), around AS (
    SELECT DISTINCT o.sequence FROM found f
    CROSS JOIN LATERAL (
        SELECT * FROM memory_places WHERE project_id = (SELECT asking_project()) AND sequence = f.sequence OFFSET 0
    ) p
    CROSS JOIN LATERAL (
        (
            SELECT sequence FROM memory_places
            WHERE project_id = (SELECT asking_project()) AND session_id = p.session_id
                AND (said_at, sequence) < (p.said_at, p.sequence)
            ORDER BY said_at DESC, sequence DESC LIMIT {reach}
        ) UNION ALL (
            SELECT sequence FROM memory_places
            WHERE project_id = (SELECT asking_project()) AND session_id = p.session_id
                AND (said_at, sequence) > (p.said_at, p.sequence)
            ORDER BY said_at, sequence LIMIT {reach}
        )
    ) o
    WHERE o.sequence NOT IN (SELECT sequence FROM found)
)
SELECT f.sequence, f.near, m.id, m.approval_id, m.content, p.promoted_by, p.promoted_at, w.chinese, w.length,
    sparsevec_send(w.counts) AS counts,
    {similarity} AS similarity,
    o.session_id, o.said_at
FROM (SELECT * FROM found UNION ALL SELECT sequence, NULL FROM around) f
CROSS JOIN LATERAL (
    SELECT * FROM memory_words WHERE project_id = (SELECT asking_project()) AND sequence = f.sequence OFFSET 0
) w
LEFT JOIN LATERAL (
    SELECT * FROM memory_places WHERE project_id = (SELECT asking_project()) AND sequence = f.sequence OFFSET 0
) o ON true
JOIN memories m ON m.project_id = (SELECT asking_project()) AND m.sequence = w.sequence
JOIN approvals p ON p.project_id = (SELECT asking_project()) AND p.id = m.approval_id
""")
_SIMILARITY = sql.SQL("""(
        SELECT 1 - (v.embedding::vector <=> %(vector)b::vector) FROM memory_vectors v
        WHERE v.project_id = (SELECT asking_project()) AND v.sequence = f.sequence AND (v.embedder = {embedder}) IS TRUE
            AND vector_dims(v.embedding) = {dimensions}
    )""")
_NEAR = sql.SQL("SELECT sequence, true AS near FROM ({part}) nearest")
_BY_WORDS = sql.SQL("""
    SELECT sequence, false AS near FROM best_by_words(
        %(alone)s::integer[], %(together)s::text[], %(otherwise)s::integer[], %(weights)s::sparsevec,
        %(shortest)s::float8, %(per_word)s::float8, %(since)s::timestamptz, %(most)s::integer, %(best)s::integer
    )""")
_NO_SIMILARITY = sql.SQL("NULL::float8")


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a project's memories, by vector and by words."""

    scope: Scope
    embedder: str
    vector: Vector | None
    words: Sequence[str]
    limit: int
    since: datetime | None

    @cached_property
    def numbers(self) -> list[int]:
        """The words as the database knows them, each once."""
        return list({number(self.scope.project_id, word) for word in self.words})

    @cached_property
    def values(self) -> dict[str, Any]:
        """What every statement is told."""
        return {
            "embedder": self.embedder,
            "words": array_text(self.numbers),
            "dimensions": None if self.vector is None else len(self.vector),
            "since": self.since,
            "half": half(self.vector),
            "vector": self.vector,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What makes one statement differ from another; everything else is a value in it."""

    embedder: str
    dimensions: int
    near: tuple[Part, ...]
    wanted: int
    since: bool
    by_words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """How much each word of the question weighs in this project, and the length of a text against it."""

    weights: dict[int, float]
    reachable: float
    shortest: float
    per_word: float

    def parts(self, sent: Sequence[bytes], lengths: npt.NDArray[np.float64]) -> Parts:
        """Return for each text and word the share of what one of average length with each word once would have."""
        words = sorted(self.weights)
        held = told(sent, np.array(words, np.int64))
        norms = self.shortest + self.per_word * lengths
        weights = np.array([self.weights[word] for word in words])[held.words]
        parts = np.zeros((len(sent), len(words)))
        reached = weights * (SATURATION + 1) * held.often / (held.often + norms[held.texts])
        parts[held.texts, held.words] = reached / (self.reachable or 1.0)
        return parts


async def search(database: Database, asked: Question) -> list[Hit]:
    """Return the chunks with the best fused score among those best by vector, in each language, and best by words."""

    async def work(connection: Connection, sizes: list[DictRow]) -> list[Hit]:
        return await _search(connection, asked, sizes)

    return await database.read_on(Door.AGENT, asked.scope, _SIZES, asked.values, work)


async def _search(connection: Connection, asked: Question, sizes: Sequence[DictRow]) -> list[Hit]:
    wanted = legs(asked.limit)
    if not sizes or not sizes[0]["texts"] or not wanted:
        return []
    [size] = sizes
    bm25 = _bm25(asked, size)
    near = [] if asked.vector is None else parts(*await _vectors(connection, asked, size), wanted)
    values = {**asked.values, **_by_words(asked, size, bm25, wanted)}
    found = await _found(connection, asked, values, near, wanted)
    if _short(found, near, wanted):
        found = await _found(connection, asked, values, exactly(near), wanted)
    return _best(asked, bm25, found, wanted)


async def _vectors(connection: Connection, asked: Question, size: dict[str, Any]) -> tuple[dict[bool, int], Fit | None]:
    vectors = dict(zip((False, True), size["vectors"], strict=True))
    if size["indexed"] is None:
        return vectors, None
    if asked.since is not None and max(vectors.values()) > EXACT_ROWS:
        for chinese, row in enumerate(await fetch(connection, _VECTORS_SINCE, asked.values)):
            if row["vectors"] <= EXACT_ROWS:
                vectors[bool(chinese)] = row["vectors"]
    return vectors, Fit(vectors=size["indexed"], ef_search=size["ef_search"])


def _bm25(asked: Question, size: dict[str, Any]) -> Bm25:
    held = zip(asked.numbers, size["holding"], strict=True)
    weights = {one: rarity(holding, size["texts"]) for one, holding in held}
    return Bm25(
        weights={one: weight for one, weight in weights.items() if weight},
        reachable=sum(weights.values()),
        shortest=SATURATION * (1 - LENGTH_WEIGHT),
        per_word=SATURATION * LENGTH_WEIGHT / max(1.0, size["length"] / size["texts"]),
    )


def _by_words(asked: Question, size: dict[str, Any], bm25: Bm25, wanted: int) -> dict[str, Any]:
    held = zip(asked.numbers, size["holding"], strict=True)
    chosen = lookup({one: holding for one, holding in held if one in bm25.weights}, size["texts"])
    return {
        "alone": array_text(chosen.alone),
        "together": array_text(map(array_text, chosen.together)),
        "otherwise": array_text(chosen.otherwise),
        "weights": SparseVector(bm25.weights, NUMBERS),
        "shortest": 1 + bm25.shortest,
        "per_word": bm25.per_word,
        "most": MOST_TEXTS,
        "best": _ROUGHLY * wanted,
    }


async def _found(
    connection: Connection, asked: Question, values: dict[str, Any], near: Sequence[Part], wanted: int
) -> list[dict[str, Any]]:
    by_words = any(values[words] != array_text(()) for words in ("alone", "otherwise"))
    if not (by_words or near):
        return []
    shape = Shape(
        embedder=asked.embedder,
        dimensions=0 if asked.vector is None else len(asked.vector),
        # How many there are is no part of the statement.
        near=tuple(replace(part, vectors=0) for part in near),
        wanted=wanted,
        since=asked.since is not None,
        by_words=by_words,
    )
    return await fetch(connection, _statement(shape), values)


@lru_cache(maxsize=256)
def _statement(shape: Shape) -> str:
    """Return the statement of all questions of one shape: to compose it takes as long as the database for an answer."""
    found_by: list[sql.Composable] = [_BY_WORDS] if shape.by_words else []
    similarity: sql.Composable = _NO_SIMILARITY
    if shape.near:
        embedder, dimensions = sql.Literal(shape.embedder), sql.Literal(shape.dimensions)
        similarity = _SIMILARITY.format(embedder=embedder, dimensions=dimensions)
        for part in shape.near:
            query = part.sql(shape.embedder, shape.dimensions, shape.wanted, since=shape.since)
            found_by.append(_NEAR.format(part=query))
    found = _FOUND.format(
        similarity=similarity, legs=sql.SQL(" UNION ALL ").join(found_by), reach=sql.Literal(len(SHARES))
    )
    return found.as_string()


def _short(found: Sequence[dict[str, Any]], near: Sequence[Part], wanted: int) -> bool:
    """Say whether an index brought fewer than there must be."""
    return any(
        sum(row["near"] is True and row["chinese"] == part.chinese for row in found) < min(wanted, part.vectors)
        for part in near
        if not part.exact
    )


def _best(asked: Question, bm25: Bm25, found: Sequence[dict[str, Any]], wanted: int) -> list[Hit]:
    if not found:
        return []
    found = sorted(found, key=itemgetter("sequence"))
    # A text that nobody made a vector of has no number there.
    similarities = np.array([row["similarity"] for row in found], np.float64)
    lengths = np.array([row["length"] for row in found], np.float64)
    parts = bm25.parts([row["counts"] for row in found], lengths)
    words = parts.sum(axis=1)
    foreign = np.array([row["chinese"] for row in found]) != is_chinese(asked.words)
    likely = np.nan_to_num(likely_words(similarities.astype(np.float32)))
    words = np.where(foreign, np.maximum(words, likely), words)
    by_words = np.where([row["near"] is None for row in found], 0.0, words)
    best_by_words = np.argsort(-by_words, kind="stable")[: min(wanted, np.count_nonzero(by_words))]
    kept = np.union1d(best_by_words, np.flatnonzero([row["near"] is True for row in found]))
    allowed = None if asked.since is None else np.array([row["promoted_at"] >= asked.since for row in found])
    kept = _sessions(found).lend(kept, words, parts.__getitem__, lengths, allowed)
    best = kept[np.argsort(-fuse(similarities[kept], words[kept]), kind="stable")[: asked.limit]]
    return [_hit(found[place], float(words[place])) for place in best]


def _sessions(found: Sequence[dict[str, Any]]) -> Sessions:
    sessions = Sessions()
    for position, row in enumerate(found):
        if row["session_id"] is not None:
            sessions.add(position, Place(session_id=row["session_id"], at=row["said_at"]))
    return sessions


def _hit(row: dict[str, Any], word_score: float) -> Hit:
    return Hit(
        chunk_id=row["id"],
        memory_id=row["approval_id"],
        content=row["content"],
        promoted_by=row["promoted_by"],
        promoted_at=row["promoted_at"],
        similarity=row["similarity"],
        word_score=word_score,
    )
