"""Cut Chinese into words, with the vocabulary of the bundled models."""

from __future__ import annotations

from functools import cache
from math import inf, log

from memsieve.models import bundled

_LONGEST = 6
# What a word of this place in the vocabulary costs grows with its place; a character alone costs more than most words.
_ALONE = 11.5
_EACH = 3.0
# The vocabulary holds a few pieces that are no words, all of them with a particle.
_PARTICLES = frozenset("的了着吗呢吧啊")
_PARTICLE_WORDS = frozenset("目的 标的 的确 了解 着重 着手 沿着 接着 随着 意味着 为了 罢了 明了 未了".split())


def segment(run: str) -> list[str]:
    """Return the words of a run of simplified Chinese, the likeliest cut of all."""
    table = _costs()
    costs, starts = [0.0, *[inf] * len(run)], [0] * (len(run) + 1)
    for start in range(len(run)):
        for end in range(start + 1, min(len(run), start + _LONGEST) + 1):
            cost = _ALONE if end == start + 1 else table.get(run[start:end])
            if cost is None:
                break
            if costs[start] + cost < costs[end]:
                costs[end], starts[end] = costs[start] + cost, start
    return _walk(run, starts)


def _walk(run: str, starts: list[int]) -> list[str]:
    words, end = [], len(run)
    while end:
        words.append(run[starts[end] : end])
        end = starts[end]
    return words[::-1]


@cache
def _costs() -> dict[str, float]:
    """Return what each word costs; what a word only begins with is beyond price, and what is not in it begins none."""
    words = [word for word in bundled.tokens().chinese if len(word) > 1 and _is_word(word)]
    table = {word[:length]: inf for word in words for length in range(2, len(word))}
    return table | {word: _EACH + log(place) for place, word in enumerate(words, start=2)}


def _is_word(word: str) -> bool:
    return word in _PARTICLE_WORDS or _PARTICLES.isdisjoint(word)
