"""Record the output of every node of a graph, by the callbacks that LangGraph makes around each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import GraphBubbleUp

from memsieve.integrations.outputs import Found, find, no_text
from memsieve.integrations.recorder import Recorder

# LangGraph tags the run of a node with this, and no run within it.
_NODE_TAG = "graph:step:"
# A run with this tag recalls memory: its output is nothing new.
RECALL_TAG = "memsieve:recall"
# Nodes that agent middleware adds around a model; most have no output.
_HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent")


@dataclass(kw_only=True, eq=False)
class NodeRun:
    """A running node, or a run around or within nodes."""

    id: UUID
    parent: NodeRun | None
    node: str | None = None
    task: str = ""
    inputs: Any = None
    session_id: str
    agent_id: str | None = None
    recalls: bool = False
    holds_nodes: bool = False
    seen: set[str] = field(default_factory=set)
    models: list[Found] = field(default_factory=list)

    @property
    def root(self) -> NodeRun:
        return self if self.parent is None else self.parent.root

    @property
    def nearest(self) -> NodeRun | None:
        """This run if it is a node, else the node around it."""
        return self if self.node is not None or self.parent is None else self.parent.nearest

    @property
    def path(self) -> str:
        """The name of the node, below those of the nodes around it."""
        above = None if self.parent is None else self.parent.path
        return "/".join(filter(None, (above, self.node)))


class MemoryCallback(BaseCallbackHandler):
    """Records the output of each node, once: `graph.invoke(state, {"callbacks": [MemoryCallback(recorder)]})`.

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
        # Otherwise LangChain would only log our exceptions.
        self.raise_error = recorder.stops
        self._key = key
        self._agents = agents or {}
        self._skip = frozenset(skip)
        self._runs: dict[UUID, NodeRun] = {}
        # Texts of models in failed nodes, until the node succeeds or the graph ends.
        self._failed: dict[tuple[UUID, str], list[tuple[NodeRun, Found]]] = {}

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
        """Register a run."""
        details = metadata or {}
        parent = None if parent_run_id is None else self._runs.get(parent_run_id)
        is_node = any(tag.startswith(_NODE_TAG) for tag in tags or ())
        run = NodeRun(
            id=run_id,
            parent=parent,
            node=details.get("langgraph_node") if is_node else None,
            task=str(details.get("langgraph_checkpoint_ns", "")),
            inputs=inputs if is_node else None,
            session_id=self.recorder.session_id or str(details.get("thread_id") or "") or _root_id(parent, run_id),
            agent_id=details.get("lc_agent_name"),
        )
        self._runs[run_id] = run
        for around in _ancestors(run):
            around.holds_nodes |= is_node
        nearest = run.nearest
        if nearest is not None and RECALL_TAG in (tags or ()):
            nearest.recalls = True

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """Record the output of a node."""
        run = self._runs.pop(run_id, None)
        if run is None:
            return
        if run.node is not None:
            self._failed.pop((run.root.id, run.task), None)
            self._record_output(run, outputs)
        if run.parent is None:
            self._finish(run)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Keep the texts of models in a failed node; an interrupted node runs again."""
        run = self._runs.pop(run_id, None)
        if run is None:
            return
        if run.node is not None and not isinstance(error, GraphBubbleUp):
            kept = [(run, _failed(one, error)) for one in run.models if one.text not in run.seen]
            self._failed.setdefault((run.root.id, run.task), []).extend(kept)
        if run.parent is None:
            self._finish(run)

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Do nothing; without this, LangChain would format all messages as one string."""

    def on_llm_end(self, response: Any, *, parent_run_id: UUID | None = None, **_: Any) -> None:
        """Keep the text of a model, in case its node fails."""
        run = None if parent_run_id is None else self._runs.get(parent_run_id)
        nearest = None if run is None else run.nearest
        if nearest is not None and nearest.node is not None:
            for generations in getattr(response, "generations", ()):
                nearest.models += [
                    one for generation in generations for one in find(getattr(generation, "message", generation.text))
                ]

    def on_llm_error(self, error: BaseException, *, parent_run_id: UUID | None = None, **details: Any) -> None:  # noqa: ARG002
        """Keep the text of a model that failed."""
        self.on_llm_end(details.get("response"), parent_run_id=parent_run_id)

    def _record_output(self, run: NodeRun, outputs: Any) -> None:
        if run.recalls or run.node is None or run.node in self._skip or run.path in self._skip:
            return
        found = find(outputs, self._key, run.inputs, run.seen)
        if not found and not run.holds_nodes and not (outputs is None and run.node.endswith(_HOOKS)):
            found = [no_text(outputs, run.path)]
        self._record(run, found)

    def _record(self, run: NodeRun, found: Sequence[Found]) -> None:
        for around in _ancestors(run):
            around.seen.update(string for one in found for string in one.strings)
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

    def _finish(self, root: NodeRun) -> None:
        """Record the kept texts of failed nodes, and remove the runs of a finished graph."""
        failed = [key for key in self._failed if key[0] == root.id]
        for key in failed:
            for number, (run, one) in enumerate(self._failed.pop(key)):
                self._record(run, [replace(one, origin=one.origin or f"{run.id}:failed:{number}")])
        for run_id in [run_id for run_id, run in self._runs.items() if run.root is root]:
            self._runs.pop(run_id, None)


def _ancestors(run: NodeRun) -> list[NodeRun]:
    ancestors = []
    while run.parent is not None:
        run = run.parent
        ancestors.append(run)
    return ancestors


def _root_id(parent: NodeRun | None, run_id: UUID) -> str:
    return str(run_id if parent is None else parent.root.id)


def _failed(found: Found, error: BaseException) -> Found:
    failure = {"failed": True, "error": f"{type(error).__name__}: {error}"[:500]}
    return replace(found, metadata={**found.metadata, **failure})
