"""Tier 1 on PostgreSQL: agents write it, and only the filter and persons read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from psycopg import errors

from memsieve.errors import StoreUnavailable
from memsieve.model import Admission, Decision, Entry, EntryFilter, Receipt, Role, Scope, Vector
from memsieve.ports import Clock
from memsieve.stores import records
from memsieve.stores.postgres import audit, receipts
from memsieve.stores.postgres.columns import Arrays, Statement, send_all
from memsieve.stores.postgres.database import Connection, Database, Door
from memsieve.stores.postgres.rows import fetch, half_text
from memsieve.stores.records import checks_text, failed_text, json_text

ATTEMPTS = 3
# So many are packed while the server takes in those before.
_AT_ONCE = 1000

# Without RETURNING, since agents may not read what is there.
_INSERT = """
INSERT INTO quarantine_logs
    (project_id, id, session_id, agent_id, node_id, confidence, content, raw_metadata, created_at, idempotency_key)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
_INSERT_ALL = """
INSERT INTO quarantine_logs
    (project_id, id, session_id, agent_id, node_id, confidence, content, raw_metadata, created_at)
SELECT %(project_id)s::text, unnest(%(ids)s::text[]), unnest(%(sessions)s::text[]), unnest(%(agents)s::text[]),
    unnest(%(nodes)s::text[]), unnest(%(confidences)s::float8[]), unnest(%(contents)s::text[]),
    unnest(%(metadata)s::json[]), unnest(%(moments)s::timestamptz[])
"""
# An entry that was seen and could not be read names its embedder too: else it would count as not yet seen by any.
_DECIDE = """
UPDATE admissions SET decision = %(decision)s, shadow = %(shadow)s, checks = %(checks)s, decided_at = %(decided_at)s,
    embedder = coalesce(%(made_by)s, embedder, %(seen_by)s), embedding = coalesce(%(vector)s::halfvec, embedding)
WHERE project_id = %(project_id)s AND entry_id = %(entry_id)s
"""
_EXISTS = "SELECT FROM quarantine_logs WHERE project_id = %s AND id = %s"
_DELETE = "DELETE FROM quarantine_logs WHERE project_id = %s AND id = %s"
_ONE = f"{receipts.SELECT} AND q.id = %(id)s"
_BEFORE_NOW = f"{receipts.SELECT} AND (q.id = %(id)s OR q.idempotency_key = %(key)s) ORDER BY q.sequence"
_KNOWN = f"{receipts.SELECT} AND q.id = ANY(%(ids)s)"
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
# What a person has decided on is little beside all that was said.
_DECIDED_ON = """q.id IN (
    SELECT entry_id FROM approval_sources WHERE project_id = %(project_id)s
    UNION SELECT source_id FROM tombstones WHERE project_id = %(project_id)s AND lifted_at IS NULL
    UNION SELECT entry_id FROM insight_sources WHERE project_id = %(project_id)s
)"""
_NARROWINGS = {
    "session_id": "q.session_id = %(session_id)s",
    "agent_id": "q.agent_id = %(agent_id)s",
    "decision": "a.decision = %(decision)s",
    "review": f"{_DECIDED_ON} AND {receipts.REVIEW} = %(review)s",
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
        row = _columns(scope, entry, idempotency_key)
        for _ in range(ATTEMPTS):
            if await self._database.once(Door.AGENT, scope, _INSERT, row, repeatable=True):
                return records.pending(entry)
            stored = await self._stored_before(scope, entry, idempotency_key)
            if stored is not None:
                return stored
        raise _unsettled()

    async def add_all(self, scope: Scope, entries: Sequence[Entry]) -> list[Receipt]:
        known: dict[str, Receipt] = {}
        for _ in range(ATTEMPTS):
            fresh = {entry.id: entry for entry in entries if entry.id not in known}
            for entry in entries:
                if entry.id in fresh:
                    records.require_same(entry, fresh[entry.id])
            try:
                await self._write(scope, list(fresh.values()))
            except _Known:
                known = await self._known(scope, entries)
                continue
            receipts = known | {entry_id: records.pending(entry) for entry_id, entry in fresh.items()}
            return [replace(receipts[entry.id], new=fresh.pop(entry.id, None) is not None) for entry in entries]
        raise _unsettled()

    async def decide(self, scope: Scope, entry_id: str, admission: Admission, vector: Vector | None) -> None:
        scope.require(Role.SYSTEM)
        values = {
            "project_id": scope.project_id,
            "entry_id": entry_id,
            "decision": admission.decision,
            "shadow": admission.shadow,
            "checks": checks_text(admission.checks),
            "decided_at": admission.decided_at,
            "made_by": None if vector is None else self._embedder,
            "seen_by": None if admission.decision is Decision.PENDING else self._embedder,
            "vector": half_text(vector),
        }
        if not await self._database.once(Door.FILTER, scope, _DECIDE, values, durable=False, repeatable=True):
            raise records.gone(entry_id)

    async def get(self, scope: Scope, entry_id: str) -> Receipt | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        found = await self._read(scope, _ONE, {"id": entry_id})
        return found[0] if found else None

    async def find(self, scope: Scope, wanted: EntryFilter) -> list[Receipt]:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._read(scope, *_query(wanted))

    async def delete(self, scope: Scope, entry_id: str, reason: str) -> bool:
        scope.require(Role.PERSON)
        key = (scope.project_id, entry_id)

        async def work(connection: Connection) -> bool:
            if not (await connection.execute(_EXISTS, key)).rowcount:
                return False
            await audit.append(connection, scope, "deleted", entry_id, self._clock(), reason)
            await connection.execute(_DELETE, key)
            return True

        return await self._database.write(Door.REVIEWER, scope, work, in_turn=True)

    async def _read(self, scope: Scope, sql: str, values: dict[str, Any]) -> list[Receipt]:
        values = {"project_id": scope.project_id, **values}
        # Planned anew each time: which way is short depends on what is asked for.
        rows = await self._database.read(
            Door.FILTER, scope, lambda connection: fetch(connection, sql, values, prepare=False)
        )
        return [receipts.receipt_from(row, self._embedder) for row in rows]

    async def _stored_before(self, scope: Scope, entry: Entry, idempotency_key: str | None) -> Receipt | None:
        found = await self._read(scope, _BEFORE_NOW, {"id": entry.id, "key": idempotency_key})
        for receipt in found:
            records.require_same(entry, receipt.entry)
        return found[0] if found else None

    async def _known(self, scope: Scope, entries: Sequence[Entry]) -> dict[str, Receipt]:
        found = await self._read(scope, _KNOWN, {"ids": [entry.id for entry in entries]})
        known = {receipt.entry.id: receipt for receipt in found}
        for entry in entries:
            if entry.id in known:
                records.require_same(entry, known[entry.id].entry)
        return known

    async def _write(self, scope: Scope, entries: Sequence[Entry]) -> None:
        async def work(connection: Connection) -> None:
            statements = _all(Arrays(connection), scope, entries)
            try:
                await send_all(connection, statements, rows=len(entries))
            except errors.UniqueViolation as exc:
                raise _Known from exc

        if entries:
            await self._database.write(Door.AGENT, scope, work, repeatable=True)


def _all(arrays: Arrays, scope: Scope, entries: Sequence[Entry]) -> Iterator[Statement]:
    for begin in range(0, len(entries), _AT_ONCE):
        some = entries[begin : begin + _AT_ONCE]
        yield (
            _INSERT_ALL,
            {
                "project_id": scope.project_id,
                "ids": arrays.texts(entry.id for entry in some),
                "sessions": arrays.texts(entry.session_id for entry in some),
                "agents": arrays.texts(entry.agent_id for entry in some),
                "nodes": arrays.texts(entry.node_id for entry in some),
                "confidences": arrays.floats(entry.confidence for entry in some),
                "contents": arrays.texts(entry.content for entry in some),
                "metadata": arrays.texts((json_text(entry.metadata) for entry in some), "json"),
                "moments": arrays.moments(entry.created_at for entry in some),
            },
        )


def _columns(scope: Scope, entry: Entry, idempotency_key: str | None) -> tuple[Any, ...]:
    return (
        scope.project_id,
        entry.id,
        entry.session_id,
        entry.agent_id,
        entry.node_id,
        entry.confidence,
        entry.content,
        json_text(entry.metadata),
        entry.created_at,
        idempotency_key,
    )


def _query(wanted: EntryFilter) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = {"limit": wanted.limit}
    parts = [receipts.SELECT]
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


def _unsettled() -> StoreUnavailable:
    return StoreUnavailable("Others write and delete the same entries just now. Nothing was written: try again.")
