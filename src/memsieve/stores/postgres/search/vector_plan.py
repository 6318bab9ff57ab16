"""The nearest vectors of a project on PostgreSQL: one by one where that is quick enough, else through an HNSW index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from psycopg import sql

# Up to this many vectors of a project and language are compared one by one.
EXACT_ROWS = 20_000
# How far an index looks around, at first and where that finds too little.
EF_SEARCH = (40, 200)
# What the index costs, in vectors compared one by one, as measured: to find the neighbourhood, for each vector that it
# looks around for, and for each row that it goes through from there, of which only the project's own are of use.
_TO_BEGIN = 125
_EACH_ROW = 70
# The index brings more than are wanted, in rough order, of which the best are taken.
OVERFETCH = 3
# A search joins the few rows that were found to their texts: to read whole tables for that would only seem cheap.
SETTINGS = (
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("hnsw.iterative_scan", "relaxed_order"),
    ("hnsw.scan_mem_multiplier", "4"),
    ("plan_cache_mode", "force_generic_plan"),
)

# Without the cast in `_ROUGH` no HNSW index fits, whatever the planner thinks of it.
_EXACT = sql.SQL("""
    SELECT sequence FROM memory_vectors
    WHERE project_id = (SELECT asking_project()) AND embedder = {embedder} AND chinese = {chinese}
        AND vector_dims(embedding) = {dimensions} {since}
    ORDER BY embedding <#> %(half)b::halfvec LIMIT {wanted}
""")
_ROUGH = sql.SQL("""
    SELECT sequence, (embedding::halfvec({dimensions})) <#> %(half)b::halfvec({dimensions}) AS distance
    FROM memory_vectors
    WHERE project_id = (SELECT asking_project()) AND embedder = {embedder} AND chinese = {chinese}
        AND vector_dims(embedding) = {dimensions} {since}
    ORDER BY (embedding::halfvec({dimensions})) <#> %(half)b::halfvec({dimensions}) LIMIT {fetched}
""")
# `+ 0` keeps the planner from taking the approximate order for the final sort.
_BEST = sql.SQL("SELECT sequence FROM rough ORDER BY distance + 0 LIMIT {wanted}")
_SINCE = sql.SQL("AND at >= %(since)s")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStats:
    """An HNSW index that finds enough: how many vectors it held when that was measured, and how far it has to look."""

    vectors: int
    ef_search: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPlan:
    """The texts of a project in one language that an embedder has read, and how their nearest are found.

    Two that differ only in how many they are, are found in the same way.
    """

    chinese: bool
    vectors: int = field(compare=False)
    exact: bool

    def sql(self, embedder: str, dimensions: int, wanted: int, *, since: bool) -> sql.Composed:
        """Return the query for the sequences of the nearest ones."""
        values = {
            # As literals, so that the planner sees which index fits.
            "embedder": sql.Literal(embedder),
            "chinese": sql.Literal(self.chinese),
            "dimensions": sql.Literal(dimensions),
            "wanted": sql.Literal(wanted),
            "fetched": sql.Literal(OVERFETCH * wanted),
            "since": _SINCE if since else sql.SQL(""),
        }
        if self.exact:
            return _EXACT.format(**values)
        return sql.SQL("WITH rough AS MATERIALIZED ({}) {}").format(_ROUGH.format(**values), _BEST.format(**values))


def plan_scans(vectors: dict[bool, int], index: IndexStats | None, wanted: int) -> list[ScanPlan]:
    """Choose the cheaper way for each language, if there is an index that finds enough."""
    return [
        ScanPlan(chinese=chinese, vectors=count, exact=index is None or _exact_is_cheaper(count, index, wanted))
        for chinese, count in vectors.items()
        if count
    ]


def as_exact(chosen: Iterable[ScanPlan]) -> list[ScanPlan]:
    """Return the same parts, to be searched one by one."""
    return [ScanPlan(chinese=part.chinese, vectors=part.vectors, exact=True) for part in chosen]


def _exact_is_cheaper(vectors: int, index: IndexStats, wanted: int) -> bool:
    passed = OVERFETCH * wanted * max(index.vectors, vectors) / vectors
    return vectors <= max(EXACT_ROWS, _TO_BEGIN * index.ef_search + _EACH_ROW * passed)
