"""How records lie in the columns of any engine: times as moments, JSON as values, vectors apart."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memsieve.errors import Conflict, NotFound
from memsieve.model import (
    Admission,
    ApiKey,
    AuditEvent,
    Check,
    ContextItem,
    Decision,
    Entry,
    KeyRole,
    Reason,
    Receipt,
    ReviewStatus,
    Scope,
    Serving,
    Source,
    Tombstone,
    TombstoneKind,
    Vector,
)

# A number of a row that no row has.
BEYOND_ALL = 2**63 - 1


def words_text(words: tuple[str, ...]) -> str:
    """Return cut words as one text."""
    return " ".join(words)


def text_words(text: str) -> tuple[str, ...]:
    """Return the cut words of a text."""
    return tuple(text.split(" ")) if text else ()


def json_text(value: Mapping[str, Any] | list[Any]) -> str:
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def content_hash(content: str) -> str:
    """Return a key that is the same for texts that differ only in white space and encoding of accents."""
    return hashlib.sha256(" ".join(unicodedata.normalize("NFC", content).split()).encode()).hexdigest()


def checks_text(checks: Iterable[Check]) -> str:
    """Return checks as JSON."""
    return json_text([[check.name, check.passed, check.score, check.reason.dump()] for check in checks])


def failed_text(check: str) -> str:
    """Return how the JSON of checks begins to tell of one that failed; within a text its quotes would be escaped."""
    return json_text([check, False]).removesuffix("]")


def pending(entry: Entry) -> Receipt:
    """Return the receipt of an entry that was just recorded."""
    waits = Admission(decision=Decision.PENDING, checks=(), decided_at=entry.created_at)
    return Receipt(entry=entry, admission=waits, new=True)


def entry_from(values: Mapping[str, Any], embedding: Vector | None) -> Entry:
    """Return the entry of its columns."""
    return Entry(
        id=values["id"],
        project_id=values["project_id"],
        session_id=values["session_id"],
        content=values["content"],
        created_at=values["created_at"],
        agent_id=values["agent_id"],
        node_id=values["node_id"],
        confidence=values["confidence"],
        metadata=values["raw_metadata"],
        embedding=embedding,
    )


def receipt_from(values: Mapping[str, Any], embedding: Vector | None) -> Receipt:
    """Return the receipt of an entry's columns, those of its admission, and its review."""
    return Receipt(
        entry=entry_from(values, embedding),
        admission=Admission(
            decision=Decision(values["decision"]),
            checks=tuple(
                Check(name=name, passed=passed, score=score, reason=Reason.load(reason))
                for name, passed, score, reason in values["checks"]
            ),
            decided_at=values["decided_at"],
            shadow=None if values["shadow"] is None else Decision(values["shadow"]),
        ),
        review=None if values["review"] is None else ReviewStatus(values["review"]),
    )


def tombstone_from(values: Mapping[str, Any], embedding: Vector | None) -> Tombstone:
    """Return the tombstone of its columns."""
    return Tombstone(
        id=values["id"],
        project_id=values["project_id"],
        kind=TombstoneKind(values["kind"]),
        source_id=values["source_id"],
        content=values["content"],
        words=text_words(values["words"]),
        by=values["buried_by"],
        at=values["buried_at"],
        reason=values["reason"],
        embedding=embedding,
    )


def served_from(values: Mapping[str, Any], embedding: Vector | None) -> ContextItem:
    """Return an item that was served, from its columns; how well it fitted then does not matter any more."""
    return ContextItem(
        id=values["item_id"],
        content=values["content"],
        source=Source(values["source"]),
        score=1.0,
        created_at=values["at"],
        embedding=embedding,
    )


def serving_from(values: Mapping[str, Any]) -> Serving:
    """Return a serving of its columns."""
    return Serving(
        answer_id=values["answer_id"],
        item_id=values["item_id"],
        session_id=values["session_id"],
        agent_id=values["agent_id"],
        query=values["query"],
        at=values["at"],
    )


def key_from(values: Mapping[str, Any]) -> ApiKey:
    """Return a key of its columns; the hash of its secret stays behind."""
    return ApiKey(
        id=values["id"],
        name=values["name"],
        role=KeyRole(values["role"]),
        project_id=values["project_id"],
        made_at=values["made_at"],
        made_by=values["made_by"],
        last_used_at=values["last_used_at"],
        revoked_at=values["revoked_at"],
        revoked_by=values["revoked_by"],
    )


def keeping(key: ApiKey, by: str) -> Scope:
    """Return in whose name, and in the log of which project, a key is made or revoked."""
    return Scope.person(key.audited_in, by)


def key_detail(key: ApiKey) -> dict[str, str]:
    """Return what the audit log says of a key beside its id."""
    return {"name": key.name, "role": str(key.role)}


def require_same(entry: Entry, stored: Entry) -> None:
    """Refuse an entry whose id or idempotency key is known with other content than this."""
    if stored.content != entry.content:
        raise Conflict(
            f"Entry {stored.id} was recorded with other content under the same id or idempotency key. "
            "Nothing was changed: use a new key for new content."
        )


def gone(entry_id: str) -> NotFound:
    """Say that an entry is no longer there to be decided on."""
    return NotFound(f"Entry {entry_id!r} was deleted; there is nothing to decide on.", subject=entry_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What a line of the audit log says was done, by whoever asks."""

    action: str
    subject: str
    at: datetime
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


def chained(scope: Scope, last: Mapping[str, Any] | None, deeds: Iterable[Deed]) -> list[AuditEvent]:
    """Return the lines that follow the last one, of which the sequence and the digest are known."""
    sequence, head = (0, AuditEvent.GENESIS) if last is None else (last["sequence"], last["digest"])
    events = []
    for number, deed in enumerate(deeds, sequence + 1):
        event = AuditEvent.sealed(
            sequence=number,
            project_id=scope.project_id,
            # The digest covers the time as it is read back: in UTC.
            at=deed.at.astimezone(UTC),
            actor=scope.actor,
            action=deed.action,
            subject=deed.subject,
            reason=deed.reason,
            detail=deed.detail,
            previous=head,
        )
        head = event.digest
        events.append(event)
    return events


def event_from(values: Mapping[str, Any]) -> AuditEvent:
    """Return the line of its columns."""
    return AuditEvent(
        sequence=values["sequence"],
        project_id=values["project_id"],
        at=values["at"],
        actor=values["actor"],
        action=values["action"],
        subject=values["subject"],
        reason=values["reason"],
        detail=values["detail"],
        previous=values["previous"],
        digest=values["digest"],
    )
