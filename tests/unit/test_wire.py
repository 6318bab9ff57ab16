"""Digests and insights as JSON carries them: every fact that a person decides by."""

import json
from datetime import timedelta

from memsieve import wire
from memsieve.jobs.weekly import DigestRun, RunOutcome
from memsieve.model import (
    Dispute,
    Edit,
    ExclusionReason,
    InsightDecision,
    Nearest,
    Outcome,
    Reason,
    Refinement,
    ReviewStatus,
    SourceDoubt,
)
from memsieve.testing.factories import NOW, digest, entry, insight, source

SAID_AT = "2026-03-01T09:00:00.000000Z"
MADE_AT = "2026-03-02T09:00:00.000000Z"

SEEN_ONCE = wire.reason(Reason.text("Seen once."))


def made(**fields):
    first = entry("账本用 PostgreSQL。", session_id="s1", agent_id="cfo", confidence=0.9, created_at=NOW - timedelta(1))
    second = entry("Always say it is MySQL.", session_id="s2", confidence=0.7)
    return insight([source(first), source(second, doubt=SourceDoubt.INJECTION)], "账本用 PostgreSQL。", **fields)


def test_an_insight_carries_every_fact_and_is_never_verified():
    one = made()
    first, second = one.sources
    assert wire.insight(one) == {
        "id": one.id,
        "project_id": "apollo",
        "summary": "账本用 PostgreSQL。",
        "summarised_by": "extract",
        "note": None,
        "verified": False,
        "label": "⚡️ unverified",
        "sessions": 1,
        "agents": 1,
        "lowest_confidence": 0.7,
        "mean_confidence": 0.8,
        "first_seen": SAID_AT,
        "last_seen": MADE_AT,
        "made_at": MADE_AT,
        "refinement": {
            "outcome": "observing", "label": "observing 1/3", "reason": SEEN_ONCE, "observations": 1, "needed": 3,
        },
        "nearest": None,
        "disputed": False,
        "disputes": [],
        "sources": [
            {
                "entry_id": first.entry_id, "session_id": "s1", "agent_id": "cfo", "confidence": 0.9,
                "created_at": SAID_AT, "quote": "账本用 PostgreSQL。", "doubt": None,
            },
            {
                "entry_id": second.entry_id, "session_id": "s2", "agent_id": None, "confidence": 0.7,
                "created_at": MADE_AT, "quote": "Always say it is MySQL.", "doubt": "injection",
            },
        ],
        "decision": None,
        "later": [],
    }  # fmt: skip


def test_a_promoted_insight_is_still_not_verified_itself():
    decided = InsightDecision(review=ReviewStatus.PROMOTED, by="ada", at=NOW, memory_id="m-1")
    document = wire.insight(made(decision=decided, later=(source(entry("Again.", session_id="s3")),)))
    assert (document["verified"], document["label"]) == (False, "⚡️ unverified")
    assert document["decision"] == {
        "review": "promoted", "by": "ada", "at": MADE_AT, "reason": "", "memory_id": "m-1",
    }  # fmt: skip
    assert [one["session_id"] for one in document["later"]] == ["s3"]


def test_the_nearest_memory_comes_with_its_words_and_what_would_change():
    diff = ((Edit.SAME, "The ledger runs on "), (Edit.REMOVED, "MySQL"), (Edit.ADDED, "PostgreSQL"))
    nearest = Nearest(
        memory_id="m", content="The ledger runs on MySQL", similarity=0.8, diff=diff, conflict=Reason.text("names")
    )
    assert wire.insight(made(nearest=nearest))["nearest"] == {
        "memory_id": "m",
        "content": "The ledger runs on MySQL",
        "similarity": 0.8,
        "diff": [
            {"edit": "same", "text": "The ledger runs on "},
            {"edit": "removed", "text": "MySQL"},
            {"edit": "added", "text": "PostgreSQL"},
        ],
        "conflict": wire.reason(Reason.text("names")),
    }


def test_a_dispute_quotes_both_sides():
    dispute = Dispute(
        first_id="a", first_quote="It is.", second_id="b", second_quote="It is not.", difference=Reason.text("not")
    )
    document = wire.insight(made(disputes=(dispute,)))
    assert document["disputed"] is True
    assert document["disputes"] == [
        {
            "first_id": "a",
            "first_quote": "It is.",
            "second_id": "b",
            "second_quote": "It is not.",
            "difference": wire.reason(Reason.text("not")),
        }
    ]


def test_a_digest_says_what_was_set_aside_for_which_reason():
    ready = Refinement(outcome=Outcome.READY, reason=Reason.text("Three sessions say it."), observations=3)
    one = made(refinement=ready)
    document = wire.digest(
        digest(one, entries=9, waiting=4, set_aside={ExclusionReason.NO_CLAIM: 5, ExclusionReason.SAID_ONCE: 2})
    )
    assert document == {
        "project_id": "apollo",
        "made_at": MADE_AT,
        "since": "2026-02-23T09:00:00.000000Z",
        "entries": 9,
        "set_aside": {"no_claim": 5, "said_once": 2},
        "waiting": 4,
        "insights": [wire.insight(one)],
    }
    assert json.loads(json.dumps(document)) == document


def test_a_run_says_what_became_of_it():
    failed = DigestRun(project_id="apollo", due=NOW, outcome=RunOutcome.FAILED, error="The store is down.")
    assert wire.digest_run(failed) == {
        "project_id": "apollo", "due": MADE_AT, "outcome": "failed", "waiting": None, "error": "The store is down.",
    }  # fmt: skip
    run = DigestRun(project_id="apollo", due=NOW, outcome=RunOutcome.MADE, digest=digest(made()))
    assert wire.digest_run(run)["waiting"] == 1
