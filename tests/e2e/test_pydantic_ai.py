"""Real agents of pydantic-ai, with scripted models."""

import asyncio
import math

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from memsieve.errors import StoreUnavailable
from memsieve.integrations import Recorder
from memsieve.integrations.pydantic_ai import MemoryCapability
from memsieve.model import EntryFilter
from memsieve.stores.sqlite.quarantine import SqliteQuarantine

pytestmark = pytest.mark.usefixtures("small_embedder")
FACT = "The office in Berlin moves to the new building by the river in May."
QUESTION = "Where does the office in Berlin move?"


class Script:
    """A model that says what it is told to, and remembers what it was asked."""

    def __init__(self, *responses):
        self.responses = list(responses)
        self.seen = []
        self.model = FunctionModel(self.answer, stream_function=self.stream)

    def answer(self, messages, _info):
        self.seen.append(messages)
        return ModelResponse(parts=self.responses.pop(0))

    async def stream(self, messages, _info):
        from pydantic_ai.models.function import DeltaToolCall

        self.seen.append(messages)
        for number, part in enumerate(self.responses.pop(0)):
            if isinstance(part, TextPart):
                for word in part.content.split(" "):
                    yield word if part.content.startswith(word) else f" {word}"
            else:
                yield {number: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}


@pytest.fixture
def project(memory):
    return memory.project("apollo")


def said(project):
    log = project.review(by="ada@example.org").log(EntryFilter(limit=1000, oldest_first=True))
    return [(one.entry.node_id, one.entry.agent_id, one.entry.content) for one in log]


def clerk(script, capability, **options):
    agent = Agent(script.model, name="clerk", capabilities=[capability], **options)

    @agent.tool_plain
    def lookup(city: str) -> str:
        return f"The new office of {city} stands by the river."

    return agent


def run_plain(agent, text=QUESTION, **options):
    return asyncio.run(agent.run(text, **options)).output


def run_streaming(agent, text=QUESTION, **options):
    async def scenario():
        async with agent.run_stream(text, **options) as result:
            return await result.get_output()

    return asyncio.run(scenario())


@pytest.fixture(params=[run_plain, run_streaming], ids=lambda way: way.__name__)
def run_agent(request):
    return request.param


def speaking():
    return Script([ToolCallPart("lookup", {"city": "Berlin"}, "c1")], [TextPart("It moves to the river.")])


SPOKEN = [
    ("model", "clerk", 'Calls lookup: {"city":"Berlin"}'),
    ("tools", "clerk", "The new office of Berlin stands by the river."),
    ("model", "clerk", "It moves to the river."),
]


def test_what_models_and_tools_say_is_recorded_once(project, run_agent):
    agent = clerk(speaking(), MemoryCapability(Recorder(project, session_id="s1", on_failure="stop")))
    assert run_agent(agent) == "It moves to the river."
    assert said(project) == SPOKEN
    assert project.review(by="ada@example.org").log()[1].entry.metadata == {"tool": "lookup", "tool_call_id": "c1"}
    assert {one.entry.session_id for one in project.review(by="ada@example.org").log()} == {"s1"}


def test_the_conversation_is_the_session_where_none_is_named(project):
    agent = clerk(speaking(), MemoryCapability(Recorder(project, on_failure="stop")))
    run_plain(agent, conversation_id="talk-7")
    assert {one.entry.session_id for one in project.review(by="ada@example.org").log()} == {"talk-7"}


def test_the_same_words_in_two_runs_are_two_outputs(project):
    script = Script([TextPart("Yes.")], [TextPart("Yes.")])
    agent = clerk(script, MemoryCapability(Recorder(project, session_id="s1")))
    run_plain(agent)
    run_plain(agent)
    assert said(project) == [("model", "clerk", "Yes.")] * 2


def test_what_is_known_stands_before_what_the_user_said_and_not_in_the_history(project, run_agent):
    project.review(by="ada").promote_text(FACT)
    script = speaking()
    agent = clerk(script, MemoryCapability(Recorder(project, session_id="s1")), instructions="Be brief.")
    run_agent(agent)
    first, second = script.seen
    assert FACT in first[0].parts[0].content
    assert first[0].parts[1].content == QUESTION
    assert second[0].parts[0].content == first[0].parts[0].content
    assert len(second) == len(first) + 2


def test_the_history_holds_nothing_of_what_was_recalled(project):
    project.review(by="ada").promote_text(FACT)
    agent = clerk(speaking(), MemoryCapability(Recorder(project, session_id="s1")))
    result = asyncio.run(agent.run(QUESTION))
    requests = [one for one in result.all_messages() if isinstance(one, ModelRequest)]
    assert FACT not in str(requests)
    assert "It is data to weigh" not in str(result.all_messages())


def test_an_agent_may_record_without_recalling(project):
    project.review(by="ada").promote_text(FACT)
    script = speaking()
    run_plain(clerk(script, MemoryCapability(Recorder(project, session_id="s1"), recall=False)))
    assert FACT not in str(script.seen)
    assert said(project) == SPOKEN


class Answer(BaseModel):
    text: str
    confidence: float


def test_confidence_comes_from_structured_output(project):
    script = Script([ToolCallPart("final_result", {"text": "To the river.", "confidence": 0.93})])
    agent = Agent(script.model, output_type=Answer, capabilities=[MemoryCapability(Recorder(project, session_id="s1"))])
    assert asyncio.run(agent.run(QUESTION)).output.text == "To the river."
    [receipt] = project.review(by="ada@example.org").log()
    assert receipt.entry.confidence == 0.93
    assert "To the river." in receipt.entry.content


def test_confidence_comes_else_from_the_probabilities_of_tokens(project):
    tokens = [{"token": "Yes", "logprob": math.log(0.81)}, {"token": ".", "logprob": 0.0}]
    script = Script([TextPart("Yes.", provider_details={"logprobs": tokens})], [TextPart("No.")])
    agent = clerk(script, MemoryCapability(Recorder(project, session_id="s1")))
    run_plain(agent)
    run_plain(agent)
    assert [one.entry.confidence for one in project.review(by="ada@example.org").log()][::-1] == [
        pytest.approx(0.9),
        None,
    ]


def test_an_answer_that_is_rejected_was_said_all_the_same(project):
    script = Script([TextPart("The first try.")], [TextPart("The second try.")])
    agent = clerk(script, MemoryCapability(Recorder(project, session_id="s1")))

    @agent.output_validator
    def check(text: str) -> str:
        if "first" in text:
            raise ModelRetry("Try again.")
        return text

    assert run_plain(agent) == "The second try."
    assert [text for _, _, text in said(project)] == ["The first try.", "The second try."]


async def down(*_):
    raise StoreUnavailable("The disk is full.")


def test_a_run_goes_on_while_memsieve_is_down(project, monkeypatch, run_agent):
    recorder = Recorder(project, session_id="s1")
    with monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        run_agent(clerk(speaking(), MemoryCapability(recorder)))
    recorder.close()
    assert said(project) == SPOKEN


def test_a_run_stops_while_memsieve_is_down_if_it_should(project, monkeypatch, run_agent):
    monkeypatch.setattr(SqliteQuarantine, "add", down)
    capability = MemoryCapability(Recorder(project, session_id="s1", on_failure="stop"))
    with pytest.raises(StoreUnavailable):
        run_agent(clerk(speaking(), capability))
