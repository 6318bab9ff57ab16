"""From a window of entries to clusters: statements, groups of them, and what each group supports."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memsieve.digest.cluster import Numbers, Points, centrality, graph, groups, idf, points, rows, tfidf
from memsieve.digest.scoring import (
    Cluster,
    ScoredStatement,
    closeness,
    gather_support,
    nearness,
    quality,
    score_cluster,
    scored,
)
from memsieve.digest.stance import contradicts_itself, take_sides
from memsieve.digest.window import DedupedStatement, Window, deduplicate
from memsieve.model import Vector
from memsieve.ports import Embedder, Progress

# To embed a statement by itself takes some milliseconds: the clearest are, and all that are weighed. For the others the
# vector of the entry must do, which is their own where the entry says nothing else.
_MOST_EMBEDDED = 2000
_MOST_GROUPS = 120
_MOST_OF_A_GROUP = 24
_MOST_ALONE = 40
# Statements elsewhere whose entries are so near to a cluster may support it too, in another language perhaps.
_MAY_SUPPORT = 0.5
_MOST_ELSEWHERE = 12
_BATCH = 64
# The most weight that a cluster loses for being near another: ten insights should have ten subjects.
_NEAR_COSTS = 0.6
_FAR, _FAR_TO_NEAR = 0.2, 0.3
# How many statements are compared with verified memory, and how much more a contradiction weighs: it comes first.
_MOST_COMPARED = 600
_CONTRADICTING = 1000.0


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The clusters of a window, weightiest first, and the numbers of the entries that state anything at all."""

    clusters: list[Cluster]
    telling: frozenset[int]
    grouped: frozenset[int]


@dataclass(kw_only=True)
class Extractor:
    """Extracts the clusters of a window; one is made for each digest."""

    window: Window
    embedder: Embedder
    progress: Progress
    contradicts_memory: Callable[[str, Vector | None], Awaitable[bool]]
    # Set when the digest is cancelled, as when a memory is closed: then the threads that work for it end early.
    _given_up: threading.Event = field(default_factory=threading.Event)

    async def extract(self, most: int) -> ExtractionResult:
        """Return clusters, about twice as many as asked for, so that some may be left out."""
        try:
            return await self._extract(most)
        finally:
            self._given_up.set()

    async def _extract(self, most: int) -> ExtractionResult:
        deduped = await asyncio.to_thread(deduplicate, self.window.receipts, self._given_up)
        self.progress(20, 100)
        if not deduped:
            return ExtractionResult([], frozenset(), frozenset())
        await self._embed([deduped[number] for number in _clearest(deduped)][:_MOST_EMBEDDED], (20, 60))
        weights = idf([each.statement.words for each in deduped])
        together = await asyncio.to_thread(self._grouped, deduped, weights)
        self.progress(70, 100)
        clusters = await self._scored(deduped, together, weights, most)
        grouped = {number for group in together for number in group}
        repeated = [each for number, each in enumerate(deduped) if number in grouped or len(each.quotes) > 1]
        return ExtractionResult(clusters, _entries(deduped), _entries(repeated))

    def _grouped(self, deduped: list[DedupedStatement], weights: Mapping[str, float]) -> list[list[int]]:
        """Return groups of statements by their numbers, the most promising first, each from its core out."""
        made = points([each.vector for each in deduped], [tfidf(each.statement.words, weights) for each in deduped])
        near = graph(made, [min(each.quotes) for each in deduped], self._given_up)
        for each, company, central in zip(deduped, near.company(), self._centrality(made, deduped), strict=True):
            each.company, each.centrality = float(company), float(central)
        found = [] if self._given_up.is_set() else groups(near)
        ranked = sorted(found, key=lambda group: -_promise(group, made, deduped, self.window))
        return [_from_its_core(group, made, deduped) for group in ranked]

    def _centrality(self, made: Points, deduped: list[DedupedStatement]) -> Numbers:
        """Return how near each statement is to what its session says as a whole, in deviations of that session."""
        sessions = [self.window.entry(min(each.quotes)).session_id for each in deduped]
        places = {session: place for place, session in enumerate(dict.fromkeys(sessions))}
        return centrality(made, np.array([places[session] for session in sessions]))

    async def _scored(
        self, deduped: list[DedupedStatement], together: list[list[int]], weights: Mapping[str, float], most: int
    ) -> list[Cluster]:
        grouped = {number for group in together for number in group}
        ordered = self._most_repeated(deduped)
        alone = [[number] for number in ordered if number not in grouped][:_MOST_ALONE]
        contrary = await self._contradicting(deduped, ordered[:_MOST_COMPARED])
        candidates = (*together[:_MOST_GROUPS], *alone, *([number] for number in contrary))
        tried = [[deduped[number] for number in group[:_MOST_OF_A_GROUP]] for group in candidates]
        await self._embed([each for group in tried for each in group], (70, 80))
        clusters = [score_cluster([scored(each, weights) for each in group], self.window, weights) for group in tried]
        denying = {id(deduped[number]) for number in contrary}
        raised = await asyncio.to_thread(self._raised, [each for each in clusters if each], denying)
        chosen = _apart(raised, 2 * most)
        vectors = rows([each.vector for each in deduped])
        elsewhere = [_nearby(cluster, deduped, vectors) for cluster in chosen]
        await self._embed([each for found in elsewhere for each in found], (80, 90))
        return [
            await asyncio.to_thread(self._full, cluster, [scored(each, weights) for each in found])
            for cluster, found in zip(chosen, elsewhere, strict=True)
        ]

    async def _contradicting(self, deduped: list[DedupedStatement], numbers: Sequence[int]) -> list[int]:
        """Return the numbers of those statements that contradict verified memory."""
        known = [number for number in numbers if deduped[number].exact and self.window.counts(deduped[number])]
        return [
            number
            for number in known
            if await self.contradicts_memory(deduped[number].statement.text, deduped[number].vector)
        ]

    def _raised(self, clusters: list[Cluster], denying: set[int]) -> list[Cluster]:
        """Return clusters with those before all others that contradict verified memory or themselves."""
        return [
            replace(each, value=each.value * _CONTRADICTING, contradicting=True)
            if id(each.lead.deduped) in denying or (not self._given_up.is_set() and contradicts_itself(each))
            else each
            for each in clusters
        ]

    def _full(self, cluster: Cluster, more: Sequence[ScoredStatement]) -> Cluster:
        return take_sides(gather_support(cluster, more), self.window)

    def _most_repeated(self, deduped: list[DedupedStatement]) -> list[int]:
        """Return the numbers of statements, those first that most sessions have in these words, then the best."""
        sessions = [len({self.window.entry(entry).session_id for entry in each.quotes}) for each in deduped]
        return sorted(range(len(deduped)), key=lambda number: (-sessions[number], -quality(deduped[number])))

    async def _embed(self, deduped: Sequence[DedupedStatement], steps: tuple[int, int]) -> None:
        """Give each statement the vector of its own words."""
        wanted = [each for each in deduped if not each.exact]
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            vectors = await self.embedder.embed([each.statement.text for each in part])
            for each, vector in zip(part, vectors, strict=True):
                each.vector, each.exact = vector, True
            self.progress(steps[0] + (steps[1] - steps[0]) * (start + len(part)) // len(wanted), 100)


def _promise(group: list[int], made: Points, deduped: list[DedupedStatement], window: Window) -> float:
    entries = {entry for number in group for entry in deduped[number].quotes}
    sessions = {window.entry(entry).session_id for entry in entries}
    centre = made[group].mean(axis=0)
    tight = (float(centre @ centre) * len(group) - 1) / (len(group) - 1) if len(group) > 1 else 1.0
    good = float(np.sort([quality(deduped[number]) for number in group])[-3:].mean())
    central = 1 + math.log1p(max(deduped[number].company for number in group))
    return (1 + 1.5 * math.log(len(sessions)) + 0.6 * math.log(len(entries))) * tight * good * central


def _from_its_core(group: list[int], made: Points, deduped: list[DedupedStatement]) -> list[int]:
    near = made[group] @ made[group].mean(axis=0)
    order = np.argsort([-n * (0.3 + deduped[number].statement.clarity) for n, number in zip(near, group, strict=True)])
    return [group[place] for place in order]


def _clearest(deduped: list[DedupedStatement]) -> list[int]:
    return sorted(range(len(deduped)), key=lambda number: -deduped[number].statement.clarity)


def _apart(clusters: list[Cluster], most: int) -> list[Cluster]:
    """Return the weightiest clusters; one that repeats a weightier one is left out, one near it waits."""
    if not clusters:
        return []
    leads = [cluster.lead for cluster in clusters]
    same, near = closeness(leads) > 0, nearness(leads)
    values = np.array([cluster.value for cluster in clusters])
    chosen: list[int] = []
    while len(chosen) < most:
        left = values * ~same[chosen].any(axis=0)
        if chosen:
            left *= 1 - _NEAR_COSTS * np.clip((near[chosen].max(axis=0) - _FAR) / _FAR_TO_NEAR, 0, 1)
        if not left.any():
            break
        chosen.append(int(np.argmax(left)))
    return [clusters[number] for number in chosen]


def _nearby(cluster: Cluster, deduped: list[DedupedStatement], vectors: Points) -> list[DedupedStatement]:
    """Return statements whose entries are near enough to be looked at, nearest first."""
    lead = cluster.lead.vector
    if lead is None:
        return []
    inside = {id(one.deduped) for one in cluster.support}
    near = vectors @ lead
    order = np.argsort(-near, kind="stable")[: _MOST_ELSEWHERE + len(inside)]
    found = [deduped[number] for number in order if near[number] >= _MAY_SUPPORT and id(deduped[number]) not in inside]
    return found[:_MOST_ELSEWHERE]


def _entries(deduped: Sequence[DedupedStatement]) -> frozenset[int]:
    return frozenset(entry for each in deduped for entry in each.quotes)
