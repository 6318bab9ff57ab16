"""pydantic-ai: a capability that records models and tools, and gives the model the relevant memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from memsieve.integrations.extras import require
from memsieve.retrieval.prompt import DEFAULT_TOKENS

require("pydantic-ai", "pydantic_ai")

from pydantic_ai import RunContext  # noqa: E402 - only where it is installed
from pydantic_ai.capabilities import AbstractCapability  # noqa: E402
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart  # noqa: E402
from pydantic_ai.models import ModelRequestContext  # noqa: E402
from pydantic_ai.tools import ToolDefinition  # noqa: E402

from memsieve.integrations.messages import confidence, content_text  # noqa: E402
from memsieve.integrations.outputs import Found, no_text, recordings  # noqa: E402
from memsieve.integrations.record_request import key_of  # noqa: E402
from memsieve.integrations.recorder import Recorder  # noqa: E402
from memsieve.runtime.lru_cache import LRUCache  # noqa: E402

MODEL = "model"
TOOLS = "tools"
_LONGEST_QUERY = 8_000
_MOST_RUNS = 100


@dataclass
class MemoryCapability(AbstractCapability[Any]):
    """Records and recalls: `Agent(model, capabilities=[MemoryCapability(recorder)])`.

    Memory is queried once a run. Without a session of the recorder's own, the conversation is the session. With
    `recall=False` it records only. `options` are those of `retrieve`.
    """

    recorder: Recorder
    recall: bool = True
    max_tokens: int = DEFAULT_TOKENS
    options: dict[str, Any] = field(default_factory=dict)
    _blocks: LRUCache[str, str] = field(default_factory=partial(LRUCache, _MOST_RUNS), init=False, repr=False)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Insert the relevant memory before the last message of the user; the history stays as it is."""
        messages = list(request_context.messages)
        place, query = _last_prompt(messages)
        if not self.recall or not query:
            return request_context
        block = await self._block(ctx, query[:_LONGEST_QUERY])
        messages.insert(place, ModelRequest(parts=[UserPromptPart(block)]))
        return replace(request_context, messages=messages)

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,  # noqa: ARG002 - the framework's signature
        response: ModelResponse,
    ) -> ModelResponse:
        """Record the response of the model."""
        for number, one in enumerate(_found(response)):
            key = key_of(str(ctx.run_id), str(ctx.run_step), str(number), one.text)
            await self.recorder.arecord(one.text, **{**one.about, **self._about(ctx), "node_id": MODEL, "key": key})
        return response

    async def after_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,  # noqa: ARG002
        args: Any,  # noqa: ARG002
        result: Any,
    ) -> Any:
        """Record the result of a tool."""
        details = {"tool": call.tool_name, "tool_call_id": call.tool_call_id}
        for one in recordings(getattr(result, "return_value", result), f"{TOOLS} {call.tool_name}"):
            about = {**one.about, **self._about(ctx), "node_id": TOOLS, "metadata": {**one.metadata, **details}}
            await self.recorder.arecord(one.text, **about)
        return result

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None

    async def _block(self, ctx: RunContext[Any], query: str) -> str:
        """Return the memory block, cached per run, so that the agent's own words do not come back."""
        run = str(ctx.run_id)
        block = self._blocks.get(run)
        if block is None:
            about = {**self.options, **self._about(ctx)}
            block = await self.recorder.acontext(query, max_tokens=self.max_tokens, **about)
            self._blocks.set(run, block)
        return block

    def _about(self, ctx: RunContext[Any]) -> dict[str, Any]:
        name = getattr(ctx.agent, "name", None) or self.recorder.agent_id
        return {"session_id": self.recorder.session_id or ctx.conversation_id, "agent_id": name}


def _found(response: ModelResponse) -> list[Found]:
    whole = confidence(response)
    found = []
    for part in response.parts:
        if isinstance(part, TextPart) and part.content.strip():
            found.append(Found(text=part.content, confidence=_either(confidence(part), whole)))
        elif isinstance(part, ToolCallPart):
            arguments = part.args_as_json_str()
            sure = _either(confidence({"content": arguments}), whole)
            details = {"tool": part.tool_name, "tool_call_id": part.tool_call_id}
            found.append(Found(text=f"Calls {part.tool_name}: {arguments}", confidence=sure, metadata=details))
    return found or [no_text(response, MODEL)]


def _either(one: float | None, other: float | None) -> float | None:
    return other if one is None else one


def _last_prompt(messages: Sequence[ModelMessage]) -> tuple[int, str]:
    """Return the index and the text of the last message of the user."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        prompts = [one for one in message.parts if isinstance(one, UserPromptPart)] if message.kind == "request" else []
        text = "\n".join(filter(None, (_text(one) for one in prompts))).strip()
        if text:
            return place, text
    return 0, ""


def _text(prompt: UserPromptPart) -> str:
    content = prompt.content
    return content if isinstance(content, str) else content_text([one for one in content if isinstance(one, str)])
