"""Find the texts in an agent's output, wherever its framework puts them; an output without text is recorded as such."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from memsieve.integrations.messages import NOTHING, Message, NodeInput, confidence, message_of
from memsieve.integrations.record_request import key_of

# Keys that hold text for a reader; others may.
KEYS = ("content", "text", "output", "answer", "message", "messages", "result", "response")
# A shorter string under another key is a name or a state, such as "done"; it counts if there is nothing else.
SOME_LENGTH = 20
_DEEPEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A text in an output, with its author, confidence and metadata.

    `origin` is the id of its message; `strings` are the strings of the output that it was made of.
    """

    text: str
    strings: tuple[str, ...] = ()
    origin: str | None = None
    speaker: str | None = None
    confidence: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def key(self, session_id: str, otherwise: str) -> str:
        """Return the idempotency key: by the message id in the session, if there is one.

        Middleware and callback make the same key for the same message, so that both may be used.
        """
        return key_of(session_id, self.origin or otherwise, self.text)

    @property
    def about(self) -> dict[str, Any]:
        """The arguments for `Recorder.record`."""
        return {"agent_id": self.speaker, "confidence": self.confidence, "metadata": self.metadata}


def texts(output: Any, key: str | None = None) -> list[str]:
    """Return the texts in an output; under the `key` only, if there is one."""
    return [one.text for one in find(output, key)]


def recordings(output: Any, node: str, key: str | None = None) -> list[Found]:
    """Return the texts to record of an output, or a note that it has none."""
    return find(output, key) or [no_text(output, node)]


def no_text(output: Any, node: str) -> Found:
    """Return a note that an output has no text; with confidence 0 it never becomes memory."""
    return Found(
        text=f"[no text found in the output of node {node}: {_kind(output)}]",
        confidence=0.0,
        metadata={"no_text": True, "type": type(output).__name__},
    )


def find(output: Any, key: str | None = None, known: Any = None, seen: Collection[str] = ()) -> list[Found]:
    """Return the texts in an output that are new.

    `known` is the input of the node, which it may have passed on; `seen` are strings recorded within it.
    """
    node_input = NodeInput(known, seen)
    value = _unwrapped(output)
    if key is not None:
        chosen = _chosen(value, key)
        if chosen is not None:
            sure = confidence(chosen) if confidence(chosen) is not None else confidence(value)
            return [_with_confidence(one, sure) for one in _found(chosen, node_input, everything=True)]
    if isinstance(value, Mapping) and isinstance(known, Mapping):
        news = {name: node_input.new_part(one, known[name]) if name in known else one for name, one in value.items()}
        changed = {name: one for name, one in news.items() if one is not NOTHING}
        # A mapping that is passed on unchanged has nothing new; otherwise only what has changed is new.
        value = changed if changed or len(value) == len(known) else value
    return list(_found(value, node_input))


def _found(value: Any, known: NodeInput, *, everything: bool = False, depth: int = 0) -> Iterator[Found]:
    value = _unwrapped(value)
    message = message_of(value)
    if message is not None:
        if not known.includes(message):
            yield from _in_message(message)
    elif isinstance(value, str):
        if value.strip() and value not in known.seen:
            yield Found(text=value, strings=(value,))
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        yield from _in_mapping(value, known, depth)
    elif isinstance(value, list | tuple | set | frozenset) and depth < _DEEPEST:
        for one in value:
            yield from _found(one, known, everything=everything, depth=depth + 1)
    elif everything and value is not None and isinstance(value, int | float):
        yield Found(text=str(value))


def _in_message(message: Message) -> Iterator[Found]:
    if message.text or message.calls:
        calls = "\n".join(f"Calls {name}: {_json(arguments)}" for name, arguments in message.calls)
        yield Found(
            text="\n".join(filter(None, (message.text, calls))),
            strings=(message.text,),
            origin=message.id,
            speaker=message.speaker,
            confidence=confidence(message.value),
            metadata=message.metadata,
        )


def _in_mapping(value: Mapping[Any, Any], known: NodeInput, depth: int) -> Iterator[Found]:
    """Yield the texts under the text keys one by one, and all other strings of some length as one text."""
    sure = _lowest_confidence(value)
    found = [
        one for name in value if name in KEYS for one in _found(value[name], known, everything=False, depth=depth + 1)
    ]
    others = {name: one for name, one in value.items() if name not in KEYS and name not in ("confidence", "id", "type")}
    leaves: list[tuple[str, str]] = []
    for name, one in others.items():
        if _holds_messages(one):
            found += _found(one, known, depth=depth + 1)
        else:
            leaves += _leaves(one, str(name), known, depth + 1)
    long = [leaf for leaf in leaves if _of_some_length(leaf[1])]
    chosen = long or ([] if found else leaves)
    if chosen:
        found.append(_joined(chosen))
    yield from (_with_confidence(one, sure) for one in found)


def _joined(leaves: Sequence[tuple[str, str]]) -> Found:
    """Join strings into one text, each with its key if there are several."""
    names, strings = zip(*leaves, strict=True)
    text = strings[0] if len(leaves) == 1 else "\n".join(f"{name}: {one}" for name, one in leaves)
    return Found(text=text, strings=strings, metadata={"keys": sorted(set(names))})


def _lowest_confidence(value: Mapping[Any, Any]) -> float | None:
    """Return the confidence of a mapping, or the lowest of those that the records in it state."""
    own = confidence(value)
    inner = (
        (confidence(one) for one in map(_unwrapped, value.values()) if isinstance(one, Mapping)) if own is None else ()
    )
    return min((one for one in inner if one is not None), default=own)


def _leaves(value: Any, name: str, known: NodeInput, depth: int) -> Iterator[tuple[str, str]]:
    value = _unwrapped(value)
    if isinstance(value, str):
        if value.strip() and value not in known.seen:
            yield name, value
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(one, f"{name}.{key}", known, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _leaves(one, name, known, depth + 1)


def _of_some_length(text: str) -> bool:
    return len(text) >= SOME_LENGTH and (not text.isascii() or any(map(str.isspace, text.strip())))


def _holds_messages(value: Any) -> bool:
    value = _unwrapped(value)
    several = isinstance(value, list | tuple)
    return any(message_of(one) is not None for one in value) if several else message_of(value) is not None


def _unwrapped(value: Any) -> Any:
    """Unwrap a value: a command to its update, a record to its fields."""
    if _is_langgraph(value, "Command"):
        return _in_command(value)
    wrapped = next((name for kind, name in _WRAPPERS if _is_langgraph(value, kind)), None)
    if wrapped is not None:
        return _unwrapped(getattr(value, wrapped))
    if isinstance(value, Enum):
        return value.value
    return value if message_of(value) is not None else _fields(value)


def _fields(value: Any) -> Any:
    """Return a record as a mapping, and anything else as it is."""
    if isinstance(value, type):
        return value
    if hasattr(value, "model_dump") and hasattr(type(value), "model_fields"):
        return {name: getattr(value, name) for name in type(value).model_fields} | (value.model_extra or {})
    if dataclasses.is_dataclass(value):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    return value._asdict() if isinstance(value, tuple) and hasattr(value, "_asdict") else value


# By name, so that no framework need be installed.
_WRAPPERS = (("Send", "arg"), ("Overwrite", "value"))


def _is_langgraph(value: Any, kind: str) -> bool:
    return type(value).__name__ == kind and type(value).__module__.startswith("langgraph")


def _in_command(command: Any) -> Any:
    """Return the update of a command, and what it sends to other nodes."""
    goto = command.goto if isinstance(command.goto, list | tuple) else [command.goto]
    sent = [one.arg for one in goto if _is_langgraph(one, "Send")]
    pairs = isinstance(command.update, list) and all(isinstance(one, tuple) for one in command.update)
    update = dict(command.update) if pairs else _unwrapped(command.update)
    return [update, *sent] if sent else update


def _chosen(value: Any, key: str) -> Any:
    for name in key.split("."):
        value = _unwrapped(value)
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _with_confidence(found: Found, sure: float | None) -> Found:
    return found if sure is None or found.confidence is not None else dataclasses.replace(found, confidence=sure)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _kind(output: Any) -> str:
    opened = _unwrapped(output)
    keys = f" with {', '.join(sorted(map(str, opened))[:10])}" if isinstance(opened, Mapping) and opened else ""
    goto = getattr(output, "goto", None)
    return f"{type(output).__name__}{keys}{f' to {goto}' if goto else ''}"[:300]
