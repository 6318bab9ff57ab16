"""Who may be put into working memory: the same on every engine."""

from __future__ import annotations

from datetime import timedelta

from memsieve.errors import Conflict
from memsieve.model import Admission, Entry, Role, Scope
from memsieve.ports import WORKING_LIFE


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
