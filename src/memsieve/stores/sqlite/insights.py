"""How insights and their sources lie in SQLite's columns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from memsieve.model import Insight, InsightSource
from memsieve.stores import insights
from memsieve.stores.blobs import vector_blob
from memsieve.stores.records import json_text
from memsieve.stores.sqlite.insight_decisions import decision
from memsieve.stores.sqlite.rows import read, time_text, vector_from


def insight_row(insight: Insight, embedder: str) -> dict[str, Any]:
    """Return an insight that waits as named columns, without its project."""
    values = insights.insight_values(insight)
    return {
        **values,
        "refinement": json_text(values["refinement"]),
        "nearest": None if values["nearest"] is None else json_text(values["nearest"]),
        "disputes": json_text(values["disputes"]),
        "made_at": time_text(insight.made_at),
        "embedder": embedder,
        "embedding": vector_blob(insight.embedding),
    }


def insight_from(row: sqlite3.Row, sources: Sequence[tuple[bool, InsightSource]], embedder: str) -> Insight:
    """Return the insight of a row, with its sources, each marked whether it came later."""
    values = {
        **read(row, times=("made_at",), values=("refinement", "disputes")),
        **decision(row),
        "nearest": None if row["nearest"] is None else json.loads(row["nearest"]),
    }
    return insights.insight_from(values, sources, vector_from(row, embedder))


def source_from(row: sqlite3.Row) -> InsightSource:
    """Return the source of a row."""
    return insights.source_from(read(row, times=("created_at",)))
