"""Ask working and long-term memory in parallel; label, rank and record what is served."""

from __future__ import annotations

import asyncio
import operator
import uuid
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from memsieve import validate
from memsieve.errors import ConfigError, EmbedderError, MemsieveError, StoreCorrupt, StoreUnavailable
from memsieve.model import Answer, ContextItem, Entry, Scope, SearchHit, Source, Vector
from memsieve.ports import Clock, Embedder, LongTermStore, ServingLog, WorkingStore
from memsieve.retrieval.fusion import fused, merge
from memsieve.retrieval.index import Index, Match, Row
from memsieve.retrieval.passages import relevant_passages
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.text.tokenize import tokenize

MAX_QUERY_BYTES = 64 * 1024
MAX_ITEMS = 1000
MAX_DAYS = 36_500
# What nobody has checked is served only where it is about the question: less than this is noise for the most part.
LEAST_UNVERIFIED = 0.2
# An outage of one store does not withhold the results of the other.
_DOWN = (StoreUnavailable, StoreCorrupt, ConfigError)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question with its options."""

    text: str
    max_results: int = 5
    max_unverified: int = 10
    time_range_days: float | None = None
    relevance_threshold: float = 0.0
    session_id: str | None = None
    agent_id: str | None = None

    def __post_init__(self) -> None:
        validate.text(self.text, field="query", max_bytes=MAX_QUERY_BYTES)
        validate.whole_number(self.max_results, field="max_results", most=MAX_ITEMS)
        validate.whole_number(self.max_unverified, field="max_unverified", most=MAX_ITEMS)
        validate.number(self.relevance_threshold, field="relevance_threshold", most=1)
        if self.time_range_days is not None:
            validate.number(self.time_range_days, field="time_range_days", most=MAX_DAYS)
        for name in ("session_id", "agent_id"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, validate.name(getattr(self, name), field=name))


@dataclass(frozen=True, kw_only=True)
class Retriever:
    """Answers queries. It is given no quarantine store, so nothing in it can read one."""

    working: WorkingStore
    longterm: LongTermStore
    servings: ServingLog
    embedder: Embedder
    clock: Clock
    _indexes: ProjectCache[tuple[Sequence[Entry], Index]] = field(default_factory=ProjectCache)

    async def retrieve(self, scope: Scope, query: Query) -> Answer:
        """Return the most relevant memories of both tiers; what could not be asked is named, never hidden."""
        words = tokenize(query.text)
        now = self.clock()
        since = None if query.time_range_days is None else now - timedelta(days=query.time_range_days)
        embedding: asyncio.Future[Vector | None] = asyncio.get_running_loop().create_future()
        ranking = asyncio.ensure_future(self._unverified(scope, query, words, since, embedding))
        try:
            vector, degraded = await self._embed(query.text)
            embedding.set_result(vector)
            cold = await _or_why_not(self.longterm.search(scope, vector, words, query.max_results, since))
            hot = await _or_why_not(ranking)
        except BaseException:
            ranking.cancel()
            # The caller gets the first error; retrieve the second, or asyncio would log it.
            ranking.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        unverified = _unless_down(hot, "working", degraded)
        hits = _unless_down(cold, "longterm", degraded)
        if isinstance(hot, MemsieveError) and isinstance(cold, MemsieveError):
            raise StoreUnavailable(
                f"Neither tier answers: {hot} {cold}", public=f"Neither tier answers: {hot.public} {cold.public}"
            ) from cold
        verified = _best(((fused(hit), hit) for hit in hits), query.max_results, query.relevance_threshold)
        answer = Answer(
            id=str(uuid.uuid4()),
            query=query.text,
            at=now,
            items=merge([_verified(hit, score) for score, hit in verified], unverified),
            degraded=tuple(degraded),
            session_id=query.session_id,
            agent_id=query.agent_id,
        )
        try:
            await self.servings.log_answer(scope, answer)
        except _DOWN:
            # Answer all the same, and say that this answer is missing from the log of servings.
            return replace(answer, degraded=(*answer.degraded, "servings"))
        return answer

    async def _unverified(
        self,
        scope: Scope,
        query: Query,
        words: Sequence[str],
        since: datetime | None,
        embedding: Awaitable[Vector | None],
    ) -> list[ContextItem]:
        """List working memory while the query is embedded, and rank it while long-term memory is searched."""
        entries, vector = await self.working.list(scope), await embedding
        matches = self._index(scope, entries).search(vector, words, len(entries), since)
        scored = ((fused(match), match) for match in matches)
        best = _best(scored, query.max_unverified, max(query.relevance_threshold, LEAST_UNVERIFIED))
        return [_hot_item(entries[match.position], match, score, words) for score, match in best]

    def _index(self, scope: Scope, entries: Sequence[Entry]) -> Index:
        """Return the index over working memory, kept for as long as its entries are the same."""
        kept = self._indexes.get(scope.project_id)
        if kept is None or len(kept[0]) != len(entries) or not all(map(operator.is_, kept[0], entries)):
            rows = (
                Row(words=tokenize(entry.content), vector=entry.embedding, at=entry.created_at) for entry in entries
            )
            kept = (entries, Index(rows))
            self._indexes.set(scope.project_id, kept)
        return kept[1]

    async def _embed(self, text: str) -> tuple[Vector | None, list[str]]:
        try:
            [vector] = await self.embedder.embed([text])
        except EmbedderError:
            return None, ["embedder"]
        return vector, []


async def _or_why_not(asking: Awaitable[list[T]]) -> list[T] | MemsieveError:
    try:
        return await asking
    except _DOWN as exc:
        return exc


def _unless_down(found: list[T] | MemsieveError, tier: str, degraded: list[str]) -> list[T]:
    if isinstance(found, MemsieveError):
        degraded.append(tier)
        return []
    return found


def _best(scored: Iterable[tuple[float, T]], most: int, threshold: float) -> list[tuple[float, T]]:
    relevant = (one for one in scored if one[0] > 0 and one[0] >= threshold)
    return sorted(relevant, key=operator.itemgetter(0), reverse=True)[:most]


def _verified(hit: SearchHit, score: float) -> ContextItem:
    return ContextItem(
        id=hit.chunk_id,
        content=hit.content,
        source=Source.COLD,
        score=score,
        created_at=hit.promoted_at,
        memory_id=hit.memory_id,
        promoted_at=hit.promoted_at,
        promoted_by=hit.promoted_by,
        similarity=hit.similarity,
        word_score=hit.word_score,
    )


def _hot_item(entry: Entry, match: Match, score: float, words: Sequence[str]) -> ContextItem:
    return ContextItem(
        id=entry.id,
        content=relevant_passages(entry.content, words),
        source=Source.HOT,
        score=score,
        created_at=entry.created_at,
        entry_id=entry.id,
        session_id=entry.session_id,
        agent_id=entry.agent_id,
        expires_at=entry.expires_at,
        similarity=match.similarity,
        word_score=match.word_score,
        embedding=entry.embedding,
    )
