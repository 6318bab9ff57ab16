"""Record many entries that are too old for working memory: the filter has nothing to look at, so they go together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from memsieve.errors import Conflict, EmbedderError, InvalidInput, NotFound
from memsieve.ingress.record import Ingress
from memsieve.model import Decision, Entry, Receipt, Scope, Vector
from memsieve.ports import WORKING_LIFE, QuarantineStore

# So many decisions are on their way to the store at once.
AT_ONCE = 8

Outcome = bool | InvalidInput | Conflict


async def keep_all(ingress: Ingress, scope: Scope, entries: Sequence[Entry]) -> list[Outcome]:
    """Store and decide on entries as `Ingress.record` does each; say of each whether it is new, or what is wrong."""
    outcomes: list[Outcome] = []
    good: dict[int, Entry] = {}
    for position, entry in enumerate(entries):
        outcomes.append(False)
        try:
            good[position] = _checked(ingress, entry)
        except InvalidInput as exc:
            outcomes[position] = exc
    fresh = []
    stored = await _add_all(ingress.quarantine, scope, list(good.values()))
    for (position, entry), receipt in zip(good.items(), stored, strict=True):
        if isinstance(receipt, Conflict):
            outcomes[position] = receipt
        elif receipt.new:
            outcomes[position] = True
            fresh.append(entry)
        elif receipt.admission.decision is Decision.PENDING:
            # It was stored before, perhaps with another time: what is stored is decided on.
            await ingress.record(scope, entry, wait=True)
    await _decide_all(ingress, scope, fresh)
    return outcomes


def _checked(ingress: Ingress, entry: Entry) -> Entry:
    entry = ingress.checked(entry)
    if ingress.clock() - entry.created_at < WORKING_LIFE:
        raise InvalidInput(
            f"created_at {entry.created_at.isoformat()} is within the last 24 hours. Bring it by itself: the filter "
            "decides on it.",
            field="created_at",
        )
    return entry


async def _add_all(quarantine: QuarantineStore, scope: Scope, entries: list[Entry]) -> list[Receipt | Conflict]:
    """Store entries together, or in halves where two have the same id or one is known with other content."""
    if len({entry.id for entry in entries}) == len(entries):
        try:
            return [*await quarantine.add_all(scope, entries)]
        except Conflict as exc:
            if len(entries) == 1:
                return [exc]
    half = len(entries) // 2
    return await _add_all(quarantine, scope, entries[:half]) + await _add_all(quarantine, scope, entries[half:])


async def _decide_all(ingress: Ingress, scope: Scope, entries: Sequence[Entry]) -> None:
    try:
        vectors = await ingress.embedder.embed([entry.content for entry in entries])
    except EmbedderError:
        # One text may be at fault: each is tried by itself, and left undecided with the reason if that fails too.
        for entry in entries:
            await ingress.record(scope, entry, wait=True)
        return
    made = list(zip(entries, vectors, strict=True))
    for start in range(0, len(made), AT_ONCE):
        await asyncio.gather(*(_decide(ingress, scope, *one) for one in made[start : start + AT_ONCE]))


async def _decide(ingress: Ingress, scope: Scope, entry: Entry, vector: Vector | None) -> None:
    # A person may have deleted it meanwhile.
    with suppress(NotFound):
        await ingress.keep_as_history(scope, entry, vector)
