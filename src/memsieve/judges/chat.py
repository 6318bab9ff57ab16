"""Ask a chat model one question about texts that stand between marks. What is no finished answer is an error."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from memsieve.errors import JudgeError
from memsieve.openai_api import EndpointError, OpenAIEndpoint

THINKING_START, THINKING_END = "<think>", "</think>"


def draw_mark() -> str:
    """Return a new mark for one call: content that cannot know it cannot close it."""
    return f"=== {secrets.token_hex(16)} ==="


def fenced(text: str, mark: str) -> str:
    """Return a text, unchanged, between two lines that hold only the mark."""
    return f"{mark}\n{text}\n{mark}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A model to ask. Its errors name what was `wanted` of it, and say `otherwise` what follows or what to do."""

    endpoint: OpenAIEndpoint
    model: str
    wanted: str
    otherwise: str

    async def ask(self, instructions: str, question: str) -> str:
        """Return the model's finished answer without its reasoning, or raise JudgeError."""
        payload = {
            "model": self.model,
            "temperature": 0,
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": question}],
        }
        try:
            answer = await self.endpoint.post("/chat/completions", payload)
        except EndpointError as exc:
            raise JudgeError(
                f"No {self.wanted} from {self.model}: {exc}", public=f"No {self.wanted} from {self.model}: {exc.public}"
            ) from exc
        return self._without_thinking(self._said(answer))

    def _said(self, answer: dict[str, Any]) -> str:
        """Return the text of a finished answer."""
        try:
            choice = answer["choices"][0]
            text, finish = choice["message"]["content"], choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError) as exc:
            raise self._wrong("holds no message. Check that the model is one for chat.") from exc
        if finish not in {None, "stop"}:
            raise self._wrong(f"is not complete (finish_reason {finish!r}). {self.otherwise}")
        if not isinstance(text, str):
            raise self._wrong("holds no text. Check that the model is one for chat.")
        return text

    def _without_thinking(self, text: str) -> str:
        """Drop the reasoning that some models put before the answer."""
        stripped = text.lstrip()
        if not stripped.startswith(THINKING_START):
            return text
        # With a second end mark, perhaps quoted from the content, nobody can tell where the answer begins.
        if stripped.count(THINKING_END) != 1:
            raise self._wrong(f"begins with reasoning that has no clear end. {self.otherwise}")
        return stripped.partition(THINKING_END)[2]

    def _wrong(self, problem: str) -> JudgeError:
        return JudgeError(f"No {self.wanted} from {self.model}: its answer {problem}")
