"""Find invisible characters, and the plain text behind a disguise.

Characters that nobody sees hide a message, unless a script or an emoji needs them. Disguises are lookalike letters,
letter spacing, leet, rot13, reversal, base64, hexadecimal and escapes.
"""

from __future__ import annotations

import base64
import codecs
import re
import sys
import unicodedata
from collections.abc import Iterator

from memsieve.text.normalize import simplify
from memsieve.text.scripts import HAN

_ZERO_WIDTH = "\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff"
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAG = "\U000e0000-\U000e007f"
# Scripts whose words are written without joiners: Latin, Greek, Cyrillic, kana, Han, Hangul.
_PLAIN_LETTER = f"A-Za-z\u00c0-\u024f\u0370-\u052f\u3040-\u30ff\uac00-\ud7a3{HAN}"

# A regional flag is a black flag, a region code in tag characters, and the cancel tag.
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")

_SIGNS = (
    ("tag_characters", re.compile(f"[{_TAG}]+")),
    ("direction_override", re.compile("[\u202d\u202e]")),
    (
        "variation_selectors",
        re.compile(f"[{_SELECTOR}]{{3,}}|(?<=[A-Za-z])[{_SELECTOR}]|(?<![{HAN}])[\U000e0100-\U000e01ef]"),
    ),
    (
        "zero_width",
        re.compile(f"[{_ZERO_WIDTH}]{{3,}}|(?<=[{_PLAIN_LETTER}])[{_ZERO_WIDTH}]+(?=[{_PLAIN_LETTER}])"),
    ),
)
_UNSEEN = re.compile(f"[\u00ad\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069{_ZERO_WIDTH}{_SELECTOR}{_TAG}]")


_LOOKALIKES = str.maketrans(
    "авекмнорстухіјѕԁԛԝһӏѵɡɑοαεικνρτυχωηɩıոօսցհᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ’‘‛“”„«»",
    'abekmhopctyxijsdqwhlvgaoaeikvptuxwniinougnabcdefghijklmnoprstuvwyz\'\'\'"""""',
)
# Spelt in two ways by those who write simplified characters too, so that the table of these has none of them.
_VARIANTS = str.maketrans("麽覆妳", "么复你")
_ACCENT = re.compile("[\u0300-\u036f\u0489\u20dd-\u20e0]")
_HAN_GAP = re.compile(rf"(?<=[{HAN}])[ \t\u3000]+(?=[{HAN}])")
_ESCAPE = re.compile(
    r"&#(?P<dec>\d{2,6});|&#x(?P<hex>[0-9a-fA-F]{2,5});|(?:\\u00|\\x|%)(?P<byte>[2-7][0-9a-fA-F])|\\u(?P<unit>[0-9a-fA-F]{4})"
)

_SPACED = re.compile(r"(?<!\w)[^\W_](?:[\W_]{1,3}[^\W_](?![^\W_])){7,}")
_LEET_WORD = re.compile(r"(?<![\w@$])(?=[a-z@$]{0,15}[013457])(?=[013457@$]{0,15}[a-z])[a-z013457@$]{2,24}(?![\w@$])")
_LEET = str.maketrans("013457@$", "oieastas")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{16,})*={0,2}")
_URL_SAFE = str.maketrans("-_", "+/")
_HEX = re.compile(r"(?:[0-9a-f]{2}[ :]?){12,}", re.IGNORECASE)
_TELLING = ("instruction", "previous", "ignore", "disregard", "respond", "system prompt", "the user", "from now on")
_ROT13_TELLING = tuple(codecs.encode(word, "rot13") for word in _TELLING)
_REVERSED_TELLING = tuple(word[::-1] for word in (*_TELLING, "指令", "提示词", "用户"))
_READABLE = 0.9


def find_hidden(text: str) -> tuple[str, int, int] | None:
    """Return what is hidden and where it begins and ends, or None."""
    if text.isascii() or not _UNSEEN.search(text):
        return None
    flagless = _FLAG.sub(lambda flag: " " * len(flag[0]), text)
    for what, pattern in _SIGNS:
        if found := pattern.search(flagless):
            return what, found.start(), found.end()
    return None


def strip_unseen(text: str) -> str:
    """Return the text without characters that have no shape of their own."""
    return _UNSEEN.sub("", text)


def show_unseen(text: str) -> str:
    """Return the text with every unseen or broken character written as U+XXXX."""
    return "".join(f"U+{ord(c):04X}" if _UNSEEN.match(c) or not c.isprintable() else c for c in text)


def fold(text: str) -> str:
    """Return the text in lower case with its lookalikes, accents, escapes and traditional characters made plain."""
    if "\\" in text or "&#" in text or "%" in text:
        text = _ESCAPE.sub(_unescape, text)
    if text.isascii():
        return text.lower()
    seen = unicodedata.normalize("NFKD", strip_unseen(text))
    plain = simplify(_ACCENT.sub("", seen).lower().translate(_LOOKALIKES)).translate(_VARIANTS)
    return _HAN_GAP.sub("", plain)


def squeezed(folded: str) -> Iterator[str]:
    """Give each run of single letters set apart, without what sets them apart."""
    for run in _SPACED.finditer(folded):
        yield re.sub(r"[\W_]+", "", run[0])


def unveiled(text: str, folded: str) -> Iterator[tuple[str, str]]:
    """Give the name of each disguise the text may wear, and the text without it."""
    if len(_LEET_WORD.findall(folded)) > 1:
        # A 1 is an i or an l; no English word has a double i.
        yield "digits for letters", _LEET_WORD.sub(lambda word: word[0].translate(_LEET).replace("ii", "ll"), folded)
    if any(word in folded for word in _ROT13_TELLING):
        yield "rot13", codecs.encode(folded, "rot13")
    if any(word in folded for word in _REVERSED_TELLING):
        yield "reversed letters", folded[::-1]
    for name, blobs in (("hexadecimal", _hex(text)), ("base64", _base64(text))):
        if readable := [plain for blob in set(blobs) if (plain := _readable(blob))]:
            yield name, "\n".join(readable)


def _hex(text: str) -> Iterator[bytes]:
    for found in _HEX.finditer(text):
        yield bytes.fromhex(re.sub("[ :]", "", found[0]))


def _base64(text: str) -> Iterator[bytes]:
    for found in _BASE64.finditer(text):
        compact = re.sub(r"[\r\n=]", "", found[0]).translate(_URL_SAFE)
        whole = compact[: len(compact) - (len(compact) % 4 == 1)]
        yield base64.b64decode(whole + "=" * (-len(whole) % 4))


def _readable(blob: bytes) -> str | None:
    text = blob.decode("utf-8", errors="ignore")
    clean = sum(c.isalnum() or c.isspace() or c in ".,;:!?'\"-()/<>|[]#，。！？：；" for c in text)
    return text if text and clean >= _READABLE * len(text) and len(text.encode()) >= _READABLE * len(blob) else None


def _unescape(found: re.Match[str]) -> str:
    number = int(found["dec"] or int(found["hex"] or found["byte"] or found["unit"], 16))
    return chr(number) if number <= sys.maxunicode and chr(number).isprintable() else found[0]
