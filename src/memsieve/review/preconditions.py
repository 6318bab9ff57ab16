"""What a person decides on must leave working memory: while that cannot be reached, nothing is decided."""

from __future__ import annotations

from memsieve.model import Scope
from memsieve.ports import WorkingStore


async def require_reach(working: WorkingStore, scope: Scope) -> None:
    """Raise what keeps working memory from answering, before anything is written elsewhere."""
    await working.list(scope)
