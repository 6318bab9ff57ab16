"""Tier 1 on PostgreSQL: agents write it, and only the filter and persons read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from psycopg import errors

from memsieve.errors import StoreUnavailable
from memsieve.model import Admission, Decision, Entry, EntryFilter, Receipt, Role, Scope, Vector
from memsieve.ports import Clock
from memsieve.stores import rows
from memsieve.stores.postgres import logs
from memsieve.stores.postgres.database import Connection, Database, DbRole
from memsieve.stores.postgres.psycopg_internals import BinaryArrayEncoder, EncodedArray, ManyRows, send_all
from memsieve.stores.postgres.rows import RECEIPTS, REVIEW, WRITTEN, fetch_receipts, half_text, receipt_from
from memsieve.stores.rows import (
    ENTRY,
    QUARANTINE_COLUMNS,
    FieldKind,
    checks_text,
    entry_values,
    failed_text,
    in_order_of,
    passages_text,
)

ATTEMPTS = 3
# Rows per statement: the next are packed while the server takes in those before.
_AT_ONCE = 1000

# Without RETURNING, since agents may not read what is there.
_INSERT = f"""
INSERT INTO quarantine_logs ({", ".join(QUARANTINE_COLUMNS.values())}, idempotency_key)
VALUES ({", ".join(f"%({name})s" for name in QUARANTINE_COLUMNS)}, %(idempotency_key)s)
ON CONFLICT DO NOTHING
"""  # noqa: S608 - made of constants
_TYPES = {FieldKind.TEXT: "text", FieldKind.NUMBER: "float8", FieldKind.JSON: "json", FieldKind.MOMENT: "timestamptz"}
# All entries are of one project.
_MANY = {name: kind for name, kind in ENTRY.items() if name != "project_id"}
_INSERT_ALL = f"""
INSERT INTO quarantine_logs (project_id, {", ".join(QUARANTINE_COLUMNS[name] for name in _MANY)})
SELECT %(project_id)s::text, {", ".join(f"unnest(%({name})s::{_TYPES[kind]}[])" for name, kind in _MANY.items())}
"""
# An entry that was seen and could not be read names its embedder too: else it would count as not yet seen by any.
_DECIDE = """
UPDATE admissions SET decision = %(decision)s, shadow = %(shadow)s, checks = %(checks)s, passages = %(passages)s,
    decided_at = %(decided_at)s,
    embedder = coalesce(%(made_by)s, embedder, %(seen_by)s), embedding = coalesce(%(vector)s::halfvec, embedding)
WHERE project_id = %(project_id)s AND entry_id = %(entry_id)s
"""
_EXISTS = "SELECT FROM quarantine_logs WHERE project_id = %s AND id = %s"
_DELETE = "DELETE FROM quarantine_logs WHERE project_id = %s AND id = %s"
_ONE = f"{RECEIPTS} AND q.id = %(id)s"
_BEFORE_NOW = f"{RECEIPTS} AND (q.id = %(id)s OR q.idempotency_key = %(key)s) ORDER BY q.sequence"
_SOME = f"{RECEIPTS} AND q.id = ANY(%(ids)s)"
_BEYOND = "(SELECT sequence FROM quarantine_logs WHERE project_id = %(project_id)s AND id = %(beyond_id)s)"
# A page is read in the order of recording. Where it begins, or ends at the latest, the index over time tells: what was
# said before may be years. From the newest back a page is soon full unless there are few since then.
_FIRST_SINCE = """q.sequence >= (SELECT min(sequence) FROM (
    SELECT sequence FROM quarantine_logs WHERE project_id = %(project_id)s AND created_at >= %(since)s OFFSET 0
) later)"""
_FIRST_OF_FEW_SINCE = """q.sequence >= (SELECT CASE WHEN count(*) < 10000 THEN min(sequence) ELSE 0 END FROM (
    SELECT sequence FROM quarantine_logs WHERE project_id = %(project_id)s AND created_at >= %(since)s
    ORDER BY created_at DESC LIMIT 10000
) later)"""
# Few entries are decided on by a person, compared with all that were recorded.
_DECIDED_ON = """q.id IN (
    SELECT entry_id FROM approval_sources WHERE project_id = %(project_id)s
    UNION SELECT source_id FROM tombstones WHERE project_id = %(project_id)s AND lifted_at IS NULL
    UNION SELECT entry_id FROM insight_sources WHERE project_id = %(project_id)s
)"""
_NARROWINGS = {
    "session_id": "q.session_id = %(session_id)s",
    "agent_id": "q.agent_id = %(agent_id)s",
    "decision": "a.decision = %(decision)s",
    "review": f"{_DECIDED_ON} AND {REVIEW} = %(review)s",
    "since": "q.created_at >= %(since)s",
    "until": "q.created_at < %(until)s",
    "check": "strpos(a.checks::text, %(check)s) > 0",
    "text": "strpos(lower(q.content), lower(%(text)s)) > 0",
}


class _Known(Exception):
    """One of the entries is there already."""


class PostgresQuarantine:
    """Implements `ports.QuarantineStore`."""

    def __init__(self, database: Database, embedder: str, clock: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock

    async def add(self, scope: Scope, entry: Entry, idempotency_key: str | None = None) -> Receipt:
        row = _row(scope, entry, idempotency_key)
        for _ in range(ATTEMPTS):
            if await self._database.execute(DbRole.AGENT, scope, _INSERT, row, repeatable=True):
                return rows.pending(entry)
            stored = await self._stored_before(scope, entry, idempotency_key)
            if stored is not None:
                return stored
        raise _contended()

    async def add_all(self, scope: Scope, entries: Sequence[Entry]) -> list[Receipt]:
        known: dict[str, Receipt] = {}
        for _ in range(ATTEMPTS):
            fresh = {entry.id: entry for entry in entries if entry.id not in known}
            for entry in entries:
                if entry.id in fresh:
                    rows.require_same(entry, fresh[entry.id])
            try:
                await self._write(scope, list(fresh.values()))
            except _Known:
                known = await self._known(scope, entries)
                continue
            receipts = known | {entry_id: rows.pending(entry) for entry_id, entry in fresh.items()}
            return [replace(receipts[entry.id], new=fresh.pop(entry.id, None) is not None) for entry in entries]
        raise _contended()

    async def decide(self, scope: Scope, entry_id: str, admission: Admission, vector: Vector | None) -> None:
        scope.require(Role.SYSTEM)
        values = {
            "project_id": scope.project_id,
            "entry_id": entry_id,
            "decision": admission.decision,
            "shadow": admission.shadow,
            "checks": checks_text(admission.checks),
            "passages": passages_text(admission),
            "decided_at": admission.decided_at,
            "made_by": None if vector is None else self._embedder,
            "seen_by": None if admission.decision is Decision.PENDING else self._embedder,
            "vector": half_text(vector),
        }
        if not await self._database.execute(DbRole.FILTER, scope, _DECIDE, values, durable=False, repeatable=True):
            raise rows.gone(entry_id)

    async def get(self, scope: Scope, entry_id: str) -> Receipt | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        found = await self._read(scope, _ONE, {"id": entry_id})
        return found[0] if found else None

    async def get_many(self, scope: Scope, entry_ids: Sequence[str]) -> list[Receipt]:
        scope.require(Role.PERSON, Role.SYSTEM)
        return in_order_of(await self._read(scope, _SOME, {"ids": list(entry_ids)}), entry_ids)

    async def find(self, scope: Scope, wanted: EntryFilter) -> list[Receipt]:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._read(scope, *_query(wanted))

    async def delete(self, scope: Scope, entry_id: str, reason: str) -> bool:
        scope.require(Role.PERSON)
        key = (scope.project_id, entry_id)

        async def work(connection: Connection) -> bool:
            if not (await connection.execute(_EXISTS, key)).rowcount:
                return False
            await logs.append(connection, scope, "deleted", entry_id, self._clock(), reason)
            await connection.execute(_DELETE, key)
            return True

        return await self._database.write(DbRole.REVIEWER, scope, work, exclusive=True)

    async def _read(self, scope: Scope, sql: str, values: dict[str, Any]) -> list[Receipt]:
        values = {"project_id": scope.project_id, **values}
        found = await self._database.read(
            DbRole.FILTER, scope, lambda connection: fetch_receipts(connection, sql, values)
        )
        return [receipt_from(row, self._embedder) for row in found]

    async def _stored_before(self, scope: Scope, entry: Entry, idempotency_key: str | None) -> Receipt | None:
        found = await self._read(scope, _BEFORE_NOW, {"id": entry.id, "key": idempotency_key})
        for receipt in found:
            rows.require_same(entry, receipt.entry)
        return found[0] if found else None

    async def _known(self, scope: Scope, entries: Sequence[Entry]) -> dict[str, Receipt]:
        found = await self._read(scope, _SOME, {"ids": [entry.id for entry in entries]})
        known = {receipt.entry.id: receipt for receipt in found}
        for entry in entries:
            if entry.id in known:
                rows.require_same(entry, known[entry.id].entry)
        return known

    async def _write(self, scope: Scope, entries: Sequence[Entry]) -> None:
        async def work(connection: Connection) -> None:
            statements = _all(BinaryArrayEncoder(connection), scope, entries)
            try:
                await send_all(connection, statements, rows=len(entries))
            except errors.UniqueViolation as exc:
                raise _Known from exc

        if entries:
            await self._database.write(DbRole.AGENT, scope, work, repeatable=True)


def _all(arrays: BinaryArrayEncoder, scope: Scope, entries: Sequence[Entry]) -> Iterator[ManyRows]:
    for begin in range(0, len(entries), _AT_ONCE):
        some = [entry_values(entry, WRITTEN) for entry in entries[begin : begin + _AT_ONCE]]
        columns = {name: _array(arrays, kind, [one[name] for one in some]) for name, kind in _MANY.items()}
        yield _INSERT_ALL, {**columns, "project_id": scope.project_id}


def _array(arrays: BinaryArrayEncoder, kind: FieldKind, values: Sequence[Any]) -> EncodedArray:
    match kind:
        case FieldKind.NUMBER:
            return arrays.floats(values)
        case FieldKind.MOMENT:
            return arrays.moments(values)
        case _:
            return arrays.texts(values, _TYPES[kind])


def _row(scope: Scope, entry: Entry, idempotency_key: str | None) -> dict[str, Any]:
    values = entry_values(entry, WRITTEN)
    return {**values, "project_id": scope.project_id, "idempotency_key": idempotency_key}


def _query(wanted: EntryFilter) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = {"limit": wanted.limit}
    parts = [RECEIPTS]
    for name, condition in _NARROWINGS.items():
        value = getattr(wanted, name)
        if value is not None:
            parts.append(f"AND {condition}")
            values[name] = failed_text(value) if name == "check" else value
    # Both tables have the sequence, so that an index gives the order with the decision as well as without it.
    sequence = "q.sequence" if wanted.decision is None else "a.sequence"
    if wanted.since is not None:
        parts.append(f"AND {_FIRST_SINCE if wanted.oldest_first else _FIRST_OF_FEW_SINCE}")
    beyond, order = (">", "ASC") if wanted.oldest_first else ("<", "DESC")
    if wanted.beyond_id is not None:
        parts.append(f"AND {sequence} {beyond} {_BEYOND}")
        values["beyond_id"] = wanted.beyond_id
    parts.append(f"ORDER BY {sequence} {order} LIMIT %(limit)s")
    return "\n".join(parts), values


def _contended() -> StoreUnavailable:
    return StoreUnavailable("Others write and delete the same entries just now. Nothing was written: try again.")
