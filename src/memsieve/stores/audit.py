"""Lines of the audit log on any engine: how they are chained, and what they say of promotions and keys."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memsieve.model import ApiKey, Approval, AuditEvent, Chunk, Scope
from memsieve.stores.rows import content_hash, json_text

Approved = tuple[Approval, Sequence[Chunk]]


def keeping(key: ApiKey, by: str) -> Scope:
    """Return in whose name, and in the log of which project, a key is made or revoked."""
    return Scope.person(key.audited_in, by)


def key_detail(key: ApiKey) -> dict[str, str]:
    """Return what the audit log says of a key beside its id."""
    return {"name": key.name, "role": str(key.role)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDraft:
    """What a line of the audit log will say of the caller."""

    action: str
    subject: str
    at: datetime
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


def chained(scope: Scope, last: Mapping[str, Any] | None, drafts: Iterable[AuditDraft]) -> list[AuditEvent]:
    """Return the lines that follow the last one, of which the sequence and the digest are known."""
    sequence, head = (0, AuditEvent.GENESIS) if last is None else (last["sequence"], last["digest"])
    events = []
    for number, draft in enumerate(drafts, sequence + 1):
        event = AuditEvent.sealed(
            sequence=number,
            project_id=scope.project_id,
            # The digest covers the time as it is read back: in UTC.
            at=draft.at.astimezone(UTC),
            actor=scope.actor,
            action=draft.action,
            subject=draft.subject,
            reason=draft.reason,
            detail=draft.detail,
            previous=head,
        )
        head = event.digest
        events.append(event)
    return events


def audit_columns(event: AuditEvent, at: datetime | str) -> tuple[Any, ...]:
    """Return the columns of a line; its time as the engine keeps it."""
    first = (event.project_id, event.sequence, at, event.actor, event.action, event.subject, event.reason)
    return (*first, json_text(event.detail), event.previous, event.digest)


def audit_event_from(values: Mapping[str, Any]) -> AuditEvent:
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


def promotion_detail(approval: Approval, standing: Approval) -> dict[str, Any]:
    """Return what the audit log keeps of a promotion."""
    # The text that was approved first may differ from this one in white space: the audit compares it with this line.
    kept = {"entries": list(approval.entry_ids), "content": standing.digest}
    return kept if approval.insight_id is None else {**kept, "insight": approval.insight_id}


def promotion(approval: Approval) -> AuditDraft:
    """Return what the audit log says of an approval that is written."""
    return AuditDraft(
        action="promoted", subject=approval.id, at=approval.at, detail=promotion_detail(approval, approval)
    )


def without_insights(approved: Sequence[Approved]) -> dict[str, Approved]:
    """Return the first approval of each content by its hash, without those that would decide an insight."""
    plain: dict[str, Approved] = {}
    for one in approved:
        if one[0].insight_id is None:
            plain.setdefault(content_hash(one[0].content), one)
    return plain


def unverified(plain: dict[str, Approved], verified: Container[str]) -> list[Approved]:
    """Return what is not verified yet, in order."""
    return [one for hashed, one in plain.items() if hashed not in verified]
