"""Strict YAML front matter: plain data only, without anchors, tags or deep nesting; edits keep all other lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from memsieve.errors import KnowledgeBaseError

MOST_BYTES = 256 * 1024
MOST_DEPTH = 20
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# The first line of the head is the second of the file, below the opening fence.
_FIRST_LINE = 2
# All line breaks of YAML.
_LINE = re.compile("[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029]|$)")
_NULL = re.compile("~|null|Null|NULL|")
_BOOLEAN = re.compile("true|True|TRUE|false|False|FALSE")
# A number with more digits than this is an identifier.
_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{0,18}(?:[eE][-+][0-9]{1,2})?")
_FENCES = re.compile(r"^(?:---|\.\.\.)", re.MULTILINE)
_ESCAPED = re.compile(r"[^\x20-\x7e]")
_BLOCK_SCALARS = ("|", ">")


@dataclass(slots=True)
class _Collection:
    """A list or a mapping that is still open."""

    value: list[Any] | dict[str, Any]
    key: str | None = None


@dataclass(slots=True)
class _Field:
    """A top-level key and its lines in the head; unless `exact`, `last` may be a comment or blank."""

    name: str
    first: int
    last: int = 0
    exact: bool = True


@dataclass(slots=True)
class _Builder:
    """Builds plain values from parser events with a stack of its own, so that deep nesting cannot exhaust Python's."""

    file: object
    stack: list[_Collection] = field(default_factory=list)
    places: list[_Field] = field(default_factory=list)
    result: Any = None
    flow: bool = False

    def take(self, event: yaml.Event) -> None:
        """Process the next event."""
        self._refuse(event)
        if isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            value = self.stack.pop().value
            self._place(value, event, exact=_width(event) > 0)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event)

    def _refuse(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise self._error("Anchors and aliases (& and *) are not read here. Write the value out.", event)
        if getattr(event, "tag", None) is not None:
            raise self._error("Tags (!) are not read here. Write plain text, numbers or lists.", event)
        if isinstance(event, yaml.CollectionStartEvent) and len(self.stack) >= MOST_DEPTH:
            raise self._error(f"Values lie in more than {MOST_DEPTH} others. Write it flatter.", event)

    def _begin(self, event: yaml.CollectionStartEvent) -> None:
        self._require_key_text(event)
        if not self.stack:
            self.flow = bool(event.flow_style)
        self.stack.append(_Collection({} if isinstance(event, yaml.MappingStartEvent) else []))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._take_key(top, event)
            return
        value = _resolved(event.value) if event.implicit[0] else event.value
        self._place(value, event, exact=event.style not in _BLOCK_SCALARS)

    def _take_key(self, top: _Collection, event: yaml.ScalarEvent) -> None:
        key = event.value
        if key in top.value or (key == "<<" and event.implicit[0]):
            problem = f"{key!r} is here twice" if key != "<<" else "Merging (<<) is not read here"
            raise self._error(f"{problem}. Keep one line of it.", event)
        top.key = key
        if len(self.stack) == 1:
            self.places.append(_Field(key, _line(event.start_mark)))

    def _place(self, value: Any, event: yaml.Event, *, exact: bool) -> None:
        if not self.stack:
            self.result = value
            return
        top = self.stack[-1]
        if isinstance(top.value, dict):
            top.value[top.key or ""] = value
            top.key = None
        else:
            top.value.append(value)
        if not self.places:
            return
        # A block list ends where the next key begins: its last line is that of its last value.
        place = self.places[-1]
        if not isinstance(event, yaml.CollectionEndEvent) or exact:
            place.last, place.exact = _line(event.end_mark), exact

    def _require_key_text(self, event: yaml.Event) -> None:
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            raise self._error("A key must be a word, not a list or mapping.", event)

    def _error(self, problem: str, event: yaml.Event) -> KnowledgeBaseError:
        return KnowledgeBaseError(problem, file=self.file, line=_line(event.start_mark) + _FIRST_LINE)


def load(head: str, *, file: object = None) -> dict[str, Any]:
    """Parse a head into fields, or say which line is broken."""
    fields = _read(head, file).result
    return {} if fields is None else dict(fields)


def lines(head: str) -> dict[str, int]:
    """Return the line of the file on which each field begins."""
    return {place.name: place.first + _FIRST_LINE for place in _read(head, None).places}


def dump(fields: Mapping[str, Any]) -> str:
    """Serialise fields as a head that parses to the same fields."""
    return "".join(_dumped(name, value) for name, value in fields.items())


def change(head: str, changes: Mapping[str, Any], *, newline: str = "\n") -> str:
    """Return a head with fields changed, removed where None, and new ones added at its end; other lines stay."""
    built = _read(head, None)
    kept = {name: value for name, value in (built.result or {}).items() if name not in changes}
    fields = kept | {name: value for name, value in changes.items() if value is not None}
    changed = "" if built.flow else _edited(head, built, changes, newline)
    require_size(changed)
    # A head in one line, or indented as a whole, cannot be edited by lines: write it anew.
    return changed if changed and _holds(changed, fields) else dump(fields).replace("\n", newline)


def _edited(head: str, built: _Builder, changes: Mapping[str, Any], newline: str) -> str:
    kept = [found[0] for found in _LINE.finditer(head) if found[0]]
    for name, first, end in reversed(_extents(built.places, kept)):
        if name in changes:
            kept[first:end] = _lines(name, changes[name], newline)
    if kept and not kept[-1].endswith(("\n", "\r")):
        kept[-1] += newline
    added = [name for name in changes if name not in (built.result or {})]
    return "".join((*kept, *(line for name in added for line in _lines(name, changes[name], newline))))


def require_size(head: str, *, file: object = None) -> None:
    """Refuse a head over the size limit."""
    if len(head.encode()) > MOST_BYTES:
        raise KnowledgeBaseError(f"The front matter has more than {MOST_BYTES} bytes. Shorten it.", file=file, line=1)


def _read(head: str, file: object) -> _Builder:
    require_size(head, file=file)
    built = _Builder(file)
    try:
        for event in _events(head):
            built.take(event)
    except yaml.YAMLError as exc:
        raise _broken(exc, head, file) from exc
    if built.result is not None and not isinstance(built.result, dict):
        raise KnowledgeBaseError(
            "The front matter is no list of fields. Write `name: value`, or remove the --- lines.", file=file, line=1
        )
    return built


def _events(head: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(head, Loader=_LOADER)


def _broken(exc: yaml.YAMLError, head: str, file: object) -> KnowledgeBaseError:
    mark = getattr(exc, "problem_mark", None)
    position = getattr(exc, "position", None)
    line = mark.line if mark is not None else head.count("\n", 0, position) if isinstance(position, int) else 0
    problem = getattr(exc, "problem", None) or getattr(exc, "reason", None) or "it cannot be read"
    return KnowledgeBaseError(
        f"The front matter is no YAML: {problem}. Mend this line; text with a colon goes in quotes.",
        file=file,
        line=line + _FIRST_LINE,
    )


def _line(mark: Any) -> int:
    return int(mark.line)


def _width(event: Any) -> int:
    """Return the number of characters of an event: a bracket has one, the end of a block none."""
    return int(event.end_mark.index - event.start_mark.index)


def _resolved(text: str) -> Any:
    """Return the value of a plain scalar; only unmistakable kinds are converted, so `no` and `2026-11-16` are text."""
    if _NULL.fullmatch(text):
        return None
    if _BOOLEAN.fullmatch(text):
        return text.lower() == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _extents(places: list[_Field], lines: list[str]) -> list[tuple[str, int, int]]:
    """Return each top-level key with its first line and the line after its last."""
    starts = [place.first for place in places] + [len(lines)]
    return [
        (place.name, place.first, place.last + 1 if place.exact else _end(lines, place.first, limit))
        for place, limit in zip(places, starts[1:], strict=True)
    ]


def _end(lines: list[str], first: int, end: int) -> int:
    """Return the end of a block without the comments and blank lines below it, which stay where they are."""
    while end > first + 1 and (lines[end - 1].startswith("#") or not lines[end - 1].strip()):
        end -= 1
    return end


def _lines(name: str, value: Any, newline: str) -> list[str]:
    if value is None:
        return []
    return [f"{line}{newline}" for line in _dumped(name, value).removesuffix("\n").split("\n")]


class _Dumper(_DUMPER):  # type: ignore[valid-type,misc] # whichever the installed PyYAML has
    """Writes no aliases, and text of several lines as a block."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _represent_text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


def _dumped(name: str, value: Any) -> str:
    """Return one field as lines of YAML; what a block cannot hold exactly is written as JSON, which is YAML too."""
    text: str = yaml.dump({name: value}, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10**6)
    plain = _holds(text, {name: value}) and _FENCES.search(text) is None
    return text if plain else f"{_json(name)}: {_json(value)}\n"


def _json(value: Any) -> str:
    """Return a value on one line of ASCII with YAML escapes: those of JSON split characters beyond 16 bits."""
    written = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\U{ord(found[0]):08x}", written)


def _holds(head: str, fields: Mapping[str, Any]) -> bool:
    try:
        return load(head) == fields
    except KnowledgeBaseError:
        return False
