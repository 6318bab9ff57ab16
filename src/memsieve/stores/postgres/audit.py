"""The audit log's hash chain on PostgreSQL: each line's digest covers the line before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memsieve.model import AuditEvent, Scope
from memsieve.stores.postgres.database import Connection
from memsieve.stores.postgres.rows import copy_in
from memsieve.stores.records import Deed, chained, json_text

_LAST = "SELECT sequence, digest FROM audit_log WHERE project_id = %s ORDER BY sequence DESC LIMIT 1"
_APPEND = """
INSERT INTO audit_log (project_id, sequence, at, actor, action, subject, reason, detail, previous, digest)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_COLUMNS = {
    "project_id": "text",
    "sequence": "bigint",
    "at": "timestamptz",
    "actor": "text",
    "action": "text",
    "subject": "text",
    "reason": "text",
    "detail": "json",
    "previous": "text",
    "digest": "text",
}


async def append(
    connection: Connection,
    scope: Scope,
    action: str,
    subject: str,
    at: datetime,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add a line within the caller's transaction, which has the project's turn: a deed and its line are one."""
    deed = Deed(action=action, subject=subject, at=at, reason=reason, detail=detail or {})
    [event] = chained(scope, await _last(connection, scope), [deed])
    await connection.execute(_APPEND, _columns(event))


async def append_all(connection: Connection, scope: Scope, deeds: Sequence[Deed]) -> None:
    """Add many lines within the caller's transaction, which has the project's turn, in their order."""
    events = chained(scope, await _last(connection, scope), deeds)
    await copy_in(connection, "audit_log", _COLUMNS, map(_columns, events))


async def _last(connection: Connection, scope: Scope) -> dict[str, Any] | None:
    return await (await connection.execute(_LAST, (scope.project_id,))).fetchone()


def _columns(event: AuditEvent) -> tuple[Any, ...]:
    return (
        event.project_id,
        event.sequence,
        event.at,
        event.actor,
        event.action,
        event.subject,
        event.reason,
        json_text(event.detail),
        event.previous,
        event.digest,
    )
