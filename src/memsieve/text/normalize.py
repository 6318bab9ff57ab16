"""One form for texts that say the same: width, case, accents' encodings and the two scripts of Chinese."""

from __future__ import annotations

import json
import unicodedata
from functools import cache, lru_cache
from pathlib import Path


@cache
def simplified_forms() -> dict[int, str]:
    """Return the simplified form of each traditional character, one for one, for `str.translate`."""
    forms = json.loads((Path(__file__).parent / "data" / "simplified.json").read_text("utf-8"))
    return {ord(old): new for old, new in forms.items()}


def simplify(text: str) -> str:
    """Return a text with traditional characters as simplified ones, each at its place."""
    return text if text.isascii() else text.translate(simplified_forms())


def unify(text: str) -> str:
    """Return a text in one width and one script of Chinese; case stays."""
    return text if text.isascii() else simplify(unicodedata.normalize("NFKC", text))


def fold(text: str) -> str:
    """Return a text in one width, case, encoding of accents and script of Chinese."""
    if text.isascii():
        return text.lower()
    return simplify(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=1024)
def normalized(text: str) -> str:
    """Return a folded text without spaces and punctuation; what is nothing else stays as it is."""
    folded = fold(text)
    return "".join(filter(_tells_apart, folded)) or folded


def _tells_apart(character: str) -> bool:
    # Signs tell claims apart ("< 5" and "> 5", "C" and "C++"), and marks tell words apart in many scripts.
    return character.isalnum() or unicodedata.category(character) in {"Sm", "Sc", "So", "Mn", "Mc"}
