"""Word lists kept as text files: `[section]` headings with lines of words below them, `#` for comments.

There are stop words for each job, because weights and thresholds were chosen with them. `tokens`: left out of the
index. `claims`: form the frame of a sentence and claim nothing. `concepts`: a text is not about them. `injection`: do
not tell whether a sentence fits the text around it. Each has a Chinese counterpart; `characters` are single
characters, `pairs` two neighbours.
"""

from __future__ import annotations

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


def load_words(package: str, name: str, section: str) -> tuple[str, ...]:
    """Return the words of one section in their order."""
    return tuple(" ".join(load_sections(package, name)[section]).split())


def load_alternatives(package: str, name: str, section: str) -> str:
    """Return the alternatives of one section as a piece of a regular expression."""
    return "|".join(load_sections(package, name)[section])


def load_pattern(package: str, name: str, section: str) -> str:
    """Return a regular expression: one of a section as a whole word, or one of `<section>.chinese` anywhere."""
    words = rf"\b(?:{load_alternatives(package, name, section)})\b"
    chinese = f"{section}.chinese"
    return f"{words}|{load_alternatives(package, name, chinese)}" if chinese in load_sections(package, name) else words


@cache
def stop_words(name: str) -> frozenset[str]:
    """Return one of the sets of `data/stop_words.txt`."""
    return frozenset(load_words("memsieve.text", "stop_words.txt", name))
