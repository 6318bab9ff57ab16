"""Work that is cut off half way, and clocks that jump: nothing is lost, nothing is half done."""

import asyncio

import pytest

from memsieve.errors import EmbedderError, JudgeError, StoreUnavailable
from memsieve.memory import AsyncMemory
from memsieve.model import Decision
from memsieve.models.judges import LocalJudge
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.stores.sqlite.working import SqliteWorking
from memsieve.testing import WordEmbedder

pytestmark = pytest.mark.usefixtures("small_embedder")
TEXT = "Service alpha of region beta answers to team gamma about matter delta."


class Crash(Exception):
    """Something nobody foresaw."""


async def crash(*_args, **_kwargs):
    raise Crash


async def hang(*_args, **_kwargs):
    await asyncio.Event().wait()


def failing(error):
    async def fail(*_args, **_kwargs):
        raise error

    return fail


@pytest.mark.parametrize("part", [(WordEmbedder, "embed"), (LocalJudge, "consistent"), (SqliteQuarantine, "decide")])
def test_a_crash_between_the_write_and_the_decision_leaves_the_entry_pending(memory, monkeypatch, part):
    project = memory.project("apollo")
    with monkeypatch.context() as broken:
        broken.setattr(*part, crash)
        with pytest.raises(Crash):
            project.record(TEXT, session_id="s1", confidence=0.9)
    [receipt] = project.review(by="ada@example.org").log()
    assert (receipt.entry.content, receipt.admission.decision) == (TEXT, Decision.PENDING)
    assert project.working() == []
    assert project.retrieve("alpha beta").items == ()
    [decided] = memory.maintenance("apollo").retry()
    assert decided.admission.admitted
    assert [one.id for one in project.working()] == [receipt.entry.id]
    assert memory.maintenance("apollo").retry() == []


@pytest.mark.parametrize("part", [(WordEmbedder, "embed"), (LocalJudge, "consistent")])
def test_a_caller_who_goes_away_leaves_the_entry_pending(data, clock, monkeypatch, part):
    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            project = memory.project("apollo")
            with monkeypatch.context() as broken:
                broken.setattr(*part, hang)
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.3):
                        await project.record(TEXT, session_id="s1", confidence=0.9)
            [receipt] = await project.review(by="ada@example.org").log()
            [decided] = await memory.maintenance("apollo").retry()
            return receipt.admission.decision, decided.admission.decision

    assert asyncio.run(scenario()) == (Decision.PENDING, Decision.ADMITTED)


def test_a_caller_who_goes_away_in_the_midst_of_the_decision_tears_nothing_apart(data, clock, monkeypatch):
    decided = asyncio.Event()
    decide = SqliteQuarantine.decide

    async def decide_slowly(self, *args):
        await decide(self, *args)
        decided.set()
        await asyncio.sleep(0.05)

    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            monkeypatch.setattr(SqliteQuarantine, "decide", decide_slowly)
            call = asyncio.create_task(memory.project("apollo").record(TEXT, session_id="s1", confidence=0.9))
            await decided.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        async with AsyncMemory.open(data, clock=clock) as memory:
            project = memory.project("apollo")
            return [one.content for one in await project.working()], (await project.review(by="ada@example.org").log())[
                0
            ].admission.decision

    assert asyncio.run(scenario()) == ([TEXT], Decision.ADMITTED)


def test_a_failing_embedder_leaves_the_entry_pending_with_the_reason(memory, monkeypatch):
    project = memory.project("apollo")
    with monkeypatch.context() as broken:
        broken.setattr(WordEmbedder, "embed", failing(EmbedderError("The model is not there.")))
        receipt = project.record(TEXT, session_id="s1", confidence=0.9)
        found = project.retrieve("alpha beta")
    assert receipt.admission.decision is Decision.PENDING
    assert "The model is not there." in receipt.admission.reasons[0].sentence()
    assert found.degraded == ("embedder",)
    assert memory.maintenance("apollo").retry()[0].admission.admitted


def test_a_failing_judge_leaves_the_entry_pending_even_if_it_is_a_quick_one(memory, monkeypatch):
    project = memory.project("apollo")
    with monkeypatch.context() as broken:
        broken.setattr(LocalJudge, "consistent", failing(JudgeError("No verdict.")))
        receipt = project.record(TEXT, session_id="s1", confidence=0.9)
    assert receipt.admission.decision is Decision.PENDING
    assert project.working() == []


@pytest.mark.parametrize("part", [(SqliteQuarantine, "decide"), (SqliteWorking, "list")])
def test_a_store_that_fails_after_the_write_does_not_make_the_recording_fail(memory, monkeypatch, part):
    project = memory.project("apollo")
    with monkeypatch.context() as broken:
        broken.setattr(*part, failing(StoreUnavailable("The disk is gone.")))
        receipt = project.record(TEXT, session_id="s1", confidence=0.9)
    assert receipt.admission.decision is Decision.PENDING
    assert "The disk is gone." in receipt.admission.reasons[0].sentence()
    assert memory.maintenance("apollo").retry()[0].admission.admitted


def test_if_one_tier_is_down_the_other_answers_and_the_answer_says_so(memory, monkeypatch):
    project = memory.project("apollo")
    project.review(by="ada").promote_text(TEXT)
    with monkeypatch.context() as broken:
        broken.setattr(SqliteWorking, "list", failing(StoreUnavailable("Down.")))
        found = project.retrieve("alpha beta")
        assert "working could not be asked" in project.history_context("alpha beta")
    assert found.degraded == ("working",)
    assert [item.content for item in found.items] == [TEXT]


def test_if_both_tiers_are_down_there_is_an_error_and_no_empty_answer(memory, monkeypatch):
    project = memory.project("apollo")
    monkeypatch.setattr(SqliteWorking, "list", failing(StoreUnavailable("Down.")))
    monkeypatch.setattr(type(memory.inner.services.longterm), "search", failing(StoreUnavailable("Down too.")))
    with pytest.raises(StoreUnavailable, match=r"Down.* Down too"):
        project.retrieve("alpha beta")


def test_entries_that_fail_again_hold_up_no_other(memory, monkeypatch):
    project = memory.project("apollo")
    with monkeypatch.context() as broken:
        broken.setattr(WordEmbedder, "embed", failing(EmbedderError("Down.")))
        for number in range(105):
            project.record(f"Stuck entry number {number} of node x{number} stays with team y{number}.", session_id="s1")
        project.record(TEXT, session_id="s1", confidence=0.9)
    embed = WordEmbedder.embed

    async def embed_some(self, texts):
        if "Stuck" in texts[0]:
            raise EmbedderError("Down.")
        return await embed(self, texts)

    monkeypatch.setattr(WordEmbedder, "embed", embed_some)
    assert sum(receipt.admission.admitted for receipt in memory.maintenance("apollo").retry()) == 1
    assert [one.content for one in project.working()] == [TEXT]


def test_what_waited_for_a_day_is_kept_as_history(memory, monkeypatch, clock):
    project = memory.project("apollo")
    with monkeypatch.context() as broken:
        broken.setattr(WordEmbedder, "embed", failing(EmbedderError("Down.")))
        project.record(TEXT, session_id="s1", confidence=0.9)
    clock.advance(hours=24)
    [receipt] = memory.maintenance("apollo").retry()
    assert receipt.admission.decision is Decision.REFUSED
    assert "24 hours" in receipt.admission.reasons[0].sentence()
    assert memory.maintenance("apollo").retry() == []


def test_a_clock_that_jumps_ahead_and_back_serves_nothing_for_longer_than_its_life(memory, clock):
    project = memory.project("apollo")
    clock.advance(hours=1000)
    project.record(TEXT, session_id="s1", confidence=0.9)
    clock.advance(hours=-1000)
    assert project.working() == []
    other = "Another service of region zeta answers to team theta about matter iota."
    assert project.record(other, session_id="s1", confidence=0.9).admission.admitted
    assert [item.content for item in project.retrieve("service region team").items] == [other]
    clock.advance(hours=24)
    assert project.working() == []


def test_a_clock_that_goes_back_keeps_what_is_there_and_the_chain_whole(memory, clock):
    project = memory.project("apollo")
    entry_id = project.record(TEXT, session_id="s1", confidence=0.9).entry.id
    clock.advance(seconds=-120)
    assert len(project.working()) == 1
    project.review(by="ada").promote(entry_id)
    clock.advance(hours=-5)
    project.review(by="ada").retire(project.memories()[0].id, reason="wrong")
    audit = project.review(by="ada@example.org").verify_audit()
    assert audit.whole
    assert audit.events == 2
