"""A person's decision on an insight, from the columns of any engine: times as moments, JSON as values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memsieve.errors import Conflict, NotFound
from memsieve.model import InsightDecision, ReviewStatus, Scope


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


def detail(insight_id: str, content: str) -> dict[str, str]:
    """Return what the audit log keeps of the dismissal of an insight: which, and the fingerprint of its words."""
    return {"insight": insight_id, "content": hashlib.sha256(content.encode()).hexdigest()}


def _too_late(insight_id: str, decided: InsightDecision) -> Conflict:
    return Conflict(f"{decided.told(insight_id)} Nothing was changed.")
