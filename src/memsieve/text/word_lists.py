"""Word lists kept as text files: `[section]` headings with lines of words below them, `#` for comments.

There are stop words for each job, because weights and thresholds were chosen with them. `tokens`: left out of the
index. `claims`: form the frame of a sentence and claim nothing. `concepts`: a text is not about them. `injection`: do
not tell whether a sentence fits the text around it. Each has a Chinese counterpart; `characters` are single
characters, `pairs` two neighbours.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

# `importlib.resources` would take longer to import than all lists take to read.
_SOURCE = Path(__file__).parents[2]


@lru_cache(maxsize=32)
def load_sections(package: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return the lines of each section of `data/<name>` in a package, without comments and empty lines."""
    sections: dict[str, tuple[str, ...]] = {}
    heading, lines = "", list[str]()
    text = _SOURCE.joinpath(*package.split("."), "data", name).read_text("utf-8")
    for line in (*map(str.strip, text.splitlines()), "[]"):
        if line.startswith("[") and line.endswith("]"):
            if heading:
                sections[heading] = tuple(lines)
            heading, lines = line[1:-1], []
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


class WordFile:
    """The file `data/<name>` of a package, read section by section."""

    def __init__(self, package: str, name: str) -> None:
        self._sections = load_sections(package, name)

    def words(self, section: str) -> tuple[str, ...]:
        """Return the words of one section in their order."""
        return tuple(" ".join(self._sections[section]).split())

    def rows(self, section: str) -> list[list[str]]:
        """Return the words of each line of one section."""
        return [line.split() for line in self._sections[section]]

    def one_of(self, section: str) -> str:
        """Return the alternatives of one section as a piece of a regular expression."""
        return "|".join(self._sections[section])

    def pattern(self, section: str, *, or_this: str = "") -> re.Pattern[str]:
        """Return what finds one of a section as a whole word, one of `<section>.chinese` anywhere, or `or_this`."""
        found = rf"{or_this}\b(?:{self.one_of(section)})\b"
        chinese = f"{section}.chinese"
        return re.compile(f"{found}|{self.one_of(chinese)}" if chinese in self._sections else found, re.IGNORECASE)


@cache
def stop_words(name: str) -> frozenset[str]:
    """Return one of the sets of `data/stop_words.txt`."""
    return frozenset(WordFile("memsieve.text", "stop_words.txt").words(name))
