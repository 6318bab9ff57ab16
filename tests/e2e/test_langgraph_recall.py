"""The node that recalls, in real graphs, and the store whose writes go to quarantine."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from pydantic import BaseModel

from memsieve.errors import ConfigError, Forbidden, InvalidInput, StoreUnavailable
from memsieve.integrations.langgraph import MemoryStore, memory_retrieval_node
from memsieve.memory import AsyncMemory
from memsieve.testing.server import wait_until

pytestmark = pytest.mark.usefixtures("small_embedder")
FACT = "The office in Berlin moves to the new building by the river in May."
FRESH = "The office in Paris keeps its old building near the station this year."
QUESTION = "Which building does the office in Berlin move to in May?"


class State(TypedDict, total=False):
    topic: str
    question: str
    project_id: str
    group_id: str
    messages: Annotated[list[Any], add_messages]
    history_context: str


@pytest.fixture
def project(memory):
    project = memory.project("apollo")
    project.review(by="ada").promote_text(FACT)
    project.record(FRESH, session_id="s0", confidence=0.9)
    return project


def graph_of(node, state=State):
    graph = StateGraph(state)
    graph.add_node("recall", node)
    graph.add_edge(START, "recall")
    return graph.compile()


def recalled(node, state, thread="t1"):
    return graph_of(node).invoke(state, {"configurable": {"thread_id": thread}})["history_context"]


def test_verified_and_unverified_are_recalled_apart(project):
    block = recalled(memory_retrieval_node(project, relevance_threshold=0.0), {"topic": QUESTION})
    verified, unverified = block.split("### ⚡️ Unverified")
    assert FACT in verified
    assert FRESH in unverified


def test_by_default_only_what_is_highly_relevant_is_recalled(project):
    block = recalled(memory_retrieval_node(project), {"topic": FACT})
    assert FACT in block
    assert FRESH not in block
    assert "nothing relevant" in recalled(memory_retrieval_node(project), {"topic": "How tall is the tower?"})


def test_what_is_older_than_a_week_is_not_recalled_unless_asked_for(project, clock):
    clock.advance(hours=24 * 8)
    assert FACT not in recalled(memory_retrieval_node(project), {"topic": FACT})
    assert FACT in recalled(memory_retrieval_node(project, time_range_days=None), {"topic": FACT})


def test_verdicts_of_people_may_be_left_out(project):
    node = memory_retrieval_node(project, relevance_threshold=0.0, include_verdicts=False)
    block = recalled(node, {"topic": QUESTION})
    assert FACT not in block
    assert FRESH in block


def test_the_topic_may_stand_under_another_key_or_be_what_a_person_said_last(project):
    node = memory_retrieval_node(project, topic_key="question")
    assert FACT in recalled(node, {"question": FACT})
    messages = [HumanMessage("Hello."), HumanMessage(FACT), AIMessage("One moment.")]
    assert FACT in recalled(node, {"messages": messages})


def test_states_that_are_records_are_read_as_well(project):
    class Model(BaseModel):
        topic: str = ""
        history_context: str = ""

    @dataclass
    class Record:
        topic: str = ""
        history_context: str = ""

    for kind in (Model, Record):
        graph = graph_of(memory_retrieval_node(project), kind)
        assert FACT in graph.invoke(kind(topic=FACT))["history_context"]


def test_a_state_without_a_topic_is_told_of(project):
    told = []
    block = recalled(memory_retrieval_node(project, on_error=told.append), {"messages": []})
    assert "Memory could not be asked" in block
    assert "no topic" in str(told[0].error)
    with pytest.raises(InvalidInput, match="no topic"):
        recalled(memory_retrieval_node(project, on_failure="stop"), {"messages": []})


def test_the_thread_is_the_session_that_is_served(project):
    recalled(memory_retrieval_node(project), {"topic": FACT}, thread="t9")
    [memory] = project.memories()
    assert [one.session_id for one in project.review(by="ada@example.org").lineage(memory.id).served] == ["t9"]


def test_it_tells_how_much_was_retrieved(project):
    seen = []

    class Listener(BaseCallbackHandler):
        def on_custom_event(self, name, data, **_):
            seen.append((name, data["count"], data["verified"]))

    graph = graph_of(memory_retrieval_node(project, relevance_threshold=0.0))
    config = {"callbacks": [Listener()]}
    [custom] = graph.stream({"topic": QUESTION}, config, stream_mode="custom")
    assert (custom["event"], custom["count"]) == ("memory_retrieved", 2)
    assert seen == [("memory_retrieved", 2, 1)]

    async def scenario():
        events = graph.astream_events({"topic": QUESTION}, version="v2")
        return [event["data"]["count"] async for event in events if event["event"] == "on_custom_event"]

    assert asyncio.run(scenario()) == [2]


def test_on_the_memorys_own_loop(data, clock):
    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            await memory.project("apollo").review(by="ada").promote_text(FACT)
            graph = graph_of(memory_retrieval_node(memory.project("apollo"), on_failure="stop"))
            return (await graph.ainvoke({"topic": FACT}))["history_context"]

    assert FACT in asyncio.run(scenario())


def test_a_budget_of_tokens_is_kept(project):
    block = recalled(memory_retrieval_node(project, relevance_threshold=0.0, max_tokens=150), {"topic": QUESTION})
    assert FACT in block
    assert "Left out for lack of room: 0 verified, 1 unverified." in block


# Projects are walls


def test_a_state_chooses_among_the_projects_it_is_given_and_reaches_no_other(memory, project):
    other = memory.project("zeus")
    other.review(by="ada").promote_text("The office in Athens moves to the hill.")
    both = memory_retrieval_node(projects={"apollo": project, "zeus": other}, relevance_threshold=0.0)
    one = memory_retrieval_node(project, relevance_threshold=0.0)
    asked = "Where does the office move?"
    assert "Athens" in recalled(both, {"topic": asked, "project_id": "zeus"})
    assert "Athens" not in recalled(both, {"topic": asked, "group_id": "apollo"})
    assert FACT in recalled(one, {"topic": asked, "project_id": "apollo"})
    for node, name in ((one, "zeus"), (both, "hermes")):
        with pytest.raises(Forbidden, match=f"may not ask project '{name}'"):
            recalled(node, {"topic": asked, "project_id": name})
    with pytest.raises(ConfigError, match="names no project"):
        recalled(both, {"topic": asked})
    with pytest.raises(ConfigError, match="needs a project"):
        memory_retrieval_node()


def test_a_memory_that_is_down_is_told_of_in_the_prompt(open_memory):
    with open_memory() as memory:
        project = memory.project("apollo")
    assert "Memory could not be asked" in recalled(memory_retrieval_node(project), {"topic": QUESTION})
    with pytest.raises(StoreUnavailable):
        recalled(memory_retrieval_node(project, on_failure="stop"), {"topic": QUESTION})


# The store

SHELF = ("memories",)
PUT = "The team in Oslo has five people and meets every Monday morning at nine."


def test_what_is_put_is_in_quarantine_and_found_when_it_was_admitted(project):
    store = MemoryStore(project)
    store.put(SHELF, "oslo", {"text": PUT, "confidence": 0.9})
    receipt = project.review(by="ada@example.org").log()[0]
    assert (receipt.entry.content, receipt.entry.node_id, receipt.entry.confidence) == (PUT, "store", 0.9)
    assert receipt.entry.metadata == {"store_key": "oslo", "store_namespace": ["memories"]}
    wait_until(lambda: store.get(SHELF, "oslo") is not None)
    found = store.get(SHELF, "oslo")
    assert (found.value["content"], found.value["verified"]) == (PUT, False)


def test_what_the_filter_refuses_is_never_found(project):
    store = MemoryStore(project)
    store.put(SHELF, "short", {"text": "Too short."})
    wait_until(lambda: project.review(by="ada@example.org").log()[0].admission.decision != "pending")
    assert store.get(SHELF, "short") is None
    assert all("short" not in one.value["content"] for one in store.search(SHELF, query="short"))


def test_a_search_is_retrieval(project):
    found = MemoryStore(project).search(SHELF, query=QUESTION)
    assert [(one.value["content"], one.value["label"]) for one in found] == [
        (FACT, "✅ verified"),
        (FRESH, "⚡️ unverified"),
    ]
    assert found[0].score > found[1].score
    assert MemoryStore(project).get(SHELF, found[0].key).value["content"] == FACT


def test_a_search_may_be_without_a_query_by_pages_and_with_a_filter(project):
    store = MemoryStore(project)
    assert [one.value["content"] for one in store.search(SHELF)] == [FACT, FRESH]
    assert [one.value["content"] for one in store.search(SHELF, limit=1, offset=1)] == [FRESH]
    assert [one.value["content"] for one in store.search(SHELF, filter={"verified": True})] == [FACT]
    assert [one.value["content"] for one in store.search((), filter={"source": {"$ne": "cold"}})] == [FRESH]
    with pytest.raises(InvalidInput, match="cannot be by \\$in"):
        store.search(SHELF, filter={"source": {"$in": ["cold"]}})


def test_a_retired_memory_is_not_found(project):
    [memory] = project.memories()
    project.review(by="ada").retire(memory.id, reason="It is wrong.")
    store = MemoryStore(project)
    assert store.get(SHELF, memory.id) is None
    assert [one.value["content"] for one in store.search(SHELF)] == [FRESH]


def test_nothing_is_deleted(project):
    store = MemoryStore(project)
    [memory] = project.memories()
    with pytest.raises(Forbidden, match="A person may"):
        store.delete(SHELF, memory.id)
    assert store.get(SHELF, memory.id) is not None


def test_a_namespace_is_a_wall(memory, project):
    other = memory.project("zeus")
    store = MemoryStore({("ada", "memories"): project, ("bob", "memories"): other})
    store.put(("bob", "memories"), "oslo", {"text": PUT})
    assert [one.entry.content for one in other.review(by="ada@example.org").log()] == [PUT]
    assert len(project.review(by="ada@example.org").log()) == 1
    assert FACT not in {one.value["content"] for one in store.search(("bob",), query=FACT)}
    assert FACT in {one.value["content"] for one in store.search(("ada",), query=FACT)}
    for forbidden in (lambda: store.put(("eve",), "k", {"text": PUT}), lambda: store.search(("eve",), query=FACT)):
        with pytest.raises(InvalidInput, match="No project belongs to the namespace"):
            forbidden()
    assert store.list_namespaces() == [("ada", "memories"), ("bob", "memories")]
    assert store.list_namespaces(prefix=("ada",)) == [("ada", "memories")]
    assert store.list_namespaces(suffix=("memories",), max_depth=1) == [("ada",), ("bob",)]


def test_nodes_use_it_as_any_store(project):
    async def node(state: State, runtime: Runtime) -> dict[str, Any]:
        await runtime.store.aput(SHELF, "oslo", {"text": PUT})
        found = await runtime.store.asearch(SHELF, query=state["topic"])
        one = await runtime.store.aget(SHELF, found[0].key)
        return {"history_context": one.value["content"]}

    graph = StateGraph(State)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    compiled = graph.compile(store=MemoryStore(project))
    result = asyncio.run(compiled.ainvoke({"topic": QUESTION}, {"configurable": {"thread_id": "t3"}}))
    assert result["history_context"] == FACT
    assert project.review(by="ada@example.org").log()[0].entry.session_id == "t3"
