"""Find what a person decides on, and what must be so before they do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from memsieve.errors import InvalidInput, NotFound
from memsieve.model import ATOM_NAME, ATOM_PREFIX, Insight, Receipt, Scope
from memsieve.ports import DigestStore, LongTermStore, QuarantineStore, WorkingStore

MAX_REASON_BYTES = 2000
# How many requests to the store are in flight at once.
AT_ONCE = 8
_ATOM = re.compile(ATOM_NAME)


async def insight_or_entry(
    digests: DigestStore, quarantine: QuarantineStore, scope: Scope, any_id: str
) -> Insight | Receipt:
    """Return the insight or the entry that a person names, or say that there is neither."""
    # An imported entry brings its own id: it must not take precedence over an insight.
    found = await digests.get(scope, any_id) or await quarantine.get(scope, any_id)
    if found is None:
        raise NotFound(
            f"No entry or insight {any_id!r} in project {scope.project_id!r}. `memsieve log` lists the entries, "
            "`memsieve digest` the insights.",
            subject=any_id,
        )
    return found


async def retired_among(longterm: LongTermStore, scope: Scope, memory_ids: Sequence[str]) -> set[str]:
    """Return those ids that are the ids of retired memories."""
    retired: set[str] = set()
    for start in range(0, len(memory_ids), AT_ONCE):
        found = await asyncio.gather(*(longterm.get(scope, one) for one in memory_ids[start : start + AT_ONCE]))
        retired |= {memory.id for memory in found if memory is not None and memory.retired_at is not None}
    return retired & set(memory_ids)


def entries_of(insight: Insight) -> list[str]:
    """Return the ids of all entries behind an insight, also of those that came later."""
    return [source.entry_id for source in (*insight.sources, *insight.later)]


def atom_source(atom: object) -> str:
    """Return the atom of a knowledge base as a source, or refuse what names none."""
    if not isinstance(atom, str) or not _ATOM.fullmatch(atom):
        raise InvalidInput(
            f"{atom!r} is no atom. Write KB_ID:ATOM_ID, each of at most 61 letters, digits and . _ - in ASCII.",
            field="atom",
        )
    return f"{ATOM_PREFIX}{atom}"


def no_such_entry(scope: Scope, entry_id: str) -> NotFound:
    """Say that there is no such entry, and where to look."""
    return NotFound(
        f"No entry {entry_id!r} in project {scope.project_id!r}. `memsieve log` lists them.", subject=entry_id
    )


async def ensure_working_available(working: WorkingStore, scope: Scope) -> None:
    """Raise what keeps working memory from answering, before anything is written elsewhere.

    What a person decides on must leave working memory: while that cannot be reached, nothing is decided.
    """
    await working.list(scope)
