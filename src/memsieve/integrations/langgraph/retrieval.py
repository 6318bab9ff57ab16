"""A node that retrieves memory: it reads the topic from the state and writes `history_context`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

from langchain_core.callbacks import adispatch_custom_event, dispatch_custom_event
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.config import get_stream_writer

from memsieve.errors import ConfigError, Forbidden, InvalidInput
from memsieve.integrations.langgraph.callback import RECALL_TAG
from memsieve.integrations.messages import message_of
from memsieve.integrations.recorder import Failure, Recorder
from memsieve.model import Answer
from memsieve.retrieval.prompt import DEFAULT_TOKENS, history_context

EVENT = "memory_retrieved"
OUTPUT = "history_context"
_LONGEST_QUERY = 8_000
_NAMES = ("project_id", "group_id")


def memory_retrieval_node(  # noqa: PLR0913 - options
    project: Any = None,
    *,
    projects: Mapping[str, Any] | None = None,
    max_results: int = 5,
    max_unverified: int = 10,
    time_range_days: float | None = 7,
    relevance_threshold: float = 0.7,
    include_verdicts: bool = True,
    topic_key: str = "topic",
    max_tokens: int = DEFAULT_TOKENS,
    session_id: str | None = None,
    on_failure: Literal["go_on", "stop"] = "go_on",
    on_error: Callable[[Failure], object] | None = None,
) -> Runnable[Any, dict[str, Any]]:
    """Make a node that recalls, for `graph.add_node("recall", …)`.

    It queries by the state's `topic` (or another key), or else by the user's last message, and emits
    `memory_retrieved` with the count. A `project_id` or `group_id` in the state chooses among the `projects` given
    here, and reaches no other. `include_verdicts=False` leaves out what people approved.
    """
    given = dict(projects or {})
    if project is not None:
        given[project.id] = project
    if not given:
        raise ConfigError("memory_retrieval_node needs a project, or several by name as projects={…}.")
    recorders = {
        name: Recorder(one, session_id=session_id, on_failure=on_failure, on_error=on_error)
        for name, one in given.items()
    }
    options = {
        "max_results": max_results if include_verdicts else 0,
        "max_unverified": max_unverified,
        "time_range_days": time_range_days,
        "relevance_threshold": relevance_threshold,
    }
    recall = _Recall(recorders, None if project is None else project.id, options, topic_key, max_tokens)
    node = RunnableLambda(recall.run, afunc=recall.arun, name="memory_retrieval")
    return node.with_config(tags=[RECALL_TAG])


class _Recall:
    """The node, synchronous and asynchronous."""

    def __init__(
        self,
        recorders: Mapping[str, Recorder],
        bound: str | None,
        options: Mapping[str, Any],
        topic_key: str,
        max_tokens: int,
    ) -> None:
        self._recorders = recorders
        self._bound = bound if bound is not None or len(recorders) > 1 else next(iter(recorders))
        self._options = options
        self._topic_key = topic_key
        self._max_tokens = max_tokens

    def run(self, state: Any, config: RunnableConfig) -> dict[str, Any]:
        query, recorder = _topic(state, self._topic_key), self._chosen(state)
        try:
            answer = recorder.retrieve(_require(query), session_id=_session(recorder, config), **self._options)
        except Exception as error:  # noqa: BLE001 - the agent goes on, or not, as the recorder says
            return {OUTPUT: recorder.not_asked(query, error)}
        summary = _summary(answer)
        dispatch_custom_event(EVENT, summary, config=config)
        _stream(summary)
        return {OUTPUT: history_context(answer, max_tokens=self._max_tokens)}

    async def arun(self, state: Any, config: RunnableConfig) -> dict[str, Any]:
        query, recorder = _topic(state, self._topic_key), self._chosen(state)
        try:
            answer = await recorder.aretrieve(_require(query), session_id=_session(recorder, config), **self._options)
        except Exception as error:  # noqa: BLE001 - as above
            return {OUTPUT: recorder.not_asked(query, error)}
        summary = _summary(answer)
        await adispatch_custom_event(EVENT, summary, config=config)
        _stream(summary)
        return {OUTPUT: history_context(answer, max_tokens=self._max_tokens)}

    def _chosen(self, state: Any) -> Recorder:
        """Return the recorder of the project that the state names, among those given: a model may write the state."""
        named = next((str(one) for one in (_get(state, name) for name in _NAMES) if one), self._bound)
        if named is None:
            raise ConfigError(
                f"The state names no project. Set project_id to one of {', '.join(sorted(self._recorders))}."
            )
        if named not in self._recorders:
            raise Forbidden(f"This node may not ask project {named!r}. Give it to memory_retrieval_node if it should.")
        return self._recorders[named]


def _topic(state: Any, key: str) -> str:
    topic = _get(state, key)
    if isinstance(topic, str) and topic.strip():
        return topic[:_LONGEST_QUERY]
    messages = (message_of(one) for one in reversed(_get(state, "messages") or ()))
    human = (one for one in messages if one is not None and one.metadata.get("role") in ("human", "user"))
    return next((one.text for one in human if one.text), "")[:_LONGEST_QUERY]


def _require(query: str) -> str:
    if not query:
        raise InvalidInput("The state has no topic, and nobody has said anything yet: set one.", field="topic")
    return query


def _session(recorder: Recorder, config: RunnableConfig) -> str | None:
    thread = config.get("configurable", {}).get("thread_id")
    return recorder.session_id or (None if thread is None else str(thread))


def _summary(answer: Answer) -> dict[str, Any]:
    verified = sum(item.verified for item in answer.items)
    count = len(answer.items)
    return {"count": count, "verified": verified, "unverified": count - verified, "degraded": list(answer.degraded)}


def _stream(summary: Mapping[str, Any]) -> None:
    # Outside of a graph there is no stream.
    with suppress(RuntimeError):
        get_stream_writer()({"event": EVENT, **summary})


def _get(state: Any, name: str) -> Any:
    return state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)
