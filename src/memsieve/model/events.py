"""What happened in a project, told to whoever watches it: never any content."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
