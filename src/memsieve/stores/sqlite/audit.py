"""The audit log's hash chain: each line's digest covers the line before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memsieve.model import AuditEvent, Scope
from memsieve.stores.sqlite.rows import json_text, text_time, time_text

_LAST = "SELECT sequence, digest FROM audit_log WHERE project_id = ? ORDER BY sequence DESC LIMIT 1"
_APPEND = """
INSERT INTO audit_log (project_id, sequence, at, actor, action, subject, reason, detail, previous, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


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
    event = AuditEvent(
        sequence=1 if last is None else last["sequence"] + 1,
        project_id=scope.project_id,
        at=at,
        actor=scope.actor,
        action=action,
        subject=subject,
        reason=reason,
        detail=detail or {},
        previous=AuditEvent.GENESIS if last is None else last["digest"],
        digest="",
    )
    event = replace(event, digest=event.expected_digest())
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
        at, detail = text_time(row["at"]), json.loads(row["detail"])
    except ValueError:
        at, detail = datetime.min.replace(tzinfo=UTC), {"unreadable": [row["at"], row["detail"]]}
    return AuditEvent(
        sequence=row["sequence"],
        project_id=row["project_id"],
        at=at,
        actor=row["actor"],
        action=row["action"],
        subject=row["subject"],
        reason=row["reason"],
        detail=detail,
        previous=row["previous"],
        digest=row["digest"],
    )
