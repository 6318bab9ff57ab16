"""File names made from any text: valid on every file system, and never a path out of a folder."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from itertools import count

MOST_BYTES = 120
_DIGITS = 8
_KEPT = frozenset("._-")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")}
)
# Letters by their category, but invisible.
_UNSEEN = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def safe(text: str, *, fallback: str) -> str:
    """Return a file name for a text: letters and digits of any script and `._-`; every other run becomes one dash.

    It has no separator, no leading dot and at most 120 bytes. A name that was cut, or of which nothing is left, ends
    in a hash of the whole text.
    """
    whole = unicodedata.normalize("NFC", text)
    name = _trimmed(_kept(whole))
    if not name:
        return f"{fallback}-{_hash(whole)}"
    name = _unreserved(name)
    return name if len(name.encode()) <= MOST_BYTES else f"{_cut(name)}-{_hash(whole)}"


def numbered(name: str) -> Iterator[str]:
    """Yield a file name, then the same with -2, -3 and so on before its suffix."""
    stem, dot, suffix = name.rpartition(".")
    yield name
    yield from (f"{stem}-{number}{dot}{suffix}" for number in count(2))


def fold(name: str) -> str:
    """Fold a name, so that two names that some file systems treat as the same are equal."""
    folded = unicodedata.normalize("NFC", name).casefold()
    return unicodedata.normalize("NFC", folded)


def _kept(text: str) -> str:
    made: list[str] = []
    for character in text:
        if _is_kept(character, made[-1] if made else "-"):
            made.append(character)
        elif not made or made[-1] != "-":
            made.append("-")
    return "".join(made)


def _is_kept(character: str, before: str) -> bool:
    kind = unicodedata.category(character)[0]
    if kind == "M":
        # A mark belongs to its letter; behind anything else it is left over from an emoji.
        return unicodedata.category(before)[0] in "LM" and character not in _UNSEEN
    if character == "-":
        return before != "-"
    return (kind in "LN" and character not in _UNSEEN) or character in _KEPT


def _trimmed(name: str) -> str:
    return name.lstrip(".-").rstrip(".-")


def _unreserved(name: str) -> str:
    stem, dot, rest = name.partition(".")
    return f"{stem}_{dot}{rest}" if stem.casefold() in _RESERVED else name


def _cut(name: str) -> str:
    room = MOST_BYTES - _DIGITS - 1
    return _trimmed(name.encode()[:room].decode(errors="ignore"))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
