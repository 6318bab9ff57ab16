"""The audit log's hash chain: each line's digest covers the line before."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memsieve.model import AuditEvent, AuditNote, Role, Scope
from memsieve.stores import records
from memsieve.stores.records import BEYOND_ALL, Deed, chained, json_text
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import read, time_text

_LAST = "SELECT sequence, digest FROM audit_log WHERE project_id = ? ORDER BY sequence DESC LIMIT 1"
_APPEND = """
INSERT INTO audit_log (project_id, sequence, at, actor, action, subject, reason, detail, previous, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PAGE = """
SELECT * FROM audit_log WHERE project_id = ? AND sequence > ? AND sequence < ? ORDER BY sequence LIMIT ?
"""
_NEWEST = _PAGE.replace("ORDER BY sequence", "ORDER BY sequence DESC")
_HEAD = "SELECT coalesce(max(sequence), 0) AS head FROM audit_log WHERE project_id = ?"


def append(
    connection: sqlite3.Connection,
    scope: Scope,
    action: str,
    subject: str,
    at: datetime,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add a line within the caller's transaction, so that a deed and its line are one."""
    last = connection.execute(_LAST, (scope.project_id,)).fetchone()
    deed = Deed(action=action, subject=subject, at=at, reason=reason, detail=detail or {})
    [event] = chained(scope, last, [deed])
    connection.execute(
        _APPEND,
        (
            event.project_id,
            event.sequence,
            time_text(event.at),
            event.actor,
            event.action,
            event.subject,
            event.reason,
            json_text(event.detail),
            event.previous,
            event.digest,
        ),
    )


def event_from(row: sqlite3.Row) -> AuditEvent:
    """Return the line of a row; what somebody made unreadable stands out by its digest."""
    try:
        values = read(row, times=("at",), values=("detail",))
    except ValueError:
        unreadable = {"unreadable": [row["at"], row["detail"]]}
        values = {**dict(row), "at": datetime.min.replace(tzinfo=UTC), "detail": unreadable}
    return records.event_from(values)


class SqliteAuditLog:
    """Implements `ports.AuditLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def events(
        self,
        scope: Scope,
        after: int = 0,
        limit: int = 1000,
        *,
        before: int | None = None,
        newest_first: bool = False,
    ) -> list[AuditEvent]:
        scope.require(Role.PERSON, Role.SYSTEM)
        sql = _NEWEST if newest_first else _PAGE
        values = (scope.project_id, after, BEYOND_ALL if before is None else before, limit)
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall())
        return [event_from(row) for row in rows]

    async def note(self, scope: Scope, note: AuditNote, subject: str, at: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)
        await self._database.write(lambda connection: append(connection, scope, note, subject, at))

    async def head(self, scope: Scope) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id,)
        row = await self._database.read(lambda connection: connection.execute(_HEAD, values).fetchone(), short=True)
        return int(row["head"])
