"""What people decided about the memories of a project, read from its audit log."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from memsieve.model import AuditEvent

# The reasons that sync itself gives: what it retired it may bring back.
CHANGED, REMOVED = "atom changed", "atom removed"


@dataclass(frozen=True, slots=True)
class History:
    """Who promoted each memory from which sources, and which texts were retired last of all."""

    sources: dict[str, list[frozenset[str]]]
    retired: dict[str, AuditEvent]

    @classmethod
    def of(cls, events: Iterable[AuditEvent]) -> History:
        """Read the log in its order."""
        sources: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
        contents: dict[str, str] = {}
        retired: dict[str, AuditEvent] = {}
        for event in events:
            if event.action == "promoted":
                sources[event.subject].append(frozenset(map(str, event.detail.get("entries", ()))))
                contents[event.subject] = str(event.detail.get("content"))
                retired.pop(contents[event.subject], None)
            elif event.action == "retired" and event.subject in contents:
                retired[contents[event.subject]] = event
        return cls(dict(sources), retired)

    def rejection(self, text: str) -> AuditEvent | None:
        """Return how a person took this very text out, if that was the last that became of it."""
        found = self.retired.get(hashlib.sha256(text.encode()).hexdigest())
        return None if found is None or found.reason.startswith((CHANGED, REMOVED)) else found

    def stands_without(self, memory_id: str, base: str) -> bool:
        """Tell that somebody promoted a memory from something else than the atoms of a knowledge base."""
        promotions = self.sources.get(memory_id, [])
        return any(not named or not all(one.startswith(base) for one in named) for named in promotions)
