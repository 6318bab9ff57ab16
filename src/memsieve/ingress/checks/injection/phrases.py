"""What an instruction to the reader of a memory looks like: the phrases and marks of `data/`, read once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

# A part of a pattern, or with a bar any word of a list.
_PART = re.compile(r"\{([a-z_]+)(\|?)\}")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to say it: a kind, the words it starts with, and the pattern of how it goes on.

    One that `opens` counts only at the beginning of a sentence.
    """

    kind: str
    starts: tuple[str, ...]
    then: str
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark that needs no words: looked for only where the text holds its sign."""

    kind: str
    sign: str
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """All marks, how a phrase is mentioned without being used, and the kinds of orders found by their signs."""

    marks: tuple[Mark, ...]
    attack_talk: re.Pattern[str]
    reported: re.Pattern[str]
    negated: re.Pattern[str]
    kinds: Mapping[str, str]


@cache
def english_phrases(*sections: str) -> tuple[Phrase, ...]:
    """Return the English phrases of these sections; of all without any."""
    return _phrases("phrases_en.toml", sections or ("phrases", "orders", "prompts", "tasks"))


@cache
def chinese_phrases(*sections: str) -> tuple[Phrase, ...]:
    """Return the Chinese phrases of these sections; of all without any."""
    return _phrases("phrases_zh.toml", sections or ("phrases", "orders", "prompts"))


@cache
def load_marks() -> Marks:
    """Return the marks."""
    table = load_table("marks.toml")
    return Marks(
        marks=tuple(Mark(one["kind"], one["sign"], pattern(one["pattern"])) for one in table["marks"]),
        kinds=table["kinds"],
        **{name: re.compile(pattern(mention)) for name, mention in table["mention"].items()},
    )


@cache
def load_table(name: str) -> dict[str, Any]:
    """Return a file of `data/`."""
    return tomllib.loads((files(__package__) / "data" / name).read_text("utf-8"))


def pattern(text: str) -> str:
    """Return a pattern as it is compiled; its line ends are for the reader of the file."""
    return text.replace("\n", "")


def _phrases(name: str, sections: tuple[str, ...]) -> tuple[Phrase, ...]:
    table = load_table(name)
    parts: Mapping[str, str] = table["parts"]

    def filled(text: str) -> str:
        return _PART.sub(lambda part: "|".join(parts[part[1]].split()) if part[2] else filled(parts[part[1]]), text)

    return tuple(
        Phrase(one["kind"], tuple(filled(one["starts"]).split()), pattern(filled(one["then"])), one.get("opens", False))
        for section in sections
        for one in table[section]
    )
