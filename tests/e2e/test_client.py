"""`memsieve.client`: the methods of the embedded memory over a real server."""

import asyncio
import signal
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest

from memsieve.client import AsyncClient, Client
from memsieve.errors import Conflict, Forbidden, InvalidInput, NotFound
from memsieve.model import Decision, EntryFilter, EventKind, KeyRole, ReviewStatus
from memsieve.testing.server import wait_until

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
MEASURED = "Measured for an hour on staging, the gateway answers in twelve milliseconds at the median."


@pytest.fixture
def server(serve_here) -> Any:
    return serve_here()


def token_of(data) -> str:
    return (data / "reviewer.token").read_text("ascii")


def test_everything_a_project_offers_works_over_http(server, data):  # noqa: PLR0915 - one story
    with Client(server.url, key=token_of(data)) as client:
        project = client.project("apollo")
        ada = project.review(by=client.whoami())
        assert (
            ada.last_digest(),
            ada.entry("none"),
            project.memory("none"),
        ) == (None, None, None)
        assert project.admission("none") is None
        receipt = project.record(DECISION, session_id="s1", agent_id="cfo", confidence=0.93, metadata={"turn": 1})
        assert receipt.admission.admitted
        first = receipt.entry.id
        kept = ada.entry(first)
        # An agent need not know how its key is called.
        assert replace(kept.entry, embedding=None, recorded_by=None) == receipt.entry
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
        made = ada.digest(days=7, progress=lambda done, total: calls.append((done, total)))
        assert calls == [(0, 1), (1, 1)]
        assert ada.last_digest().entries == made.entries == 3
        assert [one.id for one in ada.insights()] == [one.id for one in made.insights]
        assert [one.id for one in ada.insights(limit=1)] == [one.id for one in made.insights][:1]
        assert ada.insights(after_id=made.insights[-1].id) == []
        for one in made.insights:
            assert ada.insight(one.id) == one
        assert ada.insight("insight-none") is None
        assert project.memory("insight-none") is None

        proposed = project.propose(others[0], reason="Two sessions measured it.")
        assert project.propose(others[0], reason="again") == replace(proposed, new=False)
        memory = ada.promote(first)
        assert ada.promote(first).id == memory.id
        text = ada.promote_text("We ship on Fridays.")
        assert [one.id for one in project.memories()] == [memory.id, text.id]
        assert [one.id for one in project.memories(after_id=memory.id, limit=1)] == [text.id]
        assert [one.id for one in project.memories(newest_first=True, text="SHIP")] == [text.id]
        assert project.memory(first).id == memory.id
        assert ada.dismiss(others[1], reason="twice").source_id == others[1]
        assert ada.retire(text.id, reason="we do not").memory.retired_reason == "we do not"
        with pytest.raises(NotFound) as raised:
            ada.lineage("none")
        assert raised.value.subject == "none"
        assert ada.lineage(first).memories[0].id == memory.id
        with pytest.raises(Conflict):
            ada.dismiss(first, reason="no")

        assert [one.entry.id for one in ada.log()] == [*reversed(others), first]
        assert [one.entry.id for one in ada.log(EntryFilter(limit=1))] == [others[1]]
        assert [one.entry.id for one in ada.log(EntryFilter(beyond_id=others[1], limit=1))] == [others[0]]
        assert [one.entry.id for one in ada.log(EntryFilter(review=ReviewStatus.PROMOTED, text="ledger"))] == [first]
        assert ada.log(EntryFilter(until=receipt.entry.created_at)) == []
        assert [one.entry.id for one in ada.log(EntryFilter(check="duplicate"))] == [others[1]]
        assert ada.log(EntryFilter(since=receipt.entry.created_at + timedelta(hours=1))) == []
        with pytest.raises(NotFound):
            ada.log(EntryFilter(beyond_id="none"))
        assert [one.entry.id for one in ada.log(EntryFilter(oldest_first=True))] == [
            first,
            *others,
        ]

        events = ada.audit_log()
        assert [one.action for one in events] == ["promoted", "promoted", "dismissed", "retired"]
        assert all(one.digest == one.expected_digest() for one in events)
        assert ada.audit_log(after=1, limit=2) == events[1:3]
        assert ada.audit_log(newest_first=True, before=4) == events[2::-1]
        assert ada.verify_audit().head == events[-1].digest
        ada.delete(others[1], reason="personal data")
        with pytest.raises(NotFound):
            ada.delete(others[1], reason="personal data")
        assert (project.stats().recorded, project.stats().memories) == (2, 1)
        flow = ada.flow(days=2, offset=timedelta(hours=8))
        assert [len(flow.days), sum(day.recorded for day in flow.days)] == [2, 2]
        assert [(day.promoted, day.dismissed, day.retired) for day in flow.days][-1] == (2, 1, 1)
        with pytest.raises(InvalidInput) as refused:
            ada.flow(days=0)
        assert refused.value.field == "days"
        assert client.projects() == ["apollo"]


def test_lists_longer_than_a_page_are_followed_to_their_end(server, data, monkeypatch):
    monkeypatch.setattr("memsieve.client.connection.MAX_PAGE", 2)
    with Client(server.url, key=token_of(data)) as client:
        project = client.project("apollo")
        ada = project.review(by=client.whoami())
        ids = [ada.promote_text(f"Rule number {number} holds.").id for number in range(5)]
        said = [project.record(f"Short {number}.", session_id="s1").entry.id for number in range(5)]
        assert [one.id for one in project.memories()] == ids
        assert [one.id for one in project.memories(after_id=ids[1], limit=2)] == ids[2:4]
        assert [one.sequence for one in ada.audit_log(after=2)] == [3, 4, 5]
        assert [one.entry.id for one in ada.log()] == said[::-1]
        assert [one.entry.id for one in ada.log(EntryFilter(limit=3))] == said[:1:-1]


def test_keys_are_made_used_and_revoked_and_the_name_is_the_keys(serve_here, cli):
    made = cli.json("keys", "make", "--name", "root", "--role", "admin", "--by", "ada")
    server = serve_here()
    with Client(server.url, key=made["text"]) as admin:
        key, text = admin.keys.make(name="rita", role=KeyRole.REVIEWER, project_id="apollo", by="root")
        assert (key.made_by, key.project_id) == ("root", "apollo")
        with Client(server.url, key=text) as reviewer:
            rita = reviewer.project("apollo").review(by="rita")
            assert rita.promote_text("We ship on Fridays.").approval.by == "rita"
            with pytest.raises(Forbidden, match="reaches no other"):
                reviewer.project("gemini").stats()
            with pytest.raises(Forbidden):
                reviewer.keys.list()
            assert [one.id for one in admin.keys.list("apollo")] == [key.id]
            assert admin.keys.revoke(key.id, by="root").revoked_by == "root"
            assert admin.keys.revoke(key.id, by="root").revoked_by == "root"
            with pytest.raises(Forbidden, match="key that is valid"):
                reviewer.projects()
        with pytest.raises(NotFound) as raised:
            admin.keys.revoke("00000000", by="root")
        assert raised.value.subject == "00000000"


def test_asynchronous_code_hears_what_happens_while_it_happens(server, data):
    def listened_to() -> bool:
        return "memsieve_event_streams 1.0" in httpx.get(f"{server.url}/metrics").text

    async def listen() -> list[EventKind]:
        async with AsyncClient(server.url, key=token_of(data)) as client:
            heard: list[EventKind] = []
            told = client.events("apollo")

            async def hear() -> None:
                async for one in told:
                    heard.append(one.kind)
                    if one.kind is EventKind.PROMOTED:
                        return

            hearing = asyncio.create_task(hear())
            await asyncio.to_thread(wait_until, listened_to)
            await client.project("apollo").record(DECISION, session_id="s1", confidence=0.9)
            await client.project("apollo").review(by=await client.whoami()).promote_text("We ship on Fridays.")
            await asyncio.wait_for(hearing, 20)
            await told.aclose()
            return heard

    heard = asyncio.run(listen())
    assert heard[:2] == [EventKind.RECORDED, EventKind.ADMITTED]
    assert EventKind.PROMOTED in heard


def test_what_was_done_but_whose_answer_was_lost_is_not_done_twice(server, data, failing):
    failing.behind = server.url
    with Client(failing.url, key=token_of(data)) as client:
        project = client.project("apollo")
        review = project.review(by=client.whoami())
        receipt = project.record(DECISION, session_id="s1", confidence=0.9)
        other = project.record("Too short.", session_id="s1")
        memory = review.promote(receipt.entry.id)
        text = review.promote_text("We ship on Fridays.")
        review.dismiss(other.entry.id, reason="noise")
        retired = review.retire(text.id, reason="no more")
        assert retired.memory.retired_reason == "no more"
        assert receipt.admission.admitted
        assert len(failing.seen) == 14
    with Client(server.url, key=token_of(data)) as client:
        project = client.project("apollo")
        assert [one.entry.id for one in project.review(by=client.whoami()).log()] == [
            other.entry.id,
            receipt.entry.id,
        ]
        assert [one.id for one in project.memories()] == [memory.id]
        assert [one.action for one in project.review(by=client.whoami()).audit_log()] == [
            "promoted",
            "promoted",
            "dismissed",
            "retired",
        ]


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
        wait_until(lambda reached=reached: len(receipts) >= reached)
        restarted.stop(signal.SIGKILL)
        restarted = serve("--port", str(port))
    for one in writing:
        one.join(120)
    with Client(server.url, key=token_of(data)) as client:
        kept = client.project("apollo").review(by=client.whoami()).log(EntryFilter(limit=1000))
    assert len(kept) == len({one.entry.content for one in kept}) == writers * said
    assert {one.entry.id for one in kept} == {one.entry.id for one in receipts}


def test_what_is_done_in_another_name_than_the_keys_is_refused_and_not_done(server, data):
    with Client(server.url, key=token_of(data)) as client:
        name = client.whoami()
        mallory = client.project("apollo").review(by="мэллори")
        for attempt in (
            lambda: mallory.promote_text("We ship on Fridays."),
            mallory.digest,
            mallory.insights,
            mallory.audit_log,
            lambda: client.project("apollo", agent="somebody").record(DECISION, session_id="s1"),
        ):
            with pytest.raises(Forbidden, match=f"the key belongs to '{name}'"):
                attempt()
        review = client.project("apollo").review(by=name)
        assert (review.log(), review.audit_log()) == ([], [])
        assert review.promote_text("We ship on Fridays.").approval.by == name
