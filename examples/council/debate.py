"""The council as a graph: it recalls, then three agents speak in turn. Nothing in the nodes knows of recording."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from council.voices import Voice
from memsieve import Project
from memsieve.integrations import Recorder
from memsieve.integrations.langgraph import MemoryCallback, memory_retrieval_node

AGENTS = {
    "economist": "You are the economist of a council of three. You look at costs.",
    "engineer": "You are the engineer of a council of three. You look at what works.",
    "critic": "You are the critic of a council of three. You look at what could be wrong.",
}
BRIEF = "Say in one or two sentences what you hold to be true, so that it can be understood on its own."


class State(TypedDict, total=False):
    """What the council knows while it debates."""

    topic: str
    history_context: str
    messages: Annotated[list[AnyMessage], add_messages]


def debate(project: Project, topic: str, session_id: str, voice: Voice, *, record: bool = True) -> State:
    """Let the council debate a topic; all that is said goes to quarantine."""
    graph = _graph(project, voice)
    with Recorder(project, session_id=session_id) as recorder:
        callbacks = [MemoryCallback(recorder, agents={name: name for name in AGENTS})] if record else []
        state = graph.invoke({"topic": topic}, {"callbacks": callbacks, "configurable": {"thread_id": session_id}})
    if recorder.lost:
        raise RuntimeError(f"{len(recorder.lost)} statements were not recorded.")
    return State(**state)


def prompt(agent: str, state: State) -> list[BaseMessage]:
    """Return what an agent is asked: its role, what is remembered, and what was said so far."""
    said = "\n".join(f"{one.name}: {one.text}" for one in state.get("messages", []))
    return [
        SystemMessage(f"{AGENTS[agent]} {BRIEF}"),
        HumanMessage(state["history_context"]),
        HumanMessage(f"The topic: {state['topic']}\n\n{said}".strip()),
    ]


def _graph(project: Project, voice: Voice) -> Any:
    graph = StateGraph(State)
    graph.add_node("recall", memory_retrieval_node(project, relevance_threshold=0.2))
    for agent in AGENTS:
        graph.add_node(agent, _node(agent, voice))
    for one, other in pairwise([START, "recall", *AGENTS, END]):
        graph.add_edge(one, other)
    return graph.compile()


def _node(agent: str, voice: Voice) -> Any:
    return lambda state: {"messages": [voice(agent, prompt(agent, state))]}
