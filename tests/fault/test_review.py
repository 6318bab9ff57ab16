"""A person's actions while Redis is down: refused before anything is written, and done when it is back."""

import asyncio
import time
from contextlib import suppress

import pytest

from memsieve.config import Settings
from memsieve.errors import NotFound, StoreUnavailable
from memsieve.memory import Memory
from memsieve.testing.factories import system

pytestmark = pytest.mark.usefixtures("small_embedder")
TEXT = "The team decided to keep the ledger of the region in a database with transactions."


@pytest.fixture
def server(start_engine):
    return start_engine("postgres-18+redis")


@pytest.fixture
def memory(server, data):
    settings = Settings(data=data, database_url=server.database_url, redis_url=server.redis_url)
    with Memory.open(settings=settings) as opened:
        yield opened


@pytest.fixture
def other(server, data):
    """Open the same memory as another process does, with turns of its own."""
    settings = Settings(data=data, database_url=server.database_url, redis_url=server.redis_url)
    with Memory.open(settings=settings) as opened:
        yield opened


def promote(project, entry):
    return project.review(by="ada").promote(entry.id)


def dismiss(project, entry):
    return project.review(by="ada").dismiss(entry.id, reason="wrong")


def delete(project, entry):
    return project.review(by="ada").delete(entry.id, reason="private")


def again(action):
    """Try as a person would, who is told that Redis did not answer a moment ago."""
    for _ in range(100):
        with suppress(StoreUnavailable):
            return action()
        time.sleep(0.1)
    return action()


@pytest.mark.parametrize("action", [promote, dismiss, delete])
def test_what_cannot_leave_working_memory_is_not_decided_on(memory, server, action):
    project = memory.project("apollo")
    ada = project.review(by="ada@example.org")
    entry = project.record(TEXT, session_id="s", confidence=0.9).entry
    server.redis.stop()
    with pytest.raises(StoreUnavailable, match="Redis"):
        action(project, entry)
    assert ada.audit_log() == []
    assert ada.entry(entry.id).review is None
    server.redis.start()
    again(memory.maintenance("apollo").restore_working)
    assert [one.id for one in project.working()] == [entry.id]
    action(project, entry)
    assert project.working() == []
    assert [event.subject for event in ada.audit_log()]


def test_a_promotion_given_twice_takes_out_what_came_back_meanwhile(memory):
    project = memory.project("apollo")
    receipt = project.record(TEXT, session_id="s", confidence=0.9)
    first = promote(project, receipt.entry)
    working = memory.inner.services.working
    memory.loop.call(working.put(system(), receipt.entry, receipt.admission))
    assert project.working()
    assert promote(project, receipt.entry) == first
    assert project.working() == []


def test_a_deletion_given_twice_is_told(memory):
    project = memory.project("apollo")
    entry = project.record(TEXT, session_id="s", confidence=0.9).entry
    delete(project, entry)
    with pytest.raises(NotFound):
        delete(project, entry)


@pytest.mark.parametrize("action", [promote, dismiss, delete])
def test_what_a_person_decides_while_the_filter_of_another_process_admits_it_is_not_served(
    memory, other, monkeypatch, action
):
    services, project = memory.inner.services, memory.project("apollo")
    put = services.working.put

    async def put_after_the_action(scope, entry, admission):
        await asyncio.to_thread(action, other.project("apollo"), entry)
        await put(scope, entry, admission)

    monkeypatch.setattr(services.working, "put", put_after_the_action)
    assert project.record(TEXT, session_id="s", confidence=0.9).admission.admitted
    assert gone(other.project("apollo"))


def gone(project):
    return any(project.working() == [] or time.sleep(0.1) for _ in range(100))
