"""Characters nobody sees: where they hide a message, and where a script or an emoji needs them."""

from __future__ import annotations

import re

_ZERO_WIDTH = "\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff"
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAG = "\U000e0000-\U000e007f"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Scripts whose words are written without joiners: Latin, Greek, Cyrillic, kana, Han, Hangul.
_PLAIN_LETTER = f"A-Za-z\u00c0-\u024f\u0370-\u052f\u3040-\u30ff\uac00-\ud7a3{_HAN}"

# A regional flag is a black flag, a region code in tag characters, and the cancel tag.
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")

_SIGNS = (
    ("tag_characters", re.compile(f"[{_TAG}]+")),
    ("direction_override", re.compile("[\u202d\u202e]")),
    (
        "variation_selectors",
        re.compile(f"[{_SELECTOR}]{{3,}}|(?<=[A-Za-z])[{_SELECTOR}]|(?<![{_HAN}])[\U000e0100-\U000e01ef]"),
    ),
    (
        "zero_width",
        re.compile(f"[{_ZERO_WIDTH}]{{3,}}|(?<=[{_PLAIN_LETTER}])[{_ZERO_WIDTH}]+(?=[{_PLAIN_LETTER}])"),
    ),
)
_UNSEEN = re.compile(f"[\u00ad\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069{_ZERO_WIDTH}{_SELECTOR}{_TAG}]")


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
