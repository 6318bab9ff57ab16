"""What happened in a project: events for those who watch it, and the lines of the audit log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

_JSON = json.JSONEncoder(sort_keys=True, ensure_ascii=False)


class EventKind(StrEnum):
    """What kind of thing happened."""

    RECORDED = "recorded"
    ADMITTED = "admitted"
    REFUSED = "refused"
    KNOWLEDGE_UPDATED = "knowledge:updated"
    DIGEST_READY = "digest:ready"
    PROMOTED = "promoted"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to `subject`, an id; `position` is opaque and orders all of them."""

    position: str
    project_id: str
    kind: EventKind
    at: datetime
    subject: str


class AuditNote(StrEnum):
    """What the audit log holds besides changes: what a person should know of."""

    FOREIGN_PROJECT = "foreign project refused"
    PROPOSED = "promotion proposed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One line of the audit log; `digest` chains it to the line before. The first is chained to `GENESIS`."""

    GENESIS: ClassVar[str] = "0" * 64

    sequence: int
    project_id: str
    at: datetime
    actor: str
    action: str
    subject: str
    reason: str
    detail: Mapping[str, Any]
    previous: str
    digest: str

    @classmethod
    def sealed(cls, **fields: Any) -> AuditEvent:
        """Return a line of these fields with the digest that it must have."""
        event = cls(**fields, digest="")
        # Changed in place: nobody has seen the line yet, and a second copy would double the time.
        object.__setattr__(event, "digest", event.expected_digest())
        return event

    def expected_digest(self) -> str:
        """Return the digest that these fields and the line before must have."""
        covered = [
            self.sequence,
            self.project_id,
            self.at.isoformat(timespec="microseconds"),
            self.actor,
            self.action,
            self.subject,
            self.reason,
            self.detail,
            self.previous,
        ]
        return hashlib.sha256(_JSON.encode(covered).encode()).hexdigest()
