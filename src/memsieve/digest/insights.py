"""Make insights of clusters: a summary, sources, disputes, the nearest memory, and what refining says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memsieve.claims import find_conflict
from memsieve.digest.continuity import new_id
from memsieve.digest.diff import word_diff
from memsieve.digest.scoring import Cluster, ScoredStatement, nearness, supported_share
from memsieve.digest.stance import disputes
from memsieve.digest.window import Window
from memsieve.errors import JudgeError
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
from memsieve.refine.verdict import KnownText, refine
from memsieve.text.scripts import HAN
from memsieve.text.tokenize import tokenize

_NEAREST = 5
# A memory that is less similar than this has nothing to do with an insight.
_LEAST_SIMILAR = 0.4
# From here on an insight and a memory are about the same thing, and may contradict each other.
_SAME_THING = 0.6
_ASKED_AT_ONCE = 4
_MOST_SENTENCES = 3
_MOST_CHARACTERS = 400
# A further sentence is clear, and so much of its word weights is new.
_CLEAR = 0.6
_NEW = 0.45
_RESTATED = 0.58
_SUPPORTED = 0.7
# What a model is shown of an insight: the sources nearest to it.
_MOST_SHOWN = 20

_UNSPACED_END = re.compile(f"[\u3000-\u303f\uff00-\uffef{HAN}]$")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LETTERS = re.compile(r"[a-z]+")


@dataclass(frozen=True, kw_only=True)
class InsightMaker:
    """Makes insights. A summary never says more than its sources, extracted or written by a model."""

    longterm: LongTermStore
    embedder: Embedder
    summariser: Summariser | None

    async def make(
        self, scope: Scope, window: Window, found: Sequence[tuple[Cluster, Insight | None]], now: datetime
    ) -> list[Insight]:
        """Make an insight of each cluster; one that goes on keeps its id and when it was first made."""
        summaries = await self._summaries(window, found)
        vectors = await self.embedder.embed([summary.text for summary in summaries])
        return [
            await self._insight(scope, sources_of(cluster, window), summary, vector, before, now)
            for (cluster, before), summary, vector in zip(found, summaries, vectors, strict=True)
        ]

    async def _summaries(self, window: Window, found: Sequence[tuple[Cluster, Insight | None]]) -> list[Summary]:
        at_once = asyncio.Semaphore(_ASKED_AT_ONCE)

        async def one(cluster: Cluster, before: Insight | None) -> Summary:
            async with at_once:
                return await self._summary(window, cluster, before)

        return list(await asyncio.gather(*(one(cluster, before) for cluster, before in found)))

    async def _summary(self, window: Window, cluster: Cluster, before: Insight | None) -> Summary:
        # An id keeps its words: a person promotes what they saw under it.
        if before is not None:
            return Summary(before.summary, before.summarised_by, before.note)
        if self.summariser is None:
            return Summary(extract(cluster, window))
        return await summarised(self.summariser, cluster, window)

    async def of_entry(self, scope: Scope, receipt: Receipt, note: Reason, now: datetime) -> Insight:
        """Make an insight of one entry alone, in its own words."""
        entry = receipt.entry
        [vector] = await self.embedder.embed([entry.content]) if entry.embedding is None else [entry.embedding]
        sources = (_source(Window([receipt]), 0, entry.content, contrary=False),)
        return await self._insight(scope, sources, Summary(entry.content, note=note), vector, None, now)

    async def contradicts_memory(self, scope: Scope, text: str, vector: Vector | None) -> bool:
        """Say whether a text contradicts the verified memory nearest to it."""
        hits = await self.longterm.search(scope, vector, tokenize(text), _NEAREST)
        nearest = max(hits, key=_similarity, default=None)
        if nearest is None or _similarity(nearest) < _SAME_THING:
            return False
        return await asyncio.to_thread(find_conflict, nearest.content, text) is not None

    async def again(self, scope: Scope, insight: Insight) -> Insight:
        """Return a waiting insight as of now: with the sources it has left, compared with today's memory."""
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

    async def _known(self, scope: Scope, hit: SearchHit) -> KnownText:
        memory = await self.longterm.get(scope, hit.memory_id)
        content = hit.content if memory is None else memory.approval.content
        return KnownText(id=hit.memory_id, content=content, similarity=hit.similarity)


def sources_of(cluster: Cluster, window: Window) -> tuple[InsightSource, ...]:
    """Return the entries behind a cluster, nearest first, each with its own words for it."""
    quotes: dict[int, tuple[str, bool]] = {}
    for one in (*cluster.support, *cluster.against):
        for number, words in one.deduped.quotes.items():
            quotes.setdefault(number, (words, one in cluster.against))
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


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, who made it, and a note where it is not what was asked for."""

    text: str
    by: str = Insight.EXTRACT
    note: Reason | None = None


def extract(cluster: Cluster, window: Window) -> str:
    """Return the lead and further sentences of the sources, word for word: central ones that add something.

    What only one session says is not added: those who say the lead would seem to say it as well.
    """
    chosen = [cluster.lead]
    for one in cluster.support:
        clear = one.deduped.statement.clarity >= _CLEAR and window.counts(one.deduped)
        fits = clear and one.chinese == cluster.lead.chinese and _fits(chosen, one)
        if fits and _adds(chosen, one) and (supported_share(one, cluster.support, window) or 0.0) >= _SUPPORTED:
            chosen.append(one)
    return joined([window.quote(one.deduped) for one in chosen])


def joined(sentences: Sequence[str]) -> str:
    """Join sentences to a text, with spaces where their script has them."""
    text = ""
    for sentence in sentences:
        text += sentence if not text or _UNSPACED_END.search(text) else f" {sentence}"
    return text


async def summarised(summariser: Summariser, cluster: Cluster, window: Window) -> Summary:
    """Ask a model; where it fails, or says what no source says, the sources speak for themselves."""
    members = (*cluster.support, *cluster.against)
    shown = [window.quote(one.deduped) for one in members if window.counts(one.deduped)][:_MOST_SHOWN]
    try:
        text = await summariser.summarise(shown)
    except JudgeError as error:
        note = Reason.of("note.summary_failed", model=summariser.name, error=str(error))
        return Summary(extract(cluster, window), note=note)
    fault = _fault(summariser.name, text, shown)
    if fault is not None:
        return Summary(extract(cluster, window), note=fault)
    return Summary(text, summariser.name)


def _fault(model: str, text: str, shown: Sequence[str]) -> Reason | None:
    """Return what makes a model's summary unfit to be decided on, or None."""
    from memsieve.ingress.checks.injection.find import find_injection

    injection = find_injection(text)
    if injection is not None:
        return Reason.of("note.summary_order", model=model, quote=injection.quote)
    known = {number for quote in shown for number in _NUMBER.findall(quote)}
    invented = [number for number in _NUMBER.findall(text) if number not in known]
    # Sources may spell a number out, and the model write it in digits.
    if invented and (known or not any(map(_spells_out, shown))):
        return Reason.of("note.summary_number", model=model, number=invented[0])
    return None


def _spells_out(text: str) -> bool:
    """Say whether a text may hold a number in words."""
    # Imported on first use: the rules of claims take their time to load.
    from memsieve.text.numbers import HAN_DIGITS, NUMBER_WORDS

    return not NUMBER_WORDS.isdisjoint(_LETTERS.findall(text.lower())) or not set(HAN_DIGITS).isdisjoint(text)


def _fits(chosen: Sequence[ScoredStatement], one: ScoredStatement) -> bool:
    return len(chosen) < _MOST_SENTENCES and sum(len(each.text) for each in (*chosen, one)) <= _MOST_CHARACTERS


def _adds(chosen: Sequence[ScoredStatement], one: ScoredStatement) -> bool:
    if nearness([*chosen, one])[-1, :-1].max() >= _RESTATED:
        return False
    known = {word for each in chosen for word in each.tfidf}
    return sum(weight * weight for word, weight in one.tfidf.items() if word not in known) >= _NEW
