"""Which weekly digests were made, on PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memsieve.model import Role, Scope
from memsieve.ports import CLOCK_SKEW, RUN_AHEAD, RUN_LEASE, Clock
from memsieve.stores.postgres.database import Connection, Database, Door

# Whoever took or made one by a clock that ran ahead would keep all others from it until then: that does not count.
_TAKE = """
INSERT INTO digest_runs AS run (project_id, due, taken_at) VALUES (%(project_id)s, %(due)s, %(now)s)
ON CONFLICT (project_id) DO UPDATE SET due = excluded.due, taken_at = excluded.taken_at
WHERE (run.made IS NULL OR run.made < excluded.due OR run.made > %(far)s)
    AND (run.due < excluded.due OR run.taken_at IS NULL OR run.taken_at <= %(lapsed)s OR run.taken_at > %(ahead)s)
"""
_DONE = """
INSERT INTO digest_runs AS run (project_id, due, taken_at, made) VALUES (%(project_id)s, %(due)s, %(now)s, %(due)s)
ON CONFLICT (project_id) DO UPDATE
SET made = CASE WHEN run.made > %(far)s THEN excluded.made ELSE greatest(run.made, excluded.made) END
"""
_RELEASE = "UPDATE digest_runs SET taken_at = NULL WHERE project_id = %(project_id)s AND due = %(due)s"
_NEWEST = "SELECT made FROM digest_runs WHERE project_id = %(project_id)s AND made <= %(far)s"


class PostgresDigestRuns:
    """Implements `ports.DigestRuns`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, scope: Scope, due: datetime) -> bool:
        return await self._write(scope, due, _TAKE, repeatable=False) > 0

    async def done(self, scope: Scope, due: datetime) -> None:
        await self._write(scope, due, _DONE)

    async def release(self, scope: Scope, due: datetime) -> None:
        await self._write(scope, due, _RELEASE, repeatable=False)

    async def newest(self, scope: Scope) -> datetime | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = {"project_id": scope.project_id, "far": self._clock() + RUN_AHEAD}

        async def work(connection: Connection) -> dict[str, Any] | None:
            return await (await connection.execute(_NEWEST, values)).fetchone()

        row = await self._database.read(Door.FILTER, scope, work)
        return None if row is None else row["made"]

    async def _write(self, scope: Scope, due: datetime, sql: str, *, repeatable: bool = True) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        now = self._clock()
        limits = {"lapsed": now - RUN_LEASE, "ahead": now + CLOCK_SKEW, "far": now + RUN_AHEAD}
        values = {"project_id": scope.project_id, "due": due, "now": now, **limits}

        async def work(connection: Connection) -> int:
            return (await connection.execute(sql, values)).rowcount

        return await self._database.write(Door.FILTER, scope, work, repeatable=repeatable)
