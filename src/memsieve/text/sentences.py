"""Split text into sentences, in English, Chinese and what is punctuated like them."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A full stop ends a sentence before a space only (3.14, main.py); the other marks end it anywhere.
_SENTENCE = re.compile(r"[^。！？!?；;.\n]+(?:[.](?=\S)[^。！？!?；;.\n]*)*(?:[。！？!?；;.]+[\"'”’」』）)]*)?")
# Where a text may be cut in two: after closing quotes, and never between two characters that belong together (`a;b`).
SENTENCE_CUT = re.compile(r"[。！？；]+[”’」』）】》]*|(?<![.!?;])[.!?;]++[\"')\]]*+(?=\s)")
_CLAUSE = re.compile(
    r"[,;:.!?](?=\s|$)|[，；：。！？—\n]|\b(?:and then|and|but|while|whereas)\b|但是?|不过|然后|并且|而且|而(?=[^且])"
)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text with their marks, without the space around them; none is empty."""
    return [sentence for found in _SENTENCE.finditer(text) if (sentence := found[0].strip())]


def find_sentences(text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """Yield each sentence as a match, with the space around it, from a position on."""
    return _SENTENCE.finditer(text, start)


def split_clauses(text: str) -> list[str]:
    """Return the clauses of a text as they stand in it; some may be empty."""
    return _CLAUSE.split(text)
