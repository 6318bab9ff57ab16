"""A person's decision on an insight, written within the transaction of the promotion or dismissal."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import datetime

from memsieve.errors import Conflict, NotFound
from memsieve.model import Review, Scope, Settlement
from memsieve.stores.sqlite.rows import text_time, time_text

_DECISION = """
SELECT review, settled_by, settled_at, reason, memory_id FROM insights WHERE project_id = ? AND id = ?
"""
_SETTLE = """
UPDATE insights SET review = ?, settled_by = ?, settled_at = ?, reason = ?, memory_id = ?
WHERE project_id = ? AND id = ?
"""


def settlement_from(row: sqlite3.Row) -> Settlement | None:
    """Return the decision of a row, or None while its insight waits."""
    if row["review"] is None:
        return None
    return Settlement(
        review=Review(row["review"]),
        by=row["settled_by"],
        at=text_time(row["settled_at"]),
        reason=row["reason"],
        memory_id=row["memory_id"],
    )


def require_waiting(connection: sqlite3.Connection, scope: Scope, insight_id: str) -> None:
    """Refuse to promote an insight that is gone or settled, and say who was first."""
    row = connection.execute(_DECISION, (scope.project_id, insight_id)).fetchone()
    if row is None:
        raise NotFound(
            f"Insight {insight_id!r} is no longer there. Nothing was changed: `memsieve digest` lists those that wait.",
            subject=insight_id,
        )
    settled = settlement_from(row)
    if settled is not None:
        raise _too_late(insight_id, settled)


def may_dismiss(connection: sqlite3.Connection, scope: Scope, any_id: str) -> bool:
    """Say whether this is an insight that waits; refuse one that was promoted, and say by whom."""
    row = connection.execute(_DECISION, (scope.project_id, any_id)).fetchone()
    if row is None:
        return False
    settled = settlement_from(row)
    if settled is not None and settled.review is Review.PROMOTED:
        raise _too_late(any_id, settled)
    return settled is None


def promote(connection: sqlite3.Connection, scope: Scope, insight_id: str, at: datetime, memory_id: str) -> None:
    """Settle an insight as promoted by the person who asks."""
    values = (Review.PROMOTED, scope.actor, time_text(at), "", memory_id)
    connection.execute(_SETTLE, (*values, scope.project_id, insight_id))


def dismiss(connection: sqlite3.Connection, scope: Scope, insight_id: str, at: datetime, reason: str) -> None:
    """Settle an insight as dismissed by the person who asks."""
    values = (Review.DISMISSED, scope.actor, time_text(at), reason, None)
    connection.execute(_SETTLE, (*values, scope.project_id, insight_id))


def detail(connection: sqlite3.Connection, scope: Scope, any_id: str, content: str) -> dict[str, str]:
    """Return what the audit log keeps of the dismissal of an insight: which, and the fingerprint of its words."""
    if connection.execute(_DECISION, (scope.project_id, any_id)).fetchone() is None:
        return {}
    return {"insight": any_id, "content": hashlib.sha256(content.encode()).hexdigest()}


def _too_late(insight_id: str, settled: Settlement) -> Conflict:
    return Conflict(f"{settled.told(insight_id)} Nothing was changed.")
