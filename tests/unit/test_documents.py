"""Documents: every record as JSON carries it, and back; nothing of a record is forgotten on the way."""

import json
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import ValidationError

from memsieve import documents
from memsieve.documents import Document, RecordDocument
from memsieve.ingress.replay import Change, Replay
from memsieve.jobs.weekly import DigestRun, RunOutcome
from memsieve.model import (
    AgeBucket,
    Approval,
    AuditEvent,
    DailyCounts,
    DayCounts,
    Decision,
    Dispute,
    Edit,
    Event,
    EventKind,
    ExclusionReason,
    Insight,
    InsightDecision,
    Lineage,
    LongTermMemory,
    Nearest,
    Proposal,
    Reason,
    Receipt,
    Retirement,
    ReviewStatus,
    Serving,
    SourceDoubt,
    Stats,
)
from memsieve.review.audit import Audit
from memsieve.testing.factories import (
    NOW,
    admission,
    answer,
    api_key,
    approval,
    chunks,
    digest,
    entry,
    insight,
    item,
    source,
    tombstone,
)

NOW_WRITTEN = "2026-03-02T09:00:00.000000Z"


def _memory(**more: Any) -> LongTermMemory:
    approved = approval("The ledger runs on PostgreSQL. " * 40, entry_ids=("e1", "e2"))
    pieces = tuple(replace(chunk, words=()) for chunk in chunks(approved))
    assert len(pieces) > 1
    return LongTermMemory(approval=approved, chunks=pieces, **more)


def _insight() -> Insight:
    first, second = entry(agent_id="cfo", confidence=0.9), entry("It runs on MySQL.", session_id="s2")
    return insight(
        [source(first), source(second, doubt=SourceDoubt.CONTRARY)],
        note=Reason.of("note.proposed", actor="a", reason="b"),
        nearest=Nearest(
            memory_id="m",
            content="a b",
            similarity=0.5,
            diff=((Edit.SAME, "a "), (Edit.REMOVED, "b")),
            conflict=Reason.of("x", inner=Reason.text("no"), several=("a", Reason.text("b"))),
        ),
        disputes=(
            Dispute(first_id="a", first_quote="5", second_id="b", second_quote="7", difference=Reason.text("5, 7")),
        ),
        decision=InsightDecision(review=ReviewStatus.PROMOTED, by="ada", at=NOW, reason="r", memory_id="m"),
        later=(source(second),),
    )


RECEIPT = Receipt(
    entry=entry(agent_id="cfo", node_id="n", confidence=0.9, metadata={"turn": [1, None, {"a": 1.5}]}, expires_at=NOW),
    admission=replace(admission(Decision.REFUSED), shadow=Decision.ADMITTED),
    review=ReviewStatus.DISMISSED,
)
SERVING = Serving(answer_id="a", item_id="i", session_id=None, agent_id="cfo", query="which?", at=NOW)
AUDIT_EVENT = AuditEvent.sealed(
    sequence=1, project_id="apollo", at=NOW, actor="ada", action="promoted", subject="m1", reason="",
    detail={"content": "账本"}, previous="0" * 64,
)  # fmt: skip
STATS = Stats(
    **{name: number for number, name in enumerate(Stats.__dataclass_fields__)}
    | {"project_id": "apollo", "refused_by": {"echo": 3}, "working": None, "oldest_waiting": NOW}
)
FLOW = DailyCounts(
    project_id="apollo",
    days=(DayCounts(day=NOW.date(), recorded=9, admitted=5, refused=3, pending=1, refused_by={"echo": 3}, promoted=2),),
    memory_ages=(AgeBucket(up_to_days=7, count=4), AgeBucket(up_to_days=None, count=1)),
    insight_ages=(AgeBucket(up_to_days=None, count=0),),
    oldest_insight=NOW,
    oldest_pending=None,
)
RECORDS: dict[type[RecordDocument], object] = {
    documents.Reason: Reason.of("note.proposed", actor="a", reason=Reason.text("b")),
    documents.CheckResult: admission().checks[0],
    documents.Admission: RECEIPT.admission,
    documents.Entry: entry(),
    documents.Receipt: RECEIPT,
    documents.ContextItem: replace(item("i", "账本"), promoted_by="ada", promoted_at=NOW),
    documents.FoundItem: item("i", "账本"),
    documents.LongTermMemory: _memory(retired_at=NOW, retired_by="bob", retired_reason="old"),
    documents.Tombstone: replace(tombstone("MySQL."), words=()),
    documents.Serving: SERVING,
    documents.Retirement: Retirement(memory=_memory(retired_reason="old"), served=(SERVING,)),
    documents.AuditLine: AUDIT_EVENT,
    documents.Lineage: Lineage(entries=(RECEIPT,), memories=(_memory(),), events=(AUDIT_EVENT,), served=(SERVING,)),
    documents.Refinement: _insight().refinement,
    documents.Nearest: _insight().nearest,
    documents.Dispute: _insight().disputes[0],
    documents.InsightSource: _insight().sources[0],
    documents.InsightDecision: _insight().decision,
    documents.Insight: _insight(),
    documents.Proposal: Proposal(entry_id="e", insight_id="insight-e", new=True),
    documents.Digest: digest(_insight(), set_aside={ExclusionReason.SAID_ONCE: 4}),
    documents.Stats: STATS,
    documents.FlowDay: FLOW.days[0],
    documents.AgeBucket: FLOW.memory_ages[0],
    documents.Flow: FLOW,
    documents.Key: api_key(last_used_at=NOW, revoked_at=NOW, revoked_by="bob"),
    documents.Event: Event(position="7", project_id="apollo", kind=EventKind.DIGEST_READY, at=NOW, subject="d"),
}
# What no document tells: vectors and index words, what whoever asked knows, and what stands elsewhere in it.
INSIDE = {
    "Approval": {"insight_id", "origin", "by", "at"},
    "Answer": {"id", "query", "at", "session_id", "agent_id", "items"},
    "Chunk": {"position", "words", "embedding"},
    "ContextItem": {"similarity", "word_score", "embedding"},
    "Entry": {"embedding"},
    "Insight": {"embedding"},
    "LongTermMemory": {"approval"},
    "Receipt": {"new"},
    "Tombstone": {"words", "embedding"},
}


def all_of(kind: type[Document]) -> list[type[Document]]:
    return [kind, *(one for child in kind.__subclasses__() for one in all_of(child))]


KINDS = [
    one
    for one in all_of(RecordDocument)
    if one.__module__.startswith("memsieve.documents.") and "[" not in one.__name__
]
names = pytest.mark.parametrize("document", RECORDS, ids=lambda one: one.__name__)


@names
def test_a_record_comes_back_as_it_was_written(document):
    record = RECORDS[document]
    assert document.read(document.of(record).encode()).record() == record


@names
def test_both_ways_of_writing_say_the_same(document):
    written = document.of(RECORDS[document])
    assert json.loads(written.encode()) == written.plain()


@names
def test_what_a_newer_version_adds_is_passed_over_and_what_is_missing_is_named(document):
    whole = document.of(RECORDS[document]).plain()
    assert document.read(json.dumps({**whole, "brand_new": [1]})).record() == RECORDS[document]
    for missing in whole:
        with pytest.raises(ValidationError) as raised:
            document.read(json.dumps({name: value for name, value in whole.items() if name != missing}))
        assert [error["loc"][0] for error in raised.value.errors()] == [missing]


def test_every_kind_of_document_is_tried_here():
    elsewhere = {
        "RecordDocument",
        "FilterDecision",
        "Recorded",
        "EntryAdmission",
        "Answer",
        "AnswerWithId",
        "Chunk",
        "DiffRun",
    }
    assert {one.__name__ for one in KINDS} - elsewhere - {"Verification"} == {one.__name__ for one in RECORDS}


@pytest.mark.parametrize(
    "document", [*RECORDS, documents.Answer, documents.Chunk, documents.Verification], ids=lambda one: one.__name__
)
def test_every_field_of_a_record_is_told_or_known_to_stay_inside(document):
    record_type = document.record_type()
    has = {field.name for field in fields(record_type)}
    assert has - set(document.model_fields) == INSIDE.get(record_type.__name__, set())


def test_a_memory_tells_its_approval():
    assert {field.name for field in fields(Approval)} - set(documents.LongTermMemory.model_fields) == INSIDE["Approval"]
    told = documents.LongTermMemory.of(_memory()).plain()
    assert (told["promoted_by"], told["promoted_at"]) == (_memory().approval.by, NOW_WRITTEN)


def test_no_vector_is_ever_told():
    for document in all_of(Document):
        assert "embedding" not in document.model_fields, document


def test_an_answer_comes_back_with_the_question_that_was_asked():
    served = answer([item("i", "PostgreSQL.")])
    asked = {"id": served.id, "query": served.query, "at": NOW, "session_id": "s1"}
    assert documents.Answer.read(documents.Answer.of(served).encode()).record(**asked) == served
    told = documents.AnswerWithId.of(served).plain()
    assert set(told) == {"results", "degraded", "answer_id"}
    assert "why" not in told["results"][0]
    why = documents.MatchScores.of(served.items[0], words=["text"])
    assert documents.FoundItem.of(served.items[0], why=why).plain()["why"]["words"] == ["text"]


def test_what_became_of_an_entry_is_told_without_its_content_or_a_filter_on_trial():
    for document in (documents.Recorded, documents.EntryAdmission):
        told = document.of(RECEIPT.admission, entry_id="e1", project_id="apollo", created_at=NOW)
        assert not {"content", "shadow"} & set(told.plain())
        assert document.read(told.encode()).record() == replace(RECEIPT.admission, shadow=None)
    assert "decided_at" not in documents.FilterDecision.of(RECEIPT.admission).plain()


def test_the_state_of_an_audit_log_is_told_with_its_project():
    audit = Audit(events=3, head="9" * 64, problems=("Line 2 is missing.",))
    told = documents.Verification.of(audit, project_id="apollo")
    assert (told.project_id, told.whole) == ("apollo", False)
    assert documents.Verification.read(told.encode()).record() == audit


def test_a_new_key_is_told_with_its_text():
    told = documents.NewKey.of(key=api_key(), text="msv_k_s").plain()
    assert told == {"key": documents.Key.of(api_key()).plain(), "text": "msv_k_s"}


def test_a_promoted_insight_is_still_not_verified_itself():
    told = documents.Insight.of(_insight()).plain()
    assert (told["verified"], told["label"], told["disputed"]) == (False, "⚡️ unverified", True)
    assert told["refinement"]["label"] == "observing 1/3"
    assert told["refinement"]["needed"] == 3
    assert told["nearest"]["diff"] == [{"edit": "same", "text": "a "}, {"edit": "removed", "text": "b"}]
    assert told["decision"] == {
        "review": "promoted", "by": "ada", "at": NOW_WRITTEN, "reason": "r", "memory_id": "m",
    }  # fmt: skip


def test_a_reason_is_told_in_both_languages():
    told = documents.Reason.of(Reason.of("length.bytes", bytes=86, minimum=50)).plain()
    assert told == {
        "code": "length.bytes",
        "params": {"bytes": 86, "minimum": 50},
        "en": "86 bytes long; 50 is the least.",
        "zh": "长度 86 字节，至少需要 50 字节。",
    }


def test_a_run_and_a_replay_are_told():
    failed = DigestRun(project_id="apollo", due=NOW, outcome=RunOutcome.FAILED, error="The store is down.")
    assert documents.DigestRun.of(failed).plain() == {
        "project_id": "apollo", "due": NOW_WRITTEN, "outcome": "failed", "waiting": None, "error": "The store is down.",
    }  # fmt: skip
    made = replace(failed, digest=digest(_insight(), waiting=1))
    assert documents.DigestRun.of(made).plain()["waiting"] == 1
    change = Change(entry=entry(), before=Decision.ADMITTED, after=admission(Decision.REFUSED))
    replay = Replay(entries=9, admitted_before=5, admitted_after=4, changes=(change,))
    told = documents.Replay.of(replay, changed=1).plain()
    assert (told["changed"], told["changes"][0]["before"], told["changes"][0]["after"]["admitted"]) == (
        1, "admitted", False,
    )  # fmt: skip


def test_times_are_told_in_utc_to_the_microsecond():
    at = datetime(2026, 3, 2, 11, 0, 0, 1, tzinfo=timezone(timedelta(hours=2)))
    assert documents.Entry.of(entry(created_at=at)).plain()["created_at"] == "2026-03-02T09:00:00.000001Z"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("created_at", "yesterday"),
        ("created_at", "2026-03-02T09:00:00"),
        ("layer", "attic"),
        ("confidence", True),
        ("verified", "yes"),
        ("session_id", 7),
        ("metadata", []),
    ],
)
def test_times_words_and_numbers_are_read_strictly(name, value):
    with pytest.raises(ValidationError) as raised:
        documents.Entry.read(json.dumps({**documents.Entry.of(entry()).plain(), name: value}))
    assert raised.value.errors()[0]["loc"] == (name,)
