"""Working memory as retrieval searches it."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from memsieve.model import Entry, Scope
from memsieve.retrieval.index import Index, Row
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.text.tokenize import tokenize


class HotIndexes:
    """The index over each project's working memory, kept for as long as its entries are the same."""

    def __init__(self) -> None:
        self._held: ProjectCache[tuple[Sequence[Entry], Index]] = ProjectCache()

    def of(self, scope: Scope, entries: Sequence[Entry]) -> Index:
        """Return the index over these entries."""
        held = self._held.get(scope.project_id)
        if held is None or len(held[0]) != len(entries) or not all(map(operator.is_, held[0], entries)):
            rows = (
                Row(words=tokenize(entry.content), vector=entry.embedding, at=entry.created_at) for entry in entries
            )
            held = (entries, Index(rows))
            self._held.set(scope.project_id, held)
        return held[1]
