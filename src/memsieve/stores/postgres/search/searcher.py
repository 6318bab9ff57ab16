"""Long-term memory searched by vectors and words on PostgreSQL, with the scores of `retrieval.index`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from pgvector import SparseVector

from memsieve.model import Origin, Scope, SearchHit, Vector
from memsieve.retrieval.fusion import candidates_per_leg, fuse
from memsieve.retrieval.index import LENGTH_WEIGHT, PRIOR_TEXTS, SATURATION, expected_word_scores, idf
from memsieve.retrieval.neighbours import Parts, Sessions
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.stores.postgres.database import Database, DbRole
from memsieve.stores.postgres.psycopg_internals import Columns, decode_term_counts
from memsieve.stores.postgres.rows import array_text, half
from memsieve.stores.postgres.search.search_sql import VECTORS_SINCE, Shape, planned_statement, single_statement
from memsieve.stores.postgres.search.terms import MOST_TEXTS, NUMBERS, hash_term, plan_lookup
from memsieve.stores.postgres.search.vector_plan import EXACT_ROWS, SETTINGS, IndexStats, ScanPlan, as_exact, plan_scans
from memsieve.text.tokenize import is_chinese

# The database ranks as if a word that is there many times were there once in a shorter text: the right score is made
# here, for twice as many as are wanted.
_ROUGHLY = 2


@dataclass(frozen=True, kw_only=True)
class SearchQuery:
    """What is asked of a project's memories, by vector and by words."""

    scope: Scope
    embedder: str
    vector: Vector | None
    words: Sequence[str]
    limit: int
    since: datetime | None

    @property
    def wanted(self) -> int:
        """How many each leg must bring."""
        return candidates_per_leg(self.limit)

    @cached_property
    def numbers(self) -> list[int]:
        """The words as the database knows them, each once."""
        return list({hash_term(self.scope.project_id, word) for word in self.words})

    @cached_property
    def values(self) -> dict[str, Any]:
        """The parameters of every statement."""
        return {
            "embedder": self.embedder,
            "words": array_text(self.numbers),
            "dimensions": None if self.vector is None else len(self.vector),
            "since": self.since,
            "half": half(self.vector),
            "vector": self.vector,
            "unseen": PRIOR_TEXTS + 0.5,
            "shortest": 1 + SHORTEST,
            "by_length": BY_LENGTH,
            "best": _ROUGHLY * self.wanted,
        }

    def shape(self, near: Iterable[ScanPlan], *, by_words: bool) -> Shape:
        """Return what the statement is that finds the nearest in these parts."""
        return Shape(
            embedder=self.embedder,
            dimensions=0 if self.vector is None else len(self.vector),
            near=tuple(near),
            wanted=self.wanted,
            since=self.since is not None,
            by_words=by_words,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What a search in a project goes by."""

    texts: int
    length: int
    holding: Sequence[int]
    vectors: dict[bool, int]
    index: IndexStats | None

    @classmethod
    def of(cls, found: Columns) -> Size:
        """Read the first row."""
        [indexed, *_], [ef_search, *_] = found["indexed"], found["ef_search"]
        return cls(
            texts=found["texts"][0],
            length=found["together"][0],
            holding=found["holding"][0],
            vectors=dict(zip((False, True), found["vectors"][0], strict=True)),
            index=None if indexed is None else IndexStats(vectors=indexed, ef_search=ef_search),
        )

    def depends_on_time(self, asked: SearchQuery) -> bool:
        """Say whether the way to the nearest depends on how many of the vectors are as new as asked for."""
        return asked.since is not None and self.index is not None and max(self.vectors.values()) > EXACT_ROWS

    def near(self, asked: SearchQuery) -> list[ScanPlan]:
        """Return the ways to the nearest."""
        return [] if asked.vector is None else plan_scans(self.vectors, self.index, asked.wanted)


class Searcher:
    """Searches at once by what it knows of a project, and once more where that has changed or is not enough."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sizes: ProjectCache[Size] = ProjectCache()

    async def search(self, asked: SearchQuery) -> list[SearchHit]:
        """Return the chunks with the best fused score among those best by vector, in each language, and by words."""
        size, found, near = await self._by_single_statement(asked)
        if size is None or not size.texts or not asked.wanted:
            return []
        holding = dict(zip(asked.numbers, size.holding, strict=True))
        bm25 = Bm25.of(holding, size.texts, size.length)
        if found is None:
            by_words = _by_words({one: holding[one] for one in bm25.weights}, size.texts, bm25)
            if size.depends_on_time(asked):
                near = (await self._as_new(asked, size)).near(asked)
            found = await self._found(asked, size, by_words, near)
        if found and _short(found, near, asked.wanted):
            by_words = _by_words({one: holding[one] for one in bm25.weights}, size.texts, bm25)
            found = await self._found(asked, size, by_words, as_exact(near))
        wanted = Wanted(chinese=is_chinese(asked.words), limit=asked.limit, by_leg=asked.wanted, since=asked.since)
        return best(found, bm25, wanted) if found else []

    async def _by_single_statement(self, asked: SearchQuery) -> tuple[Size | None, Columns | None, list[ScanPlan]]:
        """Return the sizes, and what was found if that is all, and the ways to the nearest."""
        project_id = asked.scope.project_id
        before = self._sizes.get(project_id)
        known = before is not None and not before.depends_on_time(asked)
        supposed = asked.shape(before.near(asked) if before is not None and known else (), by_words=True)
        values = {**asked.values, "most": MOST_TEXTS if known else -1}
        answer = await self._fetch(asked, single_statement(supposed), values, before)
        if not answer["texts"]:
            return None, None, []
        size = Size.of(answer)
        self._sizes.set(project_id, size)
        near = size.near(asked)
        through = answer["few"][0] and tuple(near) == supposed.near
        found = {name: column[1:] for name, column in answer.items()} if through else None
        return size, found, near

    async def _found(
        self, asked: SearchQuery, size: Size, words: Mapping[str, Any], near: Sequence[ScanPlan]
    ) -> Columns:
        by_words = any(words[name] != array_text(()) for name in ("alone", "otherwise"))
        if not (by_words or near):
            return {}
        statement = planned_statement(asked.shape(near, by_words=by_words))
        return await self._fetch(asked, statement, {**asked.values, **words}, size)

    async def _as_new(self, asked: SearchQuery, size: Size) -> Size:
        """Return the sizes with the vectors that are as new as asked for, where they are few enough to be compared."""
        answer = await self._fetch(asked, VECTORS_SINCE, asked.values, size)
        counted = dict(zip((False, True), answer["vectors"], strict=True))
        few = {chinese: count for chinese, count in counted.items() if count <= EXACT_ROWS}
        return replace(size, vectors={**size.vectors, **few})

    async def _fetch(self, asked: SearchQuery, statement: str, values: Mapping[str, Any], size: Size | None) -> Columns:
        index = None if size is None else size.index
        looking = () if index is None else (("hnsw.ef_search", str(index.ef_search)),)
        return await self._database.fetch_columns(DbRole.AGENT, asked.scope, statement, values, (*SETTINGS, *looking))


def _by_words(holding: Mapping[int, int], texts: int, bm25: Bm25) -> dict[str, Any]:
    chosen = plan_lookup(holding, texts)
    return {
        "alone": array_text(chosen.alone),
        "together": array_text(map(array_text, chosen.together)),
        "otherwise": array_text(chosen.otherwise),
        "weights": SparseVector(bm25.weights, NUMBERS),
        "per_word": bm25.per_word,
        "most": MOST_TEXTS,
    }


def _short(found: Columns, near: Sequence[ScanPlan], wanted: int) -> bool:
    """Say whether an index brought fewer than there must be."""
    rough = [part for part in near if not part.exact]
    if not rough:
        return False
    brought = Counter(zip(found["near"], found["chinese"], strict=True))
    return any(brought[True, part.chinese] < min(wanted, part.vectors) for part in rough)


SHORTEST = SATURATION * (1 - LENGTH_WEIGHT)
BY_LENGTH = SATURATION * LENGTH_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """How much each word of the question weighs in this project, and the length of a text against it."""

    weights: dict[int, float]
    reachable: float
    per_word: float

    @classmethod
    def of(cls, holding: Mapping[int, int], texts: int, length: int) -> Bm25:
        """Weigh words by how many of the `texts`, of this length together, hold them."""
        weights = {word: weight for word, number in holding.items() if (weight := idf(number, texts))}
        per_word = BY_LENGTH / max(1.0, length / texts)
        return cls(weights=weights, reachable=sum(weights.values()), per_word=per_word)

    def parts(self, sent: Sequence[bytes], lengths: npt.NDArray[np.float64]) -> Parts:
        """Return for each text and word the share of what one of average length with each word once would have."""
        words = sorted(self.weights)
        counts = decode_term_counts(sent, np.array(words, np.int64))
        norms = SHORTEST + self.per_word * lengths
        weights = np.array([self.weights[word] for word in words])[counts.words]
        reached = weights * (SATURATION + 1) * counts.often / (counts.often + norms[counts.texts])
        parts = np.zeros((len(sent), len(words)))
        parts[counts.texts, counts.words] = reached / (self.reachable or 1.0)
        return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a query wants: `limit` hits, of `by_leg` candidates from each leg, and nothing older."""

    chinese: bool
    limit: int
    by_leg: int
    since: datetime | None


def best(found: Columns, bm25: Bm25, wanted: Wanted) -> list[SearchHit]:
    """Return what has the best fused score among the nearest, the best by words, and what was said around them.

    All that was found comes in the order in which it was promoted.
    """
    if not found["sequence"]:
        return []
    # A text that nobody made a vector of has no number there.
    similarities = np.array(found["similarity"], np.float64)
    lengths = np.array(found["length"], np.float64)
    parts = bm25.parts(found["counts"], lengths)
    words = parts.sum(axis=1)
    foreign = np.array(found["chinese"]) != wanted.chinese
    if foreign.any():
        likely = np.nan_to_num(expected_word_scores(similarities.astype(np.float32)))
        words = np.where(foreign, np.maximum(words, likely), words)
    allowed = None if wanted.since is None else np.array([at >= wanted.since for at in found["promoted_at"]])
    legs = _by_leg(found["near"], words, wanted.by_leg)
    kept = _sessions(found).expand(legs, words, parts.__getitem__, lengths, allowed)
    order = kept[np.argsort(-fuse(similarities[kept], words[kept]), kind="stable")[: wanted.limit]]
    return [_hit(found, place, float(words[place])) for place in order.tolist()]


def _by_leg(near: Sequence[bool | None], words: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.intp]:
    """Return where the nearest and the best by words are, without what only came along."""
    by_words = np.where([one is None for one in near], 0.0, words)
    legs = np.array([one is True for one in near])
    legs[np.argsort(-by_words, kind="stable")[: min(most, np.count_nonzero(by_words))]] = True
    return np.flatnonzero(legs)


def _sessions(found: Columns) -> Sessions:
    sessions = Sessions()
    for position, (session_id, at) in enumerate(zip(found["session_id"], found["said_at"], strict=True)):
        if session_id is not None:
            sessions.add(position, Origin(session_id=session_id, at=at))
    return sessions


def _hit(found: Columns, place: int, word_score: float) -> SearchHit:
    return SearchHit(
        chunk_id=found["id"][place],
        memory_id=found["approval_id"][place],
        content=found["content"][place],
        promoted_by=found["promoted_by"][place],
        promoted_at=found["promoted_at"][place],
        similarity=found["similarity"][place],
        word_score=word_score,
    )
