"""The records every room speaks in: frozen, keyword-only, free of I/O."""

from memsieve.model.answers import UNVERIFIED_LABEL, VERIFIED_LABEL, Answer, ContextItem, Serving, Source
from memsieve.model.audit import AuditEvent, Note
from memsieve.model.digests import Aside, Digest
from memsieve.model.entries import (
    MAX_LISTED,
    MAX_SEARCH_BYTES,
    Admission,
    Check,
    Decision,
    Entry,
    EntryFilter,
    Layer,
    Receipt,
    Review,
)
from memsieve.model.flow import AgeCount, Flow, FlowDay, Span
from memsieve.model.happenings import Happening, HappeningKind
from memsieve.model.insights import (
    Dispute,
    Doubt,
    Edit,
    Insight,
    InsightSource,
    Nearest,
    Outcome,
    Proposal,
    Refinement,
    Settlement,
)
from memsieve.model.keys import ApiKey, KeyRole
from memsieve.model.lineage import Lineage, Retirement
from memsieve.model.memories import (
    ATOM_NAME,
    ATOM_PREFIX,
    Approval,
    Chunk,
    Hit,
    LongTermMemory,
    Place,
    Tombstone,
    TombstoneKind,
)
from memsieve.model.scope import SERVER_PROJECT, Role, Scope, require_project
from memsieve.model.stats import Stats, Totals
from memsieve.model.vector import Vector

__all__ = [
    "ATOM_NAME",
    "ATOM_PREFIX",
    "MAX_LISTED",
    "MAX_SEARCH_BYTES",
    "SERVER_PROJECT",
    "UNVERIFIED_LABEL",
    "VERIFIED_LABEL",
    "Admission",
    "AgeCount",
    "Answer",
    "ApiKey",
    "Approval",
    "Aside",
    "AuditEvent",
    "Check",
    "Chunk",
    "ContextItem",
    "Decision",
    "Digest",
    "Dispute",
    "Doubt",
    "Edit",
    "Entry",
    "EntryFilter",
    "Flow",
    "FlowDay",
    "Happening",
    "HappeningKind",
    "Hit",
    "Insight",
    "InsightSource",
    "KeyRole",
    "Layer",
    "Lineage",
    "LongTermMemory",
    "Nearest",
    "Note",
    "Outcome",
    "Place",
    "Proposal",
    "Receipt",
    "Refinement",
    "Retirement",
    "Review",
    "Role",
    "Scope",
    "Serving",
    "Settlement",
    "Source",
    "Span",
    "Stats",
    "Tombstone",
    "TombstoneKind",
    "Totals",
    "Vector",
    "require_project",
]
