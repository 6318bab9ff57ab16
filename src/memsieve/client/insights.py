"""Digests and insights from JSON: the inverse of their part of `wire`."""

from __future__ import annotations

from memsieve.client.reader import Fields, counts, many, maybe, moment, number, one_of, switch, text, whole
from memsieve.client.records import reason
from memsieve.model import (
    Digest,
    Dispute,
    Edit,
    ExclusionReason,
    Insight,
    InsightDecision,
    InsightSource,
    Nearest,
    Outcome,
    Proposal,
    Refinement,
    ReviewStatus,
    SourceDoubt,
)


def digest(value: object) -> Digest:
    """Read a digest."""
    of = Fields(value)
    return Digest(
        project_id=of.read("project_id", text),
        made_at=of.read("made_at", moment),
        since=of.read("since", moment),
        entries=of.read("entries", whole),
        set_aside=of.read("set_aside", counts(one_of(ExclusionReason))),
        insights=of.read("insights", many(insight)),
        waiting=of.read("waiting", whole),
    )


def insight(value: object) -> Insight:
    """Read an insight; what follows from its sources is counted again."""
    of = Fields(value)
    return Insight(
        id=of.read("id", text),
        project_id=of.read("project_id", text),
        summary=of.read("summary", text),
        sources=of.read("sources", many(source)),
        refinement=of.read("refinement", refinement),
        made_at=of.read("made_at", moment),
        summarised_by=of.read("summarised_by", text),
        note=of.read("note", maybe(reason)),
        nearest=of.read("nearest", maybe(nearest)),
        disputes=of.read("disputes", many(dispute)),
        decision=of.read("decision", maybe(decision)),
        later=of.read("later", many(source)),
    )


def proposal(value: object) -> Proposal:
    """Read what was put before a person."""
    of = Fields(value)
    return Proposal(
        entry_id=of.read("entry_id", text), insight_id=of.read("insight_id", text), new=of.read("new", switch)
    )


def source(value: object) -> InsightSource:
    """Read one entry behind an insight."""
    of = Fields(value)
    return InsightSource(
        entry_id=of.read("entry_id", text),
        session_id=of.read("session_id", text),
        agent_id=of.read("agent_id", maybe(text)),
        confidence=of.read("confidence", maybe(number)),
        created_at=of.read("created_at", moment),
        quote=of.read("quote", text),
        doubt=of.read("doubt", maybe(one_of(SourceDoubt))),
    )


def refinement(value: object) -> Refinement:
    """Read what refining says of an insight."""
    of = Fields(value)
    return Refinement(
        outcome=of.read("outcome", one_of(Outcome)),
        reason=of.read("reason", reason),
        observations=of.read("observations", whole),
    )


def nearest(value: object) -> Nearest:
    """Read the verified memory nearest to an insight."""
    of = Fields(value)
    return Nearest(
        memory_id=of.read("memory_id", text),
        content=of.read("content", text),
        similarity=of.read("similarity", number),
        diff=of.read("diff", many(words)),
        conflict=of.read("conflict", maybe(reason)),
    )


def words(value: object) -> tuple[Edit, str]:
    """Read a run of words of a diff."""
    of = Fields(value)
    return of.read("edit", one_of(Edit)), of.read("text", text)


def dispute(value: object) -> Dispute:
    """Read two sources that contradict each other."""
    of = Fields(value)
    return Dispute(
        first_id=of.read("first_id", text),
        first_quote=of.read("first_quote", text),
        second_id=of.read("second_id", text),
        second_quote=of.read("second_quote", text),
        difference=of.read("difference", reason),
    )


def decision(value: object) -> InsightDecision:
    """Read a person's decision on an insight."""
    of = Fields(value)
    return InsightDecision(
        review=of.read("review", one_of(ReviewStatus)),
        by=of.read("by", text),
        at=of.read("at", moment),
        reason=of.read("reason", text),
        memory_id=of.read("memory_id", maybe(text)),
    )
