"""A person's decision on an insight, written within the transaction of the promotion or dismissal."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memsieve.model import InsightDecision, Scope
from memsieve.stores import insight_decisions as shared
from memsieve.stores.postgres.database import Connection

_DECISION = """
SELECT review, settled_by, settled_at, reason, memory_id FROM insights WHERE project_id = %s AND id = %s
"""
_SETTLE = """
UPDATE insights SET review = %s, settled_by = %s, settled_at = %s, reason = %s, memory_id = %s
WHERE project_id = %s AND id = %s
"""


async def require_waiting(connection: Connection, scope: Scope, insight_id: str) -> None:
    """Refuse to promote an insight that is gone or decided, and say who was first."""
    shared.require_waiting(insight_id, await _decision(connection, scope, insight_id))


async def may_dismiss(connection: Connection, scope: Scope, any_id: str) -> bool:
    """Say whether this is an insight that waits; refuse one that was promoted, and say by whom."""
    return shared.may_dismiss(any_id, await _decision(connection, scope, any_id))


async def promote(connection: Connection, scope: Scope, insight_id: str, at: datetime, memory_id: str) -> None:
    """Settle an insight as promoted by the person who asks."""
    await _write(connection, scope, insight_id, shared.promoted(scope, at, memory_id))


async def dismiss(connection: Connection, scope: Scope, insight_id: str, at: datetime, reason: str) -> None:
    """Settle an insight as dismissed by the person who asks."""
    await _write(connection, scope, insight_id, shared.dismissed(scope, at, reason))


async def detail(connection: Connection, scope: Scope, any_id: str, content: str) -> dict[str, str]:
    """Return what the audit log keeps of the dismissal of an insight, and nothing of anything else."""
    return {} if await _decision(connection, scope, any_id) is None else shared.detail(any_id, content)


async def _decision(connection: Connection, scope: Scope, any_id: str) -> dict[str, Any] | None:
    return await (await connection.execute(_DECISION, (scope.project_id, any_id))).fetchone()


async def _write(connection: Connection, scope: Scope, insight_id: str, made: InsightDecision) -> None:
    values = (made.review, made.by, made.at, made.reason, made.memory_id)
    await connection.execute(_SETTLE, (*values, scope.project_id, insight_id))
