"""The documents of the API: what is told of requests and answers is what is checked and sent."""

import asyncio
import json
import re
import sys
import unicodedata
from datetime import timedelta

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from memsieve import validate, wire
from memsieve.api import cursors, problems, requests, responses
from memsieve.api.routes import flow as flow_routes
from memsieve.errors import InvalidInput, MemsieveError
from memsieve.model import (
    AgeBucket,
    ApiKey,
    Dispute,
    Edit,
    Event,
    EventKind,
    Flow,
    FlowDay,
    InsightDecision,
    KeyRole,
    Lineage,
    LongTermMemory,
    Nearest,
    Proposal,
    Reason,
    Receipt,
    Retirement,
    ReviewStatus,
    Serving,
    Source,
    Stats,
)
from memsieve.review.audit import Audit
from memsieve.testing import factories
from memsieve.testing.factories import NOW, entry, insight, source


def agrees(model: type[BaseModel], document: dict, *, on_request: frozenset[str] = frozenset()) -> None:
    """Say that a document has exactly the fields of its model, all the way down, and the types they promise."""
    assert model.model_validate(document, strict=False).model_dump(mode="json", exclude_unset=True) == document
    assert {name for name, field in model.model_fields.items() if not field.is_required()} == on_request


def receipt() -> Receipt:
    return Receipt(entry=entry(), admission=factories.admission(), review=ReviewStatus.PROMOTED)


def memory(**fields) -> LongTermMemory:
    approval = factories.approval("We ship on Fridays.")
    return LongTermMemory(approval=approval, chunks=tuple(factories.chunks(approval)), **fields)


SERVING = Serving(answer_id="a", item_id="i", session_id=None, agent_id="cfo", query="why?", at=NOW)


def test_what_is_recorded_is_told_as_documented():
    agrees(responses.Recorded, wire.recorded(receipt()))
    agrees(responses.EntryAdmission, wire.entry_admission("e1", receipt().admission))
    agrees(responses.Receipt, wire.receipt(receipt()))
    agrees(responses.Entry, wire.entry(entry(expires_at=NOW)))


def test_memories_and_decisions_are_told_as_documented():
    agrees(responses.Memory, wire.memory(memory()))
    agrees(responses.Memory, wire.memory(memory(retired_at=NOW, retired_by="ada", retired_reason="old")))
    agrees(responses.Tombstone, wire.tombstone(factories.tombstone("We ship on Mondays.")))
    agrees(responses.Retirement, wire.retirement(Retirement(memory=memory(), served=(SERVING,))))


def test_answers_are_told_as_documented():
    told = wire.answer(factories.answer([factories.item("i", "text"), factories.item("j", "text", Source.HOT)]))
    # It travels in the head.
    del told["answer_id"]
    agrees(responses.Answer, told, on_request=frozenset({"prompt"}))
    explained = {**told["results"][0], "why": wire.why(factories.item("i", "text"), "which text?")}
    assert explained["why"]["words"] == ["text"]
    agrees(responses.Item, explained, on_request=frozenset({"why"}))
    agrees(responses.Answer, {**told, "results": [explained], "prompt": "…"}, on_request=frozenset({"prompt"}))


def test_insights_and_digests_are_told_as_documented():
    dispute = Dispute(first_id="a", first_quote="5", second_id="b", second_quote="7", difference=Reason.text("5 and 7"))
    nearest = Nearest(memory_id="m", content="c", similarity=0.5, diff=((Edit.SAME, "c"),), conflict=None)
    decision = InsightDecision(review=ReviewStatus.PROMOTED, by="ada", at=NOW, memory_id="m")
    one = insight([source(entry())], "s", disputes=(dispute,), nearest=nearest, decision=decision)
    agrees(responses.Insight, wire.insight(one))
    agrees(responses.Digest, wire.digest(factories.digest(one)))
    agrees(responses.Proposal, wire.proposal(Proposal(entry_id="e", insight_id=one.id, new=True)))


def test_the_audit_log_and_lineage_are_told_as_documented():
    from memsieve.stores.records import Deed, chained

    deed = Deed(action="promoted", subject="m", at=NOW, reason="", detail={"a": 1})
    [event] = chained(factories.person(), None, [deed])
    agrees(responses.AuditLine, wire.audit_event(event))
    agrees(responses.Verification, wire.audit("apollo", Audit(events=1, head=event.digest, problems=("p",))))
    found = Lineage(entries=(receipt(),), memories=(memory(),), events=(event,), served=(SERVING,))
    agrees(responses.Lineage, wire.lineage(found))


def test_counts_and_keys_are_told_as_documented():
    counts = dict.fromkeys(
        "recorded admitted refused pending shadow_admitted shadow_refused memories chunks tombstones answers "
        "insights_waiting".split(),
        1,
    )
    stats = Stats(project_id="apollo", refused_by={"echo": 1}, working=None, oldest_waiting=NOW, **counts)
    agrees(responses.Stats, wire.stats(stats))
    key = ApiKey(id="k", name="n", role=KeyRole.AGENT, project_id="apollo", made_at=NOW, made_by="ada")
    agrees(responses.Key, wire.key(key))
    agrees(responses.NewKey, wire.made_key(key, "msv_k_s"))
    agrees(responses.ProjectItem, {"project_id": "apollo"})


def test_the_flow_is_told_as_documented():
    day = FlowDay(day=NOW.date(), recorded=1, refused=1, refused_by={"echo": 1})
    ages = (AgeBucket(up_to_days=1, count=1), AgeBucket(up_to_days=None, count=0))
    flow = Flow(
        project_id="apollo", days=(day,), memory_ages=ages, insight_ages=ages, oldest_insight=NOW, oldest_pending=None
    )
    agrees(flow_routes.Flow, wire.flow(flow))
    assert wire.flow(flow)["days"][0]["day"] == "2026-03-02"


@pytest.mark.parametrize("found", [3, 2, 0])
def test_a_page_is_told_as_documented_with_a_cursor_only_where_more_follows(run, found):
    key = ApiKey(id="k", name="n", role=KeyRole.ADMIN, project_id=None, made_at=NOW, made_by="ada")
    page = json.loads(run(cursors.page("keys", [key] * found, 2, wire.key, lambda one: one.id)).body)
    agrees(responses.KeyPage, page)
    assert len(page["items"]) == min(found, 2)
    assert page["next_cursor"] == (cursors.cursor_to("keys", "k") if found > 2 else None)


def test_a_page_ends_where_it_has_enough_bytes_and_has_at_least_one(run, monkeypatch):
    monkeypatch.setattr(cursors, "PAGE_BYTES", 100)
    for size, fits in ((500, 1), (40, 2), (4, 5)):
        texts = [f"{number:0{size}}" for number in range(5)]
        page = json.loads(run(cursors.cut("texts", texts, None, 5, lambda text: {"t": text})).body)
        assert [one["t"] for one in page["items"]] == texts[:fits]
        assert page["next_cursor"] == (cursors.cursor_to("texts", str(fits)) if fits < 5 else None)


def test_others_are_served_while_a_large_page_is_written(run):
    turns = 0

    async def other():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def written():
        beside = asyncio.create_task(other())
        page = await cursors.cut("texts", ["x" * 65_536] * 200, None, 200, lambda text: {"t": text})
        beside.cancel()
        return page.body

    assert cursors.PAGE_BYTES * 0.9 < len(run(written())) <= cursors.PAGE_BYTES + 200
    assert turns > 20


def test_what_happens_is_told_as_documented():
    event = Event(position="0000000000000017", project_id="apollo", kind=EventKind.PROMOTED, at=NOW, subject="m")
    agrees(responses.Event, wire.event(event))


PROJECT, NAME, TEXT = (TypeAdapter(kind) for kind in (requests.ProjectName, requests.Name, requests.Text))


def taken(kind: TypeAdapter, value: str) -> bool:
    try:
        kind.validate_python(value)
    except ValidationError:
        return False
    return True


def kept(check, value: str) -> bool:
    try:
        return check(value) == value
    except InvalidInput:
        return False


SHAPES = ["{}", "a{}", "{}a", "a{}a"]
# The first blocks whole, with all spaces, marks and invisible characters, and a sample of the rest.
CHARACTERS = [chr(number) for number in (*range(0x3100), *range(0x3100, sys.maxunicode, 211))]


@pytest.mark.parametrize("shape", SHAPES)
def test_names_are_taken_at_the_door_exactly_where_they_are_kept_unchanged(shape):
    for value in (shape.format(one) for one in CHARACTERS):
        assert taken(NAME, value) == kept(lambda text: validate.name(text, field="n"), value), ascii(value)


@pytest.mark.parametrize("shape", SHAPES)
def test_project_names_are_taken_at_the_door_exactly_where_they_are_kept_unchanged(shape):
    for one in CHARACTERS:
        value = shape.format(one)
        # Letters newer than this Python are refused further in, and what NFC spells otherwise is kept in its spelling.
        if unicodedata.category(one) != "Cn" and unicodedata.normalize("NFC", value) == value:
            assert taken(PROJECT, value) == kept(validate.project_name, value), ascii(value)


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u3000", "\x1c", "a\x00", "\x00"])
def test_blank_texts_and_nul_are_refused_at_the_door(text):
    assert not taken(TEXT, text)
    assert not kept(lambda value: validate.text(value, field="t", max_bytes=100), text)


@pytest.mark.parametrize("text", ["a", " a", "\na\n", "\u200b", "账本", "\U0001f600"])
def test_texts_with_something_in_them_are_taken_at_the_door(text):
    assert taken(TEXT, text)
    assert kept(lambda value: validate.text(value, field="t", max_bytes=100), text)


@pytest.mark.parametrize("name", ["a..b", ".a", "-a", "a b", "a/b", "a" * 129])
def test_project_names_that_lead_elsewhere_are_refused_at_the_door(name):
    assert not taken(PROJECT, name)


def test_every_error_has_a_status_of_its_own_or_its_parent_s():
    def all_of(kind):
        return [kind, *(one for child in kind.__subclasses__() for one in all_of(child))]

    for kind in all_of(MemsieveError):
        error = kind.__new__(kind)
        assert problems.status_of(error) in problems.KINDS


def test_every_kind_of_problem_has_a_name_of_its_own():
    names = [kind.name for kind in problems.KINDS.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)


@pytest.mark.parametrize("place", ["e1", "账本", 'a"b', "x" * 128])
def test_a_cursor_leads_back_to_its_place(place):
    cursor = cursors.cursor_to("audit", place)
    assert re.fullmatch(requests.CURSOR.strip("^$"), cursor)
    assert cursors.place_of("audit", cursor) == place
    with pytest.raises(InvalidInput):
        cursors.place_of("keys", cursor)


def test_a_cursor_s_number_is_never_beyond_what_stores_can_read():
    for place in ("-1", "1.5", "٣", "9" * 19, "", "x"):
        with pytest.raises(InvalidInput):
            cursors.number_of("audit", cursors.cursor_to("audit", place))
    assert cursors.number_of("audit", cursors.cursor_to("audit", "17")) == 17
    assert cursors.number_of("audit", None) == 0


def test_times_are_told_in_utc():
    assert wire.entry(entry(created_at=NOW + timedelta(microseconds=1)))["created_at"].endswith(".000001Z")
