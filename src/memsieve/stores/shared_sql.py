"""SQL that SQLite and PostgreSQL share: what a person decided on an entry, and when they approved it."""

from __future__ import annotations

# What a decision on insights means for an entry behind them, the weightiest first. A source in doubt did not count for
# what was promoted: it is covered, and no more.
_BEHIND_INSIGHTS = """
SELECT substr(min(CASE
    WHEN i.review = 'dismissed' THEN '2 dismissed'
    WHEN s.doubt IS NOT NULL THEN '4 covered'
    WHEN r.approval_id IS NOT NULL THEN '3 retired'
    ELSE '1 promoted'
END), 3)
FROM insight_sources s
    {join} insights i ON i.project_id = s.project_id AND i.id = s.insight_id
    LEFT JOIN retirements r ON r.project_id = i.project_id AND r.approval_id = i.memory_id
WHERE s.project_id = q.project_id AND s.entry_id = q.id AND i.review IS NOT NULL
"""
# A decision on the entry itself goes before one on insights it is behind.
_REVIEW = """
CASE
    WHEN EXISTS (
        SELECT 1 FROM approval_sources s LEFT JOIN retirements r USING (project_id, approval_id)
        WHERE s.project_id = q.project_id AND s.entry_id = q.id AND r.retired_at IS NULL
    ) THEN 'promoted'
    WHEN EXISTS (
        SELECT 1 FROM tombstones t
        WHERE t.project_id = q.project_id AND t.source_id = q.id AND t.lifted_at IS NULL
    ) THEN 'dismissed'
    WHEN EXISTS (
        SELECT 1 FROM approval_sources s WHERE s.project_id = q.project_id AND s.entry_id = q.id
    ) THEN 'retired'
    ELSE ({behind})
END
"""
# The approvals that stand: of an entry itself, or of an insight that it counts for.
_APPROVALS = """
SELECT s.entry_id, p.promoted_at
FROM approval_sources s
    {join} approvals p ON p.project_id = s.project_id AND p.id = s.approval_id
    LEFT JOIN retirements r ON r.project_id = s.project_id AND r.approval_id = s.approval_id
WHERE s.project_id = {project} AND s.entry_id {entry} AND r.approval_id IS NULL
UNION ALL
SELECT s.entry_id, p.promoted_at
FROM insight_sources s
    {join} insights i ON i.project_id = s.project_id AND i.id = s.insight_id
    {join} approvals p ON p.project_id = i.project_id AND p.id = i.memory_id
    LEFT JOIN retirements r ON r.project_id = i.project_id AND r.approval_id = i.memory_id
WHERE s.project_id = {project} AND s.entry_id {entry}
    AND s.doubt IS NULL AND i.review = 'promoted' AND r.approval_id IS NULL
"""


def review_of_entry(join: str = "JOIN") -> str:
    """Return the expression for the review of an entry `q`; `join` leads from the sources to their insights."""
    return _REVIEW.format(behind=_BEHIND_INSIGHTS.format(join=join))


def approvals_of(entry: str, *, project: str, join: str = "JOIN") -> str:
    """Return a query for the approvals behind entries with this condition, as `entry_id` and `promoted_at`."""
    return _APPROVALS.format(entry=entry, project=project, join=join)
