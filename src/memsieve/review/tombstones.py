"""Make a tombstone, and take what resembles it out of working memory."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memsieve.claims import find_conflict
from memsieve.claims.resemblance import said_again
from memsieve.model import Scope, Tombstone, TombstoneKind, Vector
from memsieve.ports import Embedder, WorkingStore
from memsieve.text.tokenize import tokenize


@dataclass(frozen=True, kw_only=True)
class TombstoneDraft:
    """What is to be buried, with its vector if the embedder in use made one before."""

    kind: TombstoneKind
    source_id: str
    content: str
    vector: Vector | None


async def tombstone_of(
    scope: Scope, grave: TombstoneDraft, embedder: Embedder, *, reason: str, at: datetime
) -> Tombstone:
    """Make the tombstone of a content; a vector that is missing is made, so that a paraphrase is known by it."""
    vector = grave.vector
    if vector is None:
        [vector] = await embedder.embed([grave.content])
    return Tombstone(
        id=str(uuid.uuid4()),
        project_id=scope.project_id,
        kind=grave.kind,
        source_id=grave.source_id,
        content=grave.content,
        words=tokenize(grave.content),
        by=scope.actor,
        at=at,
        reason=reason,
        embedding=vector,
    )


async def forget_alike(scope: Scope, working: WorkingStore, tombstones: Sequence[Tombstone], threshold: float) -> None:
    """Take every entry out of working memory that says a buried content again."""
    alike = [
        entry.id
        for entry in await working.list(scope)
        for tombstone in tombstones
        if said_again(entry.content, entry.embedding, tombstone) >= threshold
        and find_conflict(entry.content, tombstone.content) is None
    ]
    await working.forget(scope, alike)
