"""The audit log's hash chain on PostgreSQL: each line's digest covers the line before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from memsieve.model import AuditEvent, AuditNote, Role, Scope
from memsieve.stores.postgres.columns import Arrays, Statement
from memsieve.stores.postgres.database import Connection, Database, Door
from memsieve.stores.records import BEYOND_ALL, Deed, chained, event_from, json_text

_LAST = "SELECT sequence, digest FROM audit_log WHERE project_id = %s ORDER BY sequence DESC LIMIT 1"
_APPEND = """
INSERT INTO audit_log (project_id, sequence, at, actor, action, subject, reason, detail, previous, digest)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_APPEND_ALL = """
INSERT INTO audit_log (project_id, actor, sequence, at, action, subject, reason, detail, previous, digest)
SELECT %(project_id)s::text, %(actor)s::text, unnest(%(numbers)s::int8[]), unnest(%(moments)s::timestamptz[]),
    unnest(%(actions)s::text[]), unnest(%(subjects)s::text[]), unnest(%(reasons)s::text[]), unnest(%(details)s::json[]),
    unnest(%(before)s::text[]), unnest(%(digests)s::text[])
"""
# So many are chained while the server takes in those before.
_AT_ONCE = 250
_PAGE = """
SELECT * FROM audit_log WHERE project_id = %s AND sequence > %s AND sequence < %s ORDER BY sequence LIMIT %s
"""
_NEWEST = _PAGE.replace("ORDER BY sequence", "ORDER BY sequence DESC")
_HEAD = "SELECT coalesce(max(sequence), 0) AS head FROM audit_log WHERE project_id = %s"


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


async def lines(connection: Connection, scope: Scope, deeds: Iterator[Deed]) -> Iterator[Statement]:
    """Return what adds many lines within the caller's transaction, which has the project's turn, in their order."""
    return _lines(Arrays(connection), scope, await _last(connection, scope), deeds)


def _lines(arrays: Arrays, scope: Scope, last: Mapping[str, Any] | None, deeds: Iterator[Deed]) -> Iterator[Statement]:
    while events := chained(scope, last, islice(deeds, _AT_ONCE)):
        last = {"sequence": events[-1].sequence, "digest": events[-1].digest}
        yield _together(arrays, scope, events)


def _together(arrays: Arrays, scope: Scope, events: Sequence[AuditEvent]) -> Statement:
    return _APPEND_ALL, {
        "project_id": scope.project_id,
        "actor": scope.actor,
        "numbers": arrays.bigints([event.sequence for event in events]),
        "moments": arrays.moments(event.at for event in events),
        "actions": arrays.texts(event.action for event in events),
        "subjects": arrays.texts(event.subject for event in events),
        "reasons": arrays.texts(event.reason for event in events),
        "details": arrays.texts((json_text(event.detail) for event in events), "json"),
        "before": arrays.texts(event.previous for event in events),
        "digests": arrays.texts(event.digest for event in events),
    }


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


class PostgresAuditLog:
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
        return [event_from(row) for row in await self._database.ask(Door.FILTER, scope, sql, values)]

    async def note(self, scope: Scope, note: AuditNote, subject: str, at: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)

        async def work(connection: Connection) -> None:
            await append(connection, scope, note, subject, at)

        await self._database.write(Door.REVIEWER, scope, work, in_turn=True)

    async def head(self, scope: Scope) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        [row] = await self._database.ask(Door.FILTER, scope, _HEAD, (scope.project_id,))
        return int(row["head"])
