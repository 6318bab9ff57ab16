"""Make insights of findings: words, sources, disputes, the nearest memory, and what refining says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memsieve.claims import find_conflict
from memsieve.digest.diff import word_diff
from memsieve.digest.dispute import disputes
from memsieve.digest.queue import new_id
from memsieve.digest.summarise import Summary, extract, summarised
from memsieve.digest.weigh import Finding
from memsieve.digest.window import Window
from memsieve.model import (
    Insight,
    InsightSource,
    Nearest,
    Reason,
    Receipt,
    Refinement,
    Scope,
    SearchHit,
    SourceDoubt,
    Vector,
)
from memsieve.ports import Embedder, LongTermStore, Summariser
from memsieve.refine.verdict import Known, refine
from memsieve.text.tokenize import tokenize

_NEAREST = 5
# A memory that is less similar than this has nothing to do with an insight.
_LEAST_SIMILAR = 0.4
# From here on an insight and a memory are about the same thing, and may contradict each other.
_SAME_THING = 0.6
_ASKED_AT_ONCE = 4


@dataclass(frozen=True, kw_only=True)
class InsightMaker:
    """Makes insights. A summary is never more than its sources say, whoever words it."""

    longterm: LongTermStore
    embedder: Embedder
    summariser: Summariser | None

    async def make(
        self, scope: Scope, window: Window, found: Sequence[tuple[Finding, Insight | None]], now: datetime
    ) -> list[Insight]:
        """Make an insight of each finding; one that goes on keeps its id and when it was first made."""
        summaries = await self._summaries(window, found)
        vectors = await self.embedder.embed([summary.text for summary in summaries])
        return [
            await self._insight(scope, sources_of(finding, window), summary, vector, before, now)
            for (finding, before), summary, vector in zip(found, summaries, vectors, strict=True)
        ]

    async def _summaries(self, window: Window, found: Sequence[tuple[Finding, Insight | None]]) -> list[Summary]:
        turns = asyncio.Semaphore(_ASKED_AT_ONCE)

        async def one(finding: Finding, before: Insight | None) -> Summary:
            async with turns:
                return await self._summary(window, finding, before)

        return list(await asyncio.gather(*(one(finding, before) for finding, before in found)))

    async def _summary(self, window: Window, finding: Finding, before: Insight | None) -> Summary:
        # Who has seen an insight must find the same words under its id: they are what is promoted.
        if before is not None:
            return Summary(before.summary, before.summarised_by, before.note)
        if self.summariser is None:
            return Summary(extract(finding, window))
        return await summarised(self.summariser, finding, window)

    async def of_entry(self, scope: Scope, receipt: Receipt, note: Reason, now: datetime) -> Insight:
        """Make an insight of one entry alone, in its own words."""
        entry = receipt.entry
        [vector] = await self.embedder.embed([entry.content]) if entry.embedding is None else [entry.embedding]
        sources = (_source(Window([receipt]), 0, entry.content, contrary=False),)
        return await self._insight(scope, sources, Summary(entry.content, note=note), vector, None, now)

    async def again(self, scope: Scope, insight: Insight) -> Insight:
        """Return an insight that waits as it stands now: with the sources it has left, beside today's memory."""
        left = {source.entry_id for source in insight.sources}
        refinement, nearest = await self._compared(scope, insight.summary, insight.embedding, insight.sources)
        kept = tuple(each for each in insight.disputes if {each.first_id, each.second_id} <= left)
        return replace(insight, refinement=refinement, nearest=nearest, disputes=kept)

    async def _insight(
        self,
        scope: Scope,
        sources: tuple[InsightSource, ...],
        summary: Summary,
        vector: Vector | None,
        before: Insight | None,
        now: datetime,
    ) -> Insight:
        refinement, nearest = await self._compared(scope, summary.text, vector, sources)
        return Insight(
            id=before.id if before else new_id(scope.project_id, [source.entry_id for source in sources]),
            project_id=scope.project_id,
            summary=summary.text,
            sources=sources,
            refinement=refinement,
            made_at=before.made_at if before else now,
            summarised_by=summary.by,
            note=summary.note,
            nearest=nearest,
            disputes=await asyncio.to_thread(disputes, sources),
            embedding=vector,
        )

    async def _compared(
        self, scope: Scope, summary: str, vector: Vector | None, sources: Sequence[InsightSource]
    ) -> tuple[Refinement, Nearest | None]:
        """Return what refining says of a summary, and the verified memory nearest to it."""
        hits = await self.longterm.search(scope, vector, tokenize(summary), _NEAREST)
        known = [await self._known(scope, hit) for hit in hits]
        sessions = len({source.session_id for source in sources if source.doubt is None})
        refinement = await asyncio.to_thread(refine, summary, observations=sessions, known=known)
        return refinement, await asyncio.to_thread(_nearest, summary, hits)

    async def _known(self, scope: Scope, hit: SearchHit) -> Known:
        memory = await self.longterm.get(scope, hit.memory_id)
        content = hit.content if memory is None else memory.approval.content
        return Known(id=hit.memory_id, content=content, similarity=hit.similarity)


def sources_of(finding: Finding, window: Window) -> tuple[InsightSource, ...]:
    """Return the entries behind a finding, nearest first, each with its own words for it."""
    quotes: dict[int, tuple[str, bool]] = {}
    for one in (*finding.support, *finding.against):
        for number, words in one.saying.quotes.items():
            quotes.setdefault(number, (words, one in finding.against))
    return tuple(_source(window, number, *quote) for number, quote in quotes.items())


def _source(window: Window, number: int, quote: str, contrary: bool) -> InsightSource:
    entry = window.entry(number)
    return InsightSource(
        entry_id=entry.id,
        session_id=entry.session_id,
        agent_id=entry.agent_id,
        confidence=entry.confidence,
        created_at=entry.created_at,
        quote=quote,
        doubt=window.doubt(number) or (SourceDoubt.CONTRARY if contrary else None),
    )


def _nearest(summary: str, hits: Sequence[SearchHit]) -> Nearest | None:
    if not hits:
        return None
    best = max(hits, key=_similarity)
    similarity = _similarity(best)
    if similarity < _LEAST_SIMILAR:
        return None
    return Nearest(
        memory_id=best.memory_id,
        content=best.content,
        similarity=similarity,
        diff=word_diff(best.content, summary),
        conflict=find_conflict(best.content, summary) if similarity >= _SAME_THING else None,
    )


def _similarity(hit: SearchHit) -> float:
    return min(1.0, max(0.0, hit.word_score if hit.similarity is None else hit.similarity))
