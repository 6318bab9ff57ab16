"""Cut text into words: one cutter for spaced scripts, Chinese and every other language."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from memsieve.bundled.simplify import simplified_forms

# Scripts written without spaces, and Hangul, whose words carry their particles: cut into characters and pairs.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
)
_RUNS = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|\d+(?:[.,:/-]\d+)+|(?:(?![{_UNSPACED}])[^\W_])+")

_STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being both but by can could did do
    does doing done down during each few for from further get got had has have having he her here hers him his how i if
    in into is it its itself just let like may me might more most much must my nor now of off on once only or other our
    ours out over own please same shall she should so some such than that the their theirs them then there these they
    this those through to too under until up us very was we were what when where which while who whom whose why will
    with would you your yours s t d ll m o re ve don isn wasn aren didn doesn hasn hadn won wouldn couldn shouldn
    im ive id youre thats whats not no""".split()
)
_STOP_CHARACTERS = frozenset(
    "的了是在和与及也都就而着过吗呢吧啊呀嘛哦嗯这那我你他她它们之其或被把将让给对向从到于为以很会要能可有个一不没"
)
_STOP_PAIRS = frozenset(
    """什么 怎么 怎样 如何 哪些 哪个 为何 是什 是否 我们 你们 他们 它们 她们 这个 那个 这些 那些 这样 那样 因为 所以
    但是 而且 并且 或者 如果 以及 关于 对于 一个 一些 一下 可以 已经 还是 就是 不是 没有 时候 的是 了吗 请问
    多少""".split()
)

_of_this_thread = threading.local()


def cut(text: str) -> tuple[str, ...]:
    """Return the words of a text for the index: folded, stemmed, stop words out."""
    words: list[str] = []
    for match in _RUNS.finditer(fold(text)):
        run = match.group()
        if match["unspaced"]:
            words += _characters_and_pairs(run)
        elif run not in _STOP_WORDS:
            words.append(_stem(run))
    return tuple(words)


def shared(query: str, text: str) -> tuple[str, ...]:
    """Return the words of a text that a query has too, each once, folded and whole: `decided` for `decision`."""
    wanted = frozenset(cut(query))
    found: dict[str, None] = {}
    for match in _RUNS.finditer(fold(text)):
        run = match.group()
        if match["unspaced"]:
            found.update(dict.fromkeys(_pieces(run, wanted)))
        elif run not in _STOP_WORDS and _stem(run) in wanted:
            found[run] = None
    return tuple(found)


def fold(text: str) -> str:
    """Return a text with width, case, accents' encodings and the two ways to write Chinese made one."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().translate(simplified_forms())


def _characters_and_pairs(run: str) -> list[str]:
    pairs = [pair for pair in map("".join, pairwise(run)) if pair not in _STOP_PAIRS]
    return [character for character in run if character not in _STOP_CHARACTERS] + pairs


def _pieces(run: str, wanted: frozenset[str]) -> list[str]:
    """Return the longest pieces of a run whose characters or pairs are wanted."""
    marked = [character in wanted for character in run]
    for place, pair in enumerate(map("".join, pairwise(run))):
        if pair in wanted:
            marked[place] = marked[place + 1] = True
    groups = groupby(zip(marked, run, strict=True), key=itemgetter(0))
    return ["".join(character for _, character in group) for held, group in groups if held]


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word)) if word.isascii() and word.isalpha() else word


def _stemmer() -> Any:
    """Return this thread's stemmer: it works on a word within itself, so that two threads would mix theirs up."""
    if not hasattr(_of_this_thread, "stemmer"):
        import snowballstemmer

        _of_this_thread.stemmer = snowballstemmer.stemmer("english")
    return _of_this_thread.stemmer
