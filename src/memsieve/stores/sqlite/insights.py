"""How insights and their sources lie in columns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from memsieve.model import Dispute, Doubt, Edit, Insight, InsightSource, Nearest, Outcome, Refinement
from memsieve.stores.sqlite.rows import json_text, text_time, time_text, vector_blob, vector_from
from memsieve.stores.sqlite.settling import settlement_from


def insight_row(insight: Insight, embedder: str) -> dict[str, Any]:
    """Return an insight that waits as named columns, without its project."""
    return {
        "id": insight.id,
        "content": insight.summary,
        "summarised_by": insight.summarised_by,
        "note": insight.note,
        "refinement": json_text(asdict(insight.refinement)),
        "nearest": None if insight.nearest is None else json_text(asdict(insight.nearest)),
        "disputes": json_text([asdict(dispute) for dispute in insight.disputes]),
        "made_at": time_text(insight.made_at),
        "embedder": embedder,
        "embedding": vector_blob(insight.embedding),
    }


def insight_from(row: sqlite3.Row, sources: Sequence[tuple[bool, InsightSource]], embedder: str) -> Insight:
    """Return the insight of a row, with its sources, each marked whether it came later."""
    return Insight(
        id=row["id"],
        project_id=row["project_id"],
        summary=row["content"],
        sources=tuple(source for later, source in sources if not later),
        refinement=_refinement(json.loads(row["refinement"])),
        made_at=text_time(row["made_at"]),
        summarised_by=row["summarised_by"],
        note=row["note"],
        nearest=None if row["nearest_is_retired"] else _nearest(row["nearest"]),
        disputes=tuple(Dispute(**dispute) for dispute in json.loads(row["disputes"])),
        settlement=settlement_from(row),
        later=tuple(source for later, source in sources if later),
        embedding=vector_from(row, embedder),
    )


def source_from(row: sqlite3.Row) -> InsightSource:
    """Return the source of a row."""
    return InsightSource(
        entry_id=row["entry_id"],
        session_id=row["session_id"],
        agent_id=row["agent_id"],
        confidence=row["confidence"],
        created_at=text_time(row["created_at"]),
        quote=row["quote"],
        doubt=None if row["doubt"] is None else Doubt(row["doubt"]),
    )


def _refinement(value: dict[str, Any]) -> Refinement:
    return Refinement(**{**value, "outcome": Outcome(value["outcome"])})


def _nearest(text: str | None) -> Nearest | None:
    if text is None:
        return None
    value = json.loads(text)
    return Nearest(**{**value, "diff": tuple((Edit(edit), words) for edit, words in value["diff"])})
