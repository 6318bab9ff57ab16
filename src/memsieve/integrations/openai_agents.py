"""OpenAI Agents SDK: hooks that record models and tools, and an input filter that adds the relevant memory."""

from __future__ import annotations

from typing import Any

from memsieve.errors import ConfigError
from memsieve.integrations.extras import require
from memsieve.integrations.messages import confidence, content_text, from_logprobs, message_of
from memsieve.retrieval.prompt import DEFAULT_TOKENS

require("openai-agents", "agents")

from agents import Agent, RunContextWrapper, RunHooks, Tool  # noqa: E402 - only where it is installed
from agents.items import ModelResponse  # noqa: E402
from agents.run import CallModelData, ModelInputData  # noqa: E402

from memsieve.integrations.outputs import Found, find, no_text, recordings  # noqa: E402
from memsieve.integrations.recorder import Recorder  # noqa: E402
from memsieve.runtime.lru_cache import LRUCache  # noqa: E402

MODEL = "model"
TOOLS = "tools"
_LONGEST_QUERY = 8_000
_MOST_QUERIES = 100


class MemoryHooks(RunHooks[Any]):
    """Records as `hooks` of a run, and recalls as its `call_model_input_filter`: give that `hooks.recall`.

    Memory is queried once for each message of the user. Further options are those of `retrieve`.
    """

    def __init__(self, recorder: Recorder, *, max_tokens: int = DEFAULT_TOKENS, **options: Any) -> None:
        if recorder.session_id is None:
            raise ConfigError("The SDK tells hooks of no session. Make the recorder with a session_id.")
        self.recorder = recorder
        self._options = {"max_tokens": max_tokens, **options}
        self._blocks: LRUCache[str, str] = LRUCache(_MOST_QUERIES)

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:  # noqa: ARG002
        """Record the response of a model."""
        found = [one for item in response.output for one in _in_item(item)] or [no_text(response.output, MODEL)]
        for one in found:
            await self.recorder.arecord(one.text, **{**one.about, "node_id": MODEL, "agent_id": agent.name})

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Any, tool: Tool, result: object) -> None:
        """Record the result of a tool."""
        details = {"tool": tool.name, "tool_call_id": getattr(context, "tool_call_id", None)}
        for one in recordings(result, f"{TOOLS} {tool.name}"):
            about = {**one.about, "node_id": TOOLS, "agent_id": agent.name, "metadata": {**one.metadata, **details}}
            await self.recorder.arecord(one.text, **about)

    async def recall(self, data: CallModelData[Any]) -> ModelInputData:
        """Insert the relevant memory before the last message of the user."""
        given = list(data.model_data.input)
        users = [place for place, item in enumerate(given) if _role(item) == "user"]
        query = "" if not users else _user_text(given[users[-1]])[:_LONGEST_QUERY]
        if not query:
            return data.model_data
        block = await self._block(query, is_new=users[-1] == len(given) - 1)
        given.insert(users[-1], {"role": "user", "content": block})
        return ModelInputData(input=given, instructions=data.model_data.instructions)

    async def _block(self, query: str, *, is_new: bool) -> str:
        """Return the memory block, cached per user message, so that the agent's own words do not come back."""
        block = None if is_new else self._blocks.get(query)
        if block is None:
            block = await self.recorder.acontext(query, **self._options)
            self._blocks.set(query, block)
        return block


def _in_item(item: Any) -> list[Found]:
    kind = getattr(item, "type", None)
    if kind == "message":
        text = content_text(item.content)
        tokens = [token for part in item.content for token in getattr(part, "logprobs", None) or ()]
        sure = confidence({"content": text})
        return [Found(text=text, confidence=sure if sure is not None else from_logprobs(tokens))] if text else []
    if kind == "function_call":
        return [Found(text=f"Calls {item.name}: {item.arguments}", confidence=confidence({"content": item.arguments}))]
    # Reasoning is not output.
    return [] if kind == "reasoning" else find(item)


def _role(item: Any) -> Any:
    return item.get("role") if isinstance(item, dict) else getattr(item, "role", None)


def _user_text(item: Any) -> str:
    message = message_of(item)
    return "" if message is None else message.text.strip()
