"""Decide on pending entries: run the checks, keep the decision, and serve what was admitted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

from memsieve.config import Settings
from memsieve.errors import EmbedderError, JudgeError, MemsieveError, NotFound
from memsieve.ingress.checks.candidate import Candidate, Substance, read_substance
from memsieve.ingress.pipeline import evaluate, evaluate_history
from memsieve.ingress.recheck import NEAREST_TOMBSTONES, AdmissionRecheck
from memsieve.model import (
    Admission,
    CheckName,
    ContextItem,
    Decision,
    Entry,
    EntryFilter,
    Layer,
    NotChecked,
    Reason,
    Receipt,
    Scope,
    Vector,
    excerpt,
)
from memsieve.ports import (
    LONG_TEXT,
    WORKING_LIFE,
    Clock,
    Embedder,
    Judge,
    QuarantineStore,
    ServingLog,
    TombstoneStore,
    WorkingStore,
)
from memsieve.runtime.log_throttle import LogThrottle
from memsieve.runtime.project_locks import ProjectLock, ProjectLocks
from memsieve.text.tokenize import tokenize

SERVED_TO_SESSION = 100
_PAGE = 100

T = TypeVar("T")
_log = logging.getLogger(__name__)

# An entry that kills the process each time is given up.
MAX_ATTEMPTS = 5


@dataclass(frozen=True, kw_only=True)
class Prefetch:
    """Reads under way for an entry: what is in it, and what surrounds it; the lock had this version when they began."""

    lock: ProjectLock
    version: int
    surroundings: asyncio.Future[tuple[list[ContextItem], list[Entry]]]
    content: asyncio.Future[ReadContent]

    def cancel(self) -> None:
        """Give up the reads, and their errors with them."""
        for read in (self.surroundings, self.content):
            read.cancel()
            read.add_done_callback(lambda done: done.cancelled() or done.exception())


@dataclass(frozen=True, slots=True)
class ReadContent:
    """What of an entry is worth remembering, and the vector of that."""

    substance: Substance
    vector: Vector | None


@dataclass(kw_only=True)
class AdmissionDecider:
    """Decides on pending entries.

    An entry is admitted or refused at once, or it stays pending: until a slow judge has answered, which is awaited in
    the background, or until `retry` where a model or a store failed.
    """

    quarantine: QuarantineStore
    working: WorkingStore
    servings: ServingLog
    tombstones: TombstoneStore
    embedder: Embedder
    judge: Judge
    settings: Settings
    clock: Clock
    locks: ProjectLocks
    recheck: AdmissionRecheck
    _throttle: LogThrottle = field(default_factory=LogThrottle)
    _slow_verdicts: set[asyncio.Task[Receipt]] = field(default_factory=set)
    _decisions: set[asyncio.Task[Receipt]] = field(default_factory=set)
    _rechecks: set[asyncio.Task[None]] = field(default_factory=set)
    _attempts: AttemptCounter = field(init=False)

    def __post_init__(self) -> None:
        self._attempts = AttemptCounter(quarantine=self.quarantine, locks=self.locks, clock=self.clock)

    def prefetch(self, scope: Scope, entry: Entry) -> Prefetch:
        """Start the slow reads of a decision, so that they run while the entry is written."""
        system, lock = Scope.system(scope.project_id), self.locks.for_project(scope)
        surroundings = asyncio.gather(
            self.servings.recently_served(system, session_id=entry.session_id, limit=SERVED_TO_SESSION),
            self.working.list(system),
        )
        content = asyncio.ensure_future(self._read(entry.content))
        return Prefetch(lock=lock, version=lock.version, surroundings=surroundings, content=content)

    async def read_all(self, contents: Sequence[str]) -> list[ReadContent]:
        """Return what is worth remembering of each content, with the vector of that."""
        substances = [await read_substance(content, self.settings.filter) for content in contents]
        vectors = await self.embedder.embed([substance.excerpt for substance in substances])
        return [ReadContent(*read) for read in zip(substances, vectors, strict=True)]

    async def _read(self, content: str) -> ReadContent:
        [read] = await self.read_all([content])
        return read

    async def decide(self, scope: Scope, entry: Entry, prefetch: Prefetch, *, wait: bool, new: bool) -> Receipt:
        """Decide on a pending entry; with a slow judge it stays pending unless `wait` is set.

        A `new` entry was stored by this call, so no person can have decided on it.
        """
        system = Scope.system(scope.project_id)
        try:
            served, working = await prefetch.surroundings
            read = await prefetch.content
            if self.clock() - entry.created_at >= WORKING_LIFE:
                return await self.refuse_by_age(scope, entry, read)
            candidate = replace(await self._candidate(entry, read), working=working, served=served)
            receipt = await self._decide(system, candidate, prefetch.lock, prefetch.version if new else None)
        except MemsieveError as exc:
            # The entry is stored: a caller who got an error would record it again.
            prefetch.cancel()
            return await self._postpone(system, entry, exc)
        if receipt.admission.decision is not Decision.PENDING:
            return receipt
        judging = start_task(self._slow_verdicts, self._judge(system, candidate))
        return await asyncio.shield(judging) if wait else receipt

    async def refuse_by_age(self, scope: Scope, entry: Entry, read: ReadContent) -> Receipt:
        """Refuse an entry that is too old for working memory, and keep what the checks on its content alone found."""
        now = self.clock()
        admission = Admission.without_checks(
            NotChecked.AGE,
            Reason.of("age.old", date=f"{entry.created_at:%Y-%m-%d}"),
            decision=Decision.REFUSED,
            score=(now - entry.created_at).total_seconds(),
            at=now,
        )
        checks = evaluate_history(await self._candidate(entry, read), self.settings.filter)
        admission = replace(admission, checks=(*admission.checks, *checks))
        await self.quarantine.decide(Scope.system(scope.project_id), entry.id, admission, read.vector)
        return Receipt(entry=replace(entry, embedding=read.vector), admission=admission)

    async def _candidate(self, entry: Entry, read: ReadContent) -> Candidate:
        text = read.substance.excerpt
        verdict = await self.judge.consistent(text) if self.judge.quick else None
        return Candidate(
            entry=entry, substance=read.substance, words=tokenize(text), vector=read.vector, verdict=verdict
        )

    async def retry(
        self, scope: Scope, *, waiting_since: timedelta = timedelta(), automatic: bool = False
    ) -> list[Receipt]:
        """Decide on entries that have been pending for this long, or because a store was down, oldest first.

        One that fails again holds up no other, unless a store is still down. One whose attempts never ended is tried
        again only where a person asks, not where the retry is `automatic`.
        """
        system, receipts = Scope.system(scope.project_id), []
        wanted = EntryFilter(decision=Decision.PENDING, oldest_first=True, limit=_PAGE)
        while page := await self.quarantine.find(system, wanted):
            for receipt in page:
                recent = self.clock() - receipt.admission.decided_at < waiting_since
                if recent and receipt.admission.not_checked is not NotChecked.STORE:
                    continue
                if automatic and (gave_up(receipt) or not await self._attempts.start(system, receipt.entry.id)):
                    continue
                receipts.append(await self._retry_one(scope, receipt.entry, counted=automatic))
                if receipts[-1].admission.not_checked is NotChecked.STORE:
                    return receipts
            wanted = replace(wanted, beyond_id=page[-1].entry.id)
        return receipts

    async def close(self) -> None:
        """Leave slow verdicts for a later retry, and wait for decisions under way."""
        await cancel_all(self._slow_verdicts)
        await asyncio.gather(*self._decisions, return_exceptions=True)
        await asyncio.gather(*self._rechecks, return_exceptions=True)

    async def _retry_one(self, scope: Scope, entry: Entry, *, counted: bool) -> Receipt:
        try:
            return await self.decide(scope, entry, self.prefetch(scope, entry), wait=True, new=False)
        except asyncio.CancelledError:
            # The process stops in an orderly way: that is not the entry's fault.
            if counted:
                with suppress(MemsieveError):
                    await self._attempts.rollback(Scope.system(scope.project_id), entry.id)
            raise

    async def _judge(self, scope: Scope, candidate: Candidate) -> Receipt:
        try:
            verdict = await self.judge.consistent(candidate.excerpt)
            return await self._decide(scope, replace(candidate, verdict=verdict), self.locks.for_project(scope))
        except MemsieveError as exc:
            return await self._postpone(scope, candidate.entry, exc)

    async def _decide(
        self, scope: Scope, candidate: Candidate, lock: ProjectLock, version: int | None = None
    ) -> Receipt:
        """Decide in a task of its own: a caller who goes away leaves nothing half done."""
        return await asyncio.shield(start_task(self._decisions, self._decide_locked(scope, candidate, lock, version)))

    async def _decide_locked(
        self, scope: Scope, candidate: Candidate, lock: ProjectLock, version: int | None
    ) -> Receipt:
        """Check, store the decision, and serve what was admitted.

        `version` is the lock's when the candidate's working memory was read; None for an entry that is not new.
        """
        entry, vector = candidate.entry, candidate.vector
        async with lock:
            audit_head = self.recheck.known_audit_head(scope)
            # Working memory is as it was read if the lock was not acquired meanwhile.
            working = candidate.working if lock.version == version else await self.working.list(scope)
            others = [other for other in working if other.id != entry.id]
            tombstones = await self.tombstones.nearest(scope, vector, candidate.words, NEAREST_TOMBSTONES)
            candidate = replace(candidate, working=others, tombstones=tombstones)
            admission = (
                await asyncio.to_thread(self._evaluate, candidate)
                if len(entry.content) > LONG_TEXT
                else self._evaluate(candidate)
            )
            served = admission.admitted and (version is not None or await self._unreviewed(scope, entry))
            await self.quarantine.decide(scope, entry.id, admission, vector)
            if served:
                hot = served_entry(Receipt(entry=replace(entry, embedding=vector), admission=admission))
                await self.working.put(scope, hot, admission)
                start_task(self._rechecks, self._recheck(scope, hot, audit_head))
        return Receipt(entry=replace(entry, embedding=vector), admission=admission)

    def _evaluate(self, candidate: Candidate) -> Admission:
        admission = evaluate(candidate, self.settings.filter, self.clock())
        if self.settings.shadow is None:
            return admission
        return replace(admission, shadow=evaluate(candidate, self.settings.shadow, admission.decided_at).decision)

    async def _unreviewed(self, scope: Scope, entry: Entry) -> bool:
        """Return whether no person decided on an entry while it waited: what is promoted must not be served twice."""
        known = await self.quarantine.get(scope, entry.id)
        return known is not None and known.review is None

    async def _recheck(self, scope: Scope, entry: Entry, audit_head: int) -> None:
        try:
            await self.recheck.recheck(scope, entry, audit_head)
        except MemsieveError as error:
            _log.warning("It is not certain that entry %s may still be served: %s", entry.id, error)

    async def _postpone(self, scope: Scope, entry: Entry, error: MemsieveError) -> Receipt:
        """Leave an entry pending with the reason; it is retried later."""
        # Agents read the reason; the address of an engine belongs in the log only.
        if self._throttle.should_log(error):
            _log.warning("Entry %s waits for its decision: %s: %s", entry.id, type(error).__name__, error)
        admission = Admission.without_checks(
            _failed(error), Reason.of("pending.failed", error=error.public), at=self.clock()
        )
        with suppress(MemsieveError):
            await self.quarantine.decide(scope, entry.id, admission, None)
        return Receipt(entry=entry, admission=admission)


def served_entry(receipt: Receipt) -> Entry:
    """Return what working memory serves of an admitted entry."""
    entry = receipt.entry
    return replace(entry, layer=Layer.WORKING, content=excerpt(entry.content, receipt.admission.passages))


def _failed(error: MemsieveError) -> CheckName | NotChecked:
    if isinstance(error, JudgeError):
        return CheckName.CONSISTENCY
    return NotChecked.EMBEDDER if isinstance(error, EmbedderError) else NotChecked.STORE


def start_task(tasks: set[asyncio.Task[T]], work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start work, and keep its task in the set until it is done."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they are done."""
    # A wait with a time-out can miss a cancellation, in Python 3.11: the task is cancelled again.
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting, timeout=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCounter:
    """Counts attempts in the entry's admission, which every orderly end replaces: a decision, or what failed."""

    quarantine: QuarantineStore
    locks: ProjectLocks
    clock: Clock

    async def start(self, scope: Scope, entry_id: str) -> bool:
        """Count one attempt more; False if the entry was decided on meanwhile, or attempted too often."""
        return await self._count(scope, entry_id, 1)

    async def rollback(self, scope: Scope, entry_id: str) -> None:
        """Count one attempt less: it was cancelled."""
        await self._count(scope, entry_id, -1)

    async def _count(self, scope: Scope, entry_id: str, more: int) -> bool:
        async with self.locks.for_project(scope):
            known = await self.quarantine.get(scope, entry_id)
            if known is None or known.admission.decision is not Decision.PENDING or (more > 0 and gave_up(known)):
                return False
            attempts = max(0, _attempts(known) + more)
            if more > 0 and attempts == MAX_ATTEMPTS:
                _log.warning("Entry %s is tried for the last time: %d tries did not end.", entry_id, attempts - 1)
            try:
                await self.quarantine.decide(scope, entry_id, self._attempted(attempts), None)
            except NotFound:
                return False
            return True

    def _attempted(self, attempts: int) -> Admission:
        reason = Reason.of("pending.attempts", attempts=attempts, limit=MAX_ATTEMPTS)
        return Admission.without_checks(NotChecked.ATTEMPTED, reason, score=float(attempts), at=self.clock())


def gave_up(receipt: Receipt) -> bool:
    """Return whether an entry was attempted so often that only a person may have it tried again."""
    return _attempts(receipt) >= MAX_ATTEMPTS


def _attempts(receipt: Receipt) -> int:
    admission = receipt.admission
    return int(admission.checks[0].score or 0) if admission.not_checked is NotChecked.ATTEMPTED else 0
