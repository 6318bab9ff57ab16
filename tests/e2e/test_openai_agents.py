"""Real agents of the OpenAI Agents SDK, with scripted models."""

import asyncio
import math

import pytest
from agents import Agent, RunConfig, Runner, function_tool, handoff
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from openai.types.responses.response_output_text import Logprob

from memsieve.errors import ConfigError, StoreUnavailable
from memsieve.integrations import Recorder
from memsieve.integrations.openai_agents import MemoryHooks
from memsieve.model import EntryFilter
from memsieve.stores.sqlite.quarantine import SqliteQuarantine

pytestmark = pytest.mark.usefixtures("small_embedder")
FACT = "The office in Berlin moves to the new building by the river in May."
QUESTION = "Where does the office in Berlin move?"


@function_tool
def lookup(city: str) -> str:
    """Look a city up."""
    return f"The new office of {city} stands by the river."


@pytest.fixture
def project(memory):
    return memory.project("apollo")


@pytest.fixture
def hooks(project):
    return MemoryHooks(Recorder(project, session_id="s1"))


def said(project):
    log = project.review(by="ada@example.org").log(EntryFilter(limit=1000, oldest_first=True))
    return [(one.entry.node_id, one.entry.agent_id, one.entry.content) for one in log]


def configured(hooks):
    return {"hooks": hooks, "run_config": RunConfig(call_model_input_filter=hooks.recall, tracing_disabled=True)}


def run_sync(agent, hooks, text=QUESTION):
    return asyncio.run(Runner.run(agent, text, **configured(hooks))).final_output


def run_streaming(agent, hooks, text=QUESTION):
    async def scenario():
        running = Runner.run_streamed(agent, text, **configured(hooks))
        async for _ in running.stream_events():
            pass
        return running.final_output

    return asyncio.run(scenario())


@pytest.fixture(params=[run_sync, run_streaming], ids=lambda way: way.__name__)
def run_agent(request):
    return request.param


def speaking():
    call = [assistant_message("Let me look."), function_call("lookup", {"city": "Berlin"}, call_id="c1")]
    return ScriptedModel([call, [assistant_message("It moves to the river.")]])


SPOKEN = [
    ("model", "clerk", "Let me look."),
    ("model", "clerk", 'Calls lookup: {"city":"Berlin"}'),
    ("tools", "clerk", "The new office of Berlin stands by the river."),
    ("model", "clerk", "It moves to the river."),
]


def test_what_models_and_tools_say_is_recorded_once(project, hooks, run_agent):
    agent = Agent(name="clerk", model=speaking(), tools=[lookup])
    assert run_agent(agent, hooks) == "It moves to the river."
    assert said(project) == SPOKEN
    assert project.review(by="ada@example.org").log()[1].entry.metadata == {"tool": "lookup", "tool_call_id": "c1"}


def test_the_same_words_in_two_runs_are_two_outputs(project, hooks):
    agent = Agent(name="clerk", model=ScriptedModel([[assistant_message("Yes.")]] * 2))
    run_sync(agent, hooks)
    run_sync(agent, hooks)
    assert said(project) == [("model", "clerk", "Yes.")] * 2


def test_agents_that_hand_over_are_told_apart(project, hooks, run_agent):
    bob = Agent(name="bob", model=ScriptedModel([[assistant_message("Bob says no.")]]))
    ada = Agent(
        name="ada", model=ScriptedModel([[function_call("transfer_to_bob", {}, call_id="c1")]]), handoffs=[handoff(bob)]
    )
    run_agent(ada, hooks)
    assert said(project) == [("model", "ada", "Calls transfer_to_bob: {}"), ("model", "bob", "Bob says no.")]


def test_what_is_known_stands_before_what_the_user_said(project, hooks, run_agent):
    project.review(by="ada").promote_text(FACT)
    model = speaking()
    run_agent(Agent(name="clerk", model=model, tools=[lookup], instructions="Be brief."), hooks)
    first, second = (call.input for call in model.calls)
    assert FACT in first[0]["content"]
    assert first[1]["content"] == QUESTION
    assert second[:2] == first
    assert model.calls[0].system_instructions == "Be brief."


def test_a_new_question_is_asked_anew(project, hooks):
    model = ScriptedModel([[assistant_message("One.")], [assistant_message("Two.")]])
    agent = Agent(name="clerk", model=model)
    run_sync(agent, hooks)
    project.review(by="ada").promote_text(FACT)
    run_sync(agent, hooks)
    assert [FACT in call.input[0]["content"] for call in model.calls] == [False, True]


def test_confidence_comes_from_structured_output_or_from_probabilities(project, hooks):
    structured = assistant_message('{"answer": "To the river.", "confidence": 0.93}')
    tokens = [Logprob(token="Yes", bytes=[], logprob=math.log(0.81), top_logprobs=[])]
    tokens.append(Logprob(token=".", bytes=[], logprob=0.0, top_logprobs=[]))
    text = ResponseOutputText(text="Yes.", type="output_text", annotations=[], logprobs=tokens)
    likely = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
    agent = Agent(name="clerk", model=ScriptedModel([[structured], [likely], [assistant_message("No.")]]))
    for _ in range(3):
        run_sync(agent, hooks)
    sure = [one.entry.confidence for one in project.review(by="ada@example.org").log()][::-1]
    assert sure == [0.93, pytest.approx(0.9), None]


async def down(*_):
    raise StoreUnavailable("The disk is full.")


def test_a_run_goes_on_while_memsieve_is_down(project, hooks, monkeypatch, run_agent):
    with monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        run_agent(Agent(name="clerk", model=speaking(), tools=[lookup]), hooks)
    hooks.recorder.close()
    assert said(project) == SPOKEN


def test_a_run_stops_while_memsieve_is_down_if_it_should(project, monkeypatch, run_agent):
    monkeypatch.setattr(SqliteQuarantine, "add", down)
    hooks = MemoryHooks(Recorder(project, session_id="s1", on_failure="stop"))
    with pytest.raises(StoreUnavailable):
        run_agent(Agent(name="clerk", model=speaking(), tools=[lookup]), hooks)


def test_a_session_must_be_named(project):
    with pytest.raises(ConfigError, match="session_id"):
        MemoryHooks(Recorder(project))
