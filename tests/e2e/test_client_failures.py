"""`memsieve.client` before a server that fails, is slow, away, or says something odd."""

import time
from dataclasses import replace
from typing import Any

import pytest

from memsieve import documents
from memsieve.client import AsyncClient, Client
from memsieve.errors import ConfigError, Conflict, Forbidden, InvalidInput, MemsieveError, NotFound, StoreUnavailable
from memsieve.model import Event, EventKind, KeyRole
from memsieve.testing.factories import NOW, admission

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."


def problem(detail: str = "It went wrong.", **fields: Any) -> dict[str, Any]:
    return {"type": "urn:memsieve:problem:x", "title": "x", "detail": detail, "instance": "r1", **fields}


RECORDED = documents.Recorded.of(admission(), entry_id="e1", project_id="apollo", created_at=NOW).plain()


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
        client.project("apollo").review(by="ada@example.org").dismiss("e1", reason="x")
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
        client.project("apollo").review(by="ada@example.org").entry("e1")
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
        assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    "deed",
    [
        lambda client: client.project("apollo").review(by="ada@example.org").delete("e1", reason="x"),
        lambda client: client.keys.make(name="x", role=KeyRole.AGENT, project_id="apollo", by="ada@example.org"),
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


def frames(*positions: str, end: str = "") -> bytes:
    news = Event(position="", project_id="apollo", kind=EventKind.DIGEST_READY, at=NOW, subject="d")
    told = [replace(news, position=position) for position in positions]
    lines = [
        f"id: {one.position}\nevent: {one.kind}\ndata: {documents.Event.of(one).encode().decode()}\n\n" for one in told
    ]
    return f": listening\n\n{''.join(lines)}{end}".encode()


def test_a_stream_that_ends_goes_on_after_the_last_position_and_new_kinds_are_passed_over(failing):
    failing.add(200, frames("1", "2", end="event: brand:new\ndata: {}\n\nid: 3\n\n"), "text/event-stream")
    failing.cut()
    failing.add(503, problem())
    failing.add(200, frames("4"), "text/event-stream")
    with Client(failing.url) as client:
        told = client.events("apollo", after="0")
        assert [next(told).position for _ in range(3)] == ["1", "2", "4"]
        told.close()
    assert [headers.get("last-event-id") for _, _, headers, _ in failing.seen[:4]] == ["0", "3", "3", "3"]


def test_a_position_that_is_forgotten_is_an_error_and_a_later_gap_is_logged(failing, caplog):
    failing.add(200, b"event: reset\ndata: {}\n\n", "text/event-stream")
    with Client(failing.url) as client:
        with pytest.raises(Conflict, match="Read anew"):
            next(client.events("apollo", after="9"))
        failing.answers.clear()
        failing.add(200, frames("5"), "text/event-stream")
        failing.add(200, b"event: reset\ndata: {}\n\n" + frames("6"), "text/event-stream")
        told = client.events("apollo")
        assert [next(told).position for _ in range(2)] == ["5", "6"]
        told.close()
    assert "may be missing" in caplog.text


def test_a_stream_that_is_refused_or_never_begins_is_an_error(failing):
    failing.add(403, problem("Not yours."))
    with Client(failing.url, patience=0.3) as client:
        with pytest.raises(Forbidden, match=r"Not yours\."):
            next(client.events("apollo"))
        failing.answers.clear()
        failing.cut()
        with pytest.raises(StoreUnavailable):
            next(client.events("apollo"))
        with pytest.raises(InvalidInput):
            next(client.events("apollo", after="账"))
