"""Record an output: durable in quarantine first, then judged; slow verdicts never hold the caller up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memsieve import validate
from memsieve.config import Settings, change_filter
from memsieve.errors import EmbedderError, InvalidInput, JudgeError, MemsieveError, NotFound, StoreUnavailable
from memsieve.ingress.candidate import Candidate
from memsieve.ingress.pipeline import evaluate
from memsieve.ingress.replay import Replay, Replayer
from memsieve.model import Admission, Check, Decision, Entry, EntryFilter, Insight, Layer, Receipt, Role, Scope, Vector
from memsieve.ports import (
    CLOCK_SKEW,
    LONG_TEXT,
    WORKING_LIFE,
    Clock,
    Embedder,
    Judge,
    Ledger,
    QuarantineStore,
    WorkingStore,
)
from memsieve.retrieval.words import cut
from memsieve.turns import Turn, Turns

NEAREST_TOMBSTONES = 10
SERVED_TO_SESSION = 100
_PAGE = 100


@dataclass(kw_only=True)
class Ingress:
    """The only way in: quarantine for everything, working memory for what passes."""

    quarantine: QuarantineStore
    working: WorkingStore
    ledger: Ledger
    embedder: Embedder
    judge: Judge
    settings: Settings
    clock: Clock
    turns: Turns
    _slow: set[asyncio.Task[Receipt]] = field(default_factory=set)
    _deciding: set[asyncio.Task[Receipt]] = field(default_factory=set)

    async def record(
        self, scope: Scope, entry: Entry, *, idempotency_key: str | None = None, wait: bool = False
    ) -> Receipt:
        """Store an output, then decide on it; with a slow judge the decision is pending unless `wait` is set."""
        entry = _checked(entry, self.settings.max_content_bytes, self.clock())
        key = None if idempotency_key is None else validate.name(idempotency_key, field="idempotency_key")
        embedding = asyncio.ensure_future(self.embedder.embed([entry.content]))
        try:
            receipt = await self.quarantine.add(scope, entry, key)
        except BaseException:
            _drop(embedding)
            raise
        if receipt.admission.decision is not Decision.PENDING:
            _drop(embedding)
            return receipt
        return await self._admit(scope, receipt.entry, embedding, wait=wait, fresh=receipt.entry is entry)

    async def retry(self, scope: Scope, *, waiting_since: timedelta = timedelta()) -> list[Receipt]:
        """Decide on entries left undecided for so long, oldest first; one that fails again holds up no other."""
        system, receipts = _system(scope), []
        wanted = EntryFilter(decision=Decision.PENDING, oldest_first=True, limit=_PAGE)
        while page := await self.quarantine.find(system, wanted):
            for receipt in page:
                if self.clock() - receipt.admission.decided_at < waiting_since:
                    continue
                embedding = asyncio.ensure_future(self.embedder.embed([receipt.entry.content]))
                receipts.append(await self._admit(scope, receipt.entry, embedding, wait=True, fresh=False))
            wanted = replace(wanted, beyond_id=page[-1].entry.id)
        return receipts

    async def replay(self, scope: Scope, changes: Mapping[str, Any], since: datetime | None = None) -> Replay:
        """Say what would have been admitted with some settings changed."""
        before = self.settings.filter
        replayer = Replayer(
            quarantine=self.quarantine, judge=self.judge, before=before, after=change_filter(before, changes)
        )
        return await replayer.run(_system(scope), since)

    async def close(self) -> None:
        """Leave slow verdicts for a later retry, and let decisions be carried out."""
        for task in self._slow:
            task.cancel()
        await asyncio.gather(*self._slow, *self._deciding, return_exceptions=True)

    async def _admit(
        self, scope: Scope, entry: Entry, embedding: asyncio.Future[list[Vector | None]], *, wait: bool, fresh: bool
    ) -> Receipt:
        system = _system(scope)
        try:
            # The vector is under way: what does not need it is done meanwhile.
            verdict = await self.judge.consistent(entry.content) if self.judge.quick else None
            words = cut(entry.content)
            served = await self.ledger.served(system, session_id=entry.session_id, limit=SERVED_TO_SESSION)
            turn = self.turns.of(scope)
            seen, working = turn.ended, await self.working.list(system)
            [vector] = await embedding
            if self.clock() - entry.created_at >= WORKING_LIFE:
                return await self._keep_as_history(system, entry, vector)
            candidate = Candidate(
                entry=entry, words=words, vector=vector, working=working, served=served, verdict=verdict
            )
            receipt = await self._decide(system, candidate, turn, seen if fresh else None)
        except JudgeError as exc:
            _drop(embedding)
            return await self._postpone(system, entry, "consistency", exc)
        except EmbedderError as exc:
            return await self._postpone(system, entry, "embedder", exc)
        except (StoreUnavailable, NotFound) as exc:
            _drop(embedding)
            return await self._postpone(system, entry, "store", exc)
        if receipt.admission.decision is not Decision.PENDING:
            return receipt
        judging = _kept(self._slow, self._judge(system, candidate))
        return await asyncio.shield(judging) if wait else receipt

    async def _judge(self, scope: Scope, candidate: Candidate) -> Receipt:
        try:
            verdict = await self.judge.consistent(candidate.entry.content)
            return await self._decide(scope, replace(candidate, verdict=verdict), self.turns.of(scope))
        except JudgeError as exc:
            return await self._postpone(scope, candidate.entry, "consistency", exc)
        except (StoreUnavailable, NotFound) as exc:
            return await self._postpone(scope, candidate.entry, "store", exc)

    async def _decide(self, scope: Scope, candidate: Candidate, turn: Turn, seen: int | None = None) -> Receipt:
        return await asyncio.shield(_kept(self._deciding, self._decide_in_turn(scope, candidate, turn, seen)))

    async def _decide_in_turn(self, scope: Scope, candidate: Candidate, turn: Turn, seen: int | None) -> Receipt:
        """Look, decide, and do as decided; a caller who goes away does not tear these apart.

        `seen` counts the turns that had ended when working memory was read; without it the entry is not fresh.
        """
        entry, vector = candidate.entry, candidate.vector
        async with turn:
            # What was read of working memory still holds if no turn has ended since.
            working = candidate.working if turn.ended == seen else await self.working.list(scope)
            others = [other for other in working if other.id != entry.id]
            tombstones = await self.ledger.tombstones(scope, vector, candidate.words, NEAREST_TOMBSTONES)
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
                await self.working.put(scope, hot, admission.decided_at + WORKING_LIFE)
        return Receipt(entry=replace(entry, embedding=vector), admission=admission)

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
        failed = Check(name=check, passed=False, score=None, reason=f"Not decided, tried again later: {error}")
        admission = Admission(decision=Decision.PENDING, checks=(failed,), decided_at=self.clock())
        with suppress(StoreUnavailable, NotFound):
            await self.quarantine.decide(scope, entry.id, admission, None)
        return Receipt(entry=entry, admission=admission)

    async def _keep_as_history(self, scope: Scope, entry: Entry, vector: Vector | None) -> Receipt:
        check = Check(
            name="age",
            passed=False,
            score=(self.clock() - entry.created_at).total_seconds(),
            reason=f"It was said on {entry.created_at:%Y-%m-%d}: working memory holds the last 24 hours only.",
        )
        admission = Admission(decision=Decision.REFUSED, checks=(check,), decided_at=self.clock())
        await self.quarantine.decide(scope, entry.id, admission, vector)
        return Receipt(entry=replace(entry, embedding=vector), admission=admission)


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


def _drop(embedding: asyncio.Future[list[Vector | None]]) -> None:
    """Give up a vector that nobody needs any more, and its error with it."""
    embedding.cancel()
    embedding.add_done_callback(lambda done: done.cancelled() or done.exception())


def _kept(tasks: set[asyncio.Task[Receipt]], work: Coroutine[Any, Any, Receipt]) -> asyncio.Task[Receipt]:
    """Start work and hold on to it until it is done."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


def _system(scope: Scope) -> Scope:
    return replace(scope, actor="memsieve", role=Role.SYSTEM)
