"""Every node of a real graph is recorded, each output once, without touching the nodes."""

import asyncio
import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, RetryPolicy, Send, interrupt
from pydantic import BaseModel

from memsieve.errors import StoreUnavailable
from memsieve.integrations import Recorder
from memsieve.integrations.langgraph import MemoryCallback, memory_retrieval_node
from memsieve.memory import AsyncMemory
from memsieve.model import EntryFilter
from memsieve.stores.sqlite.quarantine import SqliteQuarantine

pytestmark = pytest.mark.usefixtures("small_embedder")


class State(TypedDict, total=False):
    topic: str
    said: Annotated[list[Any], operator.add]
    messages: Annotated[list[Any], operator.add]
    draft: str
    history_context: str


@pytest.fixture
def project(memory):
    return memory.project("apollo")


def said(project):
    """Return what was recorded: node and text, in the order of recording."""
    log = project.review(by="ada@example.org").log(EntryFilter(limit=1000, oldest_first=True))
    return [(receipt.entry.node_id, receipt.entry.content) for receipt in log]


def chain(*nodes, state=State, **compiled):
    """Compile a graph of nodes one after the other."""
    graph = StateGraph(state)
    names = [name for name, _ in nodes]
    for name, node in nodes:
        graph.add_node(name, node)
    for one, other in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(one, other)
    return graph.compile(**compiled)


def callbacks(project, thread="t1", **options):
    callback = MemoryCallback(Recorder(project, on_failure=options.pop("on_failure", "go_on")), **options)
    return {"callbacks": [callback], "configurable": {"thread_id": thread}}


def run_sync(graph, state, config):
    return graph.invoke(state, config)


def run_async(graph, state, config):
    return asyncio.run(graph.ainvoke(state, config))


def run_streaming(graph, state, config):
    return list(graph.stream(state, config, stream_mode=["updates", "messages"]))


def run_streaming_async(graph, state, config):
    async def scenario():
        return [chunk async for chunk in graph.astream(state, config, stream_mode=["values", "messages"])]

    return asyncio.run(scenario())


def run_events(graph, state, config):
    async def scenario():
        return [event async for event in graph.astream_events(state, config, version="v2")]

    return asyncio.run(scenario())


WAYS = [run_sync, run_async, run_streaming, run_streaming_async, run_events]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def run_graph(request):
    return request.param


class Report(BaseModel):
    finding: str
    confidence: float


@dataclass
class AuditNote:
    body: str


class Shapes(TypedDict, total=False):
    messages: Annotated[list[Any], operator.add]
    draft: str
    report: Any
    note: Any
    plan: str


SHAPES = [
    ("message", lambda _: {"messages": [AIMessage("A message says that the pilot begins in May.")]}, None),
    ("string", lambda _: {"draft": "A string says that the pilot begins in May."}, None),
    ("model", lambda _: {"report": Report(finding="A model says that the pilot begins.", confidence=0.9)}, 0.9),
    ("record", lambda _: {"note": AuditNote("A dataclass says that the pilot begins in May.")}, None),
    ("command", lambda _: Command(update={"plan": "A command says that the pilot begins in May."}), None),
    ("dict", lambda _: {"messages": [{"role": "assistant", "content": "A dict says that it begins in May."}]}, None),
]


def test_six_shapes_of_output_are_all_recorded(project, run_graph):
    graph = chain(*((name, node) for name, node, _ in SHAPES), state=Shapes)
    run_graph(graph, {"messages": [HumanMessage("When does it begin?")]}, callbacks(project))
    recorded = {receipt.entry.node_id: receipt.entry for receipt in project.review(by="ada@example.org").log()}
    assert len(project.review(by="ada@example.org").log()) == 6
    assert {name: entry.confidence for name, entry in recorded.items()} == {name: sure for name, _, sure in SHAPES}
    assert all("says that" in entry.content and entry.session_id == "t1" for entry in recorded.values())


def test_an_output_without_text_is_recorded_as_such(project):
    graph = chain(("count", lambda _: {"said": [3]}), ("silent", lambda _: None))
    graph.invoke({"topic": "x"}, callbacks(project))
    assert said(project) == [
        ("count", "[no text found in the output of node count: dict with said]"),
        ("silent", "[no text found in the output of node silent: NoneType]"),
    ]


def test_a_configured_key_and_the_names_of_agents(project):
    graph = chain(("cfo_node", lambda _: {"draft": "This is what counts.", "topic": "And this is not what counts."}))
    graph.invoke({"said": []}, callbacks(project, key="draft", agents={"cfo_node": "cfo"}))
    [receipt] = project.review(by="ada@example.org").log()
    assert (receipt.entry.content, receipt.entry.agent_id) == ("This is what counts.", "cfo")


def test_a_node_that_is_skipped_is_not_recorded(project):
    graph = chain(("loud", lambda _: {"said": ["Said aloud."]}), ("quiet", lambda _: {"said": ["Said quietly."]}))
    graph.invoke({"said": []}, callbacks(project, skip=["quiet"]))
    assert said(project) == [("loud", "Said aloud.")]


# Each output once


def test_parallel_nodes_are_recorded_once_each(project, run_graph):
    graph = StateGraph(State)
    graph.add_node("ask", lambda _: Command(goto=[Send("work", {"topic": f"part {n}"}) for n in range(5)]))
    graph.add_node("work", lambda state: {"said": [f"The work on {state['topic']} is done."]})
    graph.add_node("one", lambda _: {"said": ["The same words."]})
    graph.add_node("two", lambda _: {"said": ["The same words."]})
    graph.add_edge(START, "ask")
    graph.add_edge(START, "one")
    graph.add_edge(START, "two")
    run_graph(graph.compile(), {"said": []}, callbacks(project))
    works = [("work", f"The work on part {n} is done.") for n in range(5)]
    asked = [("ask", f"part {n}") for n in range(5)]
    assert sorted(said(project)) == sorted([*works, *asked, ("one", "The same words."), ("two", "The same words.")])


def test_only_the_attempt_that_succeeds_is_recorded(project, run_graph):
    attempts = []

    def unsteady(_):
        attempts.append(1)
        GenericFakeChatModel(messages=iter([AIMessage(f"Attempt {len(attempts)} said this.")])).invoke("Go on.")
        if len(attempts) < 3:
            raise ValueError("not yet")
        return {"said": [f"Attempt {len(attempts)} went well."]}

    graph = StateGraph(State)
    at_once = RetryPolicy(initial_interval=0.001, jitter=False, retry_on=ValueError)
    graph.add_node("unsteady", unsteady, retry_policy=at_once)
    graph.add_edge(START, "unsteady")
    run_graph(graph.compile(), {"said": []}, callbacks(project))
    assert said(project) == [("unsteady", "Attempt 3 went well.")]


def test_an_interrupted_node_is_recorded_once_when_it_goes_on(project, run_graph):
    def ask(_):
        GenericFakeChatModel(messages=iter([AIMessage("Shall we?")])).invoke("Ask.")
        return {"said": [f"The person said {interrupt('Shall we?')}."]}

    nodes = (
        ("before", lambda _: {"said": ["Said before."]}),
        ("ask", ask),
        ("after", lambda _: {"said": ["Said after."]}),
    )
    graph = chain(*nodes, checkpointer=InMemorySaver())
    run_graph(graph, {"said": []}, callbacks(project))
    assert said(project) == [("before", "Said before.")]
    run_graph(graph, Command(resume="yes"), callbacks(project))
    assert said(project) == [("before", "Said before."), ("ask", "The person said yes."), ("after", "Said after.")]


def test_what_is_said_in_a_graph_within_a_graph_is_recorded_once(project, run_graph):
    inner = chain(
        ("propose", lambda _: {"said": ["Proposed within the inner graph."], "draft": "A draft of some length."}),
        ("review", lambda _: {"messages": [AIMessage("Reviewed within the inner graph.")]}),
    )
    graph = chain(
        ("before", lambda _: {"said": ["Said before the inner graph."]}),
        ("team", inner),
        ("after", lambda _: {"said": ["Said after."]}),
    )
    run_graph(graph, {"said": [], "topic": "Which database do we choose?"}, callbacks(project))
    assert said(project) == [
        ("before", "Said before the inner graph."),
        ("team/propose", "said: Proposed within the inner graph.\ndraft: A draft of some length."),
        ("team/review", "Reviewed within the inner graph."),
        ("after", "Said after."),
    ]


def test_what_a_graph_called_by_hand_says_and_its_node_adds_are_both_recorded(project, run_graph):
    inner = chain(("propose", lambda _: {"said": ["Proposed within the inner graph."]}))

    def team(state, config):
        found = inner.invoke({"said": []}, config)
        return {"said": [*found["said"], "Added by the node itself."]}

    run_graph(chain(("team", team)), {"said": []}, callbacks(project))
    assert said(project) == [
        ("team/propose", "Proposed within the inner graph."),
        ("team", "Added by the node itself."),
    ]


def test_chains_within_a_node_are_not_recorded_apart(project, run_graph):
    steps = RunnableLambda(lambda _: "Something in between.") | RunnableLambda(
        lambda text: {"said": [text + " At last."]}
    )
    run_graph(chain(("steps", steps)), {"said": []}, callbacks(project))
    assert said(project) == [("steps", "Something in between. At last.")]


def test_a_model_that_streams_is_recorded_as_one(project, run_graph):
    model = GenericFakeChatModel(messages=iter([AIMessage("A sentence that comes in many pieces.")]))
    graph = chain(("speak", lambda state: {"messages": [model.invoke(state["messages"])]}), state=MessagesState)
    run_graph(graph, {"messages": [HumanMessage("Speak.")]}, callbacks(project))
    assert said(project) == [("speak", "A sentence that comes in many pieces.")]


def test_messages_that_are_handed_on_are_not_recorded_again(project, run_graph):
    def repeat(state):
        return {"messages": [*state["messages"], AIMessage("Something new.", id="m2")]}

    graph = chain(
        ("first", lambda _: {"messages": [AIMessage("Something old.", id="m1")]}),
        ("repeat", repeat),
        state=MessagesState,
    )
    run_graph(graph, {"messages": [HumanMessage("Speak.")]}, callbacks(project))
    assert said(project) == [("first", "Something old."), ("repeat", "Something new.")]


def test_two_callbacks_and_two_runs(project):
    graph = chain(("speak", lambda _: {"said": ["The very same words."]}))
    both = {"callbacks": [MemoryCallback(Recorder(project)), MemoryCallback(Recorder(project))]}
    graph.invoke({"said": []}, both | {"configurable": {"thread_id": "t1"}})
    assert len(said(project)) == 1
    graph.invoke({"said": []}, callbacks(project))
    assert len(said(project)) == 2


def test_asynchronous_nodes_on_the_memorys_own_loop(data, clock):
    async def speak(_):
        await asyncio.sleep(0)
        return {"said": ["Said on one loop."]}

    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            recorder = Recorder(memory.project("apollo"), session_id="s1", on_failure="stop")
            await chain(("speak", speak)).ainvoke({"said": []}, {"callbacks": [MemoryCallback(recorder)]})
            return [
                receipt.entry.content for receipt in await memory.project("apollo").review(by="ada@example.org").log()
            ]

    assert asyncio.run(scenario()) == ["Said on one loop."]


def test_a_run_without_a_thread_is_a_session_of_its_own(project):
    graph = chain(("one", lambda _: {"said": ["First."]}), ("two", lambda _: {"said": ["Second."]}))
    for _ in range(2):
        graph.invoke({"said": []}, {"callbacks": [MemoryCallback(Recorder(project))]})
    sessions = [receipt.entry.session_id for receipt in project.review(by="ada@example.org").log()]
    assert len(set(sessions)) == 2
    assert sessions[0] == sessions[1] != sessions[2] == sessions[3]


def test_what_is_recalled_is_not_recorded_as_said(project, run_graph):
    project.review(by="ada").promote_text("The office in Berlin moves to the river.")
    node = memory_retrieval_node(project, relevance_threshold=0.0)
    graph = chain(("recall", node), ("speak", lambda state: {"said": [f"{len(state['history_context'])} letters."]}))
    run_graph(graph, {"topic": "Where does the office move?", "said": []}, callbacks(project))
    assert [node for node, _ in said(project)] == ["speak"]


# A node that raises, a memsieve that is down


def test_what_a_model_said_in_a_node_that_fails_is_recorded_as_such(project, run_graph):
    def fails(_):
        GenericFakeChatModel(messages=iter([AIMessage("The model said this before.")])).invoke("Go on.")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_graph(chain(("fails", fails)), {"said": []}, callbacks(project))
    [receipt] = project.review(by="ada@example.org").log()
    assert (receipt.entry.node_id, receipt.entry.content) == ("fails", "The model said this before.")
    assert receipt.entry.metadata["failed"] is True
    assert receipt.entry.metadata["error"] == "ValueError: broken"


def test_a_node_that_fails_without_a_word_changes_nothing(project):
    def fails(_):
        raise ValueError("broken")

    config = callbacks(project)
    with pytest.raises(ValueError, match="broken"):
        chain(("speak", lambda _: {"said": ["Said."]}), ("fails", fails)).invoke({"said": []}, config)
    assert said(project) == [("speak", "Said.")]
    [callback] = config["callbacks"]
    assert callback._runs == {}
    assert callback._failed == {}


async def down(*_):
    raise StoreUnavailable("The disk is full.")


def test_a_graph_goes_on_while_memsieve_is_down_and_is_recorded_later(project, monkeypatch, run_graph):
    graph = chain(("one", lambda _: {"said": ["First."]}), ("two", lambda _: {"said": ["Second."]}))
    config = callbacks(project)
    with monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        run_graph(graph, {"said": []}, config)
    recorder = config["callbacks"][0].recorder
    assert [one.request.fields["node_id"] for one in recorder.failures] == ["one", "two"]
    recorder.close()
    assert said(project) == [("one", "First."), ("two", "Second.")]


def test_a_graph_stops_while_memsieve_is_down_if_it_should(project, monkeypatch, run_graph):
    reached = []
    graph = chain(("one", lambda _: {"said": ["First."]}), ("two", lambda _: reached.append(1)))
    monkeypatch.setattr(SqliteQuarantine, "add", down)
    with pytest.raises(StoreUnavailable):
        run_graph(graph, {"said": []}, callbacks(project, on_failure="stop"))
    assert reached == []
