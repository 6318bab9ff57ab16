"""SQL that SQLite and PostgreSQL share: what a person decided on an entry, and what is counted."""

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

_HOLDINGS = """
(SELECT count(*) FROM approvals WHERE project_id = {project}) -
    (SELECT count(*) FROM retirements WHERE project_id = {project}) AS memories,
(SELECT count(*) FROM memories m WHERE project_id = {project} AND NOT EXISTS (
    SELECT 1 FROM retirements r WHERE r.project_id = m.project_id AND r.approval_id = m.approval_id)) AS chunks,
(SELECT count(*) FROM tombstones WHERE project_id = {project} AND lifted_at IS NULL) AS tombstones,
(SELECT count(*) FROM answers WHERE project_id = {project}) AS answers,
(SELECT count(*) FROM insights WHERE project_id = {project} AND review IS NULL) AS insights_waiting,
(SELECT min(made_at) FROM insights WHERE project_id = {project} AND review IS NULL) AS oldest_waiting
"""
# The columns of what all projects hold beside their entries.
ALL_HOLDINGS = """
(SELECT min(q.created_at) FROM admissions a JOIN quarantine_logs q
    ON q.project_id = a.project_id AND q.id = a.entry_id WHERE a.decision = 'pending') AS oldest_pending,
(SELECT count(*) FROM (SELECT DISTINCT s.project_id, s.entry_id FROM approval_sources s JOIN quarantine_logs q
    ON q.project_id = s.project_id AND q.id = s.entry_id) entries) AS promoted,
(SELECT count(*) FROM approvals) - (SELECT count(*) FROM retirements) AS memories,
(SELECT count(*) FROM retirements) AS retired,
(SELECT count(*) FROM tombstones WHERE lifted_at IS NULL) AS tombstones,
(SELECT count(*) FROM insights WHERE review IS NULL) AS insights_waiting,
(SELECT min(made_at) FROM insights WHERE review IS NULL) AS oldest_waiting
"""
WAITING_PROJECTS = "SELECT DISTINCT project_id FROM admissions WHERE decision = 'pending' ORDER BY 1"
_OLDEST = """
SELECT
    (SELECT min(made_at) FROM insights WHERE project_id = {project} AND review IS NULL) AS insight,
    (SELECT min(q.created_at) FROM admissions a JOIN quarantine_logs q
        ON q.project_id = a.project_id AND q.id = a.entry_id
        WHERE a.project_id = {project} AND a.decision = 'pending') AS pending
"""
_DECISIONS_BY_DAY = """
SELECT {promoted} AS day, 'promoted' AS what, count(*) AS count FROM approvals
WHERE project_id = {project} AND promoted_at >= {since} GROUP BY 1
UNION ALL
SELECT {retired}, 'retired', count(*) FROM retirements
WHERE project_id = {project} AND retired_at >= {since} GROUP BY 1
UNION ALL
SELECT {dismissed}, 'dismissed', count(*) FROM tombstones
WHERE project_id = {project} AND buried_at >= {since} AND kind = 'dismissed' GROUP BY 1
"""


def holdings_of(project: str) -> str:
    """Return the columns of what one project holds beside its entries."""
    return _HOLDINGS.format(project=project)


def oldest_of(project: str) -> str:
    """Return a query for the times of the oldest `insight` and `pending` entry that wait in a project."""
    return _OLDEST.format(project=project)


def decisions_by_day(day: str, *, project: str, since: str) -> str:
    """Return a query for how many were promoted, retired and dismissed on each day; `day` is that of a column `{}`."""
    moments = {"promoted": "promoted_at", "retired": "retired_at", "dismissed": "buried_at"}
    days = {what: day.format(column) for what, column in moments.items()}
    return _DECISIONS_BY_DAY.format(project=project, since=since, **days)


def review_of_entry(join: str = "JOIN") -> str:
    """Return the expression for the review of an entry `q`; `join` leads from the sources to their insights."""
    return _REVIEW.format(behind=_BEHIND_INSIGHTS.format(join=join))


def approvals_of(entry: str, *, project: str, join: str = "JOIN") -> str:
    """Return a query for the approvals behind entries with this condition, as `entry_id` and `promoted_at`."""
    return _APPROVALS.format(entry=entry, project=project, join=join)
