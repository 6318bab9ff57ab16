"""Record an output: durable in quarantine first, then judged; slow verdicts never hold the caller up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from memsieve import validate
from memsieve.config import Settings, change_filter
from memsieve.errors import EmbedderError, InvalidInput, JudgeError, MemsieveError
from memsieve.ingress.candidate import Candidate
from memsieve.ingress.pipeline import evaluate
from memsieve.ingress.replay import Replay, Replayer
from memsieve.ingress.standing import NEAREST_TOMBSTONES, Standing
from memsieve.ingress.tries import Tries, left_alone
from memsieve.model import (
    Admission,
    Check,
    ContextItem,
    Decision,
    Entry,
    EntryFilter,
    Insight,
    Layer,
    Reason,
    Receipt,
    Scope,
    Vector,
    require_project,
)
from memsieve.ports import (
    CLOCK_SKEW,
    LONG_TEXT,
    SPOOLED,
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
# So long a decision that was left for later waits: who has just spoken gets on first, and soon waits for a model.
HEAD_START = timedelta(milliseconds=50)
# So long whoever closes a memory waits for decisions that were left for later.
FINISH = timedelta(seconds=10)
# The name of the check that stands for a decision which a store did not let come about.
STORE_DOWN = "store"
_PAGE = 100

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Begun:
    """What is under way for an entry: its vector, and what surrounds it; `seen` turns had ended when that was asked."""

    lock: ProjectLock
    seen: int
    looking: asyncio.Future[tuple[list[ContextItem], list[Entry]]]
    embedding: asyncio.Future[list[Vector | None]]

    def drop(self) -> None:
        """Give up what nobody needs any more, and its errors with it."""
        for work in (self.looking, self.embedding):
            work.cancel()
            work.add_done_callback(lambda done: done.cancelled() or done.exception())


@dataclass(kw_only=True)
class Ingress:
    """The only way in: quarantine for everything, working memory for what passes."""

    quarantine: QuarantineStore
    working: WorkingStore
    servings: ServingLog
    tombstones: TombstoneStore
    embedder: Embedder
    judge: Judge
    settings: Settings
    clock: Clock
    locks: ProjectLocks
    standing: Standing
    _throttle: LogThrottle = field(default_factory=LogThrottle)
    _slow: set[asyncio.Task[Receipt]] = field(default_factory=set)
    _deciding: set[asyncio.Task[Receipt]] = field(default_factory=set)
    _looking_again: set[asyncio.Task[None]] = field(default_factory=set)
    _later: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)
    _tries: Tries = field(init=False)

    def __post_init__(self) -> None:
        self._tries = Tries(quarantine=self.quarantine, locks=self.locks, clock=self.clock)

    async def record(
        self, scope: Scope, entry: Entry, *, idempotency_key: str | None = None, wait: bool = False
    ) -> Receipt:
        """Store an output, then decide on it; with a slow judge the decision is pending unless `wait` is set."""
        entry, key = self.checked(entry), _checked_key(idempotency_key)
        begun = self._begin(scope, entry)
        try:
            receipt = await self.quarantine.add(scope, entry, key)
        except BaseException:
            begun.drop()
            raise
        if not _undecided(receipt):
            begun.drop()
            return receipt
        return await self._admit(scope, receipt.entry, begun, wait=wait, fresh=receipt.new)

    async def keep(self, scope: Scope, entry: Entry, *, idempotency_key: str | None = None) -> Receipt:
        """Store an output and return: the decision is pending, and follows beside whatever the caller does next."""
        receipt = await self.quarantine.add(scope, self.checked(entry), _checked_key(idempotency_key))
        kept = receipt.entry
        if _undecided(receipt) and kept.id not in self._later:
            task = self._later[kept.id] = asyncio.create_task(self._decide_later(scope, kept))
            task.add_done_callback(lambda _: self._later.pop(kept.id, None))
        return receipt

    def checked(self, entry: Entry) -> Entry:
        """Return an entry as it is kept, or refuse it."""
        require_project(entry.project_id)
        return _checked(entry, self.settings.max_content_bytes, self.clock())

    async def keep_as_history(self, scope: Scope, entry: Entry, vector: Vector | None) -> Receipt:
        """Decide on an entry that is too old for working memory."""
        check = Check(
            name="age",
            passed=False,
            score=(self.clock() - entry.created_at).total_seconds(),
            reason=Reason.of("age.old", date=f"{entry.created_at:%Y-%m-%d}"),
        )
        admission = Admission(decision=Decision.REFUSED, checks=(check,), decided_at=self.clock())
        await self.quarantine.decide(_system(scope), entry.id, admission, vector)
        return Receipt(entry=replace(entry, embedding=vector), admission=admission)

    async def retry(
        self, scope: Scope, *, waiting_since: timedelta = timedelta(), by_itself: bool = False
    ) -> list[Receipt]:
        """Decide on entries left undecided for so long, or by a store that was down, oldest first.

        One that fails again holds up no other, unless it is a store that is still down. One that was begun too often
        without an end is tried only if a person asks, not where this comes round `by_itself`.
        """
        system, receipts = _system(scope), []
        wanted = EntryFilter(decision=Decision.PENDING, oldest_first=True, limit=_PAGE)
        while page := await self.quarantine.find(system, wanted):
            for receipt in page:
                if self.clock() - receipt.admission.decided_at < waiting_since and not _fails(receipt, STORE_DOWN):
                    continue
                if by_itself and not await self._counted(system, receipt):
                    continue
                receipts.append(await self._try_again(scope, receipt.entry, counted=by_itself))
                if _fails(receipts[-1], STORE_DOWN):
                    return receipts
            wanted = replace(wanted, beyond_id=page[-1].entry.id)
        return receipts

    async def _counted(self, scope: Scope, receipt: Receipt) -> bool:
        return not left_alone(receipt) and await self._tries.begin(scope, receipt.entry.id)

    async def _try_again(self, scope: Scope, entry: Entry, *, counted: bool) -> Receipt:
        begun = self._begin(scope, entry)
        try:
            return await self._admit(scope, entry, begun, wait=True, fresh=False)
        except asyncio.CancelledError:
            # Somebody stops in an orderly way: that is not the entry's fault.
            if counted:
                with suppress(MemsieveError):
                    await self._tries.take_back(_system(scope), entry.id)
            raise

    async def replay(self, scope: Scope, changes: Mapping[str, Any], since: datetime | None = None) -> Replay:
        """Say what would have been admitted with some settings changed."""
        before = self.settings.filter
        replayer = Replayer(
            quarantine=self.quarantine, judge=self.judge, before=before, after=change_filter(before, changes)
        )
        return await replayer.run(_system(scope), since)

    async def close(self) -> None:
        """Leave slow verdicts for a later retry, and let decisions be carried out."""
        if self._later:
            await asyncio.wait(list(self._later.values()), timeout=FINISH.total_seconds())
        # Some who wait with a time-out miss that they were cancelled, in Python 3.11: they are told again.
        while waiting := [task for task in (*self._slow, *self._later.values()) if not task.done()]:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting, timeout=1)
        await asyncio.gather(*self._slow, *self._deciding, return_exceptions=True)
        await asyncio.gather(*self._looking_again, return_exceptions=True)

    def _begin(self, scope: Scope, entry: Entry) -> Begun:
        """Start what takes long and changes nothing, so that it is done while the entry is written."""
        system, lock = _system(scope), self.locks.for_project(scope)
        looking = asyncio.gather(
            self.servings.recently_served(system, session_id=entry.session_id, limit=SERVED_TO_SESSION),
            self.working.list(system),
        )
        embedding = asyncio.ensure_future(self.embedder.embed([entry.content]))
        return Begun(lock=lock, seen=lock.version, looking=looking, embedding=embedding)

    async def _decide_later(self, scope: Scope, entry: Entry) -> None:
        await asyncio.sleep(HEAD_START.total_seconds())
        # In the order in which they were said, and one at a time: agents go on meanwhile, and need the processor.
        async with self._one_by_one:
            begun = self._begin(scope, entry)
            try:
                # A person may have decided on it already.
                await self._admit(scope, entry, begun, wait=False, fresh=False)
            except Exception:  # noqa: BLE001 - nobody waits for this, so nobody else would hear of it
                begun.drop()
                _log.warning("Entry %s waits for its decision, and is tried again.", entry.id, exc_info=True)

    async def _admit(self, scope: Scope, entry: Entry, begun: Begun, *, wait: bool, fresh: bool) -> Receipt:
        system = _system(scope)
        try:
            verdict = await self.judge.consistent(entry.content) if self.judge.quick else None
            words = tokenize(entry.content)
            served, working = await begun.looking
            [vector] = await begun.embedding
            if self.clock() - entry.created_at >= WORKING_LIFE:
                return await self.keep_as_history(scope, entry, vector)
            candidate = Candidate(
                entry=entry, words=words, vector=vector, working=working, served=served, verdict=verdict
            )
            receipt = await self._decide(system, candidate, begun.lock, begun.seen if fresh else None)
        except JudgeError as exc:
            begun.drop()
            return await self._postpone(system, entry, "consistency", exc)
        except EmbedderError as exc:
            return await self._postpone(system, entry, "embedder", exc)
        except MemsieveError as exc:
            # It is written: whoever is told that it failed would record it again.
            begun.drop()
            return await self._postpone(system, entry, STORE_DOWN, exc)
        if receipt.admission.decision is not Decision.PENDING:
            return receipt
        judging = _kept(self._slow, self._judge(system, candidate))
        return await asyncio.shield(judging) if wait else receipt

    async def _judge(self, scope: Scope, candidate: Candidate) -> Receipt:
        try:
            verdict = await self.judge.consistent(candidate.entry.content)
            return await self._decide(scope, replace(candidate, verdict=verdict), self.locks.for_project(scope))
        except JudgeError as exc:
            return await self._postpone(scope, candidate.entry, "consistency", exc)
        except MemsieveError as exc:
            return await self._postpone(scope, candidate.entry, STORE_DOWN, exc)

    async def _decide(self, scope: Scope, candidate: Candidate, lock: ProjectLock, seen: int | None = None) -> Receipt:
        return await asyncio.shield(_kept(self._deciding, self._decide_locked(scope, candidate, lock, seen)))

    async def _decide_locked(self, scope: Scope, candidate: Candidate, lock: ProjectLock, seen: int | None) -> Receipt:
        """Look, decide, and do as decided; a caller who goes away does not tear these apart.

        `seen` counts the turns that had ended when working memory was read; without it the entry is not fresh.
        """
        entry, vector = candidate.entry, candidate.vector
        async with lock:
            deeds = self.standing.deeds(scope)
            # What was read of working memory still holds if no turn has ended since.
            working = candidate.working if lock.version == seen else await self.working.list(scope)
            others = [other for other in working if other.id != entry.id]
            tombstones = await self.tombstones.nearest(scope, vector, candidate.words, NEAREST_TOMBSTONES)
            candidate = replace(candidate, working=others, tombstones=tombstones)
            admission = (
                await asyncio.to_thread(self._evaluate, candidate)
                if len(entry.content) > LONG_TEXT
                else self._evaluate(candidate)
            )
            served = admission.admitted and (seen is not None or await self._unreviewed(scope, entry))
            await self.quarantine.decide(scope, entry.id, admission, vector)
            if served:
                hot = replace(entry, layer=Layer.WORKING, embedding=vector)
                await self.working.put(scope, hot, admission)
                _kept(self._looking_again, self._look_again(scope, hot, deeds))
        return Receipt(entry=replace(entry, embedding=vector), admission=admission)

    async def _look_again(self, scope: Scope, entry: Entry, deeds: int) -> None:
        try:
            await self.standing.look_again(scope, entry, deeds)
        except MemsieveError as error:
            _log.warning("It is not certain that entry %s may still be served: %s", entry.id, error)

    async def _unreviewed(self, scope: Scope, entry: Entry) -> bool:
        """Tell whether no person decided on an entry while it waited: what is promoted must not be served twice."""
        known = await self.quarantine.get(scope, entry.id)
        return known is not None and known.review is None

    def _evaluate(self, candidate: Candidate) -> Admission:
        admission = evaluate(candidate, self.settings.filter, self.clock())
        if self.settings.shadow is None:
            return admission
        return replace(admission, shadow=evaluate(candidate, self.settings.shadow, admission.decided_at).decision)

    async def _postpone(self, scope: Scope, entry: Entry, check: str, error: MemsieveError) -> Receipt:
        """Leave an entry pending, with the reason; it is tried again later."""
        # Agents read the reason; where an engine is, is for those who read the log.
        if self._throttle.should_log(error):
            _log.warning("Entry %s waits for its decision: %s: %s", entry.id, type(error).__name__, error)
        reason = Reason.of("pending.failed", error=error.public)
        failed = Check(name=check, passed=False, score=None, reason=reason)
        admission = Admission(decision=Decision.PENDING, checks=(failed,), decided_at=self.clock())
        with suppress(MemsieveError):
            await self.quarantine.decide(scope, entry.id, admission, None)
        return Receipt(entry=entry, admission=admission)


def _checked(entry: Entry, max_bytes: int, now: datetime) -> Entry:
    return replace(
        entry,
        id=_entry_id(entry.id),
        created_at=validate.moment(entry.created_at, field="created_at", latest=now + CLOCK_SKEW),
        session_id=validate.name(entry.session_id, field="session_id"),
        content=validate.text(entry.content, field="content", max_bytes=max_bytes),
        agent_id=None if entry.agent_id is None else validate.name(entry.agent_id, field="agent_id"),
        node_id=None if entry.node_id is None else validate.name(entry.node_id, field="node_id"),
        confidence=validate.confidence(entry.confidence),
        metadata=validate.metadata(entry.metadata, max_bytes),
    )


def _entry_id(value: object) -> str:
    entry_id = validate.name(value, field="id")
    if entry_id.startswith(Insight.PREFIX):
        raise InvalidInput(
            f"id {entry_id!r} begins with {Insight.PREFIX!r}, as only the ids of insights do. Give the entry another.",
            field="id",
        )
    return entry_id


def _checked_key(key: str | None) -> str | None:
    return None if key is None else validate.name(key, field="idempotency_key")


def _undecided(receipt: Receipt) -> bool:
    # What waits in a spool is decided on when it is delivered.
    return receipt.admission.decision is Decision.PENDING and not _fails(receipt, SPOOLED)


def _fails(receipt: Receipt, name: str) -> bool:
    return any(check.name == name and not check.passed for check in receipt.admission.checks)


def _kept(tasks: set[asyncio.Task[T]], work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start work and hold on to it until it is done."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


def _system(scope: Scope) -> Scope:
    return Scope.system(scope.project_id)
