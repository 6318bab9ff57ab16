"""A person's decision on an insight, written within the transaction of the promotion or dismissal."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Any

from memsieve.model import InsightDecision, Scope
from memsieve.stores import insight_decisions as shared
from memsieve.stores.sqlite.rows import text_time, time_text

_DECISION = """
SELECT review, settled_by, settled_at, reason, memory_id FROM insights WHERE project_id = ? AND id = ?
"""
_SETTLE = """
UPDATE insights SET review = ?, settled_by = ?, settled_at = ?, reason = ?, memory_id = ?
WHERE project_id = ? AND id = ?
"""


def decision(row: sqlite3.Row) -> dict[str, Any]:
    """Return the decision in a row by its columns, its time as a moment."""
    values = {name: row[name] for name in ("review", "settled_by", "settled_at", "reason", "memory_id")}
    return values if values["settled_at"] is None else {**values, "settled_at": text_time(values["settled_at"])}


def require_waiting(connection: sqlite3.Connection, scope: Scope, insight_id: str) -> None:
    """Refuse to promote an insight that is gone or decided, and say who was first."""
    shared.require_waiting(insight_id, _decision(connection, scope, insight_id))


def may_dismiss(connection: sqlite3.Connection, scope: Scope, any_id: str) -> bool:
    """Say whether this is an insight that waits; refuse one that was promoted, and say by whom."""
    return shared.may_dismiss(any_id, _decision(connection, scope, any_id))


def promote(connection: sqlite3.Connection, scope: Scope, insight_id: str, at: datetime, memory_id: str) -> None:
    """Settle an insight as promoted by the person who asks."""
    _write(connection, scope, insight_id, shared.promoted(scope, at, memory_id))


def dismiss(connection: sqlite3.Connection, scope: Scope, insight_id: str, at: datetime, reason: str) -> None:
    """Settle an insight as dismissed by the person who asks."""
    _write(connection, scope, insight_id, shared.dismissed(scope, at, reason))


def detail(connection: sqlite3.Connection, scope: Scope, any_id: str, content: str) -> dict[str, str]:
    """Return what the audit log keeps of the dismissal of an insight, and nothing of anything else."""
    return {} if _decision(connection, scope, any_id) is None else shared.detail(any_id, content)


def _decision(connection: sqlite3.Connection, scope: Scope, any_id: str) -> dict[str, Any] | None:
    row = connection.execute(_DECISION, (scope.project_id, any_id)).fetchone()
    return None if row is None else decision(row)


def _write(connection: sqlite3.Connection, scope: Scope, insight_id: str, made: InsightDecision) -> None:
    values = (made.review, made.by, time_text(made.at), made.reason, made.memory_id)
    connection.execute(_SETTLE, (*values, scope.project_id, insight_id))
