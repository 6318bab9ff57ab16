"""`memsieve.client`: the methods of the embedded memory over a real server, and what happens when that fails."""

import asyncio
import inspect
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from memsieve import client as door
from memsieve import wire
from memsieve.client import AsyncClient, Client, insights, records
from memsieve.client.project import AsyncClientProject
from memsieve.client.reader import read
from memsieve.errors import (
    ConfigError,
    Conflict,
    Forbidden,
    InvalidInput,
    MemsieveError,
    NotFound,
    SchemaOutdated,
    StoreUnavailable,
)
from memsieve.model import (
    Aside,
    AuditEvent,
    Decision,
    Dispute,
    Doubt,
    Edit,
    EntryFilter,
    Happening,
    HappeningKind,
    KeyRole,
    Lineage,
    LongTermMemory,
    Nearest,
    Receipt,
    Retirement,
    Review,
    Serving,
    Settlement,
    Stats,
)
from memsieve.project import AsyncProject
from memsieve.promotion.audit import Audit
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

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
MEASURED = "Measured for an hour on staging, the gateway answers in twelve milliseconds at the median."
PROBLEM = "application/problem+json"
MEMSIEVE = (sys.executable, "-m", "memsieve")


# Records


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
    return Receipt(entry=said, admission=judged, review=Review.DISMISSED)


def _insight() -> Any:
    first, second = entry(agent_id="cfo", confidence=0.9), entry("It runs on MySQL.", session_id="s2")
    return insight(
        [source(first), source(second, doubt=Doubt.CONTRARY)],
        note="a note",
        nearest=Nearest(memory_id="m", content="a b", similarity=0.5, diff=((Edit.ADDED, "a"),), conflict="no"),
        disputes=(Dispute(first_id="a", first_quote="b", second_id="c", second_quote="d", difference="e"),),
        settlement=Settlement(review=Review.PROMOTED, by="ada", at=NOW, reason="r", memory_id="m"),
        later=(source(second),),
    )


SERVING = Serving(answer_id="a", item_id="i", session_id=None, agent_id="cfo", query="which?", at=NOW)
COUNTS = {name: number for number, name in enumerate(Stats.__dataclass_fields__)}
STATS = Stats(**{**COUNTS, "project_id": "apollo", "refused_by": {"echo": 3}, "working": None, "oldest_waiting": NOW})
HAPPENING = Happening(position="7", project_id="apollo", kind=HappeningKind.DIGEST_READY, at=NOW, subject="d")
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
    "event": (_event(), wire.event, records.event),
    "key": (api_key(last_used_at=NOW, revoked_at=NOW, revoked_by="bob"), wire.key, records.key),
    "happening": (HAPPENING, wire.happening, records.happening),
    "lineage": (
        Lineage(entries=(_receipt(),), memories=(_memory(),), events=(_event(),), served=(SERVING,)),
        wire.lineage,
        records.lineage,
    ),
    "stats": (STATS, wire.stats, records.stats),
    "audit": (AUDIT, lambda record: wire.audit("apollo", record), records.audit),
    "digest": (digest(_insight(), set_aside={Aside.SAID_ONCE: 4}), wire.digest, insights.digest),
    "insight": (_insight(), wire.insight, insights.insight),
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


# The shape


def loaded_with_the_client() -> set[str]:
    code = "import sys, memsieve.client; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_the_package_offers_two_names_and_is_light():
    assert door.__all__ == ["AsyncClient", "Client"]
    assert not {"numpy", "onnxruntime", "fastapi", "sqlite3"} & loaded_with_the_client()


def test_the_client_reads_approvals_back_and_reaches_nothing_that_could_write_or_make_one():
    rooms = ("memsieve.stores", "memsieve.engines", "memsieve.memory", "memsieve.project", "memsieve.promotion.approve")
    assert not [name for name in loaded_with_the_client() if name.startswith(rooms)]


def test_methods_have_the_signatures_of_the_embedded_project_but_for_who_does_it():
    methods = [name for name, _ in inspect.getmembers(AsyncClientProject, inspect.isfunction) if name[0] != "_"]
    assert len(methods) > 20
    for name in methods:
        theirs = inspect.signature(getattr(AsyncProject, name))
        without = [one for one in theirs.parameters.values() if one.name != "by"]
        ours = inspect.signature(getattr(AsyncClientProject, name))
        assert ours == theirs.replace(parameters=without), name


# A server that fails


Answer = tuple[int, dict[str, str], bytes]


class Failing:
    """A small HTTP server that answers as it is told, in turn; the last answer stands."""

    def __init__(self) -> None:
        self.answers: list[Answer | None] = []
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.url = ""
        self.behind: str | None = None

    def add(self, status: int, body: Any = None, kind: str = PROBLEM, **headers: str) -> None:
        written = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, {"Content-Type": kind, **headers}, written))

    def cut(self) -> None:
        """Break the next connection off without an answer."""
        self.answers.append(None)

    def next(self) -> Answer | None:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def keys(self) -> list[str]:
        return [headers["idempotency-key"] for _, _, headers, _ in self.seen]


@contextmanager
def _running(server: Failing) -> Iterator[Failing]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.seen.append((self.command, self.path, headers, body))
            told = self.relayed(headers, body) if server.behind else server.next()
            self.close_connection = told is None
            if told is None:
                return
            status, extra, content = told
            self.send_response(status)
            for name, value in {**extra, "Content-Length": str(len(content))}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content)

        def relayed(self, headers: dict[str, str], body: bytes) -> Answer | None:
            """Let the server behind do it, and lose its answer the first time."""
            passed = {
                name: headers[name] for name in ("authorization", "content-type", "idempotency-key") if name in headers
            }
            done = httpx.request(self.command, f"{server.behind}{self.path}", headers=passed, content=body)
            lost = len([one for one in server.seen if one[1] == self.path and one[3] == body]) == 1
            return None if lost else (done.status_code, {"Content-Type": done.headers["content-type"]}, done.content)

        do_GET = do_POST = do_DELETE = handle_any  # noqa: N815 - as the standard library names them

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    serving = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    serving.start()
    server.url = f"http://127.0.0.1:{http.server_port}"
    yield server
    http.shutdown()
    serving.join()
    http.server_close()


@pytest.fixture
def failing() -> Iterator[Failing]:
    with _running(Failing()) as server:
        yield server


def problem(detail: str = "It went wrong.", **fields: Any) -> dict[str, Any]:
    return {"type": "urn:memsieve:problem:x", "title": "x", "detail": detail, "instance": "r1", **fields}


RECORDED = carried(wire.recorded(Receipt(entry=entry(), admission=admission())))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidInput),
        (401, Forbidden),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (413, InvalidInput),
        (421, ConfigError),
        (422, InvalidInput),
        (429, StoreUnavailable),
        (500, MemsieveError),
        (503, StoreUnavailable),
    ],
)
def test_problems_are_errors_of_the_tree_with_what_to_do(failing, status, kind):
    failing.add(status, problem("No such thing. Do another.", field="reason"))
    with Client(failing.url, patience=0) as client, pytest.raises(MemsieveError) as raised:
        client.project("apollo").dismiss("e1", reason="x")
    assert type(raised.value) is kind
    assert "No such thing. Do another." in str(raised.value)
    assert getattr(raised.value, "field", "reason") == "reason"
    assert getattr(raised.value, "subject", "e1") == "e1"


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (200, ConfigError, "with no JSON"),
        (404, ConfigError, "Check the address"),
        (403, Forbidden, "proxy refuses"),
        (502, StoreUnavailable, "try again later"),
    ],
)
def test_a_page_of_a_proxy_is_a_clear_error(failing, status, kind, told):
    failing.add(status, b"<html><h1>Gateway</h1></html>", "text/html")
    with Client(failing.url, patience=0) as client, pytest.raises(kind, match=told) as raised:
        client.project("apollo").entry("e1")
    assert "Gateway" in str(raised.value)


def test_a_redirect_is_not_followed_for_the_key_would_go_along(failing):
    failing.add(307, b"", "text/plain", Location="http://elsewhere.example/")
    with Client(failing.url, key="msv_k") as client, pytest.raises(ConfigError, match=r"elsewhere\.example"):
        client.projects()
    assert len(failing.seen) == 1


def test_a_recording_is_sent_again_under_one_key_until_it_succeeds(failing):
    failing.cut()
    for status in (502, 503, 504, 429):
        failing.add(status, problem())
    failing.add(201, RECORDED, "application/json")
    with Client(failing.url) as client:
        receipt = client.project("apollo").record(DECISION, session_id=" s1 ", metadata={"账": 1})
        client.project("apollo").record(DECISION, session_id="s1", idempotency_key="mine")
    assert receipt.entry.id == RECORDED["entry_id"]
    assert (receipt.entry.session_id, receipt.entry.content, receipt.entry.metadata) == ("s1", DECISION, {"账": 1})
    *again, mine = failing.keys()
    assert (len(again), len(set(again)), mine) == (6, 1, "mine")
    assert len({body for _, _, _, body in failing.seen[:6]}) == 1


def test_the_server_says_how_long_to_wait_and_more_than_patience_is_not_waited(failing):
    failing.add(503, problem(), Retry_After="1")
    failing.add(200, {"items": [], "next_cursor": None}, "application/json")
    begun = time.monotonic()
    with Client(failing.url) as client:
        assert client.projects() == []
        assert time.monotonic() - begun >= 1
        failing.answers.clear()
        failing.add(503, problem("Locked."), Retry_After="3600")
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match="Locked"):
            client.projects()
        assert time.monotonic() - begun < 1


@pytest.mark.parametrize(
    "deed",
    [
        lambda client: client.project("apollo").delete("e1", reason="x"),
        lambda client: client.keys.make(name="x", role=KeyRole.AGENT, project_id="apollo"),
    ],
)
def test_what_twice_would_be_another_thing_is_sent_once(failing, deed):
    failing.cut()
    failing.add(503, problem())
    with Client(failing.url) as client:
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                deed(client)
    assert len(failing.seen) == 2


def test_a_recording_that_fails_for_good_names_the_key_to_try_it_again_with(failing):
    failing.cut()
    with Client(failing.url, patience=0.3) as client, pytest.raises(StoreUnavailable) as raised:
        client.project("apollo").record(DECISION, session_id="s1")
    assert len(failing.seen) > 1
    assert f"idempotency_key={failing.keys()[0]!r}" in str(raised.value)


def test_a_server_that_is_away_or_silent_is_told_of_in_time():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(url, timeout=0.5) as client, pytest.raises(StoreUnavailable, match=r"within 0\.5 seconds"):
            client.projects()
    with Client(url, patience=0.3) as client, pytest.raises(StoreUnavailable, match="memsieve serve"):
        client.projects()


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "http://h/?q=1", "", "http://u:p@h"])
def test_a_wrong_address_is_refused_without_repeating_a_password(url):
    with pytest.raises(ConfigError) as raised:
        AsyncClient(url)
    assert "u:p" not in str(raised.value)


def test_a_key_is_never_shown_and_a_broken_one_is_refused():
    assert "msv_secret" not in repr(Client("http://localhost:1", key="msv_secret").__dict__)
    with pytest.raises(ConfigError, match="Copy it again"):
        AsyncClient("http://localhost:1", key="msv\nx")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"metadata": {"a": object()}}, "metadata"),
        ({"metadata": {"a": float("nan")}}, "metadata"),
        ({"metadata": [1]}, "metadata"),
        ({"content": "\ud800"}, "content"),
        ({"session_id": ""}, "session_id"),
        ({"idempotency_key": "账"}, "idempotency_key"),
    ],
)
def test_what_cannot_be_sent_is_refused_by_name_before_anything_is_sent(failing, fields, field):
    failing.add(500, problem())
    with Client(failing.url) as client, pytest.raises(InvalidInput) as raised:
        client.project("apollo").record(**{"content": DECISION, "session_id": "s1", **fields})
    assert raised.value.field == field
    assert failing.seen == []


def test_a_closed_client_says_so(failing):
    client = Client(failing.url)
    client.close()
    client.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        client.projects()


# The stream


def frames(*positions: str, end: str = "") -> bytes:
    told = [replace(HAPPENING, position=position) for position in positions]
    lines = [f"id: {one.position}\nevent: {one.kind}\ndata: {json.dumps(wire.happening(one))}\n\n" for one in told]
    return f": listening\n\n{''.join(lines)}{end}".encode()


def test_a_stream_that_ends_goes_on_after_the_last_position_and_new_kinds_are_passed_over(failing):
    failing.add(200, frames("1", "2", end="event: brand:new\ndata: {}\n\nid: 3\n\n"), "text/event-stream")
    failing.cut()
    failing.add(503, problem())
    failing.add(200, frames("4"), "text/event-stream")
    with Client(failing.url) as client:
        told = client.happenings("apollo", after="0")
        assert [next(told).position for _ in range(3)] == ["1", "2", "4"]
        told.close()
    assert [headers.get("last-event-id") for _, _, headers, _ in failing.seen[:4]] == ["0", "3", "3", "3"]


def test_a_position_that_is_forgotten_is_an_error_and_a_later_gap_is_logged(failing, caplog):
    failing.add(200, b"event: reset\ndata: {}\n\n", "text/event-stream")
    with Client(failing.url) as client:
        with pytest.raises(Conflict, match="Read anew"):
            next(client.happenings("apollo", after="9"))
        failing.answers.clear()
        failing.add(200, frames("5"), "text/event-stream")
        failing.add(200, b"event: reset\ndata: {}\n\n" + frames("6"), "text/event-stream")
        told = client.happenings("apollo")
        assert [next(told).position for _ in range(2)] == ["5", "6"]
        told.close()
    assert "may be missing" in caplog.text


def test_a_stream_that_is_refused_or_never_begins_is_an_error(failing):
    failing.add(403, problem("Not yours."))
    with Client(failing.url, patience=0.3) as client:
        with pytest.raises(Forbidden, match=r"Not yours\."):
            next(client.happenings("apollo"))
        failing.answers.clear()
        failing.cut()
        with pytest.raises(StoreUnavailable):
            next(client.happenings("apollo"))
        with pytest.raises(InvalidInput):
            next(client.happenings("apollo", after="账"))


# A real server


@pytest.fixture
def server(serve, data) -> Any:
    return serve()


def token_of(data) -> str:
    return (data / "reviewer.token").read_text("ascii")


def test_everything_a_project_offers_works_over_http(server, data):  # noqa: PLR0915 - one story
    with Client(server.url, key=token_of(data)) as client:
        project = client.project("apollo")
        assert (project.last_digest(), project.entry("none"), project.memory("none")) == (None, None, None)
        assert project.admission("none") is None
        receipt = project.record(DECISION, session_id="s1", agent_id="cfo", confidence=0.93, metadata={"turn": 1})
        assert receipt.admission.admitted
        first = receipt.entry.id
        kept = project.entry(first)
        assert replace(kept.entry, embedding=None) == receipt.entry
        assert project.admission(first).decision is Decision.ADMITTED
        others = [
            project.record(MEASURED, session_id=session, confidence=0.9, wait=True).entry.id for session in ("s2", "s3")
        ]
        assert [one.id for one in project.working()] == [others[0], first]
        answered = project.retrieve("which database does the ledger use?", session_id="s9")
        assert answered.items[0].entry_id == first
        assert (answered.query, answered.session_id) == ("which database does the ledger use?", "s9")
        assert DECISION in project.history_context("which database does the ledger use?")

        calls: list[tuple[int, int]] = []
        made = project.digest(days=7, progress=lambda done, total: calls.append((done, total)))
        assert calls == [(0, 1), (1, 1)]
        assert project.last_digest().entries == made.entries == 3
        assert [one.id for one in project.insights()] == [one.id for one in made.insights]
        for one in made.insights:
            assert project.insight(one.id) == one
        assert project.insight("insight-none") is None
        assert project.memory("insight-none") is None

        memory = project.promote(first)
        assert project.promote(first).id == memory.id
        text = project.promote_text("We ship on Fridays.")
        assert [one.id for one in project.memories()] == [memory.id, text.id]
        assert [one.id for one in project.memories(after_id=memory.id, limit=1)] == [text.id]
        assert project.memory(first).id == memory.id
        assert project.dismiss(others[1], reason="twice").source_id == others[1]
        assert project.retire(text.id, reason="we do not").memory.retired_reason == "we do not"
        with pytest.raises(NotFound) as raised:
            project.lineage("none")
        assert raised.value.subject == "none"
        assert project.lineage(first).memories[0].id == memory.id
        with pytest.raises(Conflict):
            project.dismiss(first, reason="no")

        assert [one.entry.id for one in project.log()] == [*reversed(others), first]
        assert [one.entry.id for one in project.log(EntryFilter(limit=1))] == [others[1]]
        assert [one.entry.id for one in project.log(EntryFilter(beyond_id=others[1], limit=1))] == [others[0]]
        assert [one.entry.id for one in project.log(EntryFilter(review=Review.PROMOTED, text="ledger"))] == [first]
        assert project.log(EntryFilter(since=receipt.entry.created_at + timedelta(hours=1))) == []
        with pytest.raises(NotFound):
            project.log(EntryFilter(beyond_id="none"))
        assert [one.entry.id for one in project.log(EntryFilter(oldest_first=True))] == [first, *others]

        events = project.events()
        assert [one.action for one in events] == ["promoted", "promoted", "dismissed", "retired"]
        assert all(one.digest == one.expected_digest() for one in events)
        assert project.events(after=1, limit=2) == events[1:3]
        assert project.verify_audit().head == events[-1].digest
        project.delete(others[1], reason="personal data")
        with pytest.raises(NotFound):
            project.delete(others[1], reason="personal data")
        assert (project.stats().recorded, project.stats().memories) == (2, 1)
        assert client.projects() == ["apollo"]


def test_lists_longer_than_a_page_are_followed_to_their_end(server, data, monkeypatch):
    monkeypatch.setattr("memsieve.client.connection.MAX_PAGE", 2)
    with Client(server.url, key=token_of(data)) as client:
        project = client.project("apollo")
        ids = [project.promote_text(f"Rule number {number} holds.").id for number in range(5)]
        said = [project.record(f"Short {number}.", session_id="s1").entry.id for number in range(5)]
        assert [one.id for one in project.memories()] == ids
        assert [one.id for one in project.memories(after_id=ids[1], limit=2)] == ids[2:4]
        assert [one.sequence for one in project.events(after=2)] == [3, 4, 5]
        assert [one.entry.id for one in project.log()] == said[::-1]
        assert [one.entry.id for one in project.log(EntryFilter(limit=3))] == said[:1:-1]


def test_keys_are_made_used_and_revoked_and_the_name_is_the_keys(serve, data):
    made = subprocess.check_output(
        [*MEMSIEVE, "keys", "make", "--name", "root", "--role", "admin", "--by", "ada", "--data", str(data)],
        text=True,
    )
    server = serve()
    with Client(server.url, key=json.loads(made)["text"]) as admin:
        key, text = admin.keys.make(name="rita", role=KeyRole.REVIEWER, project_id="apollo")
        assert (key.made_by, key.project_id) == ("root", "apollo")
        with Client(server.url, key=text) as reviewer:
            assert reviewer.project("apollo").promote_text("We ship on Fridays.").approval.by == "rita"
            with pytest.raises(Forbidden, match="reaches no other"):
                reviewer.project("gemini").stats()
            with pytest.raises(Forbidden):
                reviewer.keys.list()
            assert [one.id for one in admin.keys.list("apollo")] == [key.id]
            assert admin.keys.revoke(key.id).revoked_by == admin.keys.revoke(key.id).revoked_by == "root"
            with pytest.raises(Forbidden, match="key that is valid"):
                reviewer.projects()
        with pytest.raises(NotFound) as raised:
            admin.keys.revoke("00000000")
        assert raised.value.subject == "00000000"


def test_asynchronous_code_hears_what_happens_while_it_happens(server, data):
    async def listen() -> list[HappeningKind]:
        async with AsyncClient(server.url, key=token_of(data)) as client:
            heard: list[HappeningKind] = []
            told = client.happenings("apollo")

            async def hear() -> None:
                async for one in told:
                    heard.append(one.kind)
                    if one.kind is HappeningKind.PROMOTED:
                        return

            hearing = asyncio.create_task(hear())
            await asyncio.sleep(1)
            await client.project("apollo").record(DECISION, session_id="s1", confidence=0.9)
            await client.project("apollo").promote_text("We ship on Fridays.")
            await asyncio.wait_for(hearing, 20)
            await told.aclose()
            return heard

    heard = asyncio.run(listen())
    assert heard[:2] == [HappeningKind.RECORDED, HappeningKind.ADMITTED]
    assert HappeningKind.PROMOTED in heard


def test_what_was_done_but_whose_answer_was_lost_is_not_done_twice(server, data, failing):
    failing.behind = server.url
    with Client(failing.url, key=token_of(data)) as client:
        project = client.project("apollo")
        receipt = project.record(DECISION, session_id="s1", confidence=0.9)
        other = project.record("Too short.", session_id="s1")
        memory = project.promote(receipt.entry.id)
        text = project.promote_text("We ship on Fridays.")
        project.dismiss(other.entry.id, reason="noise")
        retired = project.retire(text.id, reason="no more")
        assert retired.memory.retired_reason == "no more"
        assert receipt.admission.admitted
        assert len(failing.seen) == 12
    with Client(server.url, key=token_of(data)) as client:
        project = client.project("apollo")
        assert [one.entry.id for one in project.log()] == [other.entry.id, receipt.entry.id]
        assert [one.id for one in project.memories()] == [memory.id]
        assert [one.action for one in project.events()] == ["promoted", "promoted", "dismissed", "retired"]


def test_a_server_that_is_killed_and_restarted_in_between_doubles_and_loses_nothing(serve, data):
    server = serve()
    port, writers, said, receipts = server.port, 4, 15, []

    def write(writer: int) -> None:
        with Client(server.url, patience=90, timeout=120) as client:
            for number in range(said):
                text = f"Finding {number} of writer {writer}: service {number} answers to team {writer * 3}."
                receipts.append(client.project("apollo").record(text, session_id=f"s{number}"))

    writing = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
    for one in writing:
        one.start()
    restarted = server
    for reached in (5, 30):
        _until(lambda reached=reached: len(receipts) >= reached)
        restarted.stop(signal.SIGKILL)
        restarted = serve("--port", str(port))
    for one in writing:
        one.join(120)
    with Client(server.url, key=token_of(data)) as client:
        kept = client.project("apollo").log(EntryFilter(limit=1000))
    assert len(kept) == len({one.entry.content for one in kept}) == writers * said
    assert {one.entry.id for one in kept} == {one.entry.id for one in receipts}


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.002)
