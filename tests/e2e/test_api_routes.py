"""The way of the data through the HTTP door: record, ask, digest, decide, trace."""

import asyncio
import json
import re
from typing import Any

import pytest

from memsieve.api.observability.tracing import TracedProject
from memsieve.errors import StoreUnavailable
from memsieve.ingress.recording import Ingress
from memsieve.model import Admission, NotChecked, Reason, Receipt
from memsieve.stores.sqlite.keys import SqliteKeys
from memsieve.stores.sqlite.working import SqliteWorking
from memsieve.testing.server import wait_until

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
FACTS = [
    DECISION,
    "The office in Berlin moves to the new building by the river in the second week of May.",
    "The release train leaves every Friday at noon, and hotfixes need the approval of Grace.",
    "The marketing budget of next year is seven million euros, half of it for the fair in Tokyo.",
    "The vendor contract with Globex ends in September and is renewed by itself for two years.",
]
BODY = {"session_id": "s1", "content": DECISION, "confidence": 0.93}


@pytest.fixture
def agent(api):
    return api.keys["agent"]


@pytest.fixture
def reviewer(api):
    return api.keys["reviewer"]


def test_what_is_recorded_is_decided_on_and_served(api, agent):
    recorded = api.post("/memory/quarantine", {**BODY, "metadata": {"turn": 3}}, key=agent)
    assert recorded.status_code == 201
    told = recorded.json()
    assert (told["decision"], told["admitted"], told["reasons"]) == ("admitted", True, [])
    assert [check["name"] for check in told["checks"]][:2] == ["length", "confidence"]
    answer = api.post("/memory/query", {"query": "which database does the ledger use?"}, key=agent).json()
    [item] = answer["results"]
    assert (item["entry_id"], item["source"], item["verified"]) == (told["entry_id"], "hot", False)
    assert answer["degraded"] == []
    [working] = api.get("/memory/working", key=agent).json()["items"]
    assert (working["content"], working["metadata"]) == (DECISION, {"turn": 3})


def test_a_refusal_is_told_with_its_reasons_and_is_no_error(api, agent):
    told = api.post("/memory/quarantine", {**BODY, "confidence": 0.5}, key=agent)
    assert told.status_code == 201
    assert told.json()["decision"] == "refused"
    [reason] = told.json()["reasons"]
    assert (reason["code"], reason["params"]) == ("confidence.score", {"confidence": 0.5, "minimum": 0.8})
    assert "0.5" in reason["en"]
    assert "置信度为 0.5" in reason["zh"]


def test_where_it_lies_leads_to_what_became_of_it(api, agent):
    recorded = api.post("/memory/quarantine", BODY, key=agent)
    told = api.client.get(recorded.headers["location"], headers={"Authorization": f"Bearer {agent}"}).json()
    assert (told["entry_id"], told["decision"]) == (recorded.json()["entry_id"], "admitted")
    named = api.post("/memory/quarantine", {**BODY, "project_id": "项目:1"}, key=api.keys["admin"])
    assert api.client.get(named.headers["location"]).status_code == 200


def test_agents_are_told_what_became_of_an_entry_without_a_word_of_it(api, agent, reviewer):
    torn = "The launch of Zebra is on 9 June. The launch of Zebra is on 16 June."
    recorded = api.post("/memory/quarantine", {**BODY, "content": torn}, key=agent).json()
    path = f"/memory/entries/{recorded['entry_id']}/admission"
    assert "Zebra" in str(api.get(path, key=reviewer).json()["reasons"])
    told = api.get(path, key=agent).json()
    assert [reason["en"] for reason in told["reasons"]] == ["It did not pass the check consistency."]
    assert {one["name"]: one["passed"] for one in told["checks"]}["consistency"] is False
    assert "Zebra" not in str(told)


def test_a_key_that_was_valid_lets_record_while_the_store_is_down_and_nothing_else(api, agent, monkeypatch):
    assert api.post("/memory/query", {"query": "ledger"}, key=agent).status_code == 200
    unused = api.key("agent")

    async def down(_keys, _key_id):
        raise StoreUnavailable("The database does not answer.")

    monkeypatch.setattr(SqliteKeys, "get", down)
    assert api.post("/memory/quarantine", BODY, key=agent).status_code == 201
    assert api.post("/memory/query", {"query": "ledger"}, key=agent).status_code == 503
    assert api.post("/memory/quarantine", BODY, key=unused).status_code == 503


def test_the_same_idempotency_key_is_stored_once_and_answered_the_same(api, agent):
    first = api.post("/memory/quarantine", BODY, key=agent, **{"Idempotency-Key": "turn-7"})
    again = api.post("/memory/quarantine", BODY, key=agent, **{"Idempotency-Key": "turn-7"})
    assert (again.status_code, again.content) == (201, first.content)
    assert api.get("/stats", key=agent).json()["recorded"] == 1
    other = api.post("/memory/quarantine", {**BODY, "content": "Other."}, key=agent, **{"Idempotency-Key": "turn-7"})
    assert (other.status_code, other.json()["type"]) == (409, "urn:memsieve:problem:conflict")


def test_what_is_not_decided_yet_is_accepted_and_followed(api, agent, monkeypatch):
    async def record(_ingress, _scope, entry, *, idempotency_key, wait):
        pending = Admission.without_checks(NotChecked.SPOOLED, Reason.of("pending.spooled"), at=entry.created_at)
        return Receipt(entry=entry, admission=pending)

    monkeypatch.setattr(Ingress, "record", record)
    told = api.post("/memory/quarantine", BODY, key=agent)
    assert (told.status_code, told.json()["decision"]) == (202, "pending")
    assert told.json()["entry_id"] in told.headers["location"]


def test_a_caller_may_wait_for_a_slow_judge(api, agent, monkeypatch):
    asked = []
    real = Ingress.record

    async def record(*arguments, wait, **options):
        asked.append(wait)
        return await real(*arguments, wait=wait, **options)

    monkeypatch.setattr(Ingress, "record", record)
    for query in ("", "?wait=true", "?wait=false"):
        assert api.send("POST", f"/memory/quarantine{query}", key=agent, json=BODY).status_code == 201
    assert asked == [False, True, False]
    assert api.send("POST", "/memory/quarantine?wait=yes", key=agent, json=BODY).status_code == 422


def test_a_caller_may_have_it_decided_later(api, agent):
    told = api.send("POST", "/memory/quarantine?decide=later", key=agent, json=BODY)
    assert (told.status_code, told.json()["decision"]) == (202, "pending")
    wait_until(lambda: api.send("GET", told.headers["location"][7:], key=agent).json()["decision"] == "admitted")
    assert api.send("POST", "/memory/quarantine?decide=never", key=agent, json=BODY).status_code == 422
    assert api.get("/stats", key=agent).json()["recorded"] == 1
    # Who waits is answered when it is decided.
    assert api.send("POST", "/memory/quarantine?decide=later&wait=true", key=agent, json=BODY).status_code == 201


def test_a_person_s_text_is_served_as_verified_until_it_is_retired(api, agent, reviewer):
    memory = api.post("/memory/ingest", {"group_id": "apollo", "content": "We ship on Fridays."}, key=reviewer)
    assert memory.status_code == 201
    asked = {"group_id": "apollo", "query": "when do we ship?", "session_id": "s9"}
    [item] = api.post("/memory/query", asked, key=agent).json()["results"]
    assert (item["verified"], item["memory_id"]) == (True, memory.json()["id"])
    [listed] = api.get("/memory/longterm", key=reviewer).json()["items"]
    assert listed == memory.json()
    gone = {"id": memory.json()["id"], "reason": "we ship daily"}
    retirement = api.post("/memory/retire", gone, key=reviewer).json()
    assert [serving["session_id"] for serving in retirement["served"]] == ["s9"]
    assert retirement["reason"] == "we ship daily"
    assert api.post("/memory/query", asked, key=agent).json()["results"] == []


def test_an_atom_is_a_source_of_the_text_that_it_is(api, agent, reviewer):
    body = {"content": "We ship on Fridays.", "atom": "kb-1:a1"}
    memory = api.post("/memory/ingest", body, key=reviewer)
    assert (memory.status_code, memory.json()["entry_ids"]) == (201, ["atom:kb-1:a1"])
    lineage = api.get("/memory/entries/atom:kb-1:a1/lineage", key=reviewer).json()
    assert [one["id"] for one in lineage["memories"]] == [memory.json()["id"]]
    assert api.post("/memory/ingest", body, key=agent).status_code == 403


@pytest.mark.parametrize("atom", ["", "a", ":a", "a:", "a b:c", "a:b:c", "a:" + "b" * 62, "库:甲", 7])
def test_what_names_no_atom_is_refused(api, reviewer, atom):
    refused = api.post("/memory/ingest", {"content": "We ship on Fridays.", "atom": atom}, key=reviewer)
    assert refused.status_code == 422


def test_of_a_superseded_memory_only_what_nobody_says_any_more_is_buried(api, agent, reviewer):
    former = [
        api.post("/memory/ingest", {"content": content}, key=reviewer).json()["id"]
        for content in (f"{DECISION} So it is.", "The gateway answers in twelve milliseconds at the median, measured.")
    ]
    api.post("/memory/ingest", {"content": DECISION}, key=reviewer)
    for memory_id in former:
        gone = {"id": memory_id, "reason": "put otherwise", "superseded": True}
        assert api.post("/memory/retire", gone, key=reviewer).status_code == 200
    said = [
        api.post("/memory/quarantine", {"session_id": "s1", "content": content, "confidence": 0.95}, key=agent)
        for content in (DECISION, "The gateway answers in twelve milliseconds at the median, measured.")
    ]
    assert [one.json()["decision"] for one in said] == ["admitted", "refused"]


def test_a_digest_is_made_read_and_decided_on(api, reviewer):
    missing = api.get("/memory/digest", key=reviewer)
    assert (missing.status_code, "POST /memory/digest" in missing.json()["detail"]) == (404, True)
    api.record()
    api.record(FACTS[1])
    made = api.post("/memory/digest", {"days": 7}, key=reviewer).json()
    assert api.get("/memory/digest", key=reviewer).json()["insights"] == made["insights"]
    first, second = api.get("/memory/insights", key=reviewer).json()["items"]
    text = "The ledger runs on PostgreSQL."
    assert api.post("/memory/promote", {"id": first["id"], "text": text}, key=reviewer).json()["content"] == text
    reason = {"id": second["id"], "reason": "of no use later"}
    assert api.post("/memory/dismiss", reason, key=reviewer).json()["kind"] == "dismissed"
    assert api.get("/memory/insights", key=reviewer).json()["items"] == []
    decided = api.get("/memory/insights", key=reviewer, decided="true").json()["items"]
    assert {one["decision"]["review"] for one in decided} == {"promoted", "dismissed"}
    page = api.get("/memory/insights", key=reviewer, decided="true", limit="1").json()
    rest = api.get("/memory/insights", key=reviewer, decided="true", limit="1", cursor=page["next_cursor"]).json()
    assert (page["items"] + rest["items"], rest["next_cursor"]) == (decided, None)
    after = api.get("/memory/insights", key=reviewer, decided="true", after_id=decided[0]["id"]).json()
    assert after["items"] == decided[1:]
    assert api.get("/memory/insights", key=reviewer, decided="true", after_id="insight-none").status_code == 404
    late = api.post("/memory/promote", {"id": second["id"]}, key=reviewer)
    assert (late.status_code, "the-reviewer" in late.json()["detail"]) == (409, True)


def test_an_entry_is_read_traced_and_deleted(api, reviewer):
    entry_id = api.record()["entry_id"]
    receipt = api.get(f"/memory/entries/{entry_id}", key=reviewer).json()
    assert receipt["entry"]["content"] == DECISION
    api.post("/memory/promote", {"id": entry_id}, key=reviewer)
    lineage = api.get(f"/memory/entries/{entry_id}/lineage", key=reviewer).json()
    assert [event["action"] for event in lineage["events"]] == ["promoted"]
    other = api.record("The office in Berlin moves to the new building by the river in May.")["entry_id"]
    deleted = api.send("DELETE", f"/memory/entries/{other}", key=reviewer, params={"reason": "personal"})
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert api.get(f"/memory/entries/{other}", key=reviewer).status_code == 404
    last = api.get("/audit", key=reviewer).json()["items"][-1]
    assert (last["action"], last["subject"], last["reason"], last["actor"]) == (
        "deleted", other, "personal", "the-reviewer",
    )  # fmt: skip


def test_quarantine_is_narrowed_by_what_one_looks_for(api, reviewer):
    api.record()
    api.record("短")
    listed = api.get("/memory/quarantine", key=reviewer, decision="refused").json()["items"]
    assert [receipt["entry"]["content"] for receipt in listed] == ["短"]
    assert len(api.get("/memory/quarantine", key=reviewer, search="postgresql").json()["items"]) == 1
    assert api.get("/memory/quarantine", key=reviewer, session_id="s2").json()["items"] == []
    assert api.get("/memory/quarantine", key=reviewer, review="promoted").json()["items"] == []
    [short] = api.get("/memory/quarantine", key=reviewer, check="length").json()["items"]
    assert short["entry"]["content"] == "短"
    before = api.get("/memory/quarantine", key=reviewer, until=short["entry"]["created_at"]).json()["items"]
    assert [receipt["entry"]["content"] for receipt in before] == [DECISION]


@pytest.mark.parametrize("path", ["/memory/quarantine", "/memory/longterm", "/memory/insights", "/audit"])
def test_a_list_comes_in_pages_without_gaps_or_repeats(api, reviewer, path):
    for fact in FACTS:
        api.record(fact)
        api.post("/memory/ingest", {"content": f"Noted: {fact}"}, key=reviewer)
    api.post("/memory/digest", {}, key=reviewer)
    whole = api.get(path, key=reviewer, limit=1000).json()
    assert whole["next_cursor"] is None
    assert len(whole["items"]) >= 5
    pages, cursor = [], {}
    while cursor is not None:
        page = api.get(path, key=reviewer, limit=2, **cursor).json()
        assert len(page["items"]) <= 2
        pages += page["items"]
        cursor = page["next_cursor"] and {"cursor": page["next_cursor"]}
    assert pages == whole["items"]


@pytest.mark.parametrize("path", ["/memory/quarantine", "/memory/longterm", "/memory/insights", "/audit"])
def test_a_page_ends_where_it_is_large_enough_and_its_cursor_leads_on(api, reviewer, path, monkeypatch):
    for fact in FACTS:
        api.record(fact)
        api.post("/memory/ingest", {"content": f"Noted: {fact}"}, key=reviewer)
    api.post("/memory/digest", {}, key=reviewer)
    whole = api.get(path, key=reviewer, limit=1000).json()["items"]
    monkeypatch.setattr("memsieve.api.pagination.PAGE_BYTES", 1500)
    items, cursor, pages = [], {}, 0
    while cursor is not None:
        answer = api.get(path, key=reviewer, limit=1000, **cursor)
        page = answer.json()
        assert len(page["items"]) == 1 or len(answer.content) < 1700
        items += page["items"]
        pages += 1
        cursor = page["next_cursor"] and {"cursor": page["next_cursor"]}
    assert items == whole
    assert pages > 1


def test_projects_and_keys_come_in_pages_too(api):
    for project in ("a", "b", "c"):
        api.record(project=project)
    first = api.get("/projects", key=api.keys["admin"], limit=2).json()
    second = api.get("/projects", key=api.keys["admin"], limit=1000, cursor=first["next_cursor"]).json()
    whole = api.get("/projects", key=api.keys["admin"]).json()["items"]
    assert first["items"] + second["items"] == whole
    keys = api.get("/keys", key=api.keys["admin"], limit=3).json()
    assert (len(keys["items"]), keys["next_cursor"] is None) == (3, False)
    of_apollo = api.get("/keys", key=api.keys["admin"], project_id="apollo").json()["items"]
    assert {key["role"] for key in of_apollo} == {"agent", "reviewer", "auditor"}


@pytest.mark.parametrize("cursor", ["x", "bm9uc2Vuc2U", "WyJhdWRpdCIsICI5Il0", "W1tdXQ", "WyJxdWFyYW50aW5lIiwgMV0"])
def test_a_cursor_that_this_list_did_not_give_is_refused(api, reviewer, cursor):
    answer = api.get("/memory/quarantine", key=reviewer, cursor=cursor)
    assert (answer.status_code, answer.json()["field"]) == (422, "cursor")


def test_a_page_after_what_was_deleted_is_refused_and_not_taken_for_the_end(api, reviewer):
    for text in ("one", "two", "three"):
        api.record(text)
    page = api.get("/memory/quarantine", key=reviewer, limit=1).json()
    gone = page["items"][0]["entry"]["id"]
    api.send("DELETE", f"/memory/entries/{gone}", key=reviewer, params={"reason": "personal"})
    answer = api.get("/memory/quarantine", key=reviewer, limit=1, cursor=page["next_cursor"])
    assert (answer.status_code, answer.json()["field"]) == (422, "cursor")


def test_events_tell_what_happened_since_without_any_content(open_api):
    api = open_api(stream_seconds=0.5)
    position = api.client.portal.call(api.client.app.state.memsieve.memory.events.newest)
    recorded = api.record()
    api.post("/memory/ingest", {"content": "We ship on Fridays."}, key=api.keys["reviewer"])
    api.record(project="hermes")
    stream = api.send("GET", "/events", key=api.keys["agent"], headers={"Last-Event-ID": position})
    assert stream.headers["content-type"].startswith("text/event-stream")
    told = [json.loads(line[6:]) for line in stream.text.splitlines() if line.startswith("data: {")]
    assert [event["kind"] for event in told] == ["recorded", "admitted", "promoted", "knowledge:updated"]
    assert {event["project_id"] for event in told} == {"apollo"}
    assert told[0]["subject"] == recorded["entry_id"]
    assert "Fridays" not in stream.text
    assert "PostgreSQL" not in stream.text


def test_a_stream_ends_when_its_key_is_revoked(open_api, monkeypatch):
    monkeypatch.setattr("memsieve.api.routes.events.HEARTBEAT_SECONDS", 0.05)
    api = open_api(stream_seconds=60)
    key = api.key("agent")
    streaming = api.client.portal.start_task_soon(asyncio.to_thread, lambda: api.get("/events", key=key).text)
    wait_until(lambda: _streams(api) == 1)
    api.send("DELETE", f"/keys/{key.split('_')[1]}", key=api.keys["admin"])
    assert ": listening" in streaming.result(10)


def test_a_listener_whose_key_was_revoked_is_told_nothing_more(open_api, monkeypatch):
    monkeypatch.setattr("memsieve.api.routes.events.RECHECK_SECONDS", 0.0)
    api = open_api(stream_seconds=60)
    key, streaming = _listening(api)
    api.send("DELETE", f"/keys/{key.split('_')[1]}", key=api.keys["admin"])
    api.record()
    assert "recorded" not in streaming.result(10)


@pytest.mark.parametrize(("seconds", "looked_up"), [(60.0, False), (0.0, True)])
def test_a_listener_is_looked_up_before_an_event_where_the_last_look_is_too_old(
    open_api, monkeypatch, seconds, looked_up
):
    asked = []

    async def known(request: object) -> bool:
        asked.append(request)
        return True

    monkeypatch.setattr("memsieve.api.routes.events.still_authenticated", known)
    monkeypatch.setattr("memsieve.api.routes.events.RECHECK_SECONDS", seconds)
    _, streaming = _listening(api := open_api(stream_seconds=1.0))
    api.record()
    assert "event: recorded" in streaming.result(10)
    assert bool(asked) is looked_up


def test_one_caller_cannot_hold_all_event_streams(open_api):
    api = open_api(stream_seconds=60, max_streams=8)
    key, first = _listening(api)
    _, second = _listening(api, key)
    refused = api.get("/events", key=key)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "30")
    assert "You have 2 event streams open" in refused.json()["detail"]
    assert api.get("/projects", key=key).status_code == 200
    _, other = _listening(api)
    api.client.portal.call(api.client.app.state.memsieve.events.close)
    assert {stream.result(10)[:4] for stream in (first, second, other)} == {"id: "}


def test_a_stream_that_is_refused_or_over_takes_no_seat(open_api):
    api = open_api(max_streams=8)
    for _ in range(3):
        assert api.send("GET", "/events", key=api.keys["agent"], headers={"Last-Event-ID": "-"}).status_code == 422
    for _ in range(3):
        assert api.get("/events", key=api.keys["agent"]).status_code == 200


def _listening(api: Any, key: str | None = None) -> tuple[str, Any]:
    """Open a stream beside the test, and return its key and what it will have said."""
    key, before = key or api.key("agent"), _streams(api)
    streaming = api.client.portal.start_task_soon(asyncio.to_thread, lambda: api.get("/events", key=key).text)
    wait_until(lambda: _streams(api) > before)
    return key, streaming


def _streams(api: Any) -> float:
    """Count the streams that are open."""
    metrics = api.client.get("/metrics").text
    return float(re.search(r"^memsieve_event_streams (\S+)$", metrics, re.MULTILINE)[1])


def test_a_position_that_no_stream_gave_is_refused_before_the_stream_begins(api):
    answer = api.send("GET", "/events", key=api.keys["agent"], headers={"Last-Event-ID": "-"})
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")


def test_a_store_that_does_not_answer_is_told_with_when_to_come_again_and_not_where_it_is(
    api, agent, monkeypatch, caplog
):
    async def retrieve(*_arguments, **_options):
        raise StoreUnavailable("redis://cache:6379 does not answer, nor does /srv/memsieve.db.")

    monkeypatch.setattr(TracedProject, "retrieve", retrieve)
    answer = api.post("/memory/query", {"query": "ledger"}, key=agent)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json() == {
        "type": "urn:memsieve:problem:unavailable",
        "title": "Not available now",
        "status": 503,
        "detail": "The database cannot be used now. Try again in a few seconds; the log of the server says more, by "
        "the request id.",
        "instance": answer.headers["x-request-id"],
    }
    assert [api.post("/memory/query", {"query": "ledger"}, key=agent).status_code for _ in range(9)] == [503] * 9
    lines = [record.getMessage() for record in caplog.records if "redis://cache:6379 does not" in record.getMessage()]
    assert lines[0].startswith(f"Request {answer.headers['x-request-id']} was not served: StoreUnavailable: ")
    assert len(lines) < 5


def test_a_receipt_does_not_tell_where_a_store_is(api, agent, monkeypatch, caplog):
    async def down(*_arguments):
        raise StoreUnavailable("Redis at redis://cache:6379 is away.", public="Redis is away.")

    monkeypatch.setattr(SqliteWorking, "list", down)
    answer = api.post("/memory/quarantine", BODY, key=agent)
    assert answer.status_code == 202
    assert [reason["en"] for reason in answer.json()["reasons"]] == ["Not decided, tried again later: Redis is away."]
    assert "redis://" not in answer.text
    assert "StoreUnavailable: Redis at redis://cache:6379 is away." in caplog.text


def test_an_error_of_the_server_s_own_leaves_no_trace_in_the_answer(api, agent, monkeypatch, caplog):
    async def stats(_project):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(TracedProject, "stats", stats)
    answer = api.get("/stats", key=agent)
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert "secret" not in answer.text
    assert answer.headers["x-request-id"] in caplog.text
    assert "secret detail" in caplog.text


def test_a_caller_who_asks_too_often_waits(open_api):
    from memsieve.config import Settings

    api = open_api(settings=Settings(rate_limit=5))
    agent = api.keys["agent"]
    answers = [api.get("/projects", key=agent) for _ in range(8)]
    limited = [answer for answer in answers if answer.status_code == 429]
    assert limited
    assert int(limited[0].headers["retry-after"]) >= 1
    assert api.get("/projects", key=api.keys["auditor"]).status_code == 200


def test_the_document_is_served_and_no_page_that_loads_scripts_from_elsewhere(api):
    document = api.client.get("/openapi.json").json()
    assert (document["info"]["title"], document["openapi"][:2]) == ("memsieve", "3.")
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert {api.client.get(path).status_code for path in ("/docs", "/redoc")} == {404}


def test_requests_at_the_same_time_do_not_mix_up_callers(api):
    import httpx2

    app = api.client.app

    async def ask(client, role):
        answer = await client.get("/api/v1/keys", headers={"Authorization": f"Bearer {api.keys[role]}"})
        return role, answer.status_code

    async def ask_all():
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await asyncio.gather(*(ask(client, role) for role in [*api.keys] * 10))

    answers = api.client.portal.call(ask_all)
    assert {status for role, status in answers if role == "admin"} == {200}
    assert {status for role, status in answers if role != "admin"} == {403}
