"""Export a project: everything it holds, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memsieve import documents
from memsieve.model import AuditEvent, EntryFilter, Receipt
from memsieve.project import Review

_PAGE = 200


def export_lines(review: Review) -> Iterator[dict[str, Any]]:
    """Yield everything a project holds: entries oldest first, then memories, then the audit log."""
    for receipt in _receipts(review):
        kept = documents.Receipt.of(receipt).plain()
        yield {"kind": "entry", **kept.pop("entry"), **kept}
    after: str | None = None
    while memories := review.memories(after_id=after, limit=_PAGE):
        for memory in memories:
            yield {"kind": "memory", **documents.LongTermMemory.of(memory).plain()}
        after = memories[-1].id
    for event in _events(review):
        yield {"kind": "event", **documents.AuditLine.of(event).plain()}


def _events(review: Review) -> Iterator[AuditEvent]:
    """Yield the audit log from beginning to end, page by page."""
    after = 0
    while page := review.audit_log(after=after, limit=_PAGE):
        yield from page
        after = page[-1].sequence


def _receipts(review: Review) -> Iterator[Receipt]:
    wanted = EntryFilter(oldest_first=True, limit=_PAGE)
    while receipts := review.log(wanted):
        yield from receipts
        wanted = replace(wanted, beyond_id=receipts[-1].entry.id)
