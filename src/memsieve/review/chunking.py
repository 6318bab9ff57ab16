"""Split a text into chunks of at most 500 characters that overlap by up to 50; each is a verbatim part of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memsieve.ports import CHUNK_SIZE
from memsieve.text.sentences import SENTENCE_CUT

OVERLAP = 50

# From the best place to cut to the worst; a cut is made after each match.
_SEPARATORS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), SENTENCE_CUT, re.compile(r"\s+"))
_Span = tuple[int, int]


def split(text: str) -> list[str]:
    """Return the chunks of a text in order; none is empty."""
    chunks = (text[start:end].strip() for start, end in _chunks(text, list(_pieces(text, 0, len(text), 0))))
    return [chunk for chunk in chunks if chunk]


def _pieces(text: str, start: int, end: int, level: int) -> Iterator[_Span]:
    """Cut a span at its best separators until every piece fits."""
    if end - start <= CHUNK_SIZE - OVERLAP:
        yield start, end
    elif level == len(_SEPARATORS):
        yield from ((at, min(at + 1, end)) for at in range(start, end))
    else:
        cuts = [match.end() for match in _SEPARATORS[level].finditer(text, start, end)]
        for piece_start, piece_end in zip([start, *cuts], [*cuts, end], strict=True):
            if piece_end > piece_start:
                yield from _pieces(text, piece_start, piece_end, level + 1)


def _chunks(text: str, pieces: list[_Span]) -> Iterator[_Span]:
    """Join neighbouring pieces while they fit; begin each chunk with the end of the one before."""
    start, end = pieces[0]
    for _, piece_end in pieces[1:]:
        if piece_end - start > CHUNK_SIZE:
            yield start, end
            start = _overlap(text, end)
        end = piece_end
    yield start, end


def _overlap(text: str, end: int) -> int:
    """Return where the next chunk begins: up to 50 characters back, at a word's start where there is one."""
    earliest = end - OVERLAP
    space = re.compile(r"\s\b").search(text, earliest, end - 1)
    return space.end() if space else earliest
