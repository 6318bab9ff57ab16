"""Record outputs: durable in quarantine first, then decided on; a slow verdict never holds the caller up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memsieve import validate
from memsieve.config import Settings, change_filter
from memsieve.errors import Conflict, EmbedderError, InvalidInput, NotFound
from memsieve.ingress.admission import AdmissionDecider, ReadContent, cancel_all
from memsieve.ingress.replay import Replay, Replayer
from memsieve.model import (
    CALLER_FIELDS,
    Decision,
    Entry,
    Insight,
    NotChecked,
    Receipt,
    Scope,
    checked_fields,
    require_project,
)
from memsieve.ports import CLOCK_SKEW, WORKING_LIFE, Clock, QuarantineStore

# How long a deferred decision waits: the caller gets on first, and may soon need a model itself.
HEAD_START = timedelta(milliseconds=50)
# How long closing waits for deferred decisions.
FINISH = timedelta(seconds=10)
# How many imported entries are decided on at once.
IMPORTS_AT_ONCE = 8

ImportOutcome = bool | InvalidInput | Conflict

_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Ingress:
    """The only way in: everything is stored in quarantine, and what passes the filter in working memory."""

    quarantine: QuarantineStore
    settings: Settings
    clock: Clock
    decider: AdmissionDecider
    _deferred: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _deferred_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def record(
        self, scope: Scope, entry: Entry, *, idempotency_key: str | None = None, wait: bool = False
    ) -> Receipt:
        """Store an output, then decide on it; with a slow judge the decision is pending unless `wait` is set."""
        entry, key = self._checked(entry), _checked_key(idempotency_key)
        prefetch = self.decider.prefetch(scope, entry)
        try:
            receipt = await self.quarantine.add(scope, entry, key)
        except BaseException:
            prefetch.cancel()
            raise
        if not _undecided(receipt):
            prefetch.cancel()
            return receipt
        return await self.decider.decide(scope, receipt.entry, prefetch, wait=wait, new=receipt.new)

    async def record_deferred(self, scope: Scope, entry: Entry, *, idempotency_key: str | None = None) -> Receipt:
        """Store an output and return it as pending; the decision follows in the background."""
        receipt = await self.quarantine.add(scope, self._checked(entry), _checked_key(idempotency_key))
        stored = receipt.entry
        if _undecided(receipt) and stored.id not in self._deferred:
            task = self._deferred[stored.id] = asyncio.create_task(self._decide_deferred(scope, stored))
            task.add_done_callback(lambda _: self._deferred.pop(stored.id, None))
        return receipt

    async def import_history(self, scope: Scope, entries: Sequence[Entry]) -> list[ImportOutcome]:
        """Store entries that are too old for working memory; return for each whether it is new, or what is wrong.

        The checks have nothing to look at, so they are stored and embedded together.
        """
        outcomes: list[ImportOutcome] = []
        valid: dict[int, Entry] = {}
        for position, entry in enumerate(entries):
            outcomes.append(False)
            try:
                valid[position] = self._checked_history(entry)
            except InvalidInput as exc:
                outcomes[position] = exc
        new = []
        stored = await self._add_all(scope, list(valid.values()))
        for (position, entry), receipt in zip(valid.items(), stored, strict=True):
            if isinstance(receipt, Conflict):
                outcomes[position] = receipt
            elif receipt.new:
                outcomes[position] = True
                new.append(entry)
            elif receipt.admission.decision is Decision.PENDING:
                # It was stored before, perhaps with another time: what is stored is decided on.
                await self.record(scope, entry, wait=True)
        await self._refuse_all_by_age(scope, new)
        return outcomes

    async def retry(
        self, scope: Scope, *, waiting_since: timedelta = timedelta(), automatic: bool = False
    ) -> list[Receipt]:
        """Decide on pending entries, as `AdmissionDecider.retry` says."""
        return await self.decider.retry(scope, waiting_since=waiting_since, automatic=automatic)

    async def replay(self, scope: Scope, changes: Mapping[str, Any], since: datetime | None = None) -> Replay:
        """Return what would have been admitted with some settings changed."""
        before = self.settings.filter
        replayer = Replayer(
            quarantine=self.quarantine, judge=self.decider.judge, before=before, after=change_filter(before, changes)
        )
        return await replayer.run(Scope.system(scope.project_id), since)

    async def close(self) -> None:
        """Finish deferred decisions and those under way; slow verdicts are left for a later retry."""
        if self._deferred:
            await asyncio.wait(list(self._deferred.values()), timeout=FINISH.total_seconds())
        await cancel_all(list(self._deferred.values()))
        await self.decider.close()

    async def _decide_deferred(self, scope: Scope, entry: Entry) -> None:
        await asyncio.sleep(HEAD_START.total_seconds())
        # In the order of recording, and one at a time: agents go on meanwhile, and need the processor.
        async with self._deferred_lock:
            prefetch = self.decider.prefetch(scope, entry)
            try:
                # A person may have decided on it already.
                await self.decider.decide(scope, entry, prefetch, wait=False, new=False)
            except Exception:  # noqa: BLE001 - nobody awaits this task, so nobody else would see the error
                prefetch.cancel()
                _log.warning("Entry %s waits for its decision, and is tried again.", entry.id, exc_info=True)

    async def _add_all(self, scope: Scope, entries: list[Entry]) -> list[Receipt | Conflict]:
        """Store entries together, or in halves where two have the same id or one is known with other content."""
        if len({entry.id for entry in entries}) == len(entries):
            try:
                return [*await self.quarantine.add_all(scope, entries)]
            except Conflict as exc:
                if len(entries) == 1:
                    return [exc]
        half = len(entries) // 2
        return await self._add_all(scope, entries[:half]) + await self._add_all(scope, entries[half:])

    async def _refuse_all_by_age(self, scope: Scope, entries: Sequence[Entry]) -> None:
        try:
            read = await self.decider.read_all([entry.content for entry in entries])
        except EmbedderError:
            # One text may be at fault: each is tried by itself, and stays pending with the reason if that fails too.
            for entry in entries:
                await self.record(scope, entry, wait=True)
            return
        pairs = list(zip(entries, read, strict=True))
        for start in range(0, len(pairs), IMPORTS_AT_ONCE):
            some = pairs[start : start + IMPORTS_AT_ONCE]
            await asyncio.gather(*(self._refuse_by_age(scope, *one) for one in some))

    async def _refuse_by_age(self, scope: Scope, entry: Entry, read: ReadContent) -> None:
        # A person may have deleted it meanwhile.
        with suppress(NotFound):
            await self.decider.refuse_by_age(scope, entry, read)

    def _checked(self, entry: Entry) -> Entry:
        """Return an entry as it is stored, or refuse it."""
        require_project(entry.project_id)
        most_bytes = self.settings.max_content_bytes
        return replace(
            entry,
            id=_checked_id(entry.id),
            created_at=validate.moment(entry.created_at, field="created_at", latest=self.clock() + CLOCK_SKEW),
            session_id=validate.name(entry.session_id, field="session_id"),
            content=validate.text(entry.content, field="content", max_bytes=most_bytes),
            **checked_fields({name: getattr(entry, name) for name in CALLER_FIELDS}, max_bytes=most_bytes),
        )

    def _checked_history(self, entry: Entry) -> Entry:
        entry = self._checked(entry)
        if self.clock() - entry.created_at < WORKING_LIFE:
            raise InvalidInput(
                f"created_at {entry.created_at.isoformat()} is within the last 24 hours. Bring it by itself: the "
                "filter decides on it.",
                field="created_at",
            )
        return entry


def _checked_id(value: object) -> str:
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
    admission = receipt.admission
    return admission.decision is Decision.PENDING and admission.not_checked is not NotChecked.SPOOLED
