"""Find what a person names, or say that it is not there."""

from __future__ import annotations

from memsieve.errors import NotFound
from memsieve.model import Receipt, Scope
from memsieve.ports import QuarantineStore

MAX_REASON_BYTES = 2000


async def entry_of(quarantine: QuarantineStore, scope: Scope, entry_id: str) -> Receipt:
    """Return an entry that a person names, or say that there is none."""
    receipt = await quarantine.get(scope, entry_id)
    if receipt is None:
        raise no_such_entry(scope, entry_id)
    return receipt


def no_such_entry(scope: Scope, entry_id: str) -> NotFound:
    """Say that there is no such entry, and where to look."""
    return NotFound(
        f"No entry {entry_id!r} in project {scope.project_id!r}. `memsieve log` lists them.", subject=entry_id
    )
