"""Chinese words that a dictionary explains with the same English word, put for each other."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from itertools import permutations
from pathlib import Path

from memsieve.models import bundled
from tools.train_embedder.vocabulary import read_dictionary

# One English word in common is not enough: the server of a cluster is no server of meals.
_SENSES = 2
_LONGEST_WORD = 4
_PLAIN = re.compile(r"(?:to )?[a-z]{3,}(?: [a-z]+)?")
_NOTE = re.compile(r"\([^)]*\)")
# Another number, time, side or denial is another claim, whatever the dictionary says.
_TELLING = re.compile(r"[不没无未非一二三四五六七八九十两半多少前后上下左右东南西北早晚日月年季周都全各每]")
_HAN = re.compile("[\u4e00-\u9fff]+")


class Synonyms:
    """Finds words of a sentence, longest first, so that none is a piece of another."""

    def __init__(self, train: Path) -> None:
        """Read the dictionary."""
        dictionary = read_dictionary(train)
        self._known = frozenset(word for word in dictionary if len(word) <= _LONGEST_WORD)
        frequent = set(bundled.tokens().chinese)
        sharing: dict[str, set[str]] = defaultdict(set)
        for word, glosses in dictionary.items():
            if word in frequent and 2 <= len(word) <= _LONGEST_WORD and not _TELLING.search(word):
                for sense in {_NOTE.sub("", part).strip() for gloss in glosses for part in gloss.split(";")}:
                    if _PLAIN.fullmatch(sense):
                        sharing[sense].add(word)
        shared = Counter(pair for words in sharing.values() for pair in permutations(sorted(words), 2))
        self._others: dict[str, set[str]] = defaultdict(set)
        for (word, other), senses in shared.items():
            if senses >= _SENSES:
                self._others[word].add(other)

    def put(self, sentence: str, chance: random.Random) -> str | None:
        """Put another word of the same meaning for up to four words of a sentence."""
        places = [place for run in _HAN.finditer(sentence) for place in self._words(run)]
        if not places:
            return None
        for start, end in sorted(chance.sample(places, min(len(places), chance.choice((1, 1, 2, 3, 4)))), reverse=True):
            other = chance.choice(sorted(self._others[sentence[start:end]]))
            sentence = sentence[:start] + other + sentence[end:]
        return sentence

    def _words(self, run: re.Match[str]) -> list[tuple[int, int]]:
        text, at, found = run[0], 0, []
        while at < len(text):
            longest = min(_LONGEST_WORD, len(text) - at)
            length = next((n for n in range(longest, 1, -1) if text[at : at + n] in self._known), 1)
            if self._others.get(text[at : at + length]):
                found.append((run.start() + at, run.start() + at + length))
            at += length
        return found
