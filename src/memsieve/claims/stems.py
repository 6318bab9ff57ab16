"""One spelling for the forms of an English word: light, quick, and the same on both sides of a comparison."""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    "rose": "rise", "risen": "rise", "grew": "grow", "grown": "grow", "fell": "fall", "fallen": "fall",
    "lost": "lose", "won": "win", "began": "begin", "begun": "begin", "bought": "buy", "sold": "sell",
    "kept": "keep", "went": "go", "gone": "go", "goes": "go", "took": "take", "taken": "take", "made": "make",
    "chose": "choose", "chosen": "choose", "gave": "give", "given": "give", "wrote": "write", "written": "write",
    "ran": "run", "held": "hold", "met": "meet", "paid": "pay", "said": "say", "found": "find", "built": "build",
    "sent": "send", "spent": "spend", "told": "tell", "thought": "think", "knew": "know", "known": "know",
    "saw": "see", "seen": "see", "came": "come", "got": "get", "gotten": "get", "led": "lead", "left": "left",
    "people": "person", "children": "child", "men": "man", "women": "woman", "does": "do", "did": "do", "done": "done",
    "broke": "break", "broken": "break", "drove": "drive", "driven": "drive", "ate": "eat", "eaten": "eat",
    "shipped": "ship", "stopped": "stop", "dropped": "drop", "planned": "plan", "running": "run", "planning": "plan",
    "spoke": "speak", "spoken": "speak", "hired": "hire", "fired": "fire", "used": "use", "using": "use",
    "allergic": "allergy", "allergies": "allergy", "flew": "fly", "slept": "sleep", "taught": "teach",
    "understood": "understand", "felt": "feel", "brought": "bring", "caught": "catch", "stood": "stand",
    "hid": "hide", "forbade": "forbid", "forbidden": "forbid", "shrank": "shrink",
}  # fmt: skip
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
