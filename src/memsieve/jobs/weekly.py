"""The weekly digests: when one is due, and making each of them once."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Protocol

from memsieve.config import DAYS, NEVER, zone_named
from memsieve.errors import MemsieveError
from memsieve.model import Digest, EntryFilter, Scope
from memsieve.ports import RUN_LEASE, Clock, DigestRuns, Progress, QuarantineStore, Statistics

WINDOW = timedelta(days=7)
# How far back the first digest of a project looks: years of entries would take hours.
FIRST_WINDOW = timedelta(days=31)
# The clock goes on before the digest looks at it: what was recorded just then must not fall out of the window.
_SLACK = timedelta(minutes=1)
# How many of the first recorded entries tell when a project began: single times may be wrong or imported.
_FIRST_ENTRIES = 1000
# Progress is reported in hundredths of each project.
_PARTS = 100

_log = logging.getLogger(__name__)


class DigestMaker(Protocol):
    """Makes a project's digest."""

    async def digest(self, scope: Scope, *, days: float = 7, progress: Progress | None = None) -> Digest:
        """Make and keep the digest of the days up to now."""


class RunOutcome(StrEnum):
    """What became of a project's digest that was due."""

    MADE = "made"
    THERE = "there"
    BUSY = "busy"
    FAILED = "failed"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRun:
    """What became of one project's digest: `digest` where it was made now, and `error` in words where it failed."""

    project_id: str
    due: datetime
    outcome: RunOutcome
    digest: Digest | None = None
    error: str | None = None

    @property
    def waiting(self) -> int | None:
        """How many insights wait, where the digest was made now."""
        return None if self.digest is None else self.digest.waiting


def last_due(now: datetime, day: str, hour: int, zone: str) -> datetime | None:
    """Return the newest scheduled moment that is not after now, in UTC; None for a day that never comes."""
    if day == NEVER:
        return None
    place = zone_named(zone)
    today = now.astimezone(place).date()
    this_week = today - timedelta(days=(today.weekday() - DAYS.index(day)) % 7)
    return _newest(now, (this_week + timedelta(weeks=step) for step in (1, 0, -1)), hour, place)


def last_midnight(now: datetime, zone: str) -> datetime:
    """Return when the day began that it is now in a zone, in UTC."""
    place = zone_named(zone)
    today = now.astimezone(place).date()
    return _newest(now, (today + timedelta(days=step) for step in (1, 0, -1)), 0, place)


def _newest(now: datetime, days: Iterable[date], hour: int, zone: tzinfo) -> datetime:
    # The day after is asked too: clocks that are set back past midnight bring the day before a second time.
    moments = (datetime.combine(day, time(hour), zone).astimezone(UTC) for day in days)
    return next(moment for moment in moments if moment <= now)


@dataclass(frozen=True, kw_only=True)
class WeeklyDigests:
    """Makes the digests that are due, each once, however many schedulers there are.

    Without a day in the week, one is due on every day, for those who call it themselves.
    """

    digester: DigestMaker
    runs: DigestRuns
    statistics: Statistics
    quarantine: QuarantineStore
    clock: Clock
    day: str
    hour: int
    zone: str

    @property
    def scheduled(self) -> bool:
        """Whether digests are made by themselves."""
        return self.day != NEVER

    def due(self) -> datetime:
        """Return when the digests that should be there by now were due."""
        now = self.clock()
        return last_due(now, self.day, self.hour, self.zone) or last_midnight(now, self.zone)

    async def make_due(self, progress: Progress | None = None) -> list[DigestRun]:
        """Make every project's digest that is due and not made, and say what became of each.

        A failure in one project is logged, and the others go on; it is tried again the next time. `progress` is called
        with how many hundredths of all projects are done, and of how many.
        """
        due, projects = self.due(), await self.statistics.projects()
        runs: list[DigestRun] = []
        for number, project_id in enumerate(projects):
            share = _share(progress, number, len(projects))
            runs.append(await self._look(Scope.system(project_id), due, share))
            share(1, 1)
        return runs

    async def make(self, project_id: str, progress: Progress | None = None) -> DigestRun:
        """Make one project's digest if it is due and not made; what goes wrong is raised."""
        return await self._make_if_due(Scope.system(project_id), self.due(), progress)

    async def _look(self, scope: Scope, due: datetime, progress: Progress) -> DigestRun:
        """Make one project's digest if it is due; an error is reported and does not reach the other projects."""
        try:
            return await self._make_if_due(scope, due, progress)
        except Exception as error:  # noqa: BLE001 - a fault in one project must not keep the others from their digest
            _log.warning(
                "The digest of project %s could not be made: %s It is tried again the next time; "
                "`memsieve digest --project %s` makes one at once.",
                scope.project_id,
                _sentence(error),
                scope.project_id,
                exc_info=None if isinstance(error, MemsieveError) else error,
            )
            return _run(scope, due, RunOutcome.FAILED, error=_sentence(error))

    async def _make_if_due(self, scope: Scope, due: datetime, progress: Progress | None) -> DigestRun:
        newest = await self.runs.newest(scope)
        if newest is not None and newest >= due:
            return _run(scope, due, RunOutcome.THERE)
        since = await self._since(scope, due, newest)
        if since is None:
            return _run(scope, due, RunOutcome.NOTHING)
        taken_at = self.clock()
        if not await self.runs.take(scope, due):
            return _run(scope, due, RunOutcome.BUSY)
        try:
            days = max(WINDOW, self.clock() - since + _SLACK) / timedelta(days=1)
            digest = await self.digester.digest(scope, days=days, progress=progress)
            await self.runs.done(scope, due)
        except BaseException:
            await self._release(scope, due, taken_at)
            raise
        return _run(scope, due, RunOutcome.MADE, digest=digest)

    async def _since(self, scope: Scope, due: datetime, newest: datetime | None) -> datetime | None:
        """Return from when on no digest has looked at the project, or None if nothing was recorded before it was due.

        What was recorded before the machine was off is older than a week when its digest is made at last.
        """
        first = await self.quarantine.find(scope, EntryFilter(limit=_FIRST_ENTRIES, oldest_first=True))
        now = self.clock()
        latest = due if self.scheduled else now
        begun = min((one.entry.created_at for one in first if one.entry.created_at <= latest), default=None)
        if begun is None and len(first) < _FIRST_ENTRIES:
            return None
        return newest or max(begun or now - FIRST_WINDOW, now - FIRST_WINDOW)

    async def _release(self, scope: Scope, due: datetime, taken_at: datetime) -> None:
        # After the lease it may be another's; and where the store fails, the lease runs out by itself.
        if self.clock() - taken_at < RUN_LEASE:
            with suppress(MemsieveError):
                await self.runs.release(scope, due)


def _run(
    scope: Scope, due: datetime, outcome: RunOutcome, *, digest: Digest | None = None, error: str | None = None
) -> DigestRun:
    return DigestRun(project_id=scope.project_id, due=due, outcome=outcome, digest=digest, error=error)


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, MemsieveError) else f"{type(error).__name__}: {error}."


def _share(progress: Progress | None, number: int, projects: int) -> Progress:
    """Return the progress of one project as a part of that of all."""

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(number * _PARTS + _PARTS * done // max(total, 1), projects * _PARTS)

    return report
