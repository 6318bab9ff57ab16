"""Plain Python: what decorated functions and steps say is recorded, whatever kind they are of."""

import asyncio

import pytest

from memsieve.integrations import Recorder, remembered
from memsieve.memory import Memory
from memsieve.model import Decision
from memsieve.testing.server import wait_until

pytestmark = pytest.mark.usefixtures("small_embedder")
TEXT = "Service alpha of region beta answers to team gamma about matter delta."
OTHER = "The office in Berlin moves to the new building by the river in the second week of May."


@pytest.fixture
def project(memory: Memory):
    return memory.project("apollo")


def said(project):
    return [receipt.entry.content for receipt in reversed(project.review(by="ada@example.org").log())]


def test_a_decorated_function_is_recorded_under_its_name(project):
    recorder = Recorder(project, session_id="s1")

    @remembered(recorder, agent_id="cfo")
    def finance(amount: int) -> dict[str, object]:
        """Say what it costs."""
        return {"answer": f"The move costs {amount} euros.", "confidence": 0.9}

    assert finance(7)["answer"] == "The move costs 7 euros."
    assert finance.__doc__ == "Say what it costs."
    [receipt] = project.review(by="ada@example.org").log()
    entry = receipt.entry
    assert (entry.content, entry.node_id, entry.agent_id, entry.confidence) == (
        "The move costs 7 euros.",
        "finance",
        "cfo",
        0.9,
    )


def test_functions_of_all_kinds_are_recorded_once(project):
    recorder = Recorder(project, session_id="s1")

    @remembered(recorder, name="awaited")
    async def awaited():
        return "Said by a coroutine."

    @remembered(recorder)
    def pieces():
        yield "Said "
        yield "in pieces."

    @remembered(recorder)
    async def stream():
        yield "Said by "
        yield "a stream."

    async def scenario():
        await awaited()
        return [piece async for piece in stream()]

    assert asyncio.run(scenario()) == ["Said by ", "a stream."]
    assert list(pieces()) == ["Said ", "in pieces."]
    assert said(project) == ["Said by a coroutine.", "Said by a stream.", "Said in pieces."]
    assert [one.entry.node_id for one in project.review(by="ada@example.org").log()] == ["pieces", "stream", "awaited"]


def test_what_a_generator_said_before_it_failed_is_recorded(project):
    @remembered(Recorder(project, session_id="s1"))
    def pieces():
        yield "Said before "
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(pieces())
    [receipt] = project.review(by="ada@example.org").log()
    assert (receipt.entry.content, receipt.entry.metadata) == ("Said before ", {"incomplete": True})


def test_a_function_that_fails_fails_as_before(project):
    @remembered(Recorder(project, session_id="s1"))
    def fails():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert said(project) == []


def test_a_step_records_what_is_said_in_it(project):
    recorder = Recorder(project, session_id="s1")

    def review():
        with recorder.step("review", agent_id="critic") as step:
            step.say(TEXT, confidence=0.9)
            step.say({"step": 3})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        review()

    async def scenario():
        async with recorder.step("vote") as step:
            await step.asay(OTHER)

    asyncio.run(scenario())
    entries = [receipt.entry for receipt in project.review(by="ada@example.org").log()][::-1]
    assert [(one.node_id, one.agent_id) for one in entries] == [
        ("review", "critic"),
        ("review", "critic"),
        ("vote", None),
    ]
    assert [one.content for one in entries] == [
        TEXT,
        "[no text found in the output of node review: dict with step]",
        OTHER,
    ]


def test_a_note_that_there_was_no_text_never_becomes_memory(project):
    Recorder(project, session_id="s1").step("review").say({"step": 3})
    wait_until(lambda: project.review(by="ada@example.org").log()[0].admission.decision is Decision.REFUSED)
    assert project.working() == []
