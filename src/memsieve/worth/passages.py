"""Cut a text into passages: sentences of prose, lines of what is none, and blocks of code as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from memsieve.text.scripts import HAN

# Beyond this many the rest of a text is one passage.
_MOST_PASSAGES = 2000
# A longer piece without a mark or a space is no sentence that anybody reads.
_LONGEST = 1200
_ABBREVIATION = 10
_FENCE = re.compile(r"^[ \t]*(```|~~~)([^\n]*)(.*?)(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
# What agents fence though it is no code.
_PROSE = frozenset({"", "text", "txt", "plain", "plaintext", "markdown", "md"})
_LINE = re.compile(r"[^\n]+")
# A full stop ends a sentence before a space, a wave before Chinese, the other marks anywhere; a semicolon ends none. A
# run of marks is read once, from its first: to try it again from each would take the square of its length.
_END = re.compile(
    r"""(?:(?<![。！？!?])[。！？!?]++[.。！？!?~～]*+|(?<![~～])[~～]++(?=[\s"""
    + HAN
    + r"""])|(?<!\.)\.++(?=[\s"'”’」』)）\]*_]|$))["'”’」』)）\]*_]*+(?=\s|$|[^\s.,;:])"""
)
# What leads into the rest of its line: "Here is what I found:".
_LEAD = re.compile(r"""[^:："'{}]{2,80}(?::[*_]*(?=\s)|：[*_]*)(?=.{12})""", re.DOTALL)
# What a full stop belongs to: an abbreviation, an initial, the number of a list's item.
_ABBREVIATED = re.compile(
    r"(?:(?:^|\s|[(\"])(?:(?:[A-Z]\.)*[A-Z]|vs|[Nn]os?|[DMJS]r|[MD]rs|Ms|St|Prof|ca|cf|pp?|al|etc|incl|e\.g|i\.e|approx|Fig|Sec|Inc|Ltd|Co|a\.m|p\.m)"
    r"|^\s*\d{1,3})\.$"
)


class Passage(NamedTuple):
    """A piece of a text that is judged by itself, and where it stands.

    `is_code` is a fenced block of code, or JSON; `is_lead` leads into the next passage, with which it may be one.
    """

    text: str
    start: int
    end: int
    is_code: bool = False
    is_lead: bool = False


def split_passages(content: str) -> list[Passage]:
    """Return the passages of a text in order, without the space around them; together they hold all of its words.

    A document of JSON is one passage, whatever its values say.
    """
    return [*_passages(content)]


def _passages(content: str) -> Iterator[Passage]:
    count = 0
    for start, end, is_code in _json(content) or _blocks(content):
        pieces = [(start, end, False)] if is_code else _sentences(content, start, end)
        for first, last, is_lead in pieces:
            whole = count == _MOST_PASSAGES
            piece = content[first : len(content) if whole else last]
            if text := piece.strip():
                at = first + len(piece) - len(piece.lstrip())
                yield Passage(text, at, at + len(text), is_code, is_lead and not whole)
                count += 1
                if whole:
                    return


def _json(content: str) -> list[tuple[int, int, bool]]:
    """Return the whole of a text that is a document of JSON, as a block of code."""
    text = content.strip()
    if not text.startswith(("{", "[")) or not text.endswith(("}", "]")):
        return []
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [(0, len(content), True)]


def _blocks(content: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the lines of prose, fenced or not, and the fenced blocks of code."""
    at = 0
    for fence in _FENCE.finditer(content) if "```" in content or "~~~" in content else ():
        yield from _lines(content, at, fence.start())
        if fence[2].strip().lower() in _PROSE:
            yield from _lines(content, *fence.span(3))
        else:
            yield fence.start(), fence.end(), True
        at = fence.end()
    yield from _lines(content, at, len(content))


def _lines(content: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    for line in _LINE.finditer(content, start, end):
        yield line.start(), line.end(), False


def _sentences(content: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the sentences of a line, each after what leads into it."""
    line = content[start:end]
    at = 0
    for mark in _END.finditer(line):
        if mark[0] == "." and _ABBREVIATED.search(line[at : mark.end()][-_ABBREVIATION:]):
            continue
        yield from _parts(content, start + at, start + mark.end())
        at = mark.end()
    while len(line) - at > _LONGEST:
        yield start + at, start + at + _LONGEST, False
        at += _LONGEST
    yield from _parts(content, start + at, end)


def _parts(content: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    if lead := _LEAD.match(content, start, end):
        yield start, lead.end(), True
        start = lead.end()
    yield start, end, False
