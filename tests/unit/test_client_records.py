"""What `memsieve.client` makes of the documents a server sends, and its own shape."""

import inspect
import json
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memsieve import client as door
from memsieve import wire
from memsieve.client import insights, records
from memsieve.client.flow import flow
from memsieve.client.project import AsyncClientProject
from memsieve.client.reader import read
from memsieve.errors import (
    SchemaOutdated,
)
from memsieve.model import (
    AgeBucket,
    AuditEvent,
    Decision,
    Dispute,
    Edit,
    Event,
    EventKind,
    ExclusionReason,
    Flow,
    FlowDay,
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
from memsieve.project import AsyncProject
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


def _memory() -> LongTermMemory:
    approved = approval("The ledger runs on PostgreSQL. " * 40, entry_ids=("e1", "e2"))
    pieces = tuple(replace(chunk, words=()) for chunk in chunks(approved))
    assert len(pieces) > 1
    return LongTermMemory(approval=approved, chunks=pieces, retired_at=NOW, retired_by="bob")


def _event() -> AuditEvent:
    fields = {"actor": "ada", "action": "promoted", "subject": "m1", "reason": "", "detail": {"content": "账本"}}
    return AuditEvent(sequence=1, project_id="apollo", at=NOW, previous="0" * 64, digest="9" * 64, **fields)


def _receipt() -> Receipt:
    said = entry(agent_id="cfo", node_id="n", confidence=0.9, metadata={"turn": [1, None, {"a": 1.5}]}, expires_at=NOW)
    judged = replace(admission(Decision.REFUSED), shadow=Decision.ADMITTED)
    return Receipt(entry=said, admission=judged, review=ReviewStatus.DISMISSED)


def _insight() -> Any:
    first, second = entry(agent_id="cfo", confidence=0.9), entry("It runs on MySQL.", session_id="s2")
    return insight(
        [source(first), source(second, doubt=SourceDoubt.CONTRARY)],
        note=Reason.of("note.proposed", actor="a", reason="b"),
        nearest=Nearest(
            memory_id="m", content="a b", similarity=0.5, diff=((Edit.ADDED, "a"),), conflict=Reason.text("no")
        ),
        disputes=(
            Dispute(
                first_id="a",
                first_quote="b",
                second_id="c",
                second_quote="d",
                difference=Reason.of("difference.dates", first="d", second="e"),
            ),
        ),
        decision=InsightDecision(review=ReviewStatus.PROMOTED, by="ada", at=NOW, reason="r", memory_id="m"),
        later=(source(second),),
    )


SERVING = Serving(answer_id="a", item_id="i", session_id=None, agent_id="cfo", query="which?", at=NOW)
COUNTS = {name: number for number, name in enumerate(Stats.__dataclass_fields__)}
FLOW = Flow(
    project_id="apollo",
    days=(FlowDay(day=NOW.date(), recorded=9, admitted=5, refused=3, pending=1, refused_by={"echo": 3}, promoted=2),),
    memory_ages=(AgeBucket(up_to_days=7, count=4), AgeBucket(up_to_days=None, count=1)),
    insight_ages=(AgeBucket(up_to_days=None, count=0),),
    oldest_insight=NOW,
    oldest_pending=None,
)
STATS = Stats(**{**COUNTS, "project_id": "apollo", "refused_by": {"echo": 3}, "working": None, "oldest_waiting": NOW})
HAPPENING = Event(position="7", project_id="apollo", kind=EventKind.DIGEST_READY, at=NOW, subject="d")
AUDIT = Audit(events=3, head="9" * 64, problems=("Line 2 is missing.",))

ROUND_TRIPS = {
    "entry": (entry(), wire.entry, records.entry),
    "receipt": (_receipt(), wire.receipt, records.receipt),
    "item": (replace(item("i", "账本"), promoted_by="ada", promoted_at=NOW), wire.item, records.item),
    "memory": (_memory(), wire.memory, records.memory),
    "tombstone": (replace(tombstone("MySQL."), words=()), wire.tombstone, records.tombstone),
    "serving": (SERVING, wire.serving, records.serving),
    "retirement": (
        Retirement(memory=replace(_memory(), retired_reason="old"), served=(SERVING,)),
        wire.retirement,
        records.retirement,
    ),
    "event": (_event(), wire.audit_event, records.audit_event),
    "key": (api_key(last_used_at=NOW, revoked_at=NOW, revoked_by="bob"), wire.key, records.key),
    "happening": (HAPPENING, wire.event, records.event),
    "lineage": (
        Lineage(entries=(_receipt(),), memories=(_memory(),), events=(_event(),), served=(SERVING,)),
        wire.lineage,
        records.lineage,
    ),
    "stats": (STATS, wire.stats, records.stats),
    "flow": (FLOW, wire.flow, flow),
    "audit": (AUDIT, lambda record: wire.audit("apollo", record), records.audit),
    "digest": (digest(_insight(), set_aside={ExclusionReason.SAID_ONCE: 4}), wire.digest, insights.digest),
    "insight": (_insight(), wire.insight, insights.insight),
    "proposal": (Proposal(entry_id="e", insight_id="insight-e", new=True), wire.proposal, insights.proposal),
}


# They follow from other fields, or are known to whoever asked.
UNREAD = {
    "item": {"label", "verified"},
    "retirement": {"reason"},
    "audit": {"whole", "project_id"},
    "insight": set(
        "label verified sessions agents lowest_confidence mean_confidence first_seen last_seen disputed".split()
    ),
}


def carried(document: Any) -> Any:
    return json.loads(json.dumps(document, allow_nan=False))


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_a_record_comes_back_as_it_was_sent(name):
    record, write, reader = ROUND_TRIPS[name]
    assert read(reader, carried(write(record))) == record


def test_an_answer_comes_back_with_the_question_that_was_asked():
    served = answer([item("i", "PostgreSQL.")])
    document = carried(wire.answer(served))
    assert records.answer(document, served.id, served.query, NOW, ("s1", None)) == served


def test_what_was_recorded_comes_back_with_the_id_and_time_of_the_server():
    kept = Receipt(entry=entry(), admission=admission())
    said = replace(kept.entry, id="", created_at=NOW - timedelta(days=1))
    assert records.recorded(carried(wire.recorded(kept)), said) == kept


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_fields_of_a_newer_server_are_passed_over_and_missing_ones_are_named(name):
    record, write, reader = ROUND_TRIPS[name]
    document = carried(write(record))
    assert read(reader, {**document, "brand_new": [1]}) == record
    needed = set(document) - UNREAD.get(name, set())
    assert len(needed) > 1
    for missing in needed:
        with pytest.raises(SchemaOutdated, match=f"answer {missing} is missing"):
            read(reader, {key: value for key, value in document.items() if key != missing})


def test_a_mistyped_field_is_named_with_its_way_and_its_value():
    document = carried(wire.receipt(_receipt()))
    document["admission"]["checks"][0]["passed"] = "yes"
    with pytest.raises(SchemaOutdated, match=r"admission\.checks\.0\.passed is 'yes', and should be true or false"):
        read(records.receipt, document)


@pytest.mark.parametrize(
    ("name", "value"),
    [("created_at", "yesterday"), ("created_at", "2026-03-02T09:00:00"), ("layer", "attic"), ("confidence", True)],
)
def test_times_words_and_numbers_are_checked(name, value):
    with pytest.raises(SchemaOutdated, match=name):
        read(records.entry, {**carried(wire.entry(entry())), name: value})


def loaded_with_the_client() -> set[str]:
    code = "import sys, memsieve.client; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_the_package_offers_two_names_and_is_light():
    assert door.__all__ == ["AsyncClient", "Client"]
    assert not {"numpy", "onnxruntime", "fastapi", "sqlite3"} & loaded_with_the_client()


def test_the_client_reads_approvals_back_and_reaches_nothing_that_could_write_or_make_one():
    services = (
        "memsieve.stores",
        "memsieve.services.stores",
        "memsieve.memory",
        "memsieve.project",
        "memsieve.review.approve",
    )
    assert not [name for name in loaded_with_the_client() if name.startswith(services)]


def test_methods_have_the_signatures_of_the_embedded_project_but_for_who_does_it():
    methods = [name for name, _ in inspect.getmembers(AsyncClientProject, inspect.isfunction) if name[0] != "_"]
    assert len(methods) > 20
    for name in methods:
        theirs = inspect.signature(getattr(AsyncProject, name))
        without = [one for one in theirs.parameters.values() if one.name != "by"]
        ours = inspect.signature(getattr(AsyncClientProject, name))
        assert ours == theirs.replace(parameters=without), name
