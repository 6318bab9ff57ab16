"""What happened, on PostgreSQL: written by triggers, read and forgotten here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memsieve.model import Event, Scope
from memsieve.stores.event_rows import event_from, numbers_of, position_of
from memsieve.stores.postgres.database import Connection, Database, Door, enter

# Of transactions before these all is committed or never will be.
_ENDED = "pg_snapshot_xmin(pg_current_snapshot())"
_NEWEST = f"SELECT {_ENDED}::text AS transaction_id, 0 AS sequence"
_OLDEST = f"""
SELECT coalesce(h.transaction_id, {_ENDED})::text AS transaction_id, coalesce(h.sequence - 1, 0) AS sequence
FROM (VALUES (1)) always LEFT JOIN (
    SELECT transaction_id, sequence FROM happenings ORDER BY transaction_id, sequence LIMIT 1
) h ON true
"""  # noqa: S608 - made of constants
_AFTER = f"""
(h.transaction_id, h.sequence) > (%(transaction_id)s::text::xid8, %(sequence)s) AND h.transaction_id < {_ENDED}
ORDER BY h.transaction_id, h.sequence LIMIT %(limit)s
"""
_COLUMNS = "SELECT project_id, transaction_id::text, sequence, kind, subject, at FROM happenings h"
_SINCE = f"{_COLUMNS} WHERE {_AFTER}"
_OF = f"{_COLUMNS} WHERE h.project_id = %(project_id)s AND {_AFTER}"
_OF_OLD = "SELECT DISTINCT project_id FROM happenings WHERE at < %s ORDER BY 1"
_FORGET = "DELETE FROM happenings WHERE project_id = %s AND at < %s"


class PostgresEventLog:
    """Implements `ports.Happenings`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> str:
        return await self._position(_NEWEST)

    async def oldest(self) -> str:
        return await self._position(_OLDEST)

    async def since(self, position: str, limit: int = 1000) -> list[Event]:
        values = {**_place(position), "limit": limit}

        async def work(connection: Connection) -> list[dict[str, Any]]:
            return await (await connection.execute(_SINCE.encode(), values)).fetchall()

        return _events(await self._database.across(work))

    async def of(self, scope: Scope, position: str | None, limit: int) -> list[Event]:
        place = _place(position_of(0, 0) if position is None else position)
        values = {"project_id": scope.project_id, **place, "limit": limit}
        return _events(await self._database.ask(Door.AGENT, scope, _OF, values))

    async def forget(self, before: datetime) -> int:
        async def work(connection: Connection) -> int:
            forgotten = 0
            for row in await (await connection.execute(_OF_OLD, (before,))).fetchall():
                await enter(connection, row["project_id"])
                forgotten += (await connection.execute(_FORGET, (row["project_id"], before))).rowcount
            return forgotten

        return await self._database.across(work)

    async def _position(self, query: str) -> str:
        async def work(connection: Connection) -> dict[str, Any] | None:
            return await (await connection.execute(query.encode())).fetchone()

        row = await self._database.across(work)
        assert row is not None  # noqa: S101 - each of the queries ends in a row without a table
        return position_of(int(row["transaction_id"]), row["sequence"])


def _place(position: str) -> dict[str, Any]:
    transaction_id, sequence = numbers_of(position, 2)
    return {"transaction_id": str(transaction_id), "sequence": sequence}


def _events(rows: Iterable[Mapping[str, Any]]) -> list[Event]:
    return [event_from(row, int(row["transaction_id"]), row["sequence"]) for row in rows]
