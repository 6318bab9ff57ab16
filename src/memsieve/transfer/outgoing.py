"""What leaves: everything a project holds, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memsieve import documents
from memsieve.model import AuditEvent, EntryFilter, Receipt
from memsieve.sync import Project

_PAGE = 200


def outgoing(project: Project) -> Iterator[dict[str, Any]]:
    """Yield everything a project holds: entries oldest first, then memories, then the audit log."""
    for receipt in _receipts(project):
        kept = documents.Receipt.of(receipt).plain()
        yield {"kind": "entry", **kept.pop("entry"), **kept}
    after: str | None = None
    while memories := project.memories(after_id=after, limit=_PAGE):
        for memory in memories:
            yield {"kind": "memory", **documents.Memory.of(memory).plain()}
        after = memories[-1].id
    for event in events(project):
        yield {"kind": "event", **documents.AuditLine.of(event).plain()}


def events(project: Project) -> Iterator[AuditEvent]:
    """Yield the audit log from beginning to end, page by page."""
    after = 0
    while page := project.audit_log(after=after, limit=_PAGE):
        yield from page
        after = page[-1].sequence


def _receipts(project: Project) -> Iterator[Receipt]:
    wanted = EntryFilter(oldest_first=True, limit=_PAGE)
    while receipts := project.log(wanted):
        yield from receipts
        wanted = replace(wanted, beyond_id=receipts[-1].entry.id)
