"""A window of entries as a few insights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memsieve.model.insights import Insight


class Aside(StrEnum):
    """Why an entry of the window is behind no insight."""

    NO_CLAIM = "no_claim"
    INJECTION = "injection"
    SAID_ONCE = "said_once"
    SMALLER = "smaller"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A window's entries as a few insights to decide on; `waiting` counts all that wait, also behind these."""

    project_id: str
    made_at: datetime
    since: datetime
    entries: int
    set_aside: Mapping[Aside, int]
    insights: tuple[Insight, ...]
    waiting: int
