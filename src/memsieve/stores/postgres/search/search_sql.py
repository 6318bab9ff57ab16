"""The statements that search long-term memory on PostgreSQL: what differs from one question to another is a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from psycopg import sql

from memsieve.retrieval.neighbours import SHARES
from memsieve.stores.postgres.search.terms import NUMBERS
from memsieve.stores.postgres.search.vector_plan import EXACT_ROWS, ScanPlan

# By asking_project() and not by a parameter, here as elsewhere: with a parameter the planner assumes one row for a
# project that is new since it last counted, and scans all of it.
_SIZES = """
SELECT * FROM search_sizes(%(words)s::integer[], %(embedder)s, %(dimensions)s::integer)
"""
# No further than it takes to know that they are too many to be compared one by one.
VECTORS_SINCE = f"""
SELECT (
    SELECT count(*) FROM (
        SELECT FROM memory_vectors WHERE project_id = (SELECT asking_project()) AND embedder = %(embedder)s
            AND chinese = l.chinese AND at >= %(since)s LIMIT {EXACT_ROWS + 1}
    ) counted
) AS vectors FROM unnest(ARRAY[false, true]) l (chinese) ORDER BY l.chinese
"""  # noqa: S608 - made of constants

# OFFSET 0 keeps the order: from the few rows that were found to their texts, not through the whole project. What was
# said around them comes along, and is neither near nor not.
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
SELECT {before} f.sequence, f.near, m.id, m.approval_id, m.content, p.promoted_by, p.promoted_at, w.chinese, w.length,
    sparsevec_send(w.counts) AS counts, {similarity} AS similarity, o.session_id, o.said_at
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
_IN_ORDER = sql.SQL(" ORDER BY sequence NULLS FIRST")
_SIMILARITY = sql.SQL("""(
        SELECT 1 - (v.embedding::vector <=> %(vector)b::vector) FROM memory_vectors v
        WHERE v.project_id = (SELECT asking_project()) AND v.sequence = f.sequence AND (v.embedder = {embedder}) IS TRUE
            AND vector_dims(v.embedding) = {dimensions}
    )""")
_NO_SIMILARITY = sql.SQL("NULL::float8")
_NEAR = sql.SQL("SELECT sequence, true AS near FROM ({part}) nearest")
_BY_WORDS = sql.SQL("""
    SELECT sequence, false AS near FROM best_by_words(
        %(alone)s::integer[], %(together)s::text[], %(otherwise)s::integer[], %(weights)s::sparsevec,
        %(shortest)s::float8, %(per_word)s::float8, %(since)s::timestamptz, %(most)s::integer, %(best)s::integer
    )""")

# The sizes come first, in a row of their own; the other rows are what was found, if the words are few enough. Words are
# weighed as `idf` does it.
_SINGLE = sql.SQL("""
WITH size AS MATERIALIZED ({sizes}),
weighed AS MATERIALIZED (
    SELECT coalesce(sum(w.holding), 0) <= %(most)s::integer AS few, coalesce(array_agg(w.word), '{{}}') AS words,
        ('{{' || coalesce(string_agg((w.word + 1) || ':' || w.weight, ',' ORDER BY w.word), '') || {numbers})::sparsevec
            AS weights
    FROM (
        SELECT u.word, u.holding, ln((s.texts + %(unseen)s::float8 - u.holding) / (u.holding + 0.5::float8)) AS weight
        FROM size s CROSS JOIN LATERAL unnest(%(words)s::integer[], s.holding) u (word, holding)
    ) w WHERE w.weight > 0
)
SELECT s.texts, s.length AS together, s.holding, s.vectors, s.indexed, s.ef_search, w.few, NULL::bigint AS sequence,
    NULL::boolean AS near, NULL AS id, NULL AS approval_id, NULL AS content, NULL AS promoted_by,
    NULL::timestamptz AS promoted_at, NULL::boolean AS chinese, NULL::integer AS length, NULL::bytea AS counts,
    NULL::float8 AS similarity, NULL AS session_id, NULL::timestamptz AS said_at
FROM size s CROSS JOIN weighed w
UNION ALL ({found})
""")
_NO_SIZE = sql.SQL("NULL, NULL, NULL, NULL, NULL, NULL, NULL,")
_IF_FEW = sql.SQL("{leg} WHERE (SELECT few FROM weighed)")
_BY_FEW_WORDS = sql.SQL("""
    SELECT b.sequence, false AS near FROM size s CROSS JOIN weighed w CROSS JOIN LATERAL best_by_words(
        w.words, '{{}}', '{{}}', w.weights, %(shortest)s::float8,
        %(by_length)s::float8 / greatest(1, s.length::float8 / greatest(1, s.texts)),
        %(since)s::timestamptz, %(most)s::integer, %(best)s::integer
    ) b""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What makes one statement differ from another; everything else is a value in it."""

    embedder: str
    dimensions: int
    near: tuple[ScanPlan, ...]
    wanted: int
    since: bool
    by_words: bool


@lru_cache(maxsize=256)
def planned_statement(shape: Shape) -> str:
    """Return the statement that looks up the planned words; cached, for composing takes as long as answering."""
    by_words: list[sql.Composable] = [_BY_WORDS] if shape.by_words else []
    return (_found(shape, [*by_words, *_near(shape)], before=sql.SQL("")) + _IN_ORDER).as_string()


@lru_cache(maxsize=256)
def single_statement(shape: Shape) -> str:
    """Return the statement that tells the sizes too, and finds nothing where the words lead to too many texts."""
    legs = [_IF_FEW.format(leg=leg) for leg in [_BY_FEW_WORDS.format(), *_near(shape)]]
    numbers = sql.Literal(f"}}/{NUMBERS}")
    found = _found(shape, legs, before=_NO_SIZE)
    return (_SINGLE.format(sizes=sql.SQL(_SIZES), numbers=numbers, found=found) + _IN_ORDER).as_string()


def _found(shape: Shape, found_by: Sequence[sql.Composable], before: sql.SQL) -> sql.Composed:
    similarity: sql.Composable = _NO_SIMILARITY
    if shape.near:
        embedder, dimensions = sql.Literal(shape.embedder), sql.Literal(shape.dimensions)
        similarity = _SIMILARITY.format(embedder=embedder, dimensions=dimensions)
    legs, reach = sql.SQL(" UNION ALL ").join(found_by), sql.Literal(len(SHARES))
    return _FOUND.format(before=before, similarity=similarity, legs=legs, reach=reach)


def _near(shape: Shape) -> list[sql.Composable]:
    queries = (part.sql(shape.embedder, shape.dimensions, shape.wanted, since=shape.since) for part in shape.near)
    return [_NEAR.format(part=query) for query in queries]
