"""Positions among what happened, on every engine: numbers of one width, so that the order of texts is theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memsieve.errors import InvalidInput
from memsieve.model import Event, EventKind

# Not beyond the largest number that an engine has.
_NUMBER = re.compile("[0-7][0-9a-f]{15}")


def position_of(*numbers: int) -> str:
    """Return the position that these numbers give."""
    return "-".join(f"{number:016x}" for number in numbers)


def numbers_of(position: str, many: int) -> list[int]:
    """Return the numbers of a position, which must be so many."""
    parts = position.split("-") if isinstance(position, str) else []
    if len(parts) != many or not all(_NUMBER.fullmatch(part) for part in parts):
        raise InvalidInput(
            f"{position!r} is no position among this memory's events. Give the id of an event that it sent, or none, "
            "to begin with what happens next.",
            field="position",
        )
    return [int(part, 16) for part in parts]


def event_from(values: Mapping[str, Any], *numbers: int) -> Event:
    """Return the happening of its columns at a position."""
    return Event(
        position=position_of(*numbers),
        project_id=values["project_id"],
        kind=EventKind(values["kind"]),
        at=values["at"],
        subject=values["subject"],
    )
