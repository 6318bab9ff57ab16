"""In which order people see what waits, and which insight goes on under an old id."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from memsieve.model import Insight, Outcome

MOST_SHOWN = 10
# Nobody wanted to decide on it for so long: it no longer stands in the way of others.
STALE_AFTER = timedelta(days=30)
# An insight goes on in a finding that holds this share of its sources.
_GOES_ON = 0.5

_ORDER = (Outcome.READY, Outcome.OBSERVING, Outcome.TOO_NARROW, Outcome.DUPLICATE)
_NAMESPACE = uuid.UUID("6f3c1d0a-52a6-4c58-9a52-3f6f7d0c2b11")


def in_order(insights: Iterable[Insight], now: datetime) -> list[Insight]:
    """Return insights as people should see them: what is ready and widely said first, what is stale last."""
    return sorted(insights, key=lambda insight: _place(insight, now))


def is_stale(insight: Insight, now: datetime) -> bool:
    """Say whether nobody decided on an insight for so long that it goes to the back."""
    return now - insight.made_at > STALE_AFTER


def _place(insight: Insight, now: datetime) -> tuple[object, ...]:
    return (
        is_stale(insight, now),
        _ORDER.index(insight.refinement.outcome),
        -insight.sessions,
        -insight.agents,
        -len(insight.sources),
        insight.made_at,
        insight.id,
    )


def new_id(project_id: str, entry_ids: Sequence[str]) -> str:
    """Return the id of an insight that was not there before: the same again for the same sources."""
    made = uuid.uuid5(_NAMESPACE, "\n".join([project_id, *sorted(entry_ids)]))
    return f"{Insight.PREFIX}{made}"


def going_on(waiting: Sequence[Insight], found: Sequence[Mapping[str, str]]) -> dict[int, list[Insight]]:
    """Return for each finding, given as quotes by entry, the insights that go on in it, the one of its id first.

    An entry may say two things: where none of the words are the same, it is another insight that goes on there.
    """
    shares = [
        (*_shares(insight, quotes), number, insight) for insight in waiting for number, quotes in enumerate(found)
    ]
    followed: dict[int, list[Insight]] = {}
    placed: set[str] = set()
    for share, same, number, insight in sorted(
        shares, key=lambda each: (-each[0], -each[1], each[3].made_at, each[3].id, each[2])
    ):
        if share >= _GOES_ON and same > 0 and insight.id not in placed:
            placed.add(insight.id)
            followed.setdefault(number, []).append(insight)
    return followed


def _shares(insight: Insight, quotes: Mapping[str, str]) -> tuple[float, float]:
    """Return which share of an insight's sources a finding holds, and which share in the same words."""
    held = [source for source in insight.sources if source.entry_id in quotes]
    same = [source for source in held if quotes[source.entry_id] == source.quote]
    return len(held) / len(insight.sources), len(same) / len(insight.sources)
