"""Record every node of a graph without touching the nodes: by the callbacks that LangGraph makes around each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import GraphBubbleUp

from memsieve.integrations.outputs import Found, find, no_text
from memsieve.integrations.recorder import Recorder

# LangGraph tags the run of a node so, and no run within it.
_NODE_TAG = "graph:step:"
# What is tagged so recalls: it brings nothing new.
RECALL_TAG = "memsieve:recall"
# Nodes that agents' middleware puts around a model; most of them put nothing out.
_HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent")


@dataclass(kw_only=True, eq=False)
class Run:
    """One run of a node, or of something around or within nodes, as long as it lasts."""

    id: UUID
    parent: Run | None
    node: str | None = None
    task: str = ""
    inputs: Any = None
    session_id: str
    agent_id: str | None = None
    recalls: bool = False
    holds_nodes: bool = False
    heard: set[str] = field(default_factory=set)
    models: list[Found] = field(default_factory=list)

    @property
    def root(self) -> Run:
        return self if self.parent is None else self.parent.root

    @property
    def nearest(self) -> Run | None:
        """The node that this is, or is within."""
        return self if self.node is not None or self.parent is None else self.parent.nearest

    @property
    def path(self) -> str:
        """The node's name, below that of the node whose graph it is in."""
        above = None if self.parent is None else self.parent.path
        return "/".join(filter(None, (above, self.node)))


class MemoryCallback(BaseCallbackHandler):
    """Records what each node puts out, once: `graph.invoke(state, {"callbacks": [MemoryCallback(recorder)]})`.

    `key` names where in an output the text is; `agents` which agent a node is; nodes to `skip` are not recorded.
    Without a session of the recorder's own, the thread is the session, or the run where there is none.
    """

    def __init__(
        self,
        recorder: Recorder,
        *,
        key: str | None = None,
        agents: Mapping[str, str] | None = None,
        skip: Collection[str] = (),
    ) -> None:
        self.recorder = recorder
        # Else LangChain would only log what we raise.
        self.raise_error = recorder.stops
        self._key = key
        self._agents = agents or {}
        self._skip = frozenset(skip)
        self._runs: dict[UUID, Run] = {}
        # What models said in nodes that failed, until they succeed or the graph ends.
        self._failed: dict[tuple[UUID, str], list[tuple[Run, Found]]] = {}

    def on_chain_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - LangChain's signature
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note that something begins."""
        told = metadata or {}
        parent = None if parent_run_id is None else self._runs.get(parent_run_id)
        is_node = any(tag.startswith(_NODE_TAG) for tag in tags or ())
        run = Run(
            id=run_id,
            parent=parent,
            node=told.get("langgraph_node") if is_node else None,
            task=str(told.get("langgraph_checkpoint_ns", "")),
            inputs=inputs if is_node else None,
            session_id=self.recorder.session_id or str(told.get("thread_id") or "") or _outermost(parent, run_id),
            agent_id=told.get("lc_agent_name"),
        )
        self._runs[run_id] = run
        for around in _around(run):
            around.holds_nodes |= is_node
        nearest = run.nearest
        if nearest is not None and RECALL_TAG in (tags or ()):
            nearest.recalls = True

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """Record what a node has put out."""
        run = self._runs.pop(run_id, None)
        if run is None:
            return
        if run.node is not None:
            self._failed.pop((run.root.id, run.task), None)
            self._record_output(run, outputs)
        if run.parent is None:
            self._finish(run)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Keep what models said in a node that failed; one that is interrupted runs again."""
        run = self._runs.pop(run_id, None)
        if run is None:
            return
        if run.node is not None and not isinstance(error, GraphBubbleUp):
            kept = [(run, _of_failure(one, error)) for one in run.models if one.text not in run.heard]
            self._failed.setdefault((run.root.id, run.task), []).extend(kept)
        if run.parent is None:
            self._finish(run)

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Do nothing; without this LangChain would write all messages as one string first."""

    def on_llm_end(self, response: Any, *, parent_run_id: UUID | None = None, **_: Any) -> None:
        """Keep what a model said in a node, in case that the node fails."""
        run = None if parent_run_id is None else self._runs.get(parent_run_id)
        nearest = None if run is None else run.nearest
        if nearest is not None and nearest.node is not None:
            for generations in getattr(response, "generations", ()):
                nearest.models += [one for said in generations for one in find(getattr(said, "message", said.text))]

    def on_llm_error(self, error: BaseException, *, parent_run_id: UUID | None = None, **told: Any) -> None:  # noqa: ARG002
        """Keep what a model said before it broke off."""
        self.on_llm_end(told.get("response"), parent_run_id=parent_run_id)

    def _record_output(self, run: Run, outputs: Any) -> None:
        if run.recalls or run.node is None or run.node in self._skip or run.path in self._skip:
            return
        found = find(outputs, self._key, run.inputs, run.heard)
        if not found and not run.holds_nodes and not (outputs is None and run.node.endswith(_HOOKS)):
            found = [no_text(outputs, run.path)]
        self._record(run, found)

    def _record(self, run: Run, found: Sequence[Found]) -> None:
        for around in _around(run):
            around.heard.update(string for one in found for string in one.strings)
        for number, one in enumerate(found):
            self.recorder.record(
                one.text,
                session_id=run.session_id,
                node_id=run.path,
                agent_id=self._agents.get(run.path) or self._agents.get(run.node or "") or one.speaker or run.agent_id,
                confidence=one.confidence,
                metadata={**one.metadata, "run_id": str(run.id)},
                key=one.key(run.session_id, f"{run.id}:{number}"),
            )

    def _finish(self, root: Run) -> None:
        """Record what was said in nodes that never succeeded, and forget the runs of a graph that ended."""
        failed = [key for key in self._failed if key[0] == root.id]
        for key in failed:
            for number, (run, one) in enumerate(self._failed.pop(key)):
                self._record(run, [replace(one, origin=one.origin or f"{run.id}:failed:{number}")])
        for run_id in [run_id for run_id, run in self._runs.items() if run.root is root]:
            self._runs.pop(run_id, None)


def _around(run: Run) -> list[Run]:
    around = []
    while run.parent is not None:
        run = run.parent
        around.append(run)
    return around


def _outermost(parent: Run | None, run_id: UUID) -> str:
    return str(run_id if parent is None else parent.root.id)


def _of_failure(found: Found, error: BaseException) -> Found:
    told = {"failed": True, "error": f"{type(error).__name__}: {error}"[:500]}
    return replace(found, metadata={**found.metadata, **told})
