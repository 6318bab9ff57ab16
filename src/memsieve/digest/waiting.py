"""What becomes of the insights that wait when a new digest is made: they go on, are merged, lose sources, or stay."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memsieve.digest.queue import going_on, is_stale, new_id
from memsieve.model import Insight, InsightSource


@dataclass(frozen=True, kw_only=True)
class Waiting:
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

    def followed(self, found: Sequence[Sequence[InsightSource]]) -> Following:
        """Say which insights go on in which findings, each given by its sources."""
        quotes = [{source.entry_id: source.quote for source in sources} for sources in found]
        open_ = [each for insight in self.insights if (each := self._open(insight, self.undecided)).sources]
        before = going_on(open_, quotes)
        as_made = {insight.id: insight for insight in self.insights}
        return Following(
            first={number: as_made[ones[0].id] for number, ones in before.items()},
            merged=[insight.id for ones in before.values() for insight in ones[1:]],
        )

    def left(self, gone_on: Container[str], decided: Iterable[str]) -> list[Insight]:
        """Return the others with the sources that nobody has decided on, none perhaps, now that more were."""
        open_ids = self.undecided - frozenset(decided)
        return [self._open(insight, open_ids) for insight in self.insights if insight.id not in gone_on]

    def named(self, made: Sequence[Insight], following: Following) -> list[Insight]:
        """Return insights with ids that differ: one entry may say two things, and one that waits may have grown."""
        taken = {insight.id for insight in self.insights}
        named: list[Insight] = []
        for number, insight in enumerate(made):
            own = insight.id
            while number not in following.first and own in taken:
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
class Following:
    """The insight that goes on in a finding, by the finding's number, and the ids of those that are merged into it."""

    first: dict[int, Insight]
    merged: list[str]
