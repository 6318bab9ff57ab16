"""What happens to waiting insights when a digest is made, and in which order people see them."""

from __future__ import annotations

import uuid
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memsieve.model import Insight, InsightSource, RefineOutcome

MOST_SHOWN = 10
# After this time without a decision an insight goes to the back of the queue.
STALE_AFTER = timedelta(days=30)
# An insight goes on in a cluster that holds this share of its sources.
_GOES_ON = 0.5

_ORDER = (RefineOutcome.READY, RefineOutcome.OBSERVING, RefineOutcome.TOO_NARROW, RefineOutcome.DUPLICATE)
_NAMESPACE = uuid.UUID("6f3c1d0a-52a6-4c58-9a52-3f6f7d0c2b11")


def in_order(insights: Iterable[Insight], now: datetime) -> list[Insight]:
    """Return insights in the order of the queue: what contradicts first, then what is ready, stale ones last."""
    return sorted(insights, key=lambda insight: _sort_key(insight, now))


def is_stale(insight: Insight, now: datetime) -> bool:
    """Say whether nobody decided on an insight for so long that it goes to the back."""
    return now - insight.made_at > STALE_AFTER


def _sort_key(insight: Insight, now: datetime) -> tuple[object, ...]:
    return (
        is_stale(insight, now),
        not _contradicts_memory(insight),
        not insight.disputed,
        _ORDER.index(insight.refinement.outcome),
        -insight.sessions,
        -insight.agents,
        -len(insight.sources),
        -insight.last_seen.timestamp(),
        insight.made_at,
        insight.id,
    )


def _contradicts_memory(insight: Insight) -> bool:
    return insight.nearest is not None and insight.nearest.conflict is not None


def new_id(project_id: str, entry_ids: Sequence[str]) -> str:
    """Return the id of an insight that was not there before: the same again for the same sources."""
    made = uuid.uuid5(_NAMESPACE, "\n".join([project_id, *sorted(entry_ids)]))
    return f"{Insight.PREFIX}{made}"


def match_clusters(waiting: Sequence[Insight], found: Sequence[Mapping[str, str]]) -> dict[int, list[Insight]]:
    """Return for each cluster, given as quotes by entry, the insights that go on in it, the one of its id first.

    An entry may say two things: where none of the words are the same, it is another insight that goes on there.
    """
    shares = [
        (*_shares(insight, quotes), number, insight) for insight in waiting for number, quotes in enumerate(found)
    ]
    continued: dict[int, list[Insight]] = {}
    placed: set[str] = set()
    for share, same, number, insight in sorted(
        shares, key=lambda each: (-each[0], -each[1], each[3].made_at, each[3].id, each[2])
    ):
        if share >= _GOES_ON and same > 0 and insight.id not in placed:
            placed.add(insight.id)
            continued.setdefault(number, []).append(insight)
    return continued


def _shares(insight: Insight, quotes: Mapping[str, str]) -> tuple[float, float]:
    """Return which share of an insight's sources a cluster holds, and which share in the same words."""
    kept = [source for source in insight.sources if source.entry_id in quotes]
    same = [source for source in kept if quotes[source.entry_id] == source.quote]
    return len(kept) / len(insight.sources), len(same) / len(insight.sources)


@dataclass(frozen=True, kw_only=True)
class PendingInsights:
    """The insights that wait, and the entries that nobody has decided on."""

    insights: Sequence[Insight]
    undecided: frozenset[str]
    now: datetime

    @property
    def stale(self) -> list[Insight]:
        return [insight for insight in self.insights if is_stale(insight, self.now)]

    @property
    def stale_entries(self) -> frozenset[str]:
        return frozenset(source.entry_id for insight in self.stale for source in insight.sources)

    def continued(self, found: Sequence[Sequence[InsightSource]]) -> Continuations:
        """Say which insights go on in which clusters, each given by its sources."""
        quotes = [{source.entry_id: source.quote for source in sources} for sources in found]
        open_ = [each for insight in self.insights if (each := self._open(insight, self.undecided)).sources]
        before = match_clusters(open_, quotes)
        as_made = {insight.id: insight for insight in self.insights}
        return Continuations(
            first={number: as_made[ones[0].id] for number, ones in before.items()},
            merged=[insight.id for ones in before.values() for insight in ones[1:]],
        )

    def left(self, gone_on: Container[str], decided: Iterable[str]) -> list[Insight]:
        """Return the other insights with their undecided sources, of which there may be none."""
        open_ids = self.undecided - frozenset(decided)
        return [self._open(insight, open_ids) for insight in self.insights if insight.id not in gone_on]

    def named(self, made: Sequence[Insight], continuations: Continuations) -> list[Insight]:
        """Return insights with distinct ids: one entry may say two things, and a waiting insight may have grown."""
        taken = {insight.id for insight in self.insights}
        named: list[Insight] = []
        for number, insight in enumerate(made):
            own = insight.id
            while number not in continuations.first and own in taken:
                own = new_id(insight.project_id, [own])
            taken.add(own)
            named.append(replace(insight, id=own))
        return named

    def _open(self, insight: Insight, entry_ids: frozenset[str]) -> Insight:
        """Return an insight with the sources that are left; none if those whose words it is in were decided on."""
        left = tuple(source for source in insight.sources if source.entry_id in entry_ids)
        own = insight.summarised_by != Insight.EXTRACT or any(insight.summary.startswith(each.quote) for each in left)
        return replace(insight, sources=left if own else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuations:
    """The insight that goes on in a cluster, by the cluster's number, and the ids of those that are merged into it."""

    first: dict[int, Insight]
    merged: list[str]
