"""Quarantine's rows as receipts: what was said, how it was judged, and what a person made of it."""

from __future__ import annotations

import sqlite3

from memsieve.model import Receipt
from memsieve.stores import records
from memsieve.stores.sqlite.rows import read, vector_from

# What a person's decision on insights means for an entry behind them, the weightiest first. A source in doubt did not
# count for what was promoted: it is covered, and no more.
_BEHIND = """
SELECT substr(min(CASE
    WHEN i.review = 'dismissed' THEN '2 dismissed'
    WHEN s.doubt IS NOT NULL THEN '4 covered'
    WHEN r.approval_id IS NOT NULL THEN '3 retired'
    ELSE '1 promoted'
END), 3)
FROM insight_sources s
    CROSS JOIN insights i ON i.project_id = s.project_id AND i.id = s.insight_id
    LEFT JOIN retirements r ON r.project_id = i.project_id AND r.approval_id = i.memory_id
WHERE s.project_id = q.project_id AND s.entry_id = q.id AND i.review IS NOT NULL
"""
# What was decided on the entry itself goes before what was decided on insights it is behind.
REVIEW = f"""
CASE
    WHEN EXISTS (
        SELECT 1 FROM approval_sources s LEFT JOIN retirements r USING (project_id, approval_id)
        WHERE s.project_id = q.project_id AND s.entry_id = q.id AND r.approval_id IS NULL
    ) THEN 'promoted'
    WHEN EXISTS (
        SELECT 1 FROM tombstones t
        WHERE t.project_id = q.project_id AND t.source_id = q.id AND t.lifted_at IS NULL
    ) THEN 'dismissed'
    WHEN EXISTS (
        SELECT 1 FROM approval_sources s WHERE s.project_id = q.project_id AND s.entry_id = q.id
    ) THEN 'retired'
    ELSE ({_BEHIND})
END
"""  # noqa: S608 - made of constants
SELECT = f"""
SELECT q.*, a.decision, a.checks, a.shadow, a.decided_at, {REVIEW} AS review
FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
WHERE q.project_id = :project_id
"""  # noqa: S608 - made of constants


def receipt_from(row: sqlite3.Row, embedder: str) -> Receipt:
    """Return the receipt of a row; a vector of another embedder is left out."""
    values = read(row, times=("created_at", "decided_at"), values=("raw_metadata", "checks"))
    return records.receipt_from(values, vector_from(row, embedder))
