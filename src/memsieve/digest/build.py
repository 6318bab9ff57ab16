"""Make a digest: read what nobody has decided on, find what it says, and put a few insights before a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memsieve import validate
from memsieve.digest.decided import Decided, History
from memsieve.digest.find import Finder, Found, Progress
from memsieve.digest.insight import InsightMaker, sources_of
from memsieve.digest.queue import MOST_SHOWN, going_on, in_order
from memsieve.digest.weigh import Finding
from memsieve.digest.window import Window
from memsieve.model import Aside, Digest, Insight, Scope
from memsieve.ports import Clock, DigestStore, Embedder

MOST_DAYS = 3660
# What one entry says alone is shown where little was said at all, or where there would be fewer insights than this.
_FEWEST = 5
_LITTLE_SAID = 20


@dataclass(frozen=True, kw_only=True)
class Digester:
    """Makes digests. Nothing it makes is more trusted than what it was made of."""

    digests: DigestStore
    decided: Decided
    maker: InsightMaker
    embedder: Embedder
    clock: Clock

    async def digest(self, scope: Scope, *, days: float = 7, progress: Progress | None = None) -> Digest:
        """Make the digest of the last days and of all that still waits, and keep it."""
        validate.number(days, field="days", most=MOST_DAYS)
        now, told = self.clock(), progress or _silent
        since = now - timedelta(days=days)
        window = Window(await self.digests.undecided(scope, since))
        told(5, 100)
        found = await Finder(window=window, embedder=self.embedder, progress=told).find(MOST_SHOWN)
        new, history = await self._new(scope, window, found)
        waiting = await self.digests.insights(scope, settled=False)
        insights, merged = await self._insights(scope, window, new, waiting, now)
        kept = [insight for insight in waiting if insight.id not in {each.id for each in insights} | set(merged)]
        digest = Digest(
            project_id=scope.project_id,
            made_at=now,
            since=since,
            entries=len(window),
            set_aside=_set_aside(window, found, (*insights, *kept), history),
            insights=tuple(insights),
            waiting=len(insights) + len(kept),
        )
        saved = await self.digests.save(scope, digest, merged=merged, later=history.later)
        told(100, 100)
        return self._shown(saved)

    async def last(self, scope: Scope) -> Digest | None:
        """Return the newest digest with what waits now; nothing is made."""
        kept = await self.digests.last(scope)
        return None if kept is None else self._shown(kept)

    async def insights(self, scope: Scope, *, settled: bool) -> list[Insight]:
        """Return what waits, in the order of the queue, or what is settled, newest first."""
        found = await self.digests.insights(scope, settled=settled)
        return found[::-1] if settled else in_order(found, self.clock())

    async def _new(self, scope: Scope, window: Window, found: Found) -> tuple[list[Finding], History]:
        """Return what a person has not decided on before, as much as one can read, and what joins a decision."""
        history = await self.decided.history(scope)
        enough = MOST_SHOWN if len(found.telling) <= _LITTLE_SAID else _FEWEST
        new: list[Finding] = []
        for finding in sorted(found.findings, key=lambda each: each.alone):
            if len(new) >= (enough if finding.alone else MOST_SHOWN):
                break
            if not await history.takes(finding, sources_of(finding, window)):
                new.append(finding)
        return new, history

    async def _insights(
        self, scope: Scope, window: Window, new: list[Finding], waiting: list[Insight], now: datetime
    ) -> tuple[list[Insight], list[str]]:
        """Return the insights of the findings, and the ids of those that waited and are now part of another."""
        entries = [frozenset(window.entry(number).id for number in finding.entries) for finding in new]
        before = going_on(waiting, entries)
        made = await self.maker.make(
            scope, window, [(each, before.get(n, [None])[0]) for n, each in enumerate(new)], now
        )
        return made, [insight.id for followed in before.values() for insight in followed[1:]]

    def _shown(self, digest: Digest) -> Digest:
        """Return a digest with the front of the queue alone."""
        front = in_order(digest.insights, self.clock())[:MOST_SHOWN]
        return replace(digest, insights=tuple(front), waiting=len(digest.insights))


def _set_aside(window: Window, found: Found, insights: Iterable[Insight], history: History) -> dict[Aside, int]:
    """Count the entries that are behind no insight, by the reason."""
    behind = {source.entry_id for insight in insights for source in insight.sources}
    counts = Counter(
        _reason(number, window, found, history)
        for number, receipt in enumerate(window.receipts)
        if receipt.entry.id not in behind
    )
    return {reason: counts[reason] for reason in Aside if counts[reason]}


def _reason(number: int, window: Window, found: Found, history: History) -> Aside:
    if window.entry(number).id in history.entries:
        return Aside.DECIDED
    if window.flagged(number):
        return Aside.INJECTION
    if number not in found.telling:
        return Aside.NO_CLAIM
    return Aside.SMALLER if number in found.grouped else Aside.SAID_ONCE


def _silent(_done: int, _total: int) -> None:
    """Tell nobody."""
