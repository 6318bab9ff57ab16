"""From a window of entries to what they find: statements, groups of them, and what each group bears out."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from memsieve.digest.cluster import Points, bag, graph, groups, points, rarity, rows
from memsieve.digest.sayings import Saying, sayings
from memsieve.digest.sides import take_sides
from memsieve.digest.weigh import Finding, Spoken, closeness, gathered, nearness, spoken, weigh
from memsieve.digest.window import Window
from memsieve.ports import Embedder, Progress

# To embed a statement by itself takes some milliseconds: the clearest are, and all that are weighed. For the others the
# vector of the entry must do, which is their own where the entry says nothing else.
_MOST_EMBEDDED = 2000
_MOST_GROUPS = 120
_MOST_OF_A_GROUP = 24
_MOST_ALONE = 40
# Sayings elsewhere whose entries are so near to a finding may bear it out too, in another language perhaps.
_MAY_BEAR_OUT = 0.5
_MOST_ELSEWHERE = 12
_BATCH = 64
# A reader of ten insights wants ten subjects: what is near to another finding loses up to so much of its weight.
_NEAR_COSTS = 0.6
_FAR, _FAR_TO_NEAR = 0.2, 0.3


@dataclass(frozen=True, slots=True)
class Found:
    """What a window says, weightiest first, and the numbers of the entries that say anything at all."""

    findings: list[Finding]
    telling: frozenset[int]
    grouped: frozenset[int]


@dataclass(kw_only=True)
class Finder:
    """Finds what a window says; one is made for each digest."""

    window: Window
    embedder: Embedder
    progress: Progress
    # Set when the digest is cancelled, as when a memory is closed: then the threads that work for it end early.
    _given_up: threading.Event = field(default_factory=threading.Event)

    async def find(self, most: int) -> Found:
        """Return findings, about twice as many as asked for, so that some may be left out."""
        try:
            return await self._find(most)
        finally:
            self._given_up.set()

    async def _find(self, most: int) -> Found:
        said = await asyncio.to_thread(sayings, self.window.receipts, self._given_up)
        self.progress(20, 100)
        if not said:
            return Found([], frozenset(), frozenset())
        await self._embed([said[number] for number in _clearest(said)][:_MOST_EMBEDDED], (20, 60))
        weights = rarity([saying.statement.words for saying in said])
        together = await asyncio.to_thread(self._grouped, said, weights)
        self.progress(70, 100)
        findings = await self._weighed(said, together, weights, most)
        grouped = {number for group in together for number in group}
        repeated = [saying for number, saying in enumerate(said) if number in grouped or len(saying.quotes) > 1]
        return Found(findings, _entries(said), _entries(repeated))

    def _grouped(self, said: list[Saying], weights: Mapping[str, float]) -> list[list[int]]:
        """Return groups of sayings by their numbers, the likeliest to find something first, each from its core out."""
        made = points([saying.vector for saying in said], [bag(saying.statement.words, weights) for saying in said])
        near = graph(made, [min(saying.quotes) for saying in said], self._given_up)
        for saying, company in zip(said, near.company(), strict=True):
            saying.company = float(company)
        found = [] if self._given_up.is_set() else groups(near)
        ranked = sorted(found, key=lambda group: -_promise(group, made, said, self.window))
        return [_from_its_core(group, made, said) for group in ranked]

    async def _weighed(
        self, said: list[Saying], together: list[list[int]], weights: Mapping[str, float], most: int
    ) -> list[Finding]:
        grouped = {number for group in together for number in group}
        alone = [[number] for number in self._most_said(said) if number not in grouped][:_MOST_ALONE]
        tried = [[said[number] for number in group[:_MOST_OF_A_GROUP]] for group in (*together[:_MOST_GROUPS], *alone)]
        await self._embed([saying for group in tried for saying in group], (70, 80))
        weighed = [weigh([spoken(saying, weights) for saying in group], self.window, weights) for group in tried]
        chosen = _apart([each for each in weighed if each], 2 * most)
        vectors = rows([saying.vector for saying in said])
        elsewhere = [_nearby(finding, said, vectors) for finding in chosen]
        await self._embed([saying for found in elsewhere for saying in found], (80, 90))
        return [
            await asyncio.to_thread(self._full, finding, [spoken(saying, weights) for saying in found])
            for finding, found in zip(chosen, elsewhere, strict=True)
        ]

    def _full(self, finding: Finding, more: Sequence[Spoken]) -> Finding:
        return take_sides(gathered(finding, more), self.window)

    def _most_said(self, said: list[Saying]) -> list[int]:
        """Return the numbers of sayings, those first that most sessions said in these words, then the clearest."""
        sessions = [len({self.window.entry(entry).session_id for entry in saying.quotes}) for saying in said]
        return sorted(_clearest(said), key=lambda number: -sessions[number])

    async def _embed(self, said: Sequence[Saying], steps: tuple[int, int]) -> None:
        """Give each saying the vector of its own words."""
        wanted = [saying for saying in said if not saying.exact]
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            vectors = await self.embedder.embed([saying.statement.text for saying in part])
            for saying, vector in zip(part, vectors, strict=True):
                saying.vector, saying.exact = vector, True
            self.progress(steps[0] + (steps[1] - steps[0]) * (start + len(part)) // len(wanted), 100)


def _promise(group: list[int], made: Points, said: list[Saying], window: Window) -> float:
    entries = {entry for number in group for entry in said[number].quotes}
    sessions = {window.entry(entry).session_id for entry in entries}
    centre = made[group].mean(axis=0)
    tight = (float(centre @ centre) * len(group) - 1) / (len(group) - 1) if len(group) > 1 else 1.0
    clear = float(np.sort([said[number].statement.clarity for number in group])[-3:].mean())
    central = 1 + math.log1p(max(said[number].company for number in group))
    return (1 + 1.5 * math.log(len(sessions)) + 0.6 * math.log(len(entries))) * tight * clear**2 * central


def _from_its_core(group: list[int], made: Points, said: list[Saying]) -> list[int]:
    near = made[group] @ made[group].mean(axis=0)
    order = np.argsort([-n * (0.3 + said[number].statement.clarity) for n, number in zip(near, group, strict=True)])
    return [group[place] for place in order]


def _clearest(said: list[Saying]) -> list[int]:
    return sorted(range(len(said)), key=lambda number: -said[number].statement.clarity)


def _apart(findings: list[Finding], most: int) -> list[Finding]:
    """Return the weightiest findings; what says the same as a weightier one is left out, what is near it waits."""
    if not findings:
        return []
    leads = [finding.lead for finding in findings]
    same, near = closeness(leads) > 0, nearness(leads)
    values = np.array([finding.value for finding in findings])
    chosen: list[int] = []
    while len(chosen) < most:
        left = values * ~same[chosen].any(axis=0)
        if chosen:
            left *= 1 - _NEAR_COSTS * np.clip((near[chosen].max(axis=0) - _FAR) / _FAR_TO_NEAR, 0, 1)
        if not left.any():
            break
        chosen.append(int(np.argmax(left)))
    return [findings[number] for number in chosen]


def _nearby(finding: Finding, said: list[Saying], vectors: Points) -> list[Saying]:
    """Return sayings whose entries are near enough to be looked at, nearest first."""
    lead = finding.lead.vector
    if lead is None:
        return []
    inside = {id(one.saying) for one in finding.support}
    near = vectors @ lead
    order = np.argsort(-near, kind="stable")[: _MOST_ELSEWHERE + len(inside)]
    found = [said[number] for number in order if near[number] >= _MAY_BEAR_OUT and id(said[number]) not in inside]
    return found[:_MOST_ELSEWHERE]


def _entries(said: Sequence[Saying]) -> frozenset[int]:
    return frozenset(entry for saying in said for entry in saying.quotes)
