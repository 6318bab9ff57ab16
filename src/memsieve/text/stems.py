"""Two stemmers for English words.

`snowball_stem` is for search: it joins all that is derived from one root ("decision" and "decided"). `stem` is for
comparing claims: it folds the forms of one word, irregular ones too ("rose" and "rise"), and keeps words apart that
exclude each other or mean two things ("organ" and "organization"), which Snowball joins.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

from memsieve.text.word_lists import load_sections

_IRREGULAR = {
    form: root
    for root, *forms in map(str.split, load_sections("memsieve.text", "stems.txt")["irregular"])
    for form in forms
}
_SHORTEST = 4


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Fold plural, past and -ing forms of a lower-case word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < _SHORTEST or not word.isascii():
        return word
    return _cut(word)


def _cut(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ied", "y"), ("sses", "ss")):
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004
            word = word[: -len(ending)]
            break
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1].isalpha() and word[-1] not in "sl":
        word = word[:-1]
    return word.removesuffix("e") if len(word) >= _SHORTEST else word


_of_this_thread = threading.local()


@lru_cache(maxsize=65536)
def snowball_stem(word: str) -> str:
    """Return the Snowball stem of a lower-case English word, and any other word as it is."""
    return str(_stemmer().stemWord(word)) if word.isascii() and word.isalpha() else word


def _stemmer() -> Any:
    """Return this thread's stemmer: it works on a word within itself, so that two threads would mix theirs up."""
    if not hasattr(_of_this_thread, "stemmer"):
        import snowballstemmer

        _of_this_thread.stemmer = snowballstemmer.stemmer("english")
    return _of_this_thread.stemmer
