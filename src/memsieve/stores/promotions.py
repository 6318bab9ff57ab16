"""What a promotion writes, on any engine: which of many approvals are new, and what the audit log keeps of each."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from memsieve.model import Approval, Chunk
from memsieve.stores.records import Deed, content_hash

Approved = tuple[Approval, Sequence[Chunk]]


def detail(approval: Approval, standing: Approval) -> dict[str, Any]:
    """Return what the audit log keeps of a promotion."""
    # The text that stands may differ from what is approved now in white space: the audit compares it with this line.
    kept = {"entries": list(approval.entry_ids), "content": standing.digest}
    return kept if approval.insight_id is None else {**kept, "insight": approval.insight_id}


def deed(approval: Approval) -> Deed:
    """Return what the audit log says of an approval that is written."""
    return Deed(action="promoted", subject=approval.id, at=approval.at, detail=detail(approval, approval))


def without_insights(approved: Sequence[Approved]) -> dict[str, Approved]:
    """Return the first approval of each content by its hash, without those that would decide an insight."""
    plain: dict[str, Approved] = {}
    for one in approved:
        if one[0].insight_id is None:
            plain.setdefault(content_hash(one[0].content), one)
    return plain


def unverified(plain: dict[str, Approved], verified: Container[str]) -> list[Approved]:
    """Return what is not verified yet, in order."""
    return [one for hashed, one in plain.items() if hashed not in verified]
