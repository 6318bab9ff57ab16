"""With a language model as judge, and with an embedder over HTTP: slow, wrong, broken, and back again."""

import math
import time

import pytest

from memsieve.config import Settings
from memsieve.memory import Memory
from memsieve.model import Decision, Reason, ReviewStatus
from memsieve.testing import OpenAIServer, Reply

TEXT = "Service alpha of region beta answers to team gamma about matter delta."
BROKEN = Reply(status=500, headers={"Retry-After": "0"})


@pytest.fixture
def server():
    with OpenAIServer() as started:
        yield started


@pytest.fixture
def judged(server, data, clock, small_embedder):
    """Open a memory whose judge is the server."""

    def open_(timeout=5.0):
        settings = Settings(data=data, llm_base_url=server.base_url, llm_model="judge", llm_timeout=timeout)
        return Memory.open(settings=settings, clock=clock)

    return open_


def settled(project, count=1, seconds=10):
    """Wait until the judge has been heard on so many entries."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        decided = [
            receipt
            for receipt in project.review(by="ada@example.org").log()
            if receipt.admission.decision is not Decision.PENDING
        ]
        if len(decided) >= count:
            return decided
        time.sleep(0.01)
    raise AssertionError("The judge was not heard in time.")


def test_recording_returns_at_once_while_the_judge_thinks(server, judged):
    server.script(Reply(delay=1.0))
    with judged() as memory:
        project = memory.project("apollo")
        receipt = project.record(TEXT, session_id="s1", confidence=0.9)
        assert receipt.admission.decision is Decision.PENDING
        assert project.retrieve("alpha beta").items == ()
        assert settled(project)[0].admission.admitted
        while not project.working():
            time.sleep(0.01)
        assert [item.content for item in project.retrieve("alpha beta").items] == [TEXT]


def test_a_caller_may_wait_for_the_verdict(server, judged):
    server.script(Reply(delay=0.2))
    with judged() as memory:
        receipt = memory.project("apollo").record(TEXT, session_id="s1", confidence=0.9, wait=True)
    assert receipt.admission.admitted
    assert receipt.admission.checks[-1].reason == Reason.text("Nothing in it disagrees.")


def test_a_verdict_of_yes_refuses_with_the_judges_reason(server, judged):
    server.answer = lambda _: "YES\nIt says both that it runs and that it stands still."
    with judged() as memory:
        project = memory.project("apollo")
        receipt = project.record(TEXT, session_id="s1", confidence=0.9, wait=True)
        assert receipt.admission.decision is Decision.REFUSED
        assert receipt.admission.reasons == (Reason.text("It says both that it runs and that it stands still."),)
        assert project.working() == []


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ([Reply.chat("Perhaps.")], "Perhaps"),
        ([BROKEN] * 4, "500"),
        ([Reply(delay=math.inf)] * 4, "did not answer"),
        ([Reply.json({"choices": []})], "no message"),
        ([Reply(body=b"<html>")], "No verdict"),
    ],
)
def test_without_a_clear_verdict_nothing_is_admitted_until_the_judge_is_back(server, judged, trouble, reason):
    server.script(*trouble)
    with judged(timeout=0.3) as memory:
        project = memory.project("apollo")
        receipt = project.record(TEXT, session_id="s1", confidence=0.9, wait=True)
        assert receipt.admission.decision is Decision.PENDING
        assert reason in str(receipt.admission.reasons[0])
        assert project.working() == []
        assert project.review(by="ada@example.org").log()[0].admission == receipt.admission
        server._script.clear()
        assert [one.admission.decision for one in memory.maintenance("apollo").retry()] == [Decision.ADMITTED]
        assert [one.content for one in project.working()] == [TEXT]


def test_the_judge_is_not_asked_about_what_is_refused_anyway(server, judged):
    with judged() as memory:
        receipt = memory.project("apollo").record(TEXT, session_id="s1", confidence=0.1, wait=True)
    assert receipt.admission.decision is Decision.REFUSED
    assert server.requests == []


def test_closing_while_a_verdict_is_under_way_loses_nothing(server, judged):
    server.script(Reply(delay=math.inf))
    with judged() as memory:
        entry_id = memory.project("apollo").record(TEXT, session_id="s1", confidence=0.9).entry.id
        deadline = time.monotonic() + 5
        while not server.requests and time.monotonic() < deadline:
            time.sleep(0.01)
    with judged() as memory:
        project = memory.project("apollo")
        [waiting] = project.review(by="ada@example.org").log()
        assert (waiting.entry.id, waiting.admission.decision) == (entry_id, Decision.PENDING)
        assert memory.maintenance("apollo").retry()[0].admission.admitted


@pytest.mark.parametrize("deed", ["promote", "dismiss", "delete"])
def test_what_a_person_did_while_the_judge_thought_stands(server, judged, deed):
    server.script(Reply(delay=0.3))
    with judged() as memory:
        project = memory.project("apollo")
        entry_id = project.record(TEXT, session_id="s1", confidence=0.9).entry.id
        reason = {} if deed == "promote" else {"reason": "wrong"}
        getattr(project.review(by="ada"), deed)(entry_id, **reason)
        if deed == "delete":
            time.sleep(0.5)
            assert project.review(by="ada@example.org").log() == []
        else:
            [receipt] = settled(project)
            assert receipt.review is (ReviewStatus.PROMOTED if deed == "promote" else ReviewStatus.DISMISSED)
        assert project.working() == []
        assert [item.verified for item in project.retrieve("alpha beta").items] == ([True] if deed == "promote" else [])


def test_a_copy_said_while_the_judge_thinks_is_admitted_once(server, judged):
    server.script(Reply(delay=0.2), Reply(delay=0.1))
    with judged() as memory:
        project = memory.project("apollo")
        for session in ("s1", "s2"):
            project.record(TEXT, session_id=session, confidence=0.9)
        decisions = {receipt.admission.decision for receipt in settled(project, 2)}
        assert decisions == {Decision.ADMITTED, Decision.REFUSED}
        assert len(project.working()) == 1


@pytest.fixture
def embedded(server, data, clock):
    """Open a memory whose embedder is the server."""
    settings = Settings(data=data, embedder="openai:words", embedder_base_url=server.base_url, llm_timeout=0.5)
    with Memory.open(settings=settings, clock=clock) as memory:
        yield memory


def test_while_the_embedder_is_down_recording_stores_and_retrieval_answers_by_words(server, embedded):
    project = embedded.project("apollo")
    project.review(by="ada").promote_text("The harbour of Genoa was closed for repairs by the port authority.")
    server.script(*[BROKEN] * 50)
    receipt = project.record(TEXT, session_id="s1", confidence=0.9)
    assert receipt.admission.decision is Decision.PENDING
    assert project.review(by="ada@example.org").log()[0].entry.content == TEXT
    found = project.retrieve("Is the harbour of Genoa closed?")
    assert found.degraded == ("embedder",)
    assert [item.verified for item in found.items] == [True]
    server._script.clear()
    assert [one.admission.decision for one in embedded.maintenance("apollo").retry()] == [Decision.ADMITTED]
    assert project.retrieve("Is the harbour of Genoa closed?").degraded == ()


def test_many_outputs_at_once_wait_for_a_slow_judge_without_loss(server, judged):
    with judged() as memory:
        project = memory.project("apollo")
        for number in range(30):
            text = f"Node b{number} keeps backups in rack a{number} of hall c{number}, and team d{number} owns it."
            server.script(Reply(delay=0.05))
            project.record(text, session_id="s1", confidence=0.9)
        assert len(settled(project, 30)) == 30
        assert len(project.working()) == 30
