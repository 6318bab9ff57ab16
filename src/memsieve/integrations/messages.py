"""Messages of chat models in the form of any framework, and the confidence that they state."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ROLES = frozenset(
    {"ai", "assistant", "human", "user", "system", "developer", "tool", "function", "chat", "AIMessageChunk"}
)
NOTHING = object()
_PAIR = 2
_TEXT_TYPES = frozenset({"text", "output_text", "input_text", "refusal", None})
CONFIDENCE_KEYS = ("confidence", "confidence_score")
# Where frameworks put what a provider returns beside the text.
_BESIDE = ("additional_kwargs", "response_metadata", "metadata", "provider_details", "generation_info")
_DEEPEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message: its text, its tool calls and its author."""

    value: Any
    text: str
    id: str | None = None
    speaker: str | None = None
    calls: tuple[tuple[str, Any], ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def message_of(value: Any) -> Message | None:
    """Return a value as a message, or None if it is not one."""
    if isinstance(value, Mapping):
        role = value.get("role")
        return (
            _message(value, role)
            if isinstance(role, str) and role in ROLES and ("content" in value or "tool_calls" in value)
            else None
        )
    if (
        isinstance(value, tuple)
        and len(value) == _PAIR
        and isinstance(value[0], str)
        and value[0] in ROLES
        and isinstance(value[1], str)
    ):
        return Message(value=value, text=value[1] if value[1].strip() else "", metadata={"role": value[0]})
    role = getattr(value, "type", None)
    if isinstance(role, str) and role in ROLES and hasattr(value, "content") and not isinstance(value, type):
        return _message(value, role)
    return None


def content_text(content: Any) -> str:
    """Return the text of a message's content: a string, or blocks of which some are text."""
    if isinstance(content, str):
        return content if content.strip() else ""
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence):
        return ""
    return "\n".join(filter(None, map(_block_text, content)))


class NodeInput:
    """The input of a node, and the texts recorded within it: a node that passes them on says nothing new."""

    def __init__(self, given: Any, seen: Collection[str] = ()) -> None:
        self.seen = seen
        self._messages = list(_messages(given))
        self._ids = {message.id for message in self._messages if message.id is not None}

    def includes(self, message: Message) -> bool:
        """Say whether a message was in the input or was recorded within the node."""
        if message.text and message.text in self.seen:
            return True
        if message.id is not None and message.id in self._ids:
            return True
        return any(one.value is message.value for one in self._messages)

    def new_part(self, value: Any, given: Any) -> Any:
        """Return what is new in a value compared with the input: all of it, the end of a list, or NOTHING."""
        if same(value, given):
            return NOTHING
        if isinstance(value, list) and isinstance(given, list) and 0 < len(given) <= len(value):
            return value[len(given) :] if same(value[: len(given)], given) else value
        return value


def same(one: Any, other: Any) -> bool:
    """Say whether two values are equal."""
    try:
        return one is other or bool(one == other)
    except Exception:  # noqa: BLE001 - arrays and the like do not say
        return False


def _message(value: Any, role: str) -> Message:
    calls = tuple(filter(None, map(_call, _get(value, "tool_calls") or ())))
    metadata = {
        "role": role,
        "tool": _get(value, "name") if role in ("tool", "function") else None,
        "tool_call_id": _get(value, "tool_call_id"),
    }
    return Message(
        value=value,
        text=content_text(_get(value, "content")),
        # A tool message gets an id of its own only later.
        id=_text(_get(value, "tool_call_id")) or _text(_get(value, "id")),
        speaker=None if role in ("tool", "function") else _text(_get(value, "name")),
        calls=calls,
        metadata={name: one for name, one in metadata.items() if one is not None},
    )


def _call(call: Any) -> tuple[str, Any] | None:
    function = _get(call, "function")
    if function is not None:
        return _call(
            {"name": function["name"], "args": function["arguments"]} if isinstance(function, Mapping) else function
        )
    name = _text(_get(call, "name"))
    return (
        None
        if name is None
        else (name, _get(call, "args") if _get(call, "args") is not None else _get(call, "arguments"))
    )


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    text = _get(block, "text") if _get(block, "text") is not None else _get(block, "refusal")
    return text if _get(block, "type") in _TEXT_TYPES and isinstance(text, str) else ""


def _messages(given: Any, depth: int = 0) -> Iterator[Message]:
    message = message_of(given)
    if message is not None:
        yield message
    elif depth < _PAIR:  # a state, and the lists in it
        values = given.values() if isinstance(given, Mapping) else given if isinstance(given, list | tuple) else ()
        if hasattr(given, "model_dump"):
            values = [getattr(given, name) for name in type(given).model_fields]
        for one in values:
            yield from _messages(one, depth + 1)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def confidence(value: Any) -> float | None:
    """Return the confidence of an output or a message: as stated, else from its token probabilities, else None."""
    found = stated(value)
    return found if found is not None else _from_tokens(value)


def stated(value: Any, depth: int = 0) -> float | None:
    """Return the confidence that is stated as a number from 0 to 1, in the output, beside it, or in its JSON."""
    if isinstance(value, str):
        return _in_json(value)
    if value is None or isinstance(value, bytes | int | float) or depth > _DEEPEST:
        return None
    places = (_get(value, name) for name in (*_BESIDE, "content"))
    nested = (stated(place, depth + 1) for place in places if isinstance(place, Mapping | str))
    return next(filter(_is_number, (*(_fraction(_get(value, name)) for name in CONFIDENCE_KEYS), *nested)), None)


def _from_tokens(value: Any) -> float | None:
    if value is None or isinstance(value, str | bytes | int | float):
        return None
    places = (value, *(_get(value, name) for name in _BESIDE))
    found = (from_logprobs(_get(place, "logprobs")) for place in places if place is not None)
    return next(filter(_is_number, found), None)


def _in_json(text: str) -> float | None:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}") and any(name in text for name in CONFIDENCE_KEYS)):
        return None
    try:
        written = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return next(filter(_is_number, (_fraction(_get(written, name)) for name in CONFIDENCE_KEYS)), None)


def _is_number(value: float | None) -> bool:
    return value is not None


def from_logprobs(logprobs: Any) -> float | None:
    """Return the geometric mean of the token probabilities; None without tokens."""
    found = [one for one in map(_logprob, _tokens(logprobs)) if one is not None]
    return math.exp(min(0.0, math.fsum(found) / len(found))) if found else None


def _tokens(logprobs: Any) -> Iterable[Any]:
    """Return the tokens in the form of chat completions, of completions, or of responses."""
    if isinstance(logprobs, Mapping):
        logprobs = next((logprobs[name] for name in ("content", "token_logprobs", "tokens") if logprobs.get(name)), [])
    elif logprobs is not None and hasattr(logprobs, "content"):
        logprobs = logprobs.content
    return logprobs if isinstance(logprobs, list | tuple) else []


def _logprob(token: Any) -> float | None:
    value = token if isinstance(token, int | float) else _get(token, "logprob")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _fraction(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)
