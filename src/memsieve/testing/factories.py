"""Records with sensible defaults, for tests of the stores."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memsieve.model import (
    Admission,
    Answer,
    ApiKey,
    Approval,
    Check,
    Chunk,
    ContextItem,
    Decision,
    Digest,
    Entry,
    Insight,
    InsightSource,
    KeyRole,
    Origin,
    Reason,
    Refinement,
    RefineOutcome,
    Scope,
    Source,
    Tombstone,
    TombstoneKind,
)
from memsieve.review.chunking import split
from memsieve.review.promote import approve
from memsieve.testing.fakes import WordEmbedder
from memsieve.text.tokenize import tokenize

PROJECT = "apollo"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def agent(project_id: str = PROJECT) -> Scope:
    """Ask as an agent."""
    return Scope.agent(project_id)


def person(project_id: str = PROJECT, name: str = "ada@example.org") -> Scope:
    """Ask as a person."""
    return Scope.person(project_id, name)


def system(project_id: str = PROJECT) -> Scope:
    """Ask as memsieve itself."""
    return Scope.system(project_id)


def entry(content: str = "The ledger runs on PostgreSQL.", **fields: Any) -> Entry:
    """Make an entry with a vector."""
    values = {
        "id": str(uuid.uuid4()),
        "project_id": PROJECT,
        "session_id": "s1",
        "created_at": NOW,
        "embedding": WordEmbedder().vector(content),
    }
    return Entry(content=content, **{**values, **fields})


def admission(decision: Decision = Decision.ADMITTED, at: datetime = NOW) -> Admission:
    """Make a decision of the filter, with one check behind it."""
    check = Check(
        name="length",
        passed=decision is Decision.ADMITTED,
        score=50.0,
        reason=Reason.of("length.bytes", bytes=50, minimum=50),
    )
    return Admission(decision=decision, checks=(check,), decided_at=at)


def approval(
    content: str,
    scope: Scope | None = None,
    at: datetime = NOW,
    entry_ids: Sequence[str] = (),
    insight_id: str | None = None,
    origin: Origin | None = None,
) -> Approval:
    """Let a person approve a text."""
    return approve(scope or person(), content, at, tuple(entry_ids), insight_id, origin)


def chunks(approved: Approval) -> list[Chunk]:
    """Cut an approved text as promotion does."""
    return [
        Chunk(
            id=str(uuid.uuid4()),
            position=position,
            content=piece,
            words=tokenize(piece),
            embedding=WordEmbedder().vector(piece),
        )
        for position, piece in enumerate(split(approved.content))
    ]


def tombstone(
    content: str,
    source_id: str | None = None,
    kind: TombstoneKind = TombstoneKind.DISMISSED,
    scope: Scope | None = None,
) -> Tombstone:
    """Make the tombstone of a content."""
    scope = scope or person()
    return Tombstone(
        id=str(uuid.uuid4()),
        project_id=scope.project_id,
        kind=kind,
        source_id=source_id or str(uuid.uuid4()),
        content=content,
        words=tokenize(content),
        by=scope.actor,
        at=NOW,
        reason="It is wrong.",
        embedding=WordEmbedder().vector(content),
    )


def answer(items: Sequence[ContextItem], session_id: str | None = "s1", at: datetime = NOW) -> Answer:
    """Make an answer that serves these items."""
    return Answer(id=str(uuid.uuid4()), query="Which database?", at=at, items=tuple(items), session_id=session_id)


def item(item_id: str, content: str, source: Source = Source.COLD, score: float = 0.5) -> ContextItem:
    """Make one served item."""
    return ContextItem(id=item_id, content=content, source=source, score=score, created_at=NOW)


def source(entry: Entry, quote: str | None = None, **fields: Any) -> InsightSource:
    """Make an entry the source of an insight, quoted in full unless `quote` is given."""
    return InsightSource(
        entry_id=entry.id,
        session_id=entry.session_id,
        agent_id=entry.agent_id,
        confidence=entry.confidence,
        created_at=entry.created_at,
        quote=entry.content if quote is None else quote,
        **fields,
    )


def insight(
    sources: Sequence[InsightSource | Entry], summary: str = "The ledger runs on PostgreSQL.", **fields: Any
) -> Insight:
    """Make an insight that waits, of sources or of entries that are quoted in full."""
    made = tuple(source(one) if isinstance(one, Entry) else one for one in sources)
    values = {
        "id": str(uuid.uuid4()),
        "project_id": PROJECT,
        "refinement": Refinement(outcome=RefineOutcome.OBSERVING, reason=Reason.text("Seen once."), observations=1),
        "made_at": NOW,
        "embedding": WordEmbedder().vector(summary),
    }
    return Insight(summary=summary, sources=made, **{**values, **fields})


def digest(*insights: Insight, **fields: Any) -> Digest:
    """Make the digest of a week that gave these insights."""
    values = {
        "project_id": PROJECT,
        "made_at": NOW,
        "since": NOW - timedelta(days=7),
        "entries": sum(len(one.sources) for one in insights),
        "set_aside": {},
        "waiting": len(insights),
    }
    return Digest(insights=insights, **{**values, **fields})


def api_key(key_id: str = "3f9k2m7q", **fields: Any) -> ApiKey:
    """Make a key of an agent."""
    values = {"name": "crawler", "role": KeyRole.AGENT, "project_id": PROJECT, "made_at": NOW, "made_by": "ada"}
    return ApiKey(id=key_id, **{**values, **fields})
