"""Records as JSON carries them: times in RFC 3339, UTC; embeddings stay inside."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memsieve.ingress.replay import Replay
from memsieve.jobs.weekly import DigestRun
from memsieve.model import (
    UNVERIFIED_LABEL,
    Admission,
    AgeBucket,
    Answer,
    ApiKey,
    AuditEvent,
    Check,
    ContextItem,
    Digest,
    Dispute,
    Entry,
    Event,
    Flow,
    FlowDay,
    Insight,
    InsightDecision,
    InsightSource,
    Lineage,
    LongTermMemory,
    Nearest,
    Proposal,
    Reason,
    Receipt,
    Refinement,
    Retirement,
    Serving,
    Stats,
    Tombstone,
)
from memsieve.review.audit import Audit
from memsieve.text.tokenize import shared_terms

Document = dict[str, Any]


def moment(at: datetime | None) -> str | None:
    """Return a time as RFC 3339 in UTC."""
    return None if at is None else at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def entry(record: Entry) -> Document:
    """Return an entry."""
    return {
        "id": record.id,
        "project_id": record.project_id,
        "session_id": record.session_id,
        "agent_id": record.agent_id,
        "node_id": record.node_id,
        "confidence": record.confidence,
        "content": record.content,
        "metadata": dict(record.metadata),
        "layer": str(record.layer),
        "verified": record.verified,
        "created_at": moment(record.created_at),
        "expires_at": moment(record.expires_at),
        "promoted_at": moment(record.promoted_at),
    }


def reason(record: Reason) -> Document:
    """Return a reason: its code and parameters, and the sentence in both languages."""
    return {**record.dump(), "en": record.sentence("en"), "zh": record.sentence("zh")}


def check(record: Check) -> Document:
    """Return what one check found."""
    return {"name": record.name, "passed": record.passed, "score": record.score, "reason": reason(record.reason)}


def verdict(record: Admission) -> Document:
    """Return the filter's decision as whoever recorded the entry is told it."""
    return {
        "admitted": record.admitted,
        "decision": str(record.decision),
        "checks": [check(one) for one in record.checks],
        "reasons": [reason(one) for one in record.reasons],
    }


def admission(record: Admission) -> Document:
    """Return the filter's decision as it is kept for audit."""
    shadow = None if record.shadow is None else str(record.shadow)
    return {**verdict(record), "decided_at": moment(record.decided_at), "shadow": shadow}


def recorded(record: Receipt) -> Document:
    """Return an entry that is safe, and the decision, as whoever recorded it is told."""
    return {
        "entry_id": record.entry.id,
        "project_id": record.entry.project_id,
        "created_at": moment(record.entry.created_at),
        **verdict(record.admission),
        "decided_at": moment(record.admission.decided_at),
    }


def entry_admission(entry_id: str, record: Admission) -> Document:
    """Return what became of an entry; nothing of what it says."""
    return {"entry_id": entry_id, **verdict(record), "decided_at": moment(record.decided_at)}


def receipt(record: Receipt) -> Document:
    """Return an entry as quarantine keeps it."""
    return {
        "entry": entry(record.entry),
        "admission": admission(record.admission),
        "review": None if record.review is None else str(record.review),
    }


def item(record: ContextItem) -> Document:
    """Return one memory as it is served."""
    return {
        "id": record.id,
        "content": record.content,
        "source": str(record.source),
        "score": record.score,
        "verified": record.verified,
        "label": record.label,
        "created_at": moment(record.created_at),
        "memory_id": record.memory_id,
        "entry_id": record.entry_id,
        "session_id": record.session_id,
        "agent_id": record.agent_id,
        "promoted_by": record.promoted_by,
        "promoted_at": moment(record.promoted_at),
        "expires_at": moment(record.expires_at),
    }


def why(record: ContextItem, query: str) -> Document:
    """Return why an item was found: its two scores, and the words that the question has too."""
    return {
        "similarity": record.similarity,
        "word_score": record.word_score,
        "words": list(shared_terms(query, record.content)),
    }


def answer(record: Answer) -> Document:
    """Return what retrieval found."""
    return {
        "results": [item(one) for one in record.items],
        "degraded": list(record.degraded),
        "answer_id": record.id,
    }


def memory(record: LongTermMemory) -> Document:
    """Return a long-term memory."""
    return {
        "id": record.id,
        "project_id": record.approval.project_id,
        "content": record.approval.content,
        "promoted_by": record.approval.by,
        "promoted_at": moment(record.approval.at),
        "entry_ids": list(record.approval.entry_ids),
        "chunks": [{"id": chunk.id, "content": chunk.content} for chunk in record.chunks],
        "retired_at": moment(record.retired_at),
        "retired_by": record.retired_by,
        "retired_reason": record.retired_reason,
    }


def tombstone(record: Tombstone) -> Document:
    """Return a tombstone."""
    return {
        "id": record.id,
        "project_id": record.project_id,
        "kind": str(record.kind),
        "source_id": record.source_id,
        "content": record.content,
        "by": record.by,
        "at": moment(record.at),
        "reason": record.reason,
    }


def serving(record: Serving) -> Document:
    """Return who was served a memory, and for which question."""
    return {
        "answer_id": record.answer_id,
        "item_id": record.item_id,
        "session_id": record.session_id,
        "agent_id": record.agent_id,
        "query": record.query,
        "at": moment(record.at),
    }


def retirement(record: Retirement) -> Document:
    """Return a retired memory and everyone who was served it."""
    return {
        "memory": memory(record.memory),
        "reason": record.memory.retired_reason,
        "served": [serving(one) for one in record.served],
    }


def audit_event(record: AuditEvent) -> Document:
    """Return one line of the audit log."""
    return {
        "sequence": record.sequence,
        "project_id": record.project_id,
        "at": moment(record.at),
        "actor": record.actor,
        "action": record.action,
        "subject": record.subject,
        "reason": record.reason,
        "detail": dict(record.detail),
        "previous": record.previous,
        "digest": record.digest,
    }


def key(record: ApiKey) -> Document:
    """Return a key as it is listed."""
    return {
        "id": record.id,
        "name": record.name,
        "role": str(record.role),
        "project_id": record.project_id,
        "made_at": moment(record.made_at),
        "made_by": record.made_by,
        "last_used_at": moment(record.last_used_at),
        "revoked_at": moment(record.revoked_at),
        "revoked_by": record.revoked_by,
    }


def made_key(record: ApiKey, text: str) -> Document:
    """Return a key that was just made, with the text that is shown this once."""
    return {"key": key(record), "text": text}


def event(record: Event) -> Document:
    """Return what happened; of what it happened to only the id."""
    return {
        "position": record.position,
        "project_id": record.project_id,
        "kind": str(record.kind),
        "at": moment(record.at),
        "subject": record.subject,
    }


def lineage(record: Lineage) -> Document:
    """Return where something came from and where it went."""
    return {
        "entries": [receipt(one) for one in record.entries],
        "memories": [memory(one) for one in record.memories],
        "events": [audit_event(one) for one in record.events],
        "served": [serving(one) for one in record.served],
    }


def stats(record: Stats) -> Document:
    """Return a project's counts."""
    return {
        "project_id": record.project_id,
        "recorded": record.recorded,
        "admitted": record.admitted,
        "refused": record.refused,
        "pending": record.pending,
        "refused_by": dict(record.refused_by),
        "shadow_admitted": record.shadow_admitted,
        "shadow_refused": record.shadow_refused,
        "working": record.working,
        "memories": record.memories,
        "chunks": record.chunks,
        "tombstones": record.tombstones,
        "answers": record.answers,
        "insights_waiting": record.insights_waiting,
        "oldest_waiting": moment(record.oldest_waiting),
    }


def flow(record: Flow) -> Document:
    """Return what went through a project day by day, and how old is what it holds."""
    return {
        "project_id": record.project_id,
        "days": [flow_day(day) for day in record.days],
        "memory_ages": [age(one) for one in record.memory_ages],
        "insight_ages": [age(one) for one in record.insight_ages],
        "oldest_insight": moment(record.oldest_insight),
        "oldest_pending": moment(record.oldest_pending),
    }


def flow_day(record: FlowDay) -> Document:
    """Return what became of the entries of a day, and the deeds done on it."""
    return {
        "day": record.day.isoformat(),
        "recorded": record.recorded,
        "admitted": record.admitted,
        "refused": record.refused,
        "pending": record.pending,
        "refused_by": dict(record.refused_by),
        "promoted": record.promoted,
        "dismissed": record.dismissed,
        "retired": record.retired,
    }


def age(record: AgeBucket) -> Document:
    """Return how many are of an age."""
    return {"up_to_days": record.up_to_days, "count": record.count}


def audit(project_id: str, record: Audit) -> Document:
    """Return the state of a project's audit log."""
    return {
        "project_id": project_id,
        "whole": record.whole,
        "events": record.events,
        "head": record.head,
        "problems": list(record.problems),
    }


def replay(record: Replay, limit: int) -> Document:
    """Return what other settings would have changed, with at most `limit` of the changes."""
    return {
        "entries": record.entries,
        "admitted_before": record.admitted_before,
        "admitted_after": record.admitted_after,
        "changed": len(record.changes),
        "changes": [
            {"entry": entry(change.entry), "before": str(change.before), "after": admission(change.after)}
            for change in record.changes[:limit]
        ],
    }


def digest(record: Digest) -> Document:
    """Return a window's entries as a few insights to decide on, and what was set aside for which reason."""
    return {
        "project_id": record.project_id,
        "made_at": moment(record.made_at),
        "since": moment(record.since),
        "entries": record.entries,
        "set_aside": {str(why): count for why, count in record.set_aside.items()},
        "waiting": record.waiting,
        "insights": [insight(one) for one in record.insights],
    }


def digest_run(record: DigestRun) -> Document:
    """Return what became of a weekly digest that was due."""
    return {
        "project_id": record.project_id,
        "due": moment(record.due),
        "outcome": str(record.outcome),
        "waiting": None if record.digest is None else record.digest.waiting,
        "error": record.error,
    }


def insight(record: Insight) -> Document:
    """Return an insight with everything that a person decides by."""
    return {
        "id": record.id,
        "project_id": record.project_id,
        "summary": record.summary,
        "summarised_by": record.summarised_by,
        "note": _maybe(record.note),
        "verified": False,
        "label": UNVERIFIED_LABEL,
        "sessions": record.sessions,
        "agents": record.agents,
        "lowest_confidence": record.lowest_confidence,
        "mean_confidence": record.mean_confidence,
        "first_seen": moment(record.first_seen),
        "last_seen": moment(record.last_seen),
        "made_at": moment(record.made_at),
        "refinement": refinement(record.refinement),
        "nearest": None if record.nearest is None else nearest(record.nearest),
        "disputed": record.disputed,
        "disputes": [dispute(one) for one in record.disputes],
        "sources": [insight_source(one) for one in record.sources],
        "decision": None if record.decision is None else decision(record.decision),
        "later": [insight_source(one) for one in record.later],
    }


def proposal(record: Proposal) -> Document:
    """Return what was put before a person."""
    return {"entry_id": record.entry_id, "insight_id": record.insight_id, "new": record.new}


def insight_source(record: InsightSource) -> Document:
    """Return one entry behind an insight."""
    return {
        "entry_id": record.entry_id,
        "session_id": record.session_id,
        "agent_id": record.agent_id,
        "confidence": record.confidence,
        "created_at": moment(record.created_at),
        "quote": record.quote,
        "doubt": None if record.doubt is None else str(record.doubt),
    }


def refinement(record: Refinement) -> Document:
    """Return what refining says of an insight, and why."""
    return {
        "outcome": str(record.outcome),
        "label": str(record.label),
        "reason": reason(record.reason),
        "observations": record.observations,
        "needed": record.NEEDED,
    }


def nearest(record: Nearest) -> Document:
    """Return the verified memory nearest to an insight, and what turns its words into the insight's."""
    return {
        "memory_id": record.memory_id,
        "content": record.content,
        "similarity": record.similarity,
        "diff": [{"edit": str(edit), "text": text} for edit, text in record.diff],
        "conflict": _maybe(record.conflict),
    }


def dispute(record: Dispute) -> Document:
    """Return two sources that contradict each other."""
    return {
        "first_id": record.first_id,
        "first_quote": record.first_quote,
        "second_id": record.second_id,
        "second_quote": record.second_quote,
        "difference": reason(record.difference),
    }


def decision(record: InsightDecision) -> Document:
    """Return a person's decision on an insight."""
    return {
        "review": str(record.review),
        "by": record.by,
        "at": moment(record.at),
        "reason": record.reason,
        "memory_id": record.memory_id,
    }


def _maybe(record: Reason | None) -> Document | None:
    return None if record is None else reason(record)
