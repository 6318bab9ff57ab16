"""The records that all modules use: frozen, keyword-only, free of I/O."""

from memsieve.model.answers import (
    UNVERIFIED_LABEL,
    VERIFIED_LABEL,
    Answer,
    ContextItem,
    Lineage,
    Retirement,
    Serving,
    Source,
)
from memsieve.model.entries import (
    CALLER_FIELDS,
    MAX_LISTED,
    MAX_SEARCH_BYTES,
    Admission,
    Check,
    CheckName,
    Decision,
    Entry,
    EntryFields,
    EntryFilter,
    Layer,
    NotChecked,
    Passages,
    Receipt,
    ReviewStatus,
    Vector,
    caller_fields,
    checked_fields,
    excerpt,
)
from memsieve.model.events import AuditEvent, AuditNote, Event, EventKind
from memsieve.model.insights import (
    Digest,
    Dispute,
    Edit,
    ExclusionReason,
    Insight,
    InsightDecision,
    InsightSource,
    Nearest,
    Proposal,
    Refinement,
    RefineOutcome,
    SourceDoubt,
)
from memsieve.model.memories import (
    ATOM_NAME,
    ATOM_PREFIX,
    Approval,
    Chunk,
    LongTermMemory,
    Origin,
    SearchHit,
    Tombstone,
    TombstoneKind,
)
from memsieve.model.reasons import Reason
from memsieve.model.scope import RIGHTS, SERVER_PROJECT, ApiKey, KeyRole, Right, Role, Scope, require_project
from memsieve.model.statistics import AgeBucket, DailyCounts, DateRange, DayCounts, Stats, Totals
