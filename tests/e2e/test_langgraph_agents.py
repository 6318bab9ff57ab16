"""Real agents of LangChain, with the middleware: what model and tools say is recorded, what is known stands before."""

import asyncio
import json
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelRetryMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import MessagesState
from pydantic import BaseModel

from memsieve.errors import StoreUnavailable
from memsieve.integrations import Recorder
from memsieve.integrations.langgraph import MemoryCallback, MemoryMiddleware
from memsieve.model import EntryFilter
from memsieve.stores.sqlite.quarantine import SqliteQuarantine

pytestmark = pytest.mark.usefixtures("small_embedder")
FACT = "The office in Berlin moves to the new building by the river in May."
QUESTION = "Where does the office in Berlin move?"
CALL = {"name": "lookup", "args": {"city": "Berlin"}, "id": "c1", "type": "tool_call"}


class Scripted(GenericFakeChatModel):
    """A model that says what it is told to, and remembers what it was asked."""

    seen: list[list[BaseMessage]] = []  # noqa: RUF012 - a field of pydantic

    def bind_tools(self, *_args: Any, **_options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Any:
        self.seen.append(messages)
        return super()._generate(messages, *args, **options)

    def _stream(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
        self.seen.append(messages)
        message = next(self.messages)
        for word in re.findall(r"\S+\s*", message.text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        calls = [
            {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": 0}
            for call in message.tool_calls
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))


def scripted(*messages: AIMessage) -> Scripted:
    return Scripted(messages=iter(messages), seen=[])


@tool
def lookup(city: str) -> str:
    """Look a city up."""
    return f"The new office of {city} stands by the river."


@pytest.fixture
def project(memory):
    return memory.project("apollo")


def said(project):
    log = project.review(by="ada@example.org").log(EntryFilter(limit=1000, oldest_first=True))
    return [(receipt.entry.node_id, receipt.entry.content) for receipt in log]


def run_sync(agent, text, config):
    return agent.invoke({"messages": [HumanMessage(text)]}, config)


def run_async(agent, text, config):
    return asyncio.run(agent.ainvoke({"messages": [HumanMessage(text)]}, config))


def run_streaming(agent, text, config):
    return list(agent.stream({"messages": [HumanMessage(text)]}, config, stream_mode="messages"))


@pytest.fixture(params=[run_sync, run_async, run_streaming], ids=lambda way: way.__name__)
def run_agent(request):
    return request.param


def thread(name="t1", **more):
    return {"configurable": {"thread_id": name}, **more}


SPOKEN = [
    ("model", 'Let me look.\nCalls lookup: {"city": "Berlin"}'),
    ("tools", "The new office of Berlin stands by the river."),
    ("model", "It moves to the river."),
]


def speaking():
    return scripted(AIMessage("Let me look.", tool_calls=[CALL]), AIMessage("It moves to the river."))


def test_what_the_model_and_the_tools_say_is_recorded(project, run_agent):
    recorder = Recorder(project, on_failure="stop")
    agent = create_agent(speaking(), [lookup], middleware=[MemoryMiddleware(recorder)], name="clerk")
    run_agent(agent, QUESTION, thread())
    assert said(project) == SPOKEN
    entries = [receipt.entry for receipt in project.review(by="ada@example.org").log()]
    assert {(entry.session_id, entry.agent_id) for entry in entries} == {("t1", "clerk")}
    assert entries[1].metadata["tool"] == "lookup"


def test_middleware_and_callback_together_record_each_output_once(project, run_agent):
    recorder = Recorder(project, on_failure="stop")
    agent = create_agent(speaking(), [lookup], middleware=[MemoryMiddleware(recorder)])
    run_agent(agent, QUESTION, thread(callbacks=[MemoryCallback(recorder)]))
    assert said(project) == SPOKEN


def test_an_agent_without_the_middleware_is_recorded_by_the_callback_alone(project, run_agent):
    run_agent(create_agent(speaking(), [lookup]), QUESTION, thread(callbacks=[MemoryCallback(Recorder(project))]))
    assert said(project) == SPOKEN


def test_agents_as_nodes_of_a_graph_are_recorded_with_their_names(project):
    def agent(name: str, text: str):
        return create_agent(scripted(AIMessage(text)), [], name=name)

    graph = StateGraph(MessagesState)
    graph.add_node("ada", agent("ada", "I am for it."))
    graph.add_node("bob", agent("bob", "I am against it."))
    graph.add_edge(START, "ada")
    graph.add_edge("ada", "bob")
    graph.compile().invoke(
        {"messages": [HumanMessage("Shall we?")]}, thread(callbacks=[MemoryCallback(Recorder(project))])
    )
    entries = [receipt.entry for receipt in project.review(by="ada@example.org").log()][::-1]
    assert [(one.node_id, one.agent_id, one.content) for one in entries] == [
        ("ada/model", "ada", "I am for it."),
        ("bob/model", "bob", "I am against it."),
    ]


# Recall


def test_what_is_known_stands_before_what_the_user_said(project, run_agent):
    project.review(by="ada").promote_text(FACT)
    model = speaking()
    agent = create_agent(
        model, [lookup], system_prompt="Be brief.", middleware=[MemoryMiddleware(Recorder(project))], name="clerk"
    )
    run_agent(agent, QUESTION, thread())
    for prompt in model.seen:
        assert [one.type for one in prompt[:3]] == ["system", "human", "human"]
        assert prompt[0].text == "Be brief."
        assert FACT in prompt[1].text
        assert "### ✅ Verified" in prompt[1].text
        assert prompt[2].text == QUESTION
    assert model.seen[0] == model.seen[1][:3]


def test_what_is_recalled_is_kept_out_of_the_conversation(project):
    project.review(by="ada").promote_text(FACT)
    middleware = [MemoryMiddleware(Recorder(project))]
    agent = create_agent(scripted(AIMessage("Yes.")), [], middleware=middleware, checkpointer=InMemorySaver())
    result = agent.invoke({"messages": [HumanMessage(QUESTION)]}, thread())
    assert [one.text for one in result["messages"]] == [QUESTION, "Yes."]
    assert "history_context" not in result


def test_the_session_that_asks_is_told_to_memory(project, run_agent):
    [memory_id] = [project.review(by="ada").promote_text(FACT).id]
    agent = create_agent(scripted(AIMessage("Yes.")), [], middleware=[MemoryMiddleware(Recorder(project))])
    run_agent(agent, QUESTION, thread("t7"))
    assert {one.session_id for one in project.review(by="ada@example.org").lineage(memory_id).served} == {"t7"}


def test_an_agent_may_record_without_recalling(project):
    project.review(by="ada").promote_text(FACT)
    model = scripted(AIMessage("Yes, it does so."))
    agent = create_agent(model, [], middleware=[MemoryMiddleware(Recorder(project), recall=False)])
    agent.invoke({"messages": [HumanMessage(QUESTION)]}, thread())
    assert [one.text for one in model.seen[0]] == [QUESTION]
    assert said(project) == [("model", "Yes, it does so.")]


# Confidence, retries, failures


class Answer(BaseModel):
    """An answer."""

    text: str
    confidence: float


def test_confidence_comes_from_structured_output(project):
    call = {"name": "Answer", "args": {"text": "To the river.", "confidence": 0.93}, "id": "c9", "type": "tool_call"}
    middleware = [MemoryMiddleware(Recorder(project))]
    model = scripted(AIMessage("", tool_calls=[call]))
    agent = create_agent(model, [], middleware=middleware, response_format=ToolStrategy(Answer))
    result = agent.invoke({"messages": [HumanMessage(QUESTION)]}, thread())
    assert result["structured_response"].text == "To the river."
    assert {receipt.entry.confidence for receipt in project.review(by="ada@example.org").log()} == {0.93}
    assert any("To the river." in receipt.entry.content for receipt in project.review(by="ada@example.org").log())


def test_confidence_comes_else_from_the_probabilities_of_tokens(project):
    told = {"logprobs": {"content": [{"token": "Yes", "logprob": math.log(0.81)}, {"token": ".", "logprob": 0.0}]}}
    model = scripted(AIMessage("Yes.", response_metadata=told))
    agent = create_agent(model, [], middleware=[MemoryMiddleware(Recorder(project))])
    agent.invoke({"messages": [HumanMessage(QUESTION)]}, thread())
    assert project.review(by="ada@example.org").log()[0].entry.confidence == pytest.approx(0.9)


def test_a_model_that_is_asked_again_is_recorded_once(project, run_agent):
    class Unsteady(Scripted):
        def _generate(self, *args: Any, **options: Any) -> Any:
            self.seen.append([])
            if len(self.seen) < 3:
                raise ConnectionError
            return super()._generate(*args, **options)

        def _stream(self, *args: Any, **options: Any) -> Any:
            raise NotImplementedError

    model = Unsteady(messages=iter([AIMessage("At last.")]), seen=[], disable_streaming=True)
    middleware = [ModelRetryMiddleware(max_retries=5, initial_delay=0.001), MemoryMiddleware(Recorder(project))]
    run_agent(create_agent(model, [], middleware=middleware), QUESTION, thread())
    assert said(project) == [("model", "At last.")]


async def down(*_):
    raise StoreUnavailable("The disk is full.")


def test_an_agent_goes_on_while_memsieve_is_down(project, monkeypatch, run_agent):
    recorder = Recorder(project)
    agent = create_agent(speaking(), [lookup], middleware=[MemoryMiddleware(recorder)])
    with monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        run_agent(agent, QUESTION, thread())
    recorder.close()
    assert said(project) == SPOKEN


def test_an_agent_is_told_when_memory_could_not_be_asked(open_memory):
    model = scripted(AIMessage("Yes."))
    with open_memory() as memory:
        recorder = Recorder(memory.project("apollo"))
    agent = create_agent(model, [], middleware=[MemoryMiddleware(recorder)])
    agent.invoke({"messages": [HumanMessage(QUESTION)]}, thread())
    assert "Memory could not be asked" in model.seen[0][0].text
    assert recorder.failures[0].query == QUESTION
    recorder.close()


def test_an_agent_stops_while_memsieve_is_down_if_it_should(project, monkeypatch, run_agent):
    agent = create_agent(speaking(), [lookup], middleware=[MemoryMiddleware(Recorder(project, on_failure="stop"))])
    monkeypatch.setattr(SqliteQuarantine, "add", down)
    with pytest.raises(StoreUnavailable):
        run_agent(agent, QUESTION, thread())
