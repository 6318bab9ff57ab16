"""Make a digest: read what nobody has decided on, find what it says, and put a few insights before a person."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

from memsieve import validate
from memsieve.digest.continuity import MOST_SHOWN, PendingInsights, in_order
from memsieve.digest.extraction import ExtractionResult, Extractor
from memsieve.digest.insights import InsightMaker, sources_of
from memsieve.digest.prior_decisions import DecisionHistory, PriorDecisions
from memsieve.digest.scoring import Cluster, can_be_decided
from memsieve.digest.stance import led_by
from memsieve.digest.window import Window
from memsieve.model import Digest, ExclusionReason, Insight, Scope
from memsieve.ports import Clock, DigestStore, Embedder, Progress

MOST_DAYS = 3660
# The most clusters of a single session, unless the window holds few statements.
_MOST_ALONE = 5
_FEW_STATEMENTS = 20
# How many more clusters are extracted than shown: some restate decisions, or were left undecided for long.
_MOST_BESIDES = 20


@dataclass(frozen=True, kw_only=True)
class Digester:
    """Makes digests. Nothing it makes is more trusted than what it was made of."""

    digests: DigestStore
    decided: PriorDecisions
    maker: InsightMaker
    embedder: Embedder
    clock: Clock
    # One digest at a time: two at once would compete for the processor and make the same insights twice.
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def digest(self, scope: Scope, *, days: float = 7, progress: Progress | None = None) -> Digest:
        """Make the digest of the last days and of all that still waits, and keep it."""
        validate.number(days, field="days", most=MOST_DAYS)
        async with self._lock:
            return await self._make(scope, timedelta(days=days), progress or _silent)

    async def _make(self, scope: Scope, length: timedelta, progress: Progress) -> Digest:
        now = self.clock()
        since = now - length
        # Read before the entries: a source that is not among those then was decided on.
        insights = await self.digests.insights(scope, decided=False)
        window = Window(await self.digests.undecided(scope, since))
        progress(5, 100)
        pending = PendingInsights(insights=insights, undecided=window.ids, now=now)
        history = await self.decided.history(scope)
        wanted = MOST_SHOWN + min(len(history.decided) + len(pending.stale), _MOST_BESIDES)
        extractor = Extractor(
            window=window,
            embedder=self.embedder,
            progress=progress,
            contradicts_memory=partial(self.maker.contradicts_memory, scope),
        )
        found = await extractor.extract(wanted)
        new = await self._new(window, found, history, pending)
        waiting, gone = await self._pending(scope, window, new, pending, history)
        digest = Digest(
            project_id=scope.project_id,
            made_at=now,
            since=since,
            entries=len(window),
            set_aside=_set_aside(window, found, waiting, history),
            insights=tuple(waiting),
            waiting=len(waiting),
        )
        later = history.joining(without=_entries(waiting))
        saved = await self.digests.save(scope, digest, merged=gone, later=later)
        progress(100, 100)
        return self._shown(saved)

    async def last(self, scope: Scope) -> Digest | None:
        """Return the newest digest with what waits now; nothing is made."""
        kept = await self.digests.last(scope)
        return None if kept is None else self._shown(kept)

    async def insights(
        self, scope: Scope, *, decided: bool, after_id: str | None = None, limit: int | None = None
    ) -> list[Insight]:
        """Return what waits, in the order of the queue, or what is decided, newest first, after the given one."""
        if decided:
            found = await self.digests.insights(scope, decided=True, before_id=after_id, limit=limit)
            return found[::-1]
        queue = in_order(await self.digests.insights(scope, decided=False), self.clock())
        return list(_after(queue, after_id))[:limit]

    async def _new(
        self, window: Window, found: ExtractionResult, history: DecisionHistory, pending: PendingInsights
    ) -> list[Cluster]:
        """Return what a person has not decided on before, as much as one can read; the rest joins the history."""
        alone = MOST_SHOWN if len(found.telling) <= _FEW_STATEMENTS else _MOST_ALONE
        places, stale = MOST_SHOWN, pending.stale_entries
        new: list[Cluster] = []
        for cluster in found.clusters:
            if not places:
                break
            sources = sources_of(cluster, window)
            sessions = len({source.session_id for source in sources})
            single = sessions == 1
            if (single and not alone) or await history.absorbs(cluster, sources):
                continue
            if not can_be_decided(cluster, sessions):
                continue
            new.append(cluster)
            alone -= single
            places -= any(source.entry_id not in stale for source in sources)
        return new

    async def _pending(
        self, scope: Scope, window: Window, new: list[Cluster], pending: PendingInsights, history: DecisionHistory
    ) -> tuple[list[Insight], list[str]]:
        """Return all insights that wait from now on, and the ids of those that no longer do."""
        continuations = pending.continued([sources_of(cluster, window) for cluster in new])
        found = [self._led(cluster, continuations.first.get(number), window) for number, cluster in enumerate(new)]
        made = pending.named(await self.maker.make(scope, window, found, pending.now), continuations)
        gone_on = {insight.id for insight in made} | set(continuations.merged)
        left = pending.left(gone_on, history.entries)
        again = [await self.maker.again(scope, insight) for insight in left if insight.sources]
        return [*made, *again], [*continuations.merged, *(insight.id for insight in left if not insight.sources)]

    def _led(self, cluster: Cluster, before: Insight | None, window: Window) -> tuple[Cluster, Insight | None]:
        return (cluster if before is None else led_by(cluster, before.summary, window)), before

    def _shown(self, digest: Digest) -> Digest:
        """Return a digest with the front of the queue alone."""
        front = in_order(digest.insights, self.clock())[:MOST_SHOWN]
        return replace(digest, insights=tuple(front), waiting=len(digest.insights))


def _set_aside(
    window: Window, found: ExtractionResult, insights: Iterable[Insight], history: DecisionHistory
) -> dict[ExclusionReason, int]:
    """Count the entries that are behind no insight, by the reason."""
    behind = _entries(insights)
    counts = Counter(
        _reason(number, window, found, history)
        for number, receipt in enumerate(window.receipts)
        if receipt.entry.id not in behind
    )
    return {reason: counts[reason] for reason in ExclusionReason if counts[reason]}


def _reason(number: int, window: Window, found: ExtractionResult, history: DecisionHistory) -> ExclusionReason:
    if window.entry(number).id in history.entries:
        return ExclusionReason.DECIDED
    if window.flagged(number):
        return ExclusionReason.INJECTION
    if number not in found.telling:
        return ExclusionReason.NO_CLAIM
    return ExclusionReason.SMALLER if number in found.grouped else ExclusionReason.SAID_ONCE


def _after(queue: Sequence[Insight], insight_id: str | None) -> Sequence[Insight]:
    """Return what follows an insight in the queue, or all of it where that one waits no more."""
    ids = [insight.id for insight in queue]
    return queue[ids.index(insight_id) + 1 :] if insight_id in ids else queue


def _entries(insights: Iterable[Insight]) -> set[str]:
    return {source.entry_id for insight in insights for source in insight.sources}


def _silent(_done: int, _total: int) -> None:
    """Ignore progress."""
