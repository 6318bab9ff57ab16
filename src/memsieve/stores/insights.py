"""How insights and their sources lie in the columns of any engine: times as moments, JSON as values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from memsieve.errors import Conflict, NotFound
from memsieve.model import (
    Digest,
    Dispute,
    Edit,
    ExclusionReason,
    Insight,
    InsightDecision,
    InsightSource,
    Nearest,
    Reason,
    Refinement,
    RefineOutcome,
    ReviewStatus,
    Scope,
    SourceDoubt,
    Vector,
)
from memsieve.stores.rows import json_text


def insight_values(insight: Insight) -> dict[str, Any]:
    """Return an insight that waits as named columns, without its project and its vector."""
    return {
        "id": insight.id,
        "content": insight.summary,
        "summarised_by": insight.summarised_by,
        "note": None if insight.note is None else json_text(insight.note.dump()),
        "refinement": json_text(asdict(insight.refinement)),
        "nearest": None if insight.nearest is None else json_text(asdict(insight.nearest)),
        "disputes": json_text([asdict(dispute) for dispute in insight.disputes]),
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
class SaveSnapshot:
    """State read again within the transaction that saves: people decide and delete while a digest is made.

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

    def kept(self, insights: Sequence[Insight]) -> list[tuple[Insight, list[InsightSource]]]:
        """Return what can be kept of these insights, each with its sources and only the disputes between them."""
        kept = [(insight, self.sources(insight)) for insight in insights if self.takes(insight)]
        return [(_disputed_by(insight, sources), sources) for insight, sources in kept]

    def unplaced(self, insights: Sequence[Insight]) -> list[str]:
        """Return the entries of insights that are not kept, which the next digest looks at."""
        left = [insight for insight in insights if not self.takes(insight)]
        return [source.entry_id for insight in left for source in self.sources(insight)]


def _disputed_by(insight: Insight, sources: Iterable[InsightSource]) -> Insight:
    """Return an insight with only the disputes between these sources."""
    there = {source.entry_id for source in sources}
    disputes = [one for one in insight.disputes if {one.first_id, one.second_id} <= there]
    return replace(insight, disputes=tuple(disputes))


def _refinement(value: dict[str, Any]) -> Refinement:
    return Refinement(**{**value, "outcome": RefineOutcome(value["outcome"]), "reason": Reason.load(value["reason"])})


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


def decision_from(values: Mapping[str, Any]) -> InsightDecision | None:
    """Return the decision in an insight's columns, or None while it waits."""
    if values["review"] is None:
        return None
    return InsightDecision(
        review=ReviewStatus(values["review"]),
        by=values["settled_by"],
        at=values["settled_at"],
        reason=values["reason"],
        memory_id=values["memory_id"],
    )


def require_waiting(insight_id: str, values: Mapping[str, Any] | None) -> None:
    """Refuse to promote an insight that is gone or decided, and say who was first."""
    if values is None:
        raise NotFound(
            f"Insight {insight_id!r} is no longer there. Nothing was changed: `memsieve digest` lists those that wait.",
            subject=insight_id,
        )
    decided = decision_from(values)
    if decided is not None:
        raise _too_late(insight_id, decided)


def may_dismiss(any_id: str, values: Mapping[str, Any] | None) -> bool:
    """Say whether this is an insight that waits; refuse one that was promoted, and say by whom."""
    if values is None:
        return False
    decided = decision_from(values)
    if decided is not None and decided.review is ReviewStatus.PROMOTED:
        raise _too_late(any_id, decided)
    return decided is None


def promoted(scope: Scope, at: datetime, memory_id: str) -> InsightDecision:
    """Return the promotion of an insight by the person who asks."""
    return InsightDecision(review=ReviewStatus.PROMOTED, by=scope.actor, at=at, reason="", memory_id=memory_id)


def dismissed(scope: Scope, at: datetime, reason: str) -> InsightDecision:
    """Return the dismissal of an insight by the person who asks."""
    return InsightDecision(review=ReviewStatus.DISMISSED, by=scope.actor, at=at, reason=reason, memory_id=None)


def dismissal_detail(insight_id: str, content: str) -> dict[str, str]:
    """Return what the audit log keeps of the dismissal of an insight: which, and the fingerprint of its words."""
    return {"insight": insight_id, "content": hashlib.sha256(content.encode()).hexdigest()}


def _too_late(insight_id: str, decided: InsightDecision) -> Conflict:
    return Conflict(f"{decided.sentence(insight_id)} Nothing was changed.")
