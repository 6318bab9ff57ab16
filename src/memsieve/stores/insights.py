"""How insights and their sources lie in the columns of any engine: times as moments, JSON as values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memsieve.model import (
    Digest,
    Dispute,
    Edit,
    ExclusionReason,
    Insight,
    InsightSource,
    Nearest,
    Outcome,
    Reason,
    Refinement,
    SourceDoubt,
    Vector,
)
from memsieve.stores.insight_decisions import decision_from
from memsieve.stores.records import json_text


def insight_values(insight: Insight) -> dict[str, Any]:
    """Return an insight that waits as named columns, without its project and its vector."""
    return {
        "id": insight.id,
        "content": insight.summary,
        "summarised_by": insight.summarised_by,
        "note": None if insight.note is None else json_text(insight.note.dump()),
        "refinement": asdict(insight.refinement),
        "nearest": None if insight.nearest is None else asdict(insight.nearest),
        "disputes": [asdict(dispute) for dispute in insight.disputes],
        "made_at": insight.made_at,
    }


def insight_from(
    values: Mapping[str, Any], sources: Sequence[tuple[bool, InsightSource]], embedding: Vector | None
) -> Insight:
    """Return the insight of its columns, with its sources, each marked whether it came later."""
    return Insight(
        id=values["id"],
        project_id=values["project_id"],
        summary=values["content"],
        sources=tuple(source for later, source in sources if not later),
        refinement=_refinement(values["refinement"]),
        made_at=values["made_at"],
        summarised_by=values["summarised_by"],
        note=_note(values["note"]),
        nearest=None if values["nearest_is_retired"] else _nearest(values["nearest"]),
        disputes=tuple(_dispute(dispute) for dispute in values["disputes"]),
        decision=decision_from(values),
        later=tuple(source for later, source in sources if later),
        embedding=embedding,
    )


def source_from(values: Mapping[str, Any]) -> InsightSource:
    """Return the source of its columns."""
    return InsightSource(
        entry_id=values["entry_id"],
        session_id=values["session_id"],
        agent_id=values["agent_id"],
        confidence=values["confidence"],
        created_at=values["created_at"],
        quote=values["quote"],
        doubt=None if values["doubt"] is None else SourceDoubt(values["doubt"]),
    )


def digest_from(values: Mapping[str, Any], waiting: Sequence[Insight]) -> Digest:
    """Return the digest of its columns, with all insights that wait."""
    return Digest(
        project_id=values["project_id"],
        made_at=values["made_at"],
        since=values["since"],
        entries=values["entries"],
        set_aside={ExclusionReason(name): count for name, count in values["set_aside"].items()},
        insights=tuple(waiting),
        waiting=len(waiting),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What there is when a digest is saved; much may have happened while it was made.

    `entries` has the entries that are still there, and whether a person decided on each. `worded` has the words of the
    insights that are there: who has seen one must find them again under its id. `decided` are those decided on.
    """

    entries: Mapping[str, bool]
    worded: Mapping[str, str]
    decided: frozenset[str]

    def sources(self, insight: Insight) -> list[InsightSource]:
        """Return the sources that are there and that nobody has decided on."""
        return [source for source in insight.sources if self.entries.get(source.entry_id) is False]

    def takes(self, insight: Insight) -> bool:
        """Say whether an insight can be kept as it was made, or its sources go to the next digest."""
        deleted = any(source.entry_id not in self.entries for source in insight.sources)
        other_words = self.worded.get(insight.id, insight.summary) != insight.summary
        return not (insight.id in self.decided or deleted or other_words or not self.sources(insight))


def disputed_by(insight: Insight, sources: Iterable[InsightSource]) -> Insight:
    """Return an insight with only the disputes between these sources."""
    there = {source.entry_id for source in sources}
    disputes = [one for one in insight.disputes if {one.first_id, one.second_id} <= there]
    return replace(insight, disputes=tuple(disputes))


def _refinement(value: dict[str, Any]) -> Refinement:
    return Refinement(**{**value, "outcome": Outcome(value["outcome"]), "reason": Reason.load(value["reason"])})


def _dispute(value: dict[str, Any]) -> Dispute:
    return Dispute(**{**value, "difference": Reason.load(value["difference"])})


def _note(value: str | None) -> Reason | None:
    # Notes of earlier versions are sentences, and none of them begins like this.
    return None if value is None else Reason.load(json.loads(value) if value.startswith('{"code":') else value)


def _nearest(value: dict[str, Any] | None) -> Nearest | None:
    if value is None:
        return None
    diff = tuple((Edit(edit), words) for edit, words in value["diff"])
    conflict = None if value["conflict"] is None else Reason.load(value["conflict"])
    return Nearest(**{**value, "diff": diff, "conflict": conflict})
