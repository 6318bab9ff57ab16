"""Messages of chat models, in whatever form a framework writes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ROLES = frozenset(
    {"ai", "assistant", "human", "user", "system", "developer", "tool", "function", "chat", "AIMessageChunk"}
)
NOTHING = object()
_PAIR = 2
_TEXTS = frozenset({"text", "output_text", "input_text", "refusal", None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a message says, what it calls, and who said it."""

    value: Any
    text: str
    id: str | None = None
    speaker: str | None = None
    calls: tuple[tuple[str, Any], ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def message_of(value: Any) -> Message | None:
    """Return a value as a message, or None if it is none."""
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


class Known:
    """What a node was given, and what others said within it: that is no news when it hands it on."""

    def __init__(self, given: Any, heard: Collection[str] = ()) -> None:
        self.heard = heard
        self._messages = list(_messages(given))
        self._ids = {message.id for message in self._messages if message.id is not None}

    def has(self, message: Message) -> bool:
        """Tell whether a message was among what was given or heard."""
        if message.text and message.text in self.heard:
            return True
        if message.id is not None and message.id in self._ids:
            return True
        return any(one.value is message.value for one in self._messages)

    def news(self, value: Any, given: Any) -> Any:
        """Return what is new in a value beside what was given in its place: all, the end of a list, or NOTHING."""
        if same(value, given):
            return NOTHING
        if isinstance(value, list) and isinstance(given, list) and 0 < len(given) <= len(value):
            return value[len(given) :] if same(value[: len(given)], given) else value
        return value


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are one."""
    try:
        return one is other or bool(one == other)
    except Exception:  # noqa: BLE001 - arrays and the like do not say
        return False


def _message(value: Any, role: str) -> Message:
    get = _getter(value)
    calls = tuple(filter(None, map(_call, get("tool_calls") or ())))
    told = {
        "role": role,
        "tool": get("name") if role in ("tool", "function") else None,
        "tool_call_id": get("tool_call_id"),
    }
    return Message(
        value=value,
        text=content_text(get("content")),
        # A tool's message gets an id of its own only later on its way.
        id=_text(get("tool_call_id")) or _text(get("id")),
        speaker=None if role in ("tool", "function") else _text(get("name")),
        calls=calls,
        metadata={name: one for name, one in told.items() if one is not None},
    )


def _call(call: Any) -> tuple[str, Any] | None:
    get = _getter(call)
    function = get("function")
    if function is not None:
        return _call(
            {"name": function["name"], "args": function["arguments"]} if isinstance(function, Mapping) else function
        )
    name = _text(get("name"))
    return None if name is None else (name, get("args") if get("args") is not None else get("arguments"))


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    get = _getter(block)
    text = get("text") if get("text") is not None else get("refusal")
    return text if get("type") in _TEXTS and isinstance(text, str) else ""


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


def _getter(value: Any) -> Callable[[str], Any]:
    return value.get if isinstance(value, Mapping) else lambda name: getattr(value, name, None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
