"""LangChain agents: record the outputs of model and tools, and give the model the relevant memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse, PrivateStateAttr, ToolCallRequest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command

from memsieve.integrations.langgraph.callback import RECALL_TAG
from memsieve.integrations.messages import content_text, stated
from memsieve.integrations.outputs import find, no_text
from memsieve.integrations.recorder import Recorder
from memsieve.retrieval.prompt import DEFAULT_TOKENS

MODEL = "model"
TOOLS = "tools"
# Longer messages are cut.
_LONGEST_QUERY = 8_000


class MemoryState(AgentState[Any]):
    """The agent's state, with what was recalled for this run."""

    history_context: NotRequired[Annotated[str, PrivateStateAttr]]


class MemoryMiddleware(AgentMiddleware[MemoryState, Any, Any]):
    """Records and recalls: `create_agent(model, tools, middleware=[MemoryMiddleware(recorder)])`.

    Memory is queried once a run, by the user's last message, and inserted before that: the prompt up to there stays
    the same. With `recall=False` it records only. Further options are those of `retrieve`.
    """

    state_schema = MemoryState

    def __init__(
        self, recorder: Recorder, *, recall: bool = True, max_tokens: int = DEFAULT_TOKENS, **options: Any
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self._recalls = recall
        self._options = {"max_tokens": max_tokens, **options}
        # A tagged run, by which the callback knows that its output is nothing new.
        retrieval = RunnableLambda(self._context, afunc=self._acontext, name="memory_retrieval")
        self._retrieval = retrieval.with_config(tags=[RECALL_TAG])

    def before_agent(self, state: MemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002
        """Retrieve memory for the last message of the user."""
        query = _query(state)
        return None if query is None or not self._recalls else {"history_context": self._retrieval.invoke(query)}

    async def abefore_agent(self, state: MemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002
        """Retrieve memory for the last message of the user."""
        query = _query(state)
        return None if query is None or not self._recalls else {"history_context": await self._retrieval.ainvoke(query)}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | AIMessage | ExtendedModelResponse[Any]:
        """Give the model the relevant memory, and record its response."""
        response = handler(_informed(request))
        for text, about in self._from_model(response):
            self.recorder.record(text, **about)
        return response

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | AIMessage | ExtendedModelResponse[Any]:
        """Give the model the relevant memory, and record its response."""
        response = await handler(_informed(request))
        for text, about in self._from_model(response):
            await self.recorder.arecord(text, **about)
        return response

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Record the result of a tool."""
        result = handler(request)
        for text, about in self._from_tool(request, result):
            self.recorder.record(text, **about)
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Record the result of a tool."""
        result = await handler(request)
        for text, about in self._from_tool(request, result):
            await self.recorder.arecord(text, **about)
        return result

    def _context(self, query: str) -> str:
        return self.recorder.context(query, session_id=self._session(), **self._options)

    async def _acontext(self, query: str) -> str:
        return await self.recorder.acontext(query, session_id=self._session(), **self._options)

    def _from_model(self, response: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        inner = getattr(response, "model_response", response)
        messages = getattr(inner, "result", inner)
        # The confidence of the model is in its structured output, if anywhere, not in its message.
        sure = stated(getattr(inner, "structured_response", None))
        yield from self._recordings(messages, MODEL, sure)

    def _from_tool(self, request: ToolCallRequest, result: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        call = f"{request.tool_call.get('id')}"
        for text, about in self._recordings(result, TOOLS, None, call):
            about["metadata"] = {"tool": request.tool_call["name"], **about["metadata"]}
            yield text, about

    def _recordings(
        self, output: Any, node: str, sure: float | None, otherwise: str = ""
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        config = get_config()
        session_id, agent_id = self._session(), config.get("metadata", {}).get("lc_agent_name")
        for number, one in enumerate(find(output) or [no_text(output, node)]):
            yield (
                one.text,
                {
                    "session_id": session_id,
                    "node_id": node,
                    "agent_id": one.speaker or agent_id,
                    "confidence": one.confidence if sure is None else sure,
                    "metadata": one.metadata,
                    "key": one.key(session_id, f"{otherwise or _task(config)}:{number}"),
                },
            )

    def _session(self) -> str:
        config = get_config()
        thread = config.get("configurable", {}).get("thread_id")
        return self.recorder.session_id or str(thread or config.get("run_id") or _task(config))


def _task(config: Any) -> str:
    """Return the id of the run of this node."""
    manager = config.get("callbacks")
    return str(getattr(manager, "parent_run_id", None) or config.get("metadata", {}).get("langgraph_checkpoint_ns", ""))


def _query(state: Any) -> str | None:
    last = next((one for one in reversed(state["messages"]) if isinstance(one, HumanMessage)), None)
    text = "" if last is None else content_text(last.content).strip()
    return text[:_LONGEST_QUERY] or None


def _informed(request: ModelRequest[Any]) -> ModelRequest[Any]:
    """Insert the recalled memory before the user's last message; not into the system prompt: it is data."""
    block = request.state.get("history_context")
    if not block:
        return request
    places = [place for place, one in enumerate(request.messages) if isinstance(one, HumanMessage)]
    place = places[-1] if places else 0
    messages = [*request.messages[:place], HumanMessage(str(block)), *request.messages[place:]]
    return request.override(messages=messages)
