"""What may be put into working memory, and what has to go for it: the same on every engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from memsieve.errors import Conflict
from memsieve.model import Admission, Entry, Role, Scope
from memsieve.ports import KEY_SHARE, SESSION_SHARE, WORKING_LIFE


class Holder(NamedTuple):
    """Who holds a place in working memory: a session, and the key that it came by."""

    session_id: str
    recorded_by: str | None


def admitted_life(scope: Scope, entry: Entry, admission: Admission, life: timedelta) -> timedelta:
    """Return how long an entry may stay, or refuse one that the filter did not admit into this project."""
    scope.require(Role.SYSTEM)
    if not admission.admitted:
        raise Conflict(
            f"Entry {entry.id!r} is {admission.decision}: only what the filter admits gets into working memory. "
            "Nothing was kept; record it and let the filter decide."
        )
    if entry.project_id != scope.project_id:
        raise Conflict(
            f"Entry {entry.id!r} belongs to project {entry.project_id!r}, not to {scope.project_id!r}. "
            "Nothing was kept; ask for its own project."
        )
    return min(life, WORKING_LIFE)


def displaced(held: Mapping[int, Holder], newcomer: Holder) -> int:
    """Return which of the places has to go for a newcomer that is among them; they are in order, oldest first.

    A session or a key beyond its share makes room itself. One within it is made room for by the session that holds
    most, of the key that holds most: so nobody pushes out another, whatever comes.
    """
    sessions = Counter(held.values())
    if sessions[newcomer] > SESSION_SHARE:
        return _oldest(held, newcomer)
    keys = Counter(holder.recorded_by for holder in held.values())
    key = newcomer.recorded_by if keys[newcomer.recorded_by] > KEY_SHARE else keys.most_common(1)[0][0]
    return _oldest(held, Counter(holder for holder in held.values() if holder.recorded_by == key).most_common(1)[0][0])


def _oldest(held: Mapping[int, Holder], holder: Holder) -> int:
    return next(place for place, each in held.items() if each == holder)
