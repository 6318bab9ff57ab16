"""What recording costs an agent on its own path, beyond the durable write: by itself, and for a node of a graph."""

from __future__ import annotations

import operator
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypedDict

from benchmarks.invented import Inventor
from benchmarks.report import Column, Report, Value
from langgraph.graph import END, START, StateGraph

from memsieve import Memory
from memsieve.ingress.recording import HEAD_START
from memsieve.integrations import Recorder
from memsieve.integrations.langgraph import MemoryCallback

TURNS = 60
WARM = 6
PROJECT = "bench"
BARE, RECORDER = "a graph of one node, not recorded", "Recorder.record"
RECORDED, CHECKS = "the graph, recorded by MemoryCallback", "project.record, with all checks"
BUSY = "the same, while others are decided on"
GRAPHS = (RECORDED, BUSY)
AIMS = {RECORDER: "< 1 ms", RECORDED: "< 1 ms"}
TIMES = [Column(name, "{:.2f} ms") for name in ("p50", "of that, the write", "beyond it, p50", "p95")]

Way = Callable[[str], object]


class State(TypedDict):
    """What the node is given and puts out."""

    said: Annotated[list[str], operator.add]


class TimedStore:
    """The quarantine store, which tells how long its last durable write took."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.seconds = 0.0

    async def add(self, *arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            return await self._store.add(*arguments)
        finally:
            self.seconds = time.perf_counter() - began

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@dataclass
class Times:
    """How long each turn took as a whole, and without the write that was part of it."""

    whole: list[float] = field(default_factory=list)
    rest: list[float] = field(default_factory=list)


def main(_: Path) -> Report:
    """Print one table."""
    report = Report("middleware")
    with TemporaryDirectory() as folder, Memory.open(folder) as memory:
        ingress = memory._inner.services.ingress  # noqa: SLF001 - the write is timed where it is done
        store = ingress.quarantine = TimedStore(ingress.quarantine)
        texts = [text.content for text in Inventor(5).texts(TURNS + WARM)]

        def settle() -> None:
            while ingress._later:  # noqa: SLF001 - as an agent's next answer takes longer than a decision
                time.sleep(0.005)

        times = _in_turns(_ways(memory), texts, store, settle)
    title = f"On the agent's path, SQLite, {TURNS} turns; decisions follow beside it"
    report.table(title, [Column("what"), *TIMES, Column("aim for p50")], _rows(times))
    return report


def _ways(memory: Memory) -> dict[str, Way]:
    project = memory.project(PROJECT)
    recorder = Recorder(project, session_id="s1", on_failure="stop")
    graph, config = _graph(), {"callbacks": [MemoryCallback(recorder)]}
    return {
        RECORDER: lambda text: recorder.record(text, confidence=0.9),
        BARE: lambda text: graph.invoke({"said": [text]}),
        RECORDED: lambda text: graph.invoke({"said": [text]}, config),
        BUSY: lambda text: graph.invoke({"said": [text]}, config),
        CHECKS: lambda text: project.record(text, session_id="s2", confidence=0.9),
    }


def _graph() -> Any:
    graph = StateGraph(State)
    graph.add_node("speak", lambda state: {"said": [f"{state['said'][0]} That is what I say."]})
    graph.add_edge(START, "speak")
    graph.add_edge("speak", END)
    return graph.compile()


def _in_turns(
    ways: dict[str, Way], texts: list[str], store: TimedStore, settle: Callable[[], None]
) -> dict[str, Times]:
    """Let each have its turn, and another one first each time, so that a busy moment meets all alike.

    Before each turn earlier decisions are made, as they are while an agent waits for a model; BUSY is the exception.
    """
    times = {name: Times() for name in ways}
    names = deque(ways)
    for number, text in enumerate(texts):
        names.rotate()
        for name in names:
            if name == BUSY:
                ways[RECORDER](f"before {text}")
                time.sleep(HEAD_START.total_seconds())
            else:
                settle()
            store.seconds = 0.0
            began = time.perf_counter()
            ways[name](f"{name} {text}")
            whole = time.perf_counter() - began
            if number >= WARM:
                times[name].whole.append(whole)
                times[name].rest.append(whole - store.seconds)
    return times


def _rows(times: dict[str, Times]) -> Iterator[tuple[Value, ...]]:
    """Give the write apart: how long the disk takes differs more from turn to turn than all the rest."""
    bare = median(times[BARE].whole)
    for name, each in times.items():
        write = median(map(operator.sub, each.whole, each.rest))
        rest = [one - (bare if name in GRAPHS else 0) for one in each.rest]
        beyond = (None, None) if name == BARE else (1000 * median(rest), 1000 * quantiles(rest, n=20)[-1])
        yield name, 1000 * median(each.whole), 1000 * write, *beyond, AIMS.get(name, "")
