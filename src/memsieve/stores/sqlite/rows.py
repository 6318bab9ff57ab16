"""How records lie in SQLite's columns: times and JSON as text, vectors as blobs."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from typing import Any

from memsieve.model import Origin, Receipt, Vector
from memsieve.stores import rows
from memsieve.stores.rows import Codecs, FieldKind, blob_vector, json_text
from memsieve.stores.shared_sql import approvals_of, review_of_entry


def time_text(moment: datetime) -> str:
    """Return a moment as RFC 3339 in UTC, of one width so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def text_time(text: str) -> datetime:
    """Return the moment that a text names."""
    return datetime.fromisoformat(text)


def vector_from(row: sqlite3.Row, embedder: str) -> Vector | None:
    """Return a row's vector if this embedder made it."""
    return blob_vector(row["embedding"]) if row["embedder"] == embedder else None


def origin_from(row: sqlite3.Row) -> Origin | None:
    """Return where a row's text was said, if that is known."""
    session_id = row["session_id"]
    return None if session_id is None else Origin(session_id=session_id, at=text_time(row["said_at"]))


def read(row: sqlite3.Row, *, times: tuple[str, ...] = (), values: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a row by its columns, with these as moments and those as the values that their JSON holds."""
    columns = dict(row)
    columns.update((name, text_time(columns[name])) for name in times if columns[name] is not None)
    columns.update((name, json.loads(columns[name])) for name in values if columns[name] is not None)
    return columns


# How SQLite writes and reads the kinds of an entry's fields.
WRITTEN: Codecs = {FieldKind.JSON: json_text, FieldKind.MOMENT: time_text}
READ: Codecs = {FieldKind.JSON: json.loads, FieldKind.MOMENT: text_time}

# CROSS JOIN keeps the order: from the few sources of an entry to their insights.
REVIEW = review_of_entry("CROSS JOIN")
_APPROVALS = approvals_of("= q.id", project="q.project_id", join="CROSS JOIN")
RECEIPTS = f"""
SELECT q.*, a.decision, a.checks, a.shadow, a.passages, a.decided_at, {REVIEW} AS review,
    (SELECT min(promoted_at) FROM ({_APPROVALS})) AS promoted_at
FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
WHERE q.project_id = :project_id
"""  # noqa: S608 - made of constants


def receipt_from(row: sqlite3.Row, embedder: str) -> Receipt:
    """Return the receipt of a row; a vector of another embedder is left out."""
    values = read(row, times=("decided_at", "promoted_at"), values=("checks", "passages"))
    return rows.receipt_from(values, vector_from(row, embedder), READ)
