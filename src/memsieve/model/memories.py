"""What a named person approved or rejected."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memsieve.model.entries import Vector

# A source that is an atom of a knowledge base, and no entry, begins so.
ATOM_PREFIX = "atom:"
# An atom as its project knows it: the id of its knowledge base, and its own.
ATOM_NAME = r"[0-9A-Za-z._-]{1,61}:[0-9A-Za-z._-]{1,61}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The origin of an approved text: its session and its time."""

    session_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A named person's decision that a text is true. Only `review.approve` makes one."""

    id: str
    project_id: str
    content: str
    by: str
    at: datetime
    entry_ids: tuple[str, ...] = ()
    insight_id: str | None = None
    origin: Origin | None = None

    @property
    def atoms(self) -> tuple[str, ...]:
        """The atoms of knowledge bases among its sources, as `KB_ID:ATOM_ID`."""
        return tuple(one.removeprefix(ATOM_PREFIX) for one in self.entry_ids if one.startswith(ATOM_PREFIX))

    @property
    def digest(self) -> str:
        """The fingerprint of the approved text, kept in the audit log."""
        return hashlib.sha256(self.content.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of an approved text, at most 500 characters, as it is searched and served."""

    id: str
    position: int
    content: str
    words: tuple[str, ...]
    embedding: Vector | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTermMemory:
    """An approved text with its chunks; retired ones are kept for lineage only."""

    approval: Approval
    chunks: tuple[Chunk, ...]
    retired_at: datetime | None = None
    retired_by: str | None = None
    retired_reason: str | None = None

    @property
    def id(self) -> str:
        return self.approval.id

    @property
    def project_id(self) -> str:
        return self.approval.project_id

    @property
    def content(self) -> str:
        return self.approval.content

    @property
    def promoted_by(self) -> str:
        return self.approval.by

    @property
    def promoted_at(self) -> datetime:
        return self.approval.at

    @property
    def entry_ids(self) -> tuple[str, ...]:
        return self.approval.entry_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A chunk that a search found, with both scores; `similarity` is None where vectors cannot tell."""

    chunk_id: str
    memory_id: str
    content: str
    promoted_by: str
    promoted_at: datetime
    similarity: float | None
    word_score: float


class TombstoneKind(StrEnum):
    """Why a content must not come back."""

    DISMISSED = "dismissed"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """Content that a person rejected: it must not come back through the filter."""

    id: str
    project_id: str
    kind: TombstoneKind
    source_id: str
    content: str
    words: tuple[str, ...]
    by: str
    at: datetime
    reason: str
    embedding: Vector | None = field(default=None, compare=False, repr=False)
