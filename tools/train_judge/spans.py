"""Small steps shared by the edits: put a word in, keep its case, tell the language, pick one of many places."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

Edit = Callable[[str, random.Random], str | None]

_HAN = re.compile(r"[\u3400-\u9fff]")
_NO_CLAIM = re.compile(
    r"[?？{}=<>|\\]|https?:|\b(?:if|unless|whether|suppose|imagine|what|why|how|who)\b|吗|如果|假如|要是|是否|倘若|"
    r"除非|是不是|有没有|能不能|什么|怎么|为何|哪|谁|多少|几[个家位]|^当|^一旦|祝|谢谢|请问|^(?:when|whenever|once|"
    r"are|is|do|does|did|can|could|would|will|have|has|which|where|shall|should|may)\b|\b(?:thank|thanks|bye|"
    r"goodbye|enjoy|have a (?:nice|great|good))\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"\b(?:e\.g|for (?:example|instance)|such as)\b|比如|例如|譬如|诸如", re.IGNORECASE)


class Change(NamedTuple):
    """One place of a sentence, and what to write there."""

    start: int
    end: int
    text: str


def is_chinese(sentence: str) -> bool:
    """Say whether a sentence has Chinese characters."""
    return bool(_HAN.search(sentence))


def claims(sentence: str) -> bool:
    """Say whether a sentence states something: no question, no condition, no code."""
    return not _NO_CLAIM.search(sentence)


def gives_examples(sentence: str) -> bool:
    """Say whether a value of the sentence may be only one example of several."""
    return bool(_EXAMPLE.search(sentence))


def put(sentence: str, change: Change) -> str:
    """Write the change into the sentence."""
    return sentence[: change.start] + change.text + sentence[change.end :]


def put_one(sentence: str, changes: Iterable[Change], chance: random.Random) -> str | None:
    """Write one of the possible changes into the sentence."""
    found = list(changes)
    if not found:
        return None
    changed = re.sub(r"(?<=\S) {2,}", " ", put(sentence, chance.choice(found))).strip()
    return changed if changed != sentence else None


def like(model: str, word: str) -> str:
    """Write a word in the case of another."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def begin(sentence: str) -> str:
    """Write the first letter large."""
    return sentence[:1].upper() + sentence[1:]


def inner(sentence: str) -> str:
    """Write the first letter small where the sentence goes on after an opening, unless it looks like a name."""
    first = sentence.split(" ", 1)[0]
    if first.lower() in _COMMON_STARTS:
        return sentence[:1].lower() + sentence[1:]
    return sentence


def different(pool: Iterable[str], word: str, chance: random.Random) -> str:
    """Return a member of the pool other than the word."""
    return chance.choice([item for item in pool if item.lower() != word.lower()])


_COMMON_STARTS = frozenset(
    "the a an this that these those it he she we you they there all some most many each every no our my your his "
    "her its "
    "their in on at for with by from as to when while after before since because although but and so then also not "
    "one two "
    "three both any such another more few several only just it's there's that's we're they're you're yes "
    "now here".split()
)
