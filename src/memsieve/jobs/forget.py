"""What happened is news for a day, and dropped then."""

from __future__ import annotations

from datetime import UTC, datetime

from memsieve.ports import EVENTS_KEPT, EventLog


async def forget_old(events: EventLog) -> int:
    """Drop what happened longer ago than it is kept, and return how much it was."""
    # By the machine's time, as the stores note it, whatever clock the rooms go by.
    return await events.forget(datetime.now(UTC) - EVENTS_KEPT)
