"""Recorded now and decided later: the caller waits for the write alone, and nothing is lost in between."""

import asyncio
import subprocess
import sys
from datetime import timedelta

import pytest

from memsieve.config import Settings
from memsieve.embedded import AsyncMaintenance, EmbeddedProject
from memsieve.errors import InvalidInput, StoreUnavailable
from memsieve.memory import AsyncMemory, Memory
from memsieve.model import Decision, ReviewStatus
from memsieve.models.judges import LocalJudge
from memsieve.services.container import open_services
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.stores.sqlite.working import SqliteWorking
from memsieve.testing import WordEmbedder
from memsieve.testing.server import wait_until

pytestmark = pytest.mark.usefixtures("small_embedder")
TEXT = "Service alpha of region beta answers to team gamma about matter delta."
OTHER = "The office in Berlin moves to the new building by the river in the second week of May."
# A process that dies between the write and the decision.
CHILD = """
import asyncio, os, sys
from memsieve.models.embedders import LocalEmbedder
from memsieve.memory import AsyncMemory

async def die(self, texts):
    os._exit(9)

LocalEmbedder.embed = die

async def main():
    async with AsyncMemory.open(sys.argv[1]) as memory:
        await memory.project("apollo").record(sys.argv[2], session_id="s1", confidence=0.9, decide="later")
        print("recorded", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def later(project, text=TEXT, **more):
    return project.record(text, session_id="s1", confidence=0.9, decide="later", **more)


async def hang(*_args, **_kwargs):
    await asyncio.Event().wait()


async def crash(*_args, **_kwargs):
    raise ZeroDivisionError


def test_the_call_returns_before_the_embedder_and_the_judge_are_asked(data, clock, monkeypatch):
    asked = []

    async def embed(embedder, texts):
        asked.extend(texts)
        return [embedder.vector(text) for text in texts]

    monkeypatch.setattr(WordEmbedder, "embed", embed)

    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            receipt = await later(memory.project("apollo"))
            assert asked == []
            assert receipt.admission.decision is Decision.PENDING
            assert (await memory.project("apollo").review(by="ada@example.org").log())[0].entry.content == TEXT

    asyncio.run(scenario())
    assert asked == [TEXT]


def test_the_decision_follows_by_itself(memory):
    project = memory.project("apollo")
    receipt = later(project)
    wait_until(lambda: project.admission(receipt.entry.id).decision is not Decision.PENDING)
    assert [one.content for one in project.working()] == [TEXT]


def test_what_was_left_is_decided_before_a_memory_is_closed(open_memory):
    with open_memory() as memory:
        for number in range(20):
            later(
                memory.project("apollo"), f"{number} boxes of part {number}x lie in hall {number}h at {number} o'clock."
            )
    decisions = {one.admission.decision for one in open_memory().project("apollo").review(by="ada@example.org").log()}
    assert Decision.PENDING not in decisions


def test_entries_are_decided_in_the_order_they_were_said(memory):
    project = memory.project("apollo")
    first, second = later(project), later(project, TEXT + " ")
    wait_until(lambda: project.admission(second.entry.id).decision is not Decision.PENDING)
    assert project.admission(first.entry.id).admitted
    assert [check.name for check in project.admission(second.entry.id).checks if not check.passed] == ["duplicate"]


def test_a_process_that_dies_in_between_leaves_a_pending_entry_that_a_retry_decides(data):
    child = subprocess.run([sys.executable, "-c", CHILD, str(data), OTHER], check=False, timeout=60)
    assert child.returncode == 9
    with Memory.open(data) as memory:
        project = memory.project("apollo")
        [receipt] = project.review(by="ada@example.org").log()
        assert (receipt.entry.content, receipt.admission.decision) == (OTHER, Decision.PENDING)
        assert memory.maintenance("apollo").retry()[0].admission.admitted


@pytest.mark.parametrize("part", [(WordEmbedder, "embed"), (LocalJudge, "consistent"), (SqliteQuarantine, "decide")])
def test_an_error_nobody_foresaw_is_logged_and_holds_up_no_other(memory, monkeypatch, caplog, part):
    project = memory.project("apollo")
    with monkeypatch.context() as broken:
        broken.setattr(*part, crash)
        later(project)
        wait_until(lambda: "waits for its decision" in caplog.text)
    second = later(project, OTHER)
    wait_until(lambda: project.admission(second.entry.id).decision is Decision.ADMITTED)
    assert "ZeroDivisionError" in caplog.text
    assert [one.admission.admitted for one in memory.maintenance("apollo").retry()] == [True]


def test_whoever_closes_does_not_wait_for_ever(data, clock, monkeypatch):
    monkeypatch.setattr("memsieve.ingress.recording.FINISH", timedelta(seconds=0.05))
    monkeypatch.setattr(WordEmbedder, "embed", hang)

    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            await later(memory.project("apollo"))
        async with open_services(Settings(data=data), clock, jobs=False) as opened:
            assert await opened.statistics.waiting() == ["apollo"]

    asyncio.run(scenario())


def test_the_same_key_again_is_one_entry_and_one_decision(memory, monkeypatch):
    asked = []

    async def embed(embedder, texts):
        asked.extend(texts)
        await asyncio.sleep(0.05)
        return [embedder.vector(text) for text in texts]

    monkeypatch.setattr(WordEmbedder, "embed", embed)
    project = memory.project("apollo")
    receipts = [later(project, idempotency_key="k1") for _ in range(3)]
    wait_until(lambda: project.admission(receipts[0].entry.id).admitted)
    assert len({one.entry.id for one in receipts}) == 1
    assert len(project.review(by="ada@example.org").log()) == 1
    assert asked == [TEXT]


def test_what_a_person_decided_meanwhile_is_not_even_put_where_it_is_served(memory, monkeypatch):
    put = []
    real = SqliteWorking.put

    async def note(store, scope, entry, admission):
        put.append(entry.content)
        await real(store, scope, entry, admission)

    monkeypatch.setattr(SqliteWorking, "put", note)
    monkeypatch.setattr("memsieve.ingress.recording.HEAD_START", timedelta(seconds=1))
    project = memory.project("apollo")
    receipt = later(project)
    project.review(by="ada").promote(receipt.entry.id)
    assert project.admission(receipt.entry.id).decision is Decision.PENDING
    wait_until(lambda: project.admission(receipt.entry.id).decision is not Decision.PENDING)
    assert project.review(by="ada@example.org").entry(receipt.entry.id).review is ReviewStatus.PROMOTED
    assert project.working() == []
    assert put == []


def test_a_write_that_fails_is_told_to_the_caller(memory, monkeypatch):
    async def full(*_args):
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(SqliteQuarantine, "add", full)
    with pytest.raises(StoreUnavailable, match="disk is full"):
        later(memory.project("apollo"))


def test_nobody_can_wait_for_what_is_left_for_later(memory):
    with pytest.raises(InvalidInput, match="exclude each other"):
        later(memory.project("apollo"), wait=True)
    with pytest.raises(InvalidInput, match="must be one of now, later"):
        memory.project("apollo").record(TEXT, session_id="s1", decide="never")
    assert memory.project("apollo").review(by="ada@example.org").log() == []


def test_what_is_left_for_later_is_decided_on_servers_too(server_engine, data):
    urls = {"database_url": server_engine.database_url, "redis_url": server_engine.redis_url}

    async def scenario():
        async with AsyncMemory.open(settings=Settings(data=data, **urls)) as memory:
            project = memory.project("apollo")
            first, again = [await later(project, OTHER, idempotency_key="k1") for _ in range(2)]
        async with AsyncMemory.open(settings=Settings(data=data, **urls)) as memory:
            project = memory.project("apollo")
            return first, again, await project.review(by="ada@example.org").log(), await project.working()

    first, again, log, working = asyncio.run(scenario())
    assert first.admission.decision is Decision.PENDING
    assert first.entry.id == again.entry.id
    assert [(one.entry.content, one.admission.admitted) for one in log] == [(OTHER, True)]
    assert [one.content for one in working] == [OTHER]


def test_what_waits_in_a_spool_is_decided_after_it_was_delivered(start_engine, data):
    engine = start_engine("postgres-18+redis")
    database_url = f"{engine.database_url}&connect_timeout=1"
    settings = Settings(data=data, database_url=database_url, redis_url=engine.redis_url, spool=True)

    async def scenario():
        async with open_services(settings, jobs=False) as opened:
            project = EmbeddedProject(opened, "apollo")
            await asyncio.to_thread(engine.postgres.stop)
            receipt = await later(project, OTHER)
            assert [check.name for check in receipt.admission.checks] == ["spool"]
            await asyncio.to_thread(engine.postgres.start)
            await asyncio.to_thread(wait_until, lambda: opened.spooled() == 0)
            return await AsyncMaintenance(opened, "apollo").retry()

    [receipt] = asyncio.run(scenario())
    assert (receipt.entry.content, receipt.admission.admitted) == (OTHER, True)
