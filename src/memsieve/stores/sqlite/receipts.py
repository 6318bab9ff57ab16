"""Quarantine's rows as receipts: what was said, how it was judged, and what a person made of it."""

from __future__ import annotations

import sqlite3

from memsieve.model import Receipt, Review
from memsieve.stores.sqlite.rows import admission_from, entry_from

REVIEW = """
CASE
    WHEN EXISTS (
        SELECT 1 FROM approval_sources s LEFT JOIN retirements r USING (project_id, approval_id)
        WHERE s.project_id = q.project_id AND s.entry_id = q.id AND r.approval_id IS NULL
    ) OR EXISTS (
        SELECT 1 FROM settled_sources s
        WHERE s.project_id = q.project_id AND s.entry_id = q.id AND s.review = 'promoted'
    ) THEN 'promoted'
    WHEN EXISTS (
        SELECT 1 FROM tombstones t
        WHERE t.project_id = q.project_id AND t.source_id = q.id AND t.lifted_at IS NULL
    ) OR EXISTS (
        SELECT 1 FROM settled_sources s
        WHERE s.project_id = q.project_id AND s.entry_id = q.id AND s.review = 'dismissed'
    ) THEN 'dismissed'
    WHEN EXISTS (
        SELECT 1 FROM approval_sources s WHERE s.project_id = q.project_id AND s.entry_id = q.id
    ) OR EXISTS (
        SELECT 1 FROM settled_sources s WHERE s.project_id = q.project_id AND s.entry_id = q.id
    ) THEN 'retired'
END
"""
SELECT = f"""
SELECT q.*, a.decision, a.checks, a.shadow, a.decided_at, {REVIEW} AS review
FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
WHERE q.project_id = :project_id
"""  # noqa: S608 - made of constants


def receipt_from(row: sqlite3.Row, embedder: str) -> Receipt:
    """Return the receipt of a row; a vector of another embedder is left out."""
    return Receipt(
        entry=entry_from(row, embedder),
        admission=admission_from(row),
        review=None if row["review"] is None else Review(row["review"]),
    )
