"""How much a project holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much a project holds in each tier, and what the filter refused.

    `working` is None while working memory does not answer.
    """

    project_id: str
    recorded: int
    admitted: int
    refused: int
    pending: int
    refused_by: Mapping[str, int]
    shadow_admitted: int
    shadow_refused: int
    working: int | None
    memories: int
    chunks: int
    tombstones: int
    answers: int
    insights_waiting: int
    oldest_waiting: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How much all projects hold together.

    `working` is None while working memory does not answer.
    """

    projects: int
    recorded: int
    admitted: int
    refused: int
    pending: int
    oldest_pending: datetime | None
    working: int | None
    promoted: int
    memories: int
    retired: int
    tombstones: int
    insights_waiting: int
    oldest_waiting: datetime | None
