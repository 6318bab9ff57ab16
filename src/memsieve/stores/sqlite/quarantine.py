"""Tier 1 on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from memsieve.model import Admission, Decision, Entry, EntryFilter, Receipt, Role, Scope, Vector
from memsieve.ports import Clock
from memsieve.stores import rows
from memsieve.stores.rows import (
    QUARANTINE_COLUMNS,
    checks_text,
    entry_values,
    failed_text,
    in_order_of,
    json_text,
    passages_text,
    vector_blob,
)
from memsieve.stores.sqlite import logs
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import RECEIPTS, WRITTEN, receipt_from, time_text

_INSERT = f"""
INSERT INTO quarantine_logs ({", ".join(QUARANTINE_COLUMNS.values())}, idempotency_key)
VALUES ({", ".join(f":{name}" for name in QUARANTINE_COLUMNS)}, :idempotency_key)
ON CONFLICT DO NOTHING
"""  # noqa: S608 - made of constants
_DECIDE = """
INSERT INTO admissions (project_id, entry_id, decision, shadow, checks, passages, decided_at)
SELECT project_id, id, ?, ?, ?, ?, ? FROM quarantine_logs WHERE project_id = ? AND id = ?
ON CONFLICT DO UPDATE SET
    decision = excluded.decision, shadow = excluded.shadow, checks = excluded.checks, passages = excluded.passages,
    decided_at = excluded.decided_at
"""
_KEEP_VECTOR = "UPDATE quarantine_logs SET embedder = ?, embedding = ? WHERE project_id = ? AND id = ?"
# Without an embedder an entry would count as not yet seen by any.
_KEEP_UNREADABLE = "UPDATE quarantine_logs SET embedder = ? WHERE project_id = ? AND id = ? AND embedder IS NULL"
_SOME = f"{RECEIPTS} AND q.id IN (SELECT value FROM json_each(:ids))"  # noqa: S608 - made of constants
_AFTER = "AND q.sequence > (SELECT sequence FROM quarantine_logs WHERE project_id = :project_id AND id = :beyond_id)"
_BEFORE = _AFTER.replace(">", "<", 1)
_NARROWINGS = {
    "session_id": "q.session_id = :session_id",
    "agent_id": "q.agent_id = :agent_id",
    "decision": "a.decision = :decision",
    "review": "review = :review",
    # The plus keeps to the order of recording, in which a page is soon full: by time, all would be sorted first.
    "since": "+q.created_at >= :since",
    "until": "+q.created_at < :until",
    "check": "instr(a.checks, :check) > 0",
    "text": "instr(lower(q.content), lower(:text)) > 0",
}
_PACKED: dict[str, Callable[[Any], str]] = {"since": time_text, "until": time_text, "check": failed_text}


class SqliteQuarantine:
    """Implements `ports.QuarantineStore`."""

    def __init__(self, database: Database, embedder: str, clock: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock

    async def add(self, scope: Scope, entry: Entry, idempotency_key: str | None = None) -> Receipt:
        return await self._database.write(lambda connection: self._add(connection, scope, entry, idempotency_key))

    async def add_all(self, scope: Scope, entries: Sequence[Entry]) -> list[Receipt]:
        return await self._database.write(
            lambda connection: [self._add(connection, scope, entry, None) for entry in entries]
        )

    async def decide(self, scope: Scope, entry_id: str, admission: Admission, vector: Vector | None) -> None:
        scope.require(Role.SYSTEM)
        key = (scope.project_id, entry_id)

        def work(connection: sqlite3.Connection) -> None:
            if not connection.execute(_DECIDE, _decided(scope, entry_id, admission)).rowcount:
                raise rows.gone(entry_id)
            if vector is not None:
                connection.execute(_KEEP_VECTOR, (self._embedder, vector_blob(vector), *key))
            elif admission.decision is not Decision.PENDING:
                connection.execute(_KEEP_UNREADABLE, (self._embedder, *key))

        await self._database.write(work, durable=False)

    async def get(self, scope: Scope, entry_id: str) -> Receipt | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._database.read(lambda connection: self._get(connection, scope, entry_id))

    async def get_many(self, scope: Scope, entry_ids: Sequence[str]) -> list[Receipt]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = {"project_id": scope.project_id, "ids": json_text(list(entry_ids))}
        found = await self._database.read(lambda connection: connection.execute(_SOME, values).fetchall())
        return in_order_of([receipt_from(row, self._embedder) for row in found], entry_ids)

    async def find(self, scope: Scope, wanted: EntryFilter) -> list[Receipt]:
        scope.require(Role.PERSON, Role.SYSTEM)
        sql, values = _query(scope, wanted)
        found = await self._database.read(lambda connection: connection.execute(sql, values).fetchall())
        return [receipt_from(row, self._embedder) for row in found]

    async def delete(self, scope: Scope, entry_id: str, reason: str) -> bool:
        scope.require(Role.PERSON)
        sql = "DELETE FROM quarantine_logs WHERE project_id = ? AND id = ?"

        def work(connection: sqlite3.Connection) -> bool:
            if self._get(connection, scope, entry_id) is None:
                return False
            logs.append(connection, scope, "deleted", entry_id, self._clock(), reason)
            connection.execute(sql, (scope.project_id, entry_id))
            return True

        return await self._database.write(work)

    def _add(self, connection: sqlite3.Connection, scope: Scope, entry: Entry, idempotency_key: str | None) -> Receipt:
        if not connection.execute(_INSERT, _row(scope, entry, idempotency_key)).rowcount:
            return self._stored_before(connection, scope, entry, idempotency_key)
        receipt = rows.pending(entry)
        connection.execute(_DECIDE, _decided(scope, entry.id, receipt.admission))
        return receipt

    def _get(self, connection: sqlite3.Connection, scope: Scope, entry_id: str) -> Receipt | None:
        values = {"project_id": scope.project_id, "id": entry_id}
        row = connection.execute(f"{RECEIPTS} AND q.id = :id", values).fetchone()
        return None if row is None else receipt_from(row, self._embedder)

    def _stored_before(
        self, connection: sqlite3.Connection, scope: Scope, entry: Entry, idempotency_key: str | None
    ) -> Receipt:
        values = {"project_id": scope.project_id, "id": entry.id, "key": idempotency_key}
        row = connection.execute(f"{RECEIPTS} AND (q.id = :id OR q.idempotency_key = :key)", values).fetchone()
        stored = receipt_from(row, self._embedder)
        rows.require_same(entry, stored.entry)
        return stored


def _row(scope: Scope, entry: Entry, idempotency_key: str | None) -> dict[str, Any]:
    values = entry_values(entry, WRITTEN)
    return {**values, "project_id": scope.project_id, "idempotency_key": idempotency_key}


def _decided(scope: Scope, entry_id: str, admission: Admission) -> tuple[Any, ...]:
    row = (admission.decision, admission.shadow, checks_text(admission.checks), passages_text(admission))
    return (*row, time_text(admission.decided_at), scope.project_id, entry_id)


def _query(scope: Scope, wanted: EntryFilter) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = {"project_id": scope.project_id, "limit": wanted.limit}
    parts = [RECEIPTS]
    for name, condition in _NARROWINGS.items():
        value = getattr(wanted, name)
        if value is not None:
            parts.append(f"AND {condition}")
            values[name] = _PACKED[name](value) if name in _PACKED else value
    if wanted.beyond_id is not None:
        parts.append(_AFTER if wanted.oldest_first else _BEFORE)
        values["beyond_id"] = wanted.beyond_id
    parts.append(f"ORDER BY q.sequence {'ASC' if wanted.oldest_first else 'DESC'} LIMIT :limit")
    return "\n".join(parts), values
