"""Which weekly digests were made, on SQLite."""

from __future__ import annotations

from datetime import datetime

from memsieve.model import Role, Scope
from memsieve.ports import CLOCK_SKEW, RUN_AHEAD, RUN_LEASE, Clock
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import text_time, time_text

# Whoever took or made one by a clock that ran ahead would keep all others from it until then: that does not count.
_TAKE = """
INSERT INTO digest_runs (project_id, due, taken_at) VALUES (:project_id, :due, :now)
ON CONFLICT DO UPDATE SET due = excluded.due, taken_at = excluded.taken_at
WHERE (made IS NULL OR made < excluded.due OR made > :far)
    AND (due < excluded.due OR taken_at <= :lapsed OR taken_at > :ahead)
"""
_DONE = """
INSERT INTO digest_runs (project_id, due, taken_at, made) VALUES (:project_id, :due, :now, :due)
ON CONFLICT DO UPDATE SET made = iif(made > :far, excluded.made, max(coalesce(made, ''), excluded.made))
"""
_RELEASE = "UPDATE digest_runs SET taken_at = '' WHERE project_id = :project_id AND due = :due"
_NEWEST = "SELECT made FROM digest_runs WHERE project_id = :project_id AND made <= :far"


class SqliteDigestRuns:
    """Implements `ports.DigestRuns`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, scope: Scope, due: datetime) -> bool:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = self._values(scope, due)
        return await self._database.write(lambda connection: connection.execute(_TAKE, values).rowcount > 0)

    async def done(self, scope: Scope, due: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = self._values(scope, due)
        await self._database.write(lambda connection: connection.execute(_DONE, values))

    async def release(self, scope: Scope, due: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = self._values(scope, due)
        await self._database.write(lambda connection: connection.execute(_RELEASE, values))

    async def newest(self, scope: Scope) -> datetime | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = {"project_id": scope.project_id, "far": time_text(self._clock() + RUN_AHEAD)}
        row = await self._database.read(lambda connection: connection.execute(_NEWEST, values).fetchone())
        return None if row is None else text_time(row["made"])

    def _values(self, scope: Scope, due: datetime) -> dict[str, str]:
        now = self._clock()
        limits = {"lapsed": now - RUN_LEASE, "ahead": now + CLOCK_SKEW, "far": now + RUN_AHEAD}
        moments = {"due": due, "now": now, **limits}
        return {"project_id": scope.project_id, **{name: time_text(moment) for name, moment in moments.items()}}
