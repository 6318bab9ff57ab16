"""Put an entry before a person: an agent may ask for a decision, never take it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from memsieve import validate
from memsieve.digest.insights import InsightMaker
from memsieve.errors import Conflict, InvalidInput, NotFound
from memsieve.model import AuditNote, Decision, Insight, Proposal, Reason, Receipt, Scope
from memsieve.ports import KEY_SHARE, SESSION_SHARE, AuditLog, Clock, DigestStore, QuarantineStore

MAX_REASON = 500
# The longest text that a person reads among ten others, and the most proposals beside a digest.
MOST_CHARACTERS = 2000
MOST_WAITING = 50
_PROPOSED = "note.proposed"
# A reason stands in quotation marks, and must not seem to end before it does.
_WITHIN = str.maketrans("“”", "‘’")


@dataclass(frozen=True, kw_only=True)
class Proposer:
    """Puts single entries among the insights that wait. It makes none of them more trusted."""

    quarantine: QuarantineStore
    digests: DigestStore
    audit: AuditLog
    maker: InsightMaker
    clock: Clock
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def propose(self, scope: Scope, entry_id: str, reason: str) -> Proposal:
        """Let an admitted entry wait for a person's decision, and note who proposed it."""
        note = Reason.of(_PROPOSED, actor=scope.actor, reason=_checked(reason))
        receipt = await self.quarantine.get(scope, entry_id)
        if receipt is None:
            raise NotFound(f"No entry {entry_id!r} in project {scope.project_id!r}.", subject=entry_id)
        _require_open(receipt)
        # One at a time: concurrent proposals would all pass the checks for room and novelty.
        async with self._lock:
            return await self._wait(scope, receipt, note)

    async def _wait(self, scope: Scope, receipt: Receipt, note: Reason) -> Proposal:
        entry_id = receipt.entry.id
        waiting = await self.digests.insights(scope, decided=False)
        known = next((insight.id for insight in waiting if _says(insight, entry_id)), None)
        if known is not None:
            return Proposal(entry_id=entry_id, insight_id=known, new=False)
        _require_room([insight for insight in waiting if is_proposed(insight)], receipt, scope.actor)
        return await self._put(scope, receipt, note)

    async def _put(self, scope: Scope, receipt: Receipt, note: Reason) -> Proposal:
        now = self.clock()
        insight = await self.maker.of_entry(scope, receipt, note, now)
        if not await self.digests.put(scope, insight):
            raise _decided(receipt.entry.id)
        await self.audit.note(scope, AuditNote.PROPOSED, receipt.entry.id, now)
        return Proposal(entry_id=receipt.entry.id, insight_id=insight.id, new=True)


def is_proposed(insight: Insight) -> bool:
    """Say whether an insight waits because somebody proposed it."""
    return insight.note is not None and insight.note.code == _PROPOSED


def _require_room(proposed: Sequence[Insight], receipt: Receipt, actor: str) -> None:
    """Refuse a proposal beyond what a person can read, or beyond what one session or agent may take of that."""
    session_id = receipt.entry.session_id
    of_session = sum(insight.sources[0].session_id == session_id for insight in proposed if insight.sources)
    of_actor = sum(insight.note is not None and insight.note.params["actor"] == actor for insight in proposed)
    for waiting, most, whose in (
        (len(proposed), MOST_WAITING, ""),
        (of_session, SESSION_SHARE, f" of session {session_id!r}"),
        (of_actor, KEY_SHARE, f" of {actor!r}"),
    ):
        if waiting >= most:
            raise Conflict(f"{most} proposals{whose} wait for a person. Propose it when some are decided on.")


def _says(insight: Insight, entry_id: str) -> bool:
    return any(source.entry_id == entry_id and source.doubt is None for source in insight.sources)


def _require_open(receipt: Receipt) -> None:
    """Refuse what a person has decided on, what the filter has not admitted, and what is too long to decide on."""
    entry = receipt.entry
    if receipt.review is not None:
        raise _decided(entry.id)
    if receipt.admission.decision is Decision.PENDING:
        raise Conflict(f"The filter has not decided on entry {entry.id} yet. Propose it when it is admitted.")
    if not receipt.admission.admitted:
        raise Conflict(f"The filter refused entry {entry.id}. Only what it admitted can be proposed.")
    if len(entry.content) > MOST_CHARACTERS:
        raise Conflict(
            f"Entry {entry.id} has {len(entry.content)} characters; a person decides on {MOST_CHARACTERS} at most. "
            "Record what matters in fewer words, and propose that."
        )


def _decided(entry_id: str) -> Conflict:
    return Conflict(f"A person has decided on entry {entry_id} already. Nothing was changed.")


def _checked(reason: object) -> str:
    """Return a reason on one line, or refuse it: a person reads it, and so may a model."""
    # Imported on first use: the rules take their time to load.
    from memsieve.ingress.checks.injection.find import find_injection

    text = validate.text(reason, field="reason", max_bytes=4 * MAX_REASON).strip()
    if len(text) > MAX_REASON:
        raise InvalidInput(f"reason has {len(text)} characters; {MAX_REASON} is the most. Shorten it.", field="reason")
    if find_injection(text) is not None:
        raise InvalidInput("reason gives its reader an order. Say why it is true and useful instead.", field="reason")
    return " ".join(text.split()).translate(_WITHIN)
