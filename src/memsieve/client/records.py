"""JSON back into records: the inverse of `wire`. Vectors and the words of the index stay with the server."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memsieve.client.reader import (
    Fields,
    counts,
    many,
    mapping,
    maybe,
    moment,
    number,
    one_of,
    switch,
    text,
    whole,
)
from memsieve.model import (
    Admission,
    Answer,
    ApiKey,
    Approval,
    AuditEvent,
    Check,
    Chunk,
    ContextItem,
    Decision,
    Entry,
    Event,
    EventKind,
    KeyRole,
    Layer,
    Lineage,
    LongTermMemory,
    Reason,
    Receipt,
    Retirement,
    ReviewStatus,
    Serving,
    Source,
    Stats,
    Tombstone,
    TombstoneKind,
)
from memsieve.review.audit import Audit


def entry(value: object) -> Entry:
    """Read an entry."""
    of = Fields(value)
    return Entry(
        id=of.read("id", text),
        project_id=of.read("project_id", text),
        session_id=of.read("session_id", text),
        agent_id=of.read("agent_id", maybe(text)),
        node_id=of.read("node_id", maybe(text)),
        confidence=of.read("confidence", maybe(number)),
        content=of.read("content", text),
        metadata=of.read("metadata", mapping),
        layer=of.read("layer", one_of(Layer)),
        verified=of.read("verified", switch),
        created_at=of.read("created_at", moment),
        expires_at=of.read("expires_at", maybe(moment)),
        promoted_at=of.read("promoted_at", maybe(moment)),
    )


def reason(value: object) -> Reason:
    """Read a reason: its code and parameters."""
    of = Fields(value)
    return Reason.load({"code": of.read("code", text), "params": of.read("params", mapping)})


def check(value: object) -> Check:
    """Read what one check found."""
    of = Fields(value)
    return Check(
        name=of.read("name", text),
        passed=of.read("passed", switch),
        score=of.read("score", maybe(number)),
        reason=of.read("reason", reason),
    )


def admission(value: object) -> Admission:
    """Read the filter's decision as it is kept for audit."""
    shadow = Fields(value).read("shadow", maybe(one_of(Decision)))
    return replace(entry_admission(value), shadow=shadow)


def entry_admission(value: object) -> Admission:
    """Read the filter's decision as whoever recorded the entry is told it."""
    return _verdict(value, Fields(value).read("decided_at", moment))


def recorded(value: object, said: Entry) -> Receipt:
    """Read what became of an entry that was just said; the server gives it its id and time."""
    of = Fields(value)
    at = of.read("created_at", moment)
    kept = replace(said, id=of.read("entry_id", text), project_id=of.read("project_id", text), created_at=at)
    return Receipt(entry=kept, admission=entry_admission(value))


def receipt(value: object) -> Receipt:
    """Read an entry as quarantine keeps it."""
    of = Fields(value)
    return Receipt(
        entry=of.read("entry", entry),
        admission=of.read("admission", admission),
        review=of.read("review", maybe(one_of(ReviewStatus))),
    )


def item(value: object) -> ContextItem:
    """Read one memory as it is served."""
    of = Fields(value)
    return ContextItem(
        id=of.read("id", text),
        content=of.read("content", text),
        source=of.read("source", one_of(Source)),
        score=of.read("score", number),
        created_at=of.read("created_at", moment),
        memory_id=of.read("memory_id", maybe(text)),
        entry_id=of.read("entry_id", maybe(text)),
        session_id=of.read("session_id", maybe(text)),
        agent_id=of.read("agent_id", maybe(text)),
        promoted_by=of.read("promoted_by", maybe(text)),
        promoted_at=of.read("promoted_at", maybe(moment)),
        expires_at=of.read("expires_at", maybe(moment)),
    )


def answer(value: object, answer_id: str, query: str, at: datetime, asked_by: tuple[str | None, str | None]) -> Answer:
    """Read what retrieval found for a question that was asked here, by a session and an agent."""
    of, (session_id, agent_id) = Fields(value), asked_by
    return Answer(
        id=answer_id,
        query=query,
        at=at,
        items=of.read("results", many(item)),
        degraded=of.read("degraded", many(text)),
        session_id=session_id,
        agent_id=agent_id,
    )


def memory(value: object) -> LongTermMemory:
    """Read a long-term memory."""
    of = Fields(value)
    approval = Approval(
        id=of.read("id", text),
        project_id=of.read("project_id", text),
        content=of.read("content", text),
        by=of.read("promoted_by", text),
        at=of.read("promoted_at", moment),
        entry_ids=of.read("entry_ids", many(text)),
    )
    chunks = of.read("chunks", many(chunk))
    return LongTermMemory(
        approval=approval,
        chunks=tuple(replace(one, position=place) for place, one in enumerate(chunks)),
        retired_at=of.read("retired_at", maybe(moment)),
        retired_by=of.read("retired_by", maybe(text)),
        retired_reason=of.read("retired_reason", maybe(text)),
    )


def chunk(value: object) -> Chunk:
    """Read a piece of an approved text."""
    of = Fields(value)
    return Chunk(id=of.read("id", text), position=0, content=of.read("content", text), words=())


def tombstone(value: object) -> Tombstone:
    """Read a tombstone."""
    of = Fields(value)
    return Tombstone(
        id=of.read("id", text),
        project_id=of.read("project_id", text),
        kind=of.read("kind", one_of(TombstoneKind)),
        source_id=of.read("source_id", text),
        content=of.read("content", text),
        words=(),
        by=of.read("by", text),
        at=of.read("at", moment),
        reason=of.read("reason", text),
    )


def serving(value: object) -> Serving:
    """Read who was served a memory, and for which question."""
    of = Fields(value)
    return Serving(
        answer_id=of.read("answer_id", text),
        item_id=of.read("item_id", text),
        session_id=of.read("session_id", maybe(text)),
        agent_id=of.read("agent_id", maybe(text)),
        query=of.read("query", text),
        at=of.read("at", moment),
    )


def retirement(value: object) -> Retirement:
    """Read a retired memory and everyone who was served it."""
    of = Fields(value)
    return Retirement(memory=of.read("memory", memory), served=of.read("served", many(serving)))


def audit_event(value: object) -> AuditEvent:
    """Read one line of the audit log."""
    of = Fields(value)
    return AuditEvent(
        sequence=of.read("sequence", whole),
        project_id=of.read("project_id", text),
        at=of.read("at", moment),
        actor=of.read("actor", text),
        action=of.read("action", text),
        subject=of.read("subject", text),
        reason=of.read("reason", text),
        detail=of.read("detail", mapping),
        previous=of.read("previous", text),
        digest=of.read("digest", text),
    )


def lineage(value: object) -> Lineage:
    """Read where something came from and where it went."""
    of = Fields(value)
    return Lineage(
        entries=of.read("entries", many(receipt)),
        memories=of.read("memories", many(memory)),
        events=of.read("events", many(audit_event)),
        served=of.read("served", many(serving)),
    )


def audit(value: object) -> Audit:
    """Read the state of a project's audit log."""
    of = Fields(value)
    return Audit(events=of.read("events", whole), head=of.read("head", text), problems=of.read("problems", many(text)))


def stats(value: object) -> Stats:
    """Read a project's counts."""
    of = Fields(value)
    return Stats(
        project_id=of.read("project_id", text),
        recorded=of.read("recorded", whole),
        admitted=of.read("admitted", whole),
        refused=of.read("refused", whole),
        pending=of.read("pending", whole),
        refused_by=of.read("refused_by", counts(text)),
        shadow_admitted=of.read("shadow_admitted", whole),
        shadow_refused=of.read("shadow_refused", whole),
        working=of.read("working", maybe(whole)),
        memories=of.read("memories", whole),
        chunks=of.read("chunks", whole),
        tombstones=of.read("tombstones", whole),
        answers=of.read("answers", whole),
        insights_waiting=of.read("insights_waiting", whole),
        oldest_waiting=of.read("oldest_waiting", maybe(moment)),
    )


def key(value: object) -> ApiKey:
    """Read a key as it is listed."""
    of = Fields(value)
    return ApiKey(
        id=of.read("id", text),
        name=of.read("name", text),
        role=of.read("role", one_of(KeyRole)),
        project_id=of.read("project_id", maybe(text)),
        made_at=of.read("made_at", moment),
        made_by=of.read("made_by", text),
        last_used_at=of.read("last_used_at", maybe(moment)),
        revoked_at=of.read("revoked_at", maybe(moment)),
        revoked_by=of.read("revoked_by", maybe(text)),
    )


def made_key(value: object) -> tuple[ApiKey, str]:
    """Read a new key, and the text that is shown this once."""
    of = Fields(value)
    return of.read("key", key), of.read("text", text)


def event(value: object) -> Event:
    """Read what happened."""
    of = Fields(value)
    return Event(
        position=of.read("position", text),
        project_id=of.read("project_id", text),
        kind=of.read("kind", one_of(EventKind)),
        at=of.read("at", moment),
        subject=of.read("subject", text),
    )


def _verdict(value: object, decided_at: datetime) -> Admission:
    of = Fields(value)
    return Admission(
        decision=of.read("decision", one_of(Decision)), checks=of.read("checks", many(check)), decided_at=decided_at
    )
