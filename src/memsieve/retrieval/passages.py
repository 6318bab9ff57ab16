"""Of a long text, the passages that a question is about: a prompt has no room for all of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memsieve.text.tokenize import tokenize
from memsieve.worth.passages import Passage, split_passages

# The most that is served of one text, in characters.
MOST_SERVED = 1000
_GAP = "\n[…]\n"
_MOST_KEPT = 64


def relevant_passages(content: str, words: Sequence[str]) -> str:
    """Return a text that is short enough, or those of its passages that share most words with a question, in order."""
    if len(content) <= MOST_SERVED:
        return content
    wanted = frozenset(words)
    passages = _passages(content)
    ranked = sorted(range(len(passages)), key=lambda number: -len(wanted & passages[number][1]))
    chosen, room = set[int](), MOST_SERVED
    for number in ranked:
        size = len(passages[number][0].text)
        if size <= room or not chosen:
            chosen.add(number)
            room -= size
    return _joined(content, [passages[number][0] for number in sorted(chosen)])


@lru_cache(maxsize=_MOST_KEPT)
def _passages(content: str) -> list[tuple[Passage, frozenset[str]]]:
    return [(passage, frozenset(tokenize(passage.text))) for passage in split_passages(content)]


def _joined(content: str, passages: Sequence[Passage]) -> str:
    """Return passages word for word; where something is left out between two, it says so."""
    parts: list[str] = []
    end = 0
    for passage in passages:
        between = content[end : passage.start]
        parts += [between if not between.strip() else _GAP, content[passage.start : passage.end]]
        end = passage.end
    if content[end:].strip():
        parts.append(_GAP)
    return "".join(parts).strip()
